#!/usr/bin/env bash
# The runs with the real clients, the plugin's own among them:  run.sh FOLDER [pytest's arguments]     FOLDER: what install.sh filled
set -eu
[ $# -ge 1 ] || { echo "usage: run.sh FOLDER [pytest's arguments]" >&2; exit 64; }
export REAL_CLIENTS=$1; shift
CLAUDE_BIN=$(echo "$REAL_CLIENTS"/node_modules/@anthropic-ai/claude-code-*/claude)
export CLAUDE_BIN
exec "${PYTHON:-python}" -m pytest -n 0 -m real_clients "$(dirname "$0")" "$(dirname "$0")/../test_plugin.py" "$@"
