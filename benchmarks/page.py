"""The page of `mnemos ui` at 20,000 memories beside the same page at 200: first paint, the first rows, typing, other orders and pages.

A real process, a real Chromium (sh tests/browser/setup.sh). Milliseconds are medians of this machine; the ratio is what counts.

    python benchmarks/page.py [--memories 20000] [--runs 7]
"""
from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.model import Memory
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python
from mnemos_mcp.writes import AddMemory

ROOT = Path(__file__).resolve().parent.parent
BATCH = 256
KINDS = 300
TYPED = "why does the invoice export fail on monday"
PARTS = (("the ledger", "the invoice export", "the payment client", "the search page", "the worker queue", "the login form", "the nightly job",
          "the mobile app", "the tax report"),
         ("fails", "is slow", "was moved", "needs a second reviewer", "retries five times", "reads the replica", "is cached", "runs on Monday", "was rewritten"),
         ("because the pool was exhausted", "since the upgrade", "under load", "when the clock changes", "after the migration", "in the staging cluster",
          "for large tenants", "without a token"),
         ("so we raised the limit", "and Petra owns it", "until the flag is removed", "and the fix is in the fixture", "so deploys wait", "and the log says nothing"))


def kinds() -> list[str]:
    """Statements that differ; the same ones every time."""
    dice = random.Random(7)
    return [" ".join(dice.choice(part) for part in PARTS) for _ in range(KINDS)]


def make(path: Path, count: int) -> None:
    """A store of `count` memories, written in batches. Embedding is not what is measured: each takes the vector of one of KINDS statements, shaken a little."""
    embedder = BuiltinEmbedder(runtime="auto")
    engine = open_for_python(MnemosConfig(store=str(path)), embedder=embedder, project="ledger")
    config, now = engine.mind.config, time.time()
    scope = engine.view().scopes[0]
    engine._meet(engine.place())
    dice = random.Random(11)
    said = kinds()
    base, shake = np.stack(embedder.embed(said)), np.random.default_rng(5)
    for start in range(0, count, BATCH):
        writes = []
        for n in range(start, min(count, start + BATCH)):
            text = f"{said[n % KINDS]} (case {n}, build {dice.randrange(10_000)})"
            vector = base[n % KINDS] + shake.normal(0, 0.01, base.shape[1])
            vector = (vector / np.linalg.norm(vector)).astype(np.float32)
            at = now - 86400 * 400 * (1 - n / count)
            memory = Memory(f"{n:012x}", config.firewall.screen(text).text, scope, importance=dice.choice((.2, .5, .75)), created_at=at, valid_from=at, reinforced_at=at,  # type: ignore[union-attr]
                            tags=(dice.choice(("deploy", "money", "database", "queue")),), session=f"s{n // 20}")
            writes.append(AddMemory(memory, config.keywords.index(memory.content), config.supersession.text_hash(memory.content), (vector,), embedder.identity))
        engine.mind.store.apply(writes)
    engine.close()


def measure(folder: Path, runs: int) -> dict[str, float]:
    """Medians in milliseconds of one store's page."""
    from playwright.sync_api import sync_playwright
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("MNEMOS_")}, "HOME": str(folder), "MNEMOS_SQLITE_PATH": str(folder / "mnemos.db"), "MNEMOS_PROJECT": "ledger",
           "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-m", "mnemos_mcp", "ui", "--no-open", "--json"], env=env, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    address = json.loads(process.stdout.readline())["address"]
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(address)
            page.wait_for_selector(".row")
            found = {"first paint": loads(page, runs, PAINT), "first rows": loads(page, runs, ROWS), **typing(page), **orders(page)}
            browser.close()
            return found
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
ROWS = "() => window.rowsAt"
SHOWN = ("said => new URLSearchParams(location.hash.split('?')[1]).get('q') === said && "
         "document.querySelector('.summary a')?.href.includes(encodeURIComponent(said).replaceAll('%20', '+'))")
WATCH = ("new MutationObserver((_, o) => { if (document.querySelector('.row')) { window.rowsAt = performance.now(); o.disconnect() } })"
         ".observe(document, {childList: true, subtree: true})")


def loads(page: Any, runs: int, figure: str) -> float:
    page.add_init_script(WATCH)
    taken = []
    for _ in range(runs):
        page.reload()
        page.wait_for_selector(".row")
        taken.append(page.evaluate(figure))
    return statistics.median(taken)


def timed(page: Any, act: Any, shown: str) -> float:
    """Milliseconds from an act in the page to what it is to show."""
    begun = time.perf_counter()
    act()
    page.wait_for_selector(shown)
    return (time.perf_counter() - begun) * 1000


def typing(page: Any) -> dict[str, float]:
    """From each pause in typing to its results on the page, the page's own wait of 140 ms included; and the longest stall of a key."""
    box = page.locator("main input[type=search]")
    pauses, keys = [], []
    words = TYPED.split()
    for n in range(1, len(words) + 1):
        said = " ".join(words[:n])
        for letter in (" " if n > 1 else "") + words[n - 1]:
            begun = time.perf_counter()
            box.press_sequentially(letter)
            keys.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        page.wait_for_function(SHOWN, arg=said, polling=10)
        pauses.append((time.perf_counter() - begun) * 1000)
    box.fill("")
    page.wait_for_selector(".pager span, .summary strong:has-text('memories')")
    return {"a key": statistics.median(keys), "results after a pause": statistics.median(pauses), "the slowest": max(pauses)}


def orders(page: Any) -> dict[str, float]:
    last = page.evaluate("() => fetch('api/list?limit=1').then(r => r.json()).then(r => Math.max(0, Math.ceil(r.total / 50) - 1))")
    clock = "name => { const at = performance.now(); return fetch(name).then(r => r.text()).then(() => performance.now() - at) }"
    return {name: statistics.median(page.evaluate(clock, route) for _ in range(3)) for name, route in {
        "the last page": f"api/list?limit=50&offset={last * 50}", "order by retention": "api/list?limit=50&sort=retention", "one sector": "api/list?limit=50&sector=procedural",
        "what fades": "api/forgetting?days=365"}.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    found = {}
    for count in (200, args.memories):
        with tempfile.TemporaryDirectory(prefix="mnemos-page-") as folder:
            make(Path(folder) / "mnemos.db", count)
            found[count] = measure(Path(folder), args.runs)
    small, large = found[200], found[args.memories]
    print(f"| milliseconds | 200 memories | {args.memories:,} | ratio |\n|---|---|---|---|")
    for name in small:
        print(f"| {name} | {small[name]:.0f} | {large[name]:.0f} | {large[name] / max(small[name], 0.1):.1f} |")


if __name__ == "__main__":
    main()
