"""Talking to a model server: where it is, whether it listens, one JSON question, and the rest after a failure.

Nothing here keeps a connection open. Loopback is never asked through a proxy. No message repeats a key, a header or a body.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

OLLAMA_PORT = 11434
REPLY_BYTES = 64_000_000


class ServiceFailure(Exception):
    """The server gave no usable answer. `status` is its HTTP code, None when there was none."""

    def __init__(self, reason: str, status: int | None = None):
        super().__init__(reason)
        self.status = status


class Breaker:
    """Remembers a failure for `rest_s` seconds, so that a dead server costs one attempt and not one deadline a call."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, rest_s: float = 30.0):
        self.clock, self.rest_s = clock, rest_s
        self._failure: tuple[float, str] | None = None

    def open(self) -> str | None:
        """Why not to try now, None when one may."""
        failure = self._failure
        if failure is None or self.clock() - failure[0] >= self.rest_s:
            return None
        return failure[1]

    def failed(self, reason: str) -> None:
        """Rest from now on."""
        self._failure = (self.clock(), reason)

    def worked(self) -> None:
        """Forget the failure."""
        self._failure = None


def base_url(address: str, default_port: int | None = None) -> str:
    """An address as people write it -> scheme://host[:port][/path] without a slash at the end.

    "127.0.0.1", ":11434", "0.0.0.0:11434", "[::]:11434" and "http://localhost:11434/" are all accepted (the forms of OLLAMA_HOST).
    Where a server listens on all addresses, loopback is what one dials. Without a scheme: http and `default_port`.
    ValueError when it is no http address.
    """
    text = address.strip().rstrip("/")
    if text.count(":") > 1 and "://" not in text and "[" not in text:
        text = f"[{text}]"  # a bare IPv6 address
    bare = "://" not in text
    parts = urlsplit(f"http://{text}" if bare else text)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"'{parts.scheme}' is no scheme of a model server; http and https are")
    host = (parts.hostname or "").replace("0.0.0.0", "127.0.0.1") or "127.0.0.1"
    host = "::1" if host == "::" else host
    port = parts.port or (default_port if bare else None)
    where = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    account = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return f"{parts.scheme}://{account}{where}{parts.path.rstrip('/')}"


def is_loopback(url: str) -> bool:
    """Whether the host is this machine."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def place(url: str) -> str:
    """host:port for messages: no account, no path."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{_port(parts)}"


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def unreachable(url: str, timeout_s: float = 0.05) -> str | None:
    """None when something listens there, else one sentence. A plain TCP connect, no bytes sent."""
    import socket

    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", _port(parts)), timeout_s).close()
    except OSError:
        return f"nothing answers at {place(url)}"
    return None


def post_json(url: str, body: object, headers: Mapping[str, str], timeout_s: float) -> Any:
    """POST `body` as JSON, the reply's JSON. ServiceFailure otherwise.

    `timeout_s` holds for each wait and for the whole reply. Redirects are refused: they would carry the key elsewhere.
    """
    import http.client
    import urllib.error
    import urllib.request

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    handlers: list[urllib.request.BaseHandler] = [NoRedirect()]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    end = time.monotonic() + timeout_s
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
        with urllib.request.build_opener(*handlers).open(request, timeout=timeout_s) as response:
            return json.loads(_whole(response, end))
    except urllib.error.HTTPError as error:
        error.close()
        raise ServiceFailure(f"{place(url)} answered with status {error.code}", error.code) from None
    except TimeoutError:
        raise ServiceFailure(f"{place(url)} did not answer within {timeout_s:.2f} s") from None
    except urllib.error.URLError as error:
        late = isinstance(error.reason, TimeoutError)
        raise ServiceFailure(f"{place(url)} did not answer within {timeout_s:.2f} s" if late else f"{place(url)} cannot be reached") from None
    except (OSError, http.client.HTTPException):
        raise ServiceFailure(f"{place(url)} broke off the answer") from None
    except ValueError:  # of the reply or of a header; its own text could quote the key
        raise ServiceFailure(f"{place(url)} did not answer with JSON, or the key has characters that no header may hold") from None


def _whole(response: Any, end: float) -> bytes:
    """The body, while there is time: a server that drips never meets a timeout between two bytes."""
    found = bytearray()
    while chunk := response.read1(65536):
        found += chunk
        if time.monotonic() > end:
            raise TimeoutError
        if len(found) > REPLY_BYTES:
            raise ValueError("too long")
    return bytes(found)
