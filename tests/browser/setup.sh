#!/bin/sh
# What the browser tests need: Playwright's driver from PyPI and a Chromium. Debian's is used where apt is there, else Playwright's own.
set -e
cd "$(dirname "$0")/../.."
python -m pip install -q '.[test,browser]'
if ! command -v chromium >/dev/null 2>&1; then
  if command -v apt-get >/dev/null 2>&1; then
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core fonts-liberation
  else
    python -m playwright install chromium
  fi
fi
echo "ready: pytest -n 0 -m browser tests/browser"
