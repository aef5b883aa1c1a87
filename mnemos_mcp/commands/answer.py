"""What a command gives back, and what it may ask of the world while it works."""
from __future__ import annotations

import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..errors import MnemosError

if TYPE_CHECKING:
    from ..engine import Engine
    from ..settings import Settings


class UsageError(MnemosError):
    """The command line says something that is not allowed; exit code 2."""


class Declined(MnemosError):
    """The user was asked and said no."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One JSON value, the same as plain text, and how it is drawn on a terminal (given a rich Console)."""

    value: Any
    text: str = ""
    draw: Callable[[Any], None] | None = None
    code: int = 0


class Session:
    """One run of a command: its arguments, and the memory, opened when it is first needed."""

    def __init__(self, args: Namespace):
        self.args = args

    @cached_property
    def settings(self) -> Settings:
        from ..settings import load
        settings = load()
        for problem in settings.problems:
            print(f"mnemos: {problem}", file=sys.stderr)
        return settings

    @cached_property
    def engine(self) -> Engine:
        from ..runtime import open_engine
        return open_engine(self.settings, door="web" if self.args.command == "ui" else "cli")

    @contextmanager
    def reading(self) -> Iterator[Engine]:
        """The memory for a command that only reads it: of a file or folder that may not be written, a private copy (SQLite itself would
        have to write its log beside it)."""
        from ..errors import StoreUnavailable
        try:
            engine = self.engine
        except StoreUnavailable:
            path = self.settings.sqlite_path
            if not os.access(path, os.R_OK) or (os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)):
                raise
        else:
            yield engine
            return
        from ..runtime import open_engine
        with TemporaryDirectory(prefix="mnemos-read-") as folder:
            copy = os.path.join(folder, "mnemos.db")
            for side in ("", "-wal"):
                if os.path.exists(path + side):
                    shutil.copyfile(path + side, copy + side)
            engine = open_engine(self.settings._replace(sqlite_path=copy), door="cli")
            try:
                yield engine
            finally:
                engine.close()

    def now(self) -> float:
        return time.time()

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.engine.close()

    def confirm(self, question: str) -> None:
        """Raises Declined, or UsageError when nobody is there to be asked and --yes was not given."""
        if getattr(self.args, "yes", False):
            return
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(f"{question} Give --yes to confirm: there is no terminal to ask on. Nothing was changed.")
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            raise Declined("Nothing was changed.")

    @contextmanager
    def progress(self, label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """A bar on stderr while stderr is a terminal; silence otherwise."""
        if not sys.stderr.isatty():
            yield lambda _: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        measured = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) if total else (TextColumn("{task.fields[said]}"), TimeElapsedColumn())
        with Progress(SpinnerColumn(), TextColumn(label), *measured, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=total, said="")

            def advance(step: int) -> None:
                bar.advance(task, step)
                bar.update(task, said=f"{bar.tasks[0].completed:,.0f}")

            yield advance


def count(number: int, one: str, many: str = "") -> str:
    """'1 memory', '2 memories'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def stdin_text() -> str:
    """Everything on the standard input; what is no UTF-8 shows as replacement marks."""
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace").removesuffix("\n").removesuffix("\r")
