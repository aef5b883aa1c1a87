"""Who may enter the page: loopback names only, the page's own origin only, and whoever opened the one-time address.

The token in the address works once and becomes a cookie that scripts cannot read and other sites cannot send. Nothing of this outlives the process.
"""
from __future__ import annotations

import hmac
import secrets
from typing import Any
from urllib.parse import parse_qs

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
HEADERS = ((b"content-security-policy", POLICY.encode()), (b"x-content-type-options", b"nosniff"), (b"x-frame-options", b"DENY"),
           (b"referrer-policy", b"no-referrer"), (b"cross-origin-opener-policy", b"same-origin"), (b"cross-origin-resource-policy", b"same-origin"),
           (b"cache-control", b"no-store"), (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"))
SAFE = frozenset({"GET", "HEAD"})
USED = "This address was opened before: it works once. Run `mnemos ui` again for another."
WRONG = "This is not the address that `mnemos ui` printed here: it was cut or mistyped, or is that of an earlier start. Copy it whole from the terminal."
NO_COOKIE = ("Open the address that `mnemos ui` printed: it lets this browser in. It works once.")


class Guard:
    """ASGI middleware around the page. `token` is given out once, in the address."""

    def __init__(self, app: Any, port: int):
        self.app = app
        self.token = secrets.token_urlsafe(32)
        self._used = False
        self._pass = secrets.token_urlsafe(32)
        self._cookie = f"mnemos_{port}"  # cookies are shared by all ports of a host: two pages must not log each other out
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return  # no websockets here, and no lifespan work
        headers = _headers(scope)
        reason = self._refusal(scope["method"], headers)
        if reason:
            await _say(send, 403, reason)
        elif scope["path"] == "/" and scope["method"] == "GET" and (given := parse_qs(scope["query_string"].decode("latin-1")).get("token")):
            await self._redeem(given[0], headers, send)
        elif not self._known(headers):
            await _say(send, 403, NO_COOKIE)
        else:
            await self.app(scope, receive, _with_headers(send))

    def _refusal(self, method: str, headers: dict[str, str]) -> str:
        """Why a request may not even ask; '' when it may. A page elsewhere can make a browser send requests here, but not with these headers."""
        if headers.get("host", "") not in self._hosts:
            return "This page answers to 127.0.0.1 and localhost only."
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return "This page answers to itself only."
        if method not in SAFE and origin is None:
            return "A change needs the Origin header of this page."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and headers.get("sec-fetch-mode") != "navigate":
            return "This page answers to itself only."
        return ""

    def _known(self, headers: dict[str, str]) -> bool:
        given = [value for name, _, value in (part.strip().partition("=") for part in headers.get("cookie", "").split(";")) if name == self._cookie]
        return any(hmac.compare_digest(value.encode(), self._pass.encode()) for value in given)

    async def _redeem(self, given: str, headers: dict[str, str], send: Any) -> None:
        """The token for the cookie, once. Whoever has the cookie already is let in by a used address too."""
        right = hmac.compare_digest(given.encode(), self.token.encode())
        fits = right and not self._used
        if not fits and not self._known(headers):
            await _say(send, 403, USED if right else WRONG)  # who does not have the token learns nothing of it
            return
        more = []
        if fits:
            self._used = True
            more = [(b"set-cookie", f"{self._cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/".encode())]
        await send({"type": "http.response.start", "status": 303, "headers": [*HEADERS, (b"location", b"/"), (b"content-length", b"0"), *more]})
        await send({"type": "http.response.body", "body": b""})


def _headers(scope: Any) -> dict[str, str]:
    """By name; of a header that is sent twice the values are joined, so that a second Host or Origin never hides the first."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}{'; ' if key == 'cookie' else ', '}{text}" if key in found else text
    return found


def _with_headers(send: Any) -> Any:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            message = {**message, "headers": [*message["headers"], *((n, v) for n, v in HEADERS if n not in own)]}
        await send(message)

    return sending


async def _say(send: Any, status: int, reason: str) -> None:
    body = f"{reason}\n".encode()
    await send({"type": "http.response.start", "status": status,
                "headers": [*HEADERS, (b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})
