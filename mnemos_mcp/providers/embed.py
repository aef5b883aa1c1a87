"""Text -> vectors: the built-in model, Ollama, an OpenAI-compatible server. Each fits the protocol Embedder of ports.py.

Vectors are float32 of length 1. Vectors of different `identity` are never compared. Without an embedder the caller has None.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..blas import single_thread
from ..errors import EmbedderUnavailable
from .minilm import DIMENSIONS, IDENTITY, MODEL_FILE, VOCABULARY, WINDOW_TOKENS
from .service import OLLAMA_PORT, Breaker, ServiceFailure, base_url, is_loopback, place, post_json, unreachable

if TYPE_CHECKING:
    import numpy as np

    from .minilm.model import MiniLM
    from .minilm.onnx_graph import OnnxMiniLM
    from .minilm.wordpiece import WordPiece

PASS_TOKENS = 256  # of one forward pass; more saves nothing (measured: 19 to 20 ms a text of 26 tokens from 4 texts on)
WINDOW_CHARACTERS = 1000  # about 256 tokens of English, for models whose tokenizer is not ours
REQUEST_TEXTS = 32
WORTH_A_RETRY = (400, 413, 422)  # the text was at fault, not the server


class BuiltinEmbedder:
    """all-MiniLM-L6-v2 from the package. Loads at the first text (0.1 s, about 50 MB); safe to use from several threads.

    `runtime` names what runs it: numpy, or onnxruntime where that is installed. The vectors agree to a cosine of 0.9999996,
    so the identity is the same.
    """

    identity, dimensions = IDENTITY, DIMENSIONS

    def __init__(self, folder: Path | None = None, token_limit: int = WINDOW_TOKENS, clock: Callable[[], float] = time.monotonic,
                 runtime: Literal["auto", "numpy", "onnxruntime"] = "auto"):
        """`token_limit` cuts each text; `folder` holds the model file and the vocabulary.

        A process that embeds one text and ends wants `runtime="numpy"`, which starts faster.
        """
        self.folder = folder or Path(__file__).parent / "minilm"
        self.token_limit, self.clock = min(token_limit, WINDOW_TOKENS), clock
        self._lock = threading.Lock()
        self._model: MiniLM | OnnxMiniLM | None = None
        self._wordpiece: WordPiece | None = None
        there = runtime != "numpy" and installed("onnxruntime")
        self.runtime: Literal["numpy", "onnxruntime"] = "onnxruntime" if there else "numpy"
        self.fallback = "onnxruntime is not installed" if runtime == "onnxruntime" and not there else ""  # why not what was asked for

    def probe(self) -> str | None:
        """None when the files are there, else what is missing."""
        missing = [name for name in (MODEL_FILE, VOCABULARY) if not (self.folder / name).is_file()]
        return f"{missing[0]} is missing in {self.folder}" if missing else None

    def windows(self, text: str) -> list[str]:
        """Pieces of at most 256 model tokens, in order. A text that fits is returned as it is. Does not load the model."""
        return self._tokenizer().windows(text, WINDOW_TOKENS - 2)

    def embed(self, texts: Sequence[str], *, deadline_s: float | None = None) -> list[np.ndarray]:
        """(384,) float32 unit vectors, one a text. EmbedderUnavailable when the files are unreadable, or when
        the deadline has passed between two passes; the first is always made, and loading is not counted."""
        from .minilm.wordpiece import END, START

        found = list[Any]()
        tokenizer, model = self._tokenizer(), self._loaded() if texts else None
        begin = self.clock()  # loading is over: it comes once a process, and a busy machine must not turn the first recall into one by words
        if model is None:
            return found
        texts_of_ids = [[START, *tokenizer.encode(text, self.token_limit - 2), END] for text in texts]
        order = sorted(range(len(texts)), key=lambda number: len(texts_of_ids[number]))  # onnxruntime pads; like lengths waste nothing
        for texts_of_pass in passes([texts_of_ids[number] for number in order]):
            if found and deadline_s is not None and self.clock() - begin > deadline_s:
                raise EmbedderUnavailable(f"{len(found)} of {len(texts)} texts were embedded in {deadline_s:g} s")
            found += list(model.embed(texts_of_pass))
        vectors = dict(zip(order, found, strict=True))
        return [vectors[number] for number in range(len(texts))]

    def _tokenizer(self) -> WordPiece:
        from .minilm.wordpiece import WordPiece

        with self._lock:
            if self._wordpiece is None:
                try:
                    self._wordpiece = WordPiece(self.folder / VOCABULARY)
                except (OSError, ValueError) as error:
                    raise EmbedderUnavailable(f"the built-in vocabulary cannot be read: {error}") from error
            return self._wordpiece

    def _loaded(self) -> MiniLM | OnnxMiniLM:
        with self._lock:
            if self._model is None:
                try:
                    from .minilm.model import MiniLM

                    path = self.folder / MODEL_FILE
                    self._model = (self._by_onnxruntime(path) if self.runtime == "onnxruntime" else None) or MiniLM(path)
                except (OSError, ValueError, KeyError, ImportError) as error:
                    raise EmbedderUnavailable(f"the built-in model cannot be loaded: {error}") from error
            return self._model

    def _by_onnxruntime(self, path: Path) -> OnnxMiniLM | None:
        """None, with the reason in `fallback`, when it is installed but does not work here. ValueError or OSError for a bad file."""
        single_thread()
        from .minilm.onnx_graph import OnnxMiniLM
        from .minilm.weights import Weights

        weights = Weights(path)
        try:
            return OnnxMiniLM(weights)
        except Exception as error:  # its errors share no class but this one, and numpy gives the same vectors
            self.runtime = "numpy"
            self.fallback = f"onnxruntime does not work here: {type(error).__name__}: {error}".partition("\n")[0][:200]
            return None


def installed(module: str) -> bool:
    """Whether it can be found; does not import it."""
    try:
        return find_spec(module) is not None
    except ValueError:  # loaded already, by something that did not note from where
        return True


def passes(texts: Sequence[list[int]]) -> Iterator[list[list[int]]]:
    """Neighbours together up to PASS_TOKENS."""
    group: list[list[int]] = []
    for ids in texts:
        if group and sum(map(len, group)) + len(ids) > PASS_TOKENS:
            yield group
            group = []
        group.append(ids)
    if group:
        yield group


class ServiceEmbedder:
    """What the two servers have in common: the breaker, batches, checks of the answer. `kind` and `_ask` are the child's."""

    kind = "service"

    def __init__(self, model: str, url: str, timeout_s: float, clock: Callable[[], float], port: int | None = None):
        """A wrong address is no error here: `probe` and `embed` tell, so that a server with a bad setting still starts."""
        self.model, self.timeout_s, self.clock = model, timeout_s, clock
        try:
            self.url, self._wrong = base_url(url, port), ""
        except ValueError:  # its text could hold a password of the address
            self.url, self._wrong = "", f"the address set for the {self.kind} embedder is no http address"
        self.breaker = Breaker(clock)
        self._dimensions: int | None = None

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; asks the server once. EmbedderUnavailable when it does not answer."""
        if self._dimensions is None:
            self.embed(["size"])
        return self._dimensions or 0

    @property
    def identity(self) -> str:
        """kind:model/dimensions; asks the server once. EmbedderUnavailable when it does not answer."""
        return f"{self.kind}:{self.model}/{self.dimensions}"

    def windows(self, text: str) -> list[str]:
        """Pieces of at most 1,000 characters, about 256 tokens."""
        return character_windows(text, WINDOW_CHARACTERS)

    def probe(self) -> str | None:
        """None when something listens (50 ms), else why not; a failure of the last 30 s is remembered, not tried again.

        A host beyond loopback that may lie behind a proxy is not dialled: its first text tells.
        """
        reason = self._wrong or self.breaker.open()
        if reason is None and is_loopback(self.url):
            reason = unreachable(self.url)
            if reason is not None:
                self.breaker.failed(reason)
        return reason

    def embed(self, texts: Sequence[str], *, deadline_s: float | None = None) -> list[np.ndarray]:
        """(dimensions,) float32 unit vectors, one a text. EmbedderUnavailable with the reason otherwise, never with the key."""
        begin, found, waiting = self.clock(), list[Any](), iter(texts)
        reason = self.probe() if texts else None
        if reason is not None:
            raise EmbedderUnavailable(reason)
        while batch := list(islice(waiting, REQUEST_TEXTS)):
            left = self.timeout_s if deadline_s is None else min(self.timeout_s, deadline_s - (self.clock() - begin))
            if left <= 0:
                raise EmbedderUnavailable(f"{len(found)} of {len(texts)} texts were embedded in {deadline_s:g} s")
            try:
                found += self._checked(self._ask(batch, left), len(batch))
            except ServiceFailure as error:
                if error.status not in WORTH_A_RETRY:
                    self.breaker.failed(str(error))
                raise EmbedderUnavailable(str(error)) from None
        self.breaker.worked()
        return found

    def _ask(self, texts: list[str], timeout_s: float) -> Any:
        """The server's rows of numbers; ServiceFailure when there are none."""
        raise NotImplementedError

    def _checked(self, rows: Any, count: int) -> list[np.ndarray]:
        """Unit vectors of one size; ServiceFailure for anything else."""
        single_thread()
        import numpy

        try:
            matrix = numpy.asarray(rows, "f4")
        except (TypeError, ValueError):
            raise ServiceFailure(f"{place(self.url)} did not answer with vectors of one size") from None
        if matrix.ndim != 2 or len(matrix) != count or matrix.shape[1] == 0:
            raise ServiceFailure(f"{place(self.url)} answered with {matrix.shape} numbers for {count} texts")
        if self._dimensions not in (None, matrix.shape[1]):
            raise ServiceFailure(f"{place(self.url)} answered with {matrix.shape[1]} dimensions, {self._dimensions} before")
        lengths = numpy.linalg.norm(matrix.astype("f8"), axis=1, keepdims=True)
        if not numpy.isfinite(lengths).all() or not lengths.all():
            raise ServiceFailure(f"{place(self.url)} answered with a vector that has no direction")
        self._dimensions = matrix.shape[1]
        return list((matrix / lengths).astype("f4"))


