"""The page as an ASGI application: assets out of the package, the routes, and the line of live events."""
from __future__ import annotations

import json
from importlib import resources
from typing import Any

from ..engine import Engine
from ..errors import BadInput
from .guard import Guard
from .lines import Lines
from .live import Live
from .routes import ASKED, CHANGED, MOST_BYTES, Work, answered, body_of

OVERTAKEN = 409, {"error": {"kind": "overtaken", "message": "A newer question of this page took its place."}}
TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


def assets() -> dict[str, tuple[bytes, str]]:
    """Path in the address -> bytes and type. Read once: what is not in this table cannot be asked for."""
    found: dict[str, tuple[bytes, str]] = {}

    def gather(folder: Any, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                gather(entry, f"{prefix}{entry.name}/")
            elif (ending := entry.name.rpartition(".")[2]) in TYPES:
                found[f"{prefix}{entry.name}"] = (entry.read_bytes(), TYPES[ending])

    gather(resources.files(__package__) / "assets", "/")
    found["/"] = found["/index.html"]
    return found


def build(engine: Engine, port: int, live: Live) -> Guard:
    """The guarded application for an address on this port."""
    from starlette.applications import Starlette
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route
    files = assets()

    def asset(request: Any) -> Response:
        body, kind = files.get(request.url.path, (b"", ""))
        return Response(body, media_type=kind, headers={"cache-control": "no-cache"}) if kind else Response("Not found.\n", 404)

    def reply(status: int, value: Any) -> Response:
        return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False), status, media_type="application/json")

    lines = Lines()

    def asking(work: Work) -> Any:
        async def endpoint(request: Any) -> Response:
            many = {name: request.query_params.getlist(name) for name in request.query_params}
            given = {name: values if len(values) > 1 else values[0] for name, values in many.items()}
            found = await lines.call(request.headers.get("x-mnemos-line", "")[:64], request.is_disconnected, lambda: answered(engine, work, given))
            return reply(*(found or OVERTAKEN))
        return endpoint

    def changing(work: Work) -> Any:
        async def endpoint(request: Any) -> Response:
            import anyio.to_thread
            raw = b""
            async for chunk in request.stream():
                raw += chunk
                if len(raw) > MOST_BYTES:
                    break
            try:
                given = body_of(raw)
            except BadInput as error:
                return reply(400, {"error": {"kind": "BadInput", "message": str(error)}})
            return reply(*await anyio.to_thread.run_sync(answered, engine, work, given))
        return endpoint

    async def events(request: Any) -> Response:
        return StreamingResponse(live.events(), media_type="text/event-stream")

    routes = [*(Route(f"/api/{name}", asking(work), methods=["GET"]) for name, work in ASKED.items()),
              *(Route(f"/api/{name}", changing(work), methods=["POST"]) for name, work in CHANGED.items()),
              Route("/api/live", events), Route("/{path:path}", asset)]
    return Guard(Starlette(routes=routes), port)
