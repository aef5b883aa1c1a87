"""A real page: `mnemos ui` as a process of its own on loopback, and a real Chromium that opens its one-time address."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from story import tell

ROOT = Path(__file__).resolve().parents[2]
SHOTS = Path(os.environ.get("MNEMOS_TEST_SHOTS") or ROOT / "tests" / "browser" / "shots")


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The year of the invented project, told once; each test works on a copy."""
    folder = tmp_path_factory.mktemp("told")
    tell(str(folder / "mnemos.db"), time.time())
    return folder / "mnemos.db"


class Served:
    """One `mnemos ui`, and the same memory from the command line."""

    def __init__(self, folder: Path):
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith("MNEMOS_")}, "HOME": str(folder), "PYTHONPATH": str(ROOT),
                    "MNEMOS_SQLITE_PATH": str(folder / "mnemos.db"), "MNEMOS_PROJECT": "ledger"}
        self.process = subprocess.Popen([sys.executable, "-m", "mnemos_mcp", "ui", "--no-open", "--json"], env=self.env, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.origin = self.address.partition("/?")[0]

    def mnemos(self, *words: str) -> Any:
        done = subprocess.run([sys.executable, "-m", "mnemos_mcp", *words, "--json"], env=self.env, capture_output=True, text=True, timeout=120, check=True)
        return json.loads(done.stdout)

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)


@pytest.fixture
def served(tmp_path: Path, told: Path) -> Iterator[Served]:
    shutil.copy(told, tmp_path / "mnemos.db")
    one = Served(tmp_path)
    yield one
    one.end()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Served]:
    """A page on nothing at all."""
    one = Served(tmp_path)
    yield one
    one.end()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium where it is, else Playwright's."""
    playwright = pytest.importorskip("playwright.sync_api", reason="sh tests/browser/setup.sh")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages. A script error, a refused resource and a request that leaves loopback fail the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_(one: Served, view: str = "", *, width: int = 1280, height: int = 860, dark: bool = False) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", locale="en-GB", device_scale_factor=1)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(40_000)
        page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        page.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
        page.on("request", lambda request: wrong.append(f"left loopback: {request.url}") if not request.url.startswith((one.origin, "data:")) else None)
        page.goto(one.address)
        page.wait_for_selector("main h1", state="attached")
        if view:
            page.goto(f"{one.origin}/#{view}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not wrong, wrong


@pytest.fixture
def shot() -> Callable[[Any, str], None]:
    """Keep a picture of the page, for people to look at."""
    SHOTS.mkdir(exist_ok=True)
    return lambda page, name: page.screenshot(path=str(SHOTS / f"{name}.png"))
