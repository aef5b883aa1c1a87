"""`mnemos ui`: the page on a loopback port until it is interrupted."""
from __future__ import annotations

import socket
from collections.abc import Callable

from ..engine import Engine
from ..errors import BadInput
from .app import build
from .live import Live

CONSOLE_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")  # would take the terminal over


def serve(engine: Engine, *, port: int = 0, said: Callable[[str], None], open_page: bool = True) -> None:
    """Serve until SIGINT or SIGTERM. `port` 0 is any free one; `said` is told the address with its one-time token. BadInput when the port is taken."""
    import uvicorn
    listening = _bound(port)
    bound = listening.getsockname()[1]
    live = Live(engine.mind.store.changes)  # type: ignore[attr-defined]
    guard = build(engine, bound, live)
    address = f"http://127.0.0.1:{bound}/?token={guard.token}"

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: object) -> None:
            live.closing = True  # open event lines would hold up the end
            super().handle_exit(sig, frame)  # type: ignore[arg-type]

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            said(address)
            if open_page:
                _open(address)

    # Nothing on stdout but what `said` prints; a log of requests would hold what was searched for.
    config = uvicorn.Config(guard, log_config=None, access_log=False, log_level="error", lifespan="off", server_header=False, timeout_graceful_shutdown=1)
    Server(config).run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise BadInput(f"Port {port} of 127.0.0.1 cannot be used ({getattr(error, 'strerror', None) or error}): give another, or leave --port out.") from error
    return listening


def _open(address: str) -> None:
    """In the user's browser, when there is one with windows."""
    import threading
    import webbrowser
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if getattr(browser, "name", "") not in CONSOLE_BROWSERS:
        threading.Thread(target=browser.open, args=(address,), daemon=True).start()