class OllamaEmbedder(ServiceEmbedder):
    """A model of an Ollama server, by `/api/embed`."""

    kind = "ollama"

    def __init__(self, model: str, url: str = "127.0.0.1:11434", timeout_s: float = 30.0, clock: Callable[[], float] = time.monotonic):
        """`url` in any form of OLLAMA_HOST."""
        super().__init__(model, url, timeout_s, clock, OLLAMA_PORT)

    def _ask(self, texts: list[str], timeout_s: float) -> Any:
        import httpx
        import ollama  # 0.3 s, so only now that something listens

        try:
            # Without TLS and redirects there is nothing to verify, and reading the certificates cost 0.1 s a call.
            options = {"trust_env": not is_loopback(self.url), "verify": self.url.startswith("https")}
            client = ollama.Client(self.url, timeout=timeout_s, follow_redirects=False, **options)
            return client.embed(self.model, texts).embeddings
        except ollama.ResponseError as error:
            detail = error.error.partition("\n")[0][:200]
            raise ServiceFailure(f"Ollama at {place(self.url)} answered {error.status_code}: {detail}", error.status_code) from None
        except httpx.TimeoutException:
            raise ServiceFailure(f"Ollama at {place(self.url)} did not answer within {timeout_s:.2f} s") from None
        except (ConnectionError, httpx.HTTPError, httpx.InvalidURL):
            raise ServiceFailure(f"Ollama at {place(self.url)} broke off the connection") from None
        except (ValueError, TypeError, AttributeError):  # no JSON, or not the promised fields
            raise ServiceFailure(f"{place(self.url)} does not answer like Ollama") from None


