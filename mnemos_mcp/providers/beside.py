"""One text embedded by the built-in model in a process beside this one, which meanwhile reads the text, opens the file and imports the rest of a recall.

Loading numpy and the model is half of all that a recall at a prompt takes, and nothing else of it waits for them. A fork costs a millisecond.
"""
from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .minilm import DIMENSIONS, IDENTITY, MODEL_FILE, VOCABULARY, WINDOW_TOKENS

if TYPE_CHECKING:
    from .embed import BuiltinEmbedder

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "minilm")
LAST_S = 10  # the child ends itself then, whatever happens to it


def possible() -> bool:
    """On Linux with a second core. macOS ends a forked process that loads its system libraries; on one core there is nothing to win."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


class Beside:
    """Fits the protocol Embedder. The other process loads from now on, and embeds the text that `begin` hands it; any other text is embedded here."""

    identity, dimensions = IDENTITY, DIMENSIONS

    def __init__(self) -> None:
        """OSError when there can be no other process."""
        self.text = ""
        asked, self._asks = os.pipe()
        self._pipe, answers = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._asks)
            os.close(self._pipe)
            _child(asked, answers)
        os.close(asked)
        os.close(answers)
        self._vector: array[float] | None = None
        self._here: BuiltinEmbedder | None = None

    def begin(self, text: str) -> None:
        """Once, with the text to embed: its first window."""
        from .minilm.wordpiece import END, START, WordPiece
        self.text = text
        try:
            reader = WordPiece(os.path.join(FOLDER, VOCABULARY))
            ids = reader.encode(reader.windows(text, WINDOW_TOKENS - 2)[0], WINDOW_TOKENS - 2)
            os.write(self._asks, array("i", [START, *ids, END]).tobytes())
        except (OSError, ValueError):
            pass  # it has ended, or the vocabulary cannot be read: `embed` will say what is wrong
        finally:
            os.close(self._asks)

    def probe(self) -> str | None:
        return self._own().probe()

    def windows(self, text: str) -> list[str]:
        """A text that is on its way already is read as far as its first window goes."""
        return [text] if text == self.text else self._own().windows(text)

    def embed(self, texts: Sequence[str], *, deadline_s: float | None = None) -> list[Any]:
        """Unit vectors as arrays of float. EmbedderUnavailable as of the built-in model, and when the other process ended early: what ended it, too
        little memory say, would end this one too, and with more noise than a client should see."""
        if list(texts) == [self.text]:
            vector = self._sent()
            if vector is None:
                from ..errors import EmbedderUnavailable
                raise EmbedderUnavailable("the process that embeds a first prompt ended early")
            return [vector]
        return self._own().embed(texts, deadline_s=deadline_s)

    def _sent(self) -> array[float] | None:
        if self._pid:
            with open(self._pipe, "rb") as pipe:
                raw = pipe.read()
            os.waitpid(self._pid, 0)
            self._pid = 0
            self._vector = array("f", raw) if len(raw) == 4 * DIMENSIONS else None
        return self._vector

    def _own(self) -> BuiltinEmbedder:
        if self._here is None:
            from .embed import BuiltinEmbedder
            self._here = BuiltinEmbedder(runtime="numpy")
        return self._here


def _child(asked: int, pipe: int) -> None:
    """Never returns, says nothing, and holds nothing open that somebody waits for."""
    try:
        import signal
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LAST_S)
        from .minilm.model import MiniLM
        model = MiniLM(os.path.join(FOLDER, MODEL_FILE), once=True)
        with open(asked, "rb") as given:
            ids = array("i", given.read())
        if ids:
            os.write(pipe, array("f", model.embed([ids])[0]).tobytes())
    finally:
        os._exit(0)
