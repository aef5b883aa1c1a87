"""The interactive Claude Code on a terminal of its own (a pty, no display). Waits are for words on the screen or requests of the model, each with a deadline."""
from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

from .clients import DUMMY_KEY, claude_environment, program
from .models import Model
from .places import END_S, Place

ASKED = "\x1b[c"  # "which terminal are you?": the last thing it asks before it listens


class Screen:
    """A session on a terminal: `say` types a line, `until` waits."""

    def __init__(self, place: Place, folder: Path, model: Model):
        known(place, folder)
        mine, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            [program(os.environ["REAL_CLIENTS"], "claude"), "--dangerously-skip-permissions"], cwd=folder, stdin=its, stdout=its, stderr=its,
            env={**claude_environment(place, model), "TERM": "xterm-256color"}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(its, termios.TIOCSCTTY, 0))
        os.close(its)
        self._terminal, self.shown = mine, ""

    def __enter__(self) -> Screen:
        self.until(lambda: ASKED in self.shown)
        os.write(self._terminal, b"\x1b[?62c")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(END_S)
        os.close(self._terminal)

    def say(self, line: str) -> None:
        """Type a line and press Enter once it stands on the screen."""
        start = len(self.shown)
        os.write(self._terminal, line.encode())
        self.until(lambda: self.words(line) in self.words(self.shown[start:]))
        os.write(self._terminal, b"\r")

    @staticmethod
    def words(text: str) -> str:
        """What is drawn, without the commands to the terminal and the spaces (which may be moves of the cursor)."""
        return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\s", "", text)

    def until(self, reached: Callable[[], bool], seconds: float = END_S) -> None:
        """Read the screen until it is so. TimeoutError, with the end of the screen, when it never is."""
        deadline = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds:.0f} s; the screen ends with {self.shown[-2000:]!r}")
            if select.select([self._terminal], [], [], 0.05)[0]:
                try:
                    self.shown += os.read(self._terminal, 65536).decode("utf-8", "replace")
                except OSError:  # it has closed its terminal
                    self.process.wait(END_S)
                    if not reached():
                        raise EOFError(f"the client left; the screen ends with {self.shown[-2000:]!r}") from None


def known(place: Place, folder: Path) -> None:
    """Answer the questions of a first run beforehand (theme, trust, key), in the files where the client keeps the answers."""
    def answered(name: str, **answers: object) -> None:
        path = place.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **answers}))

    answered(".claude.json", hasCompletedOnboarding=True, theme="dark", numStartups=5, bypassPermissionsModeAccepted=True,
             customApiKeyResponses={"approved": [DUMMY_KEY[-20:]], "rejected": []},
             projects={str(folder): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}})
    answered(".claude/settings.json", skipDangerousModePermissionPrompt=True)