class OpenAIEmbedder(ServiceEmbedder):
    """A model behind `{url}/embeddings` of an OpenAI-compatible server."""

    kind = "openai"

    def __init__(self, model: str, url: str, api_key: str | None = None, timeout_s: float = 30.0, clock: Callable[[], float] = time.monotonic):
        """`url` with its version, such as https://api.openai.com/v1. The key is sent as a bearer token, never shown."""
        super().__init__(model, url, timeout_s, clock)
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def _ask(self, texts: list[str], timeout_s: float) -> Any:
        reply = post_json(f"{self.url}/embeddings", {"model": self.model, "input": texts}, self._headers, timeout_s)
        try:
            rows = sorted(reply["data"], key=lambda row: row["index"])
            return [row["embedding"] for row in rows]
        except (TypeError, KeyError):
            raise ServiceFailure(f"{place(self.url)} does not answer like an OpenAI-compatible server") from None


def character_windows(text: str, size: int) -> list[str]:
    """Cuts of at most `size` characters, at a sentence or a space in the second half where there is one. Nothing is lost."""
    found, begin = [], 0
    while len(text) - begin > size:
        piece = text[begin : begin + size]
        ends = [match.end() for match in re.finditer(r"[.!?]\s|\n", piece)] or [piece.rfind(" ") + 1]
        end = ends[-1] if ends[-1] > size // 2 else piece.rfind(" ") + 1
        end = end if end > size // 2 else size
        found.append(text[begin : begin + end])
        begin += end
    return [*found, text[begin:]]
