#!/usr/bin/env bash
# The runs with the real clients:  run.sh FOLDER [pytest's arguments]     FOLDER: what install.sh filled
set -eu
[ $# -ge 1 ] || { echo "usage: run.sh FOLDER [pytest's arguments]" >&2; exit 64; }
export REAL_CLIENTS=$1; shift
exec "${PYTHON:-python}" -m pytest -n 0 -m real_clients "$(dirname "$0")" "$@"
