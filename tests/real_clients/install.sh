#!/usr/bin/env bash
# Install the pinned clients from npm into FOLDER:  install.sh FOLDER
# --ignore-scripts is enough: the programs are in the packages of the platform, nothing of npm's runs.
set -eu
[ $# -eq 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 64; }
mkdir -p "$1"
npm install --prefix "$1" --ignore-scripts --no-save --no-audit --no-fund --loglevel=error \
  @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0
for program in "$1"/node_modules/@anthropic-ai/claude-code-*/claude "$1"/node_modules/@openai/codex-*/vendor/*/bin/codex; do
  [ -x "$program" ] || { echo "not installed: $program" >&2; exit 1; }
  echo "$program  $(HOME=$1 "$program" --version)"
done
