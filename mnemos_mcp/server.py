"""The MCP door: ten tools, four resources, two prompts over stdio. It reads parameters, calls one verb and renders.

The only module that imports the MCP SDK, and only inside `build_server` and `main`: the wire is taken first, so that nothing
printed while modules load reaches the client. The memory is opened at the first call or shortly after the tools were listed.
"""
from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import time
from typing import Any

from . import __version__, architecture, fitting, render
from .errors import MnemosError, NotFound
from .opening import OpenMemory, place_of
from .params import likely, read_all
from .tools import INSTRUCTIONS, PROMPTS, VERBS, Verb
from .wire import Wire

CLOSING_S = 0.3  # clients kill half a second after they ask
LAUNCHED_S = 2.0
WATCHED_EVERY_S = 1.0
LINGER_S = 0.5  # after the end of stdin, for a call that goes on
INVALID_PARAMS = -32602
INTERNAL = "mnemos failed inside ({kind}); this call may not have taken effect. mnemos_health says what is wrong, stderr where."
log = logging.getLogger("mnemos_mcp.server")


def main(memory: OpenMemory | None = None) -> None:
    """Serve over stdio until stdin ends or a signal comes."""
    memory = memory or OpenMemory()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: end(memory))
    wire = Wire(on_end=lambda: _end_soon(memory))
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="mnemos %(levelname)s %(name)s: %(message)s")
    logging.getLogger("mcp").setLevel(logging.ERROR)  # below that it logs what was said, before any firewall
    code = 0
    try:
        serve(memory, wire)
    except BaseException as bug:
        log.critical("the server stopped: %s", place_of(bug))
        code = 1
    end(memory, code)


def _watch_parent(memory: OpenMemory) -> None:
    """End when the client has died although something else still holds our stdin. A launcher may leave in the first moments."""
    time.sleep(LAUNCHED_S)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(WATCHED_EVERY_S)
    end(memory)


def serve(memory: OpenMemory, wire: Wire) -> None:
    """Build the server and run it on the wire. Collecting garbage while the SDK builds its models costs a fifth of the start."""
    gc.disable()
    import anyio
    from mcp.server.stdio import stdio_server
    server = build_server(memory)
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 10, 10)  # a recall makes thousands of short-lived values; looking for cycles among them after every 700 costs a tenth of it
    memory.start_idling()
    if os.name == "posix" and os.getppid() != 1:  # to a process that init has started nothing changes when its client dies
        threading.Thread(target=_watch_parent, args=(memory,), name="mnemos-parent", daemon=True).start()

    async def run() -> None:
        lines: Any = anyio.wrap_file(wire)  # type: ignore[arg-type]  # it has what the SDK uses of a file
        async with stdio_server(stdin=lines, stdout=lines) as (read, write):
            # run_stdio_async without its own stdin: MCPServer has no public way to hand it another.
            inner = server._lowlevel_server
            await inner.run(read, write, inner.create_initialization_options())

    anyio.run(run)


def build_server(memory: OpenMemory) -> Any:
    """The MCPServer "mnemos" on this memory."""
    from mcp import MCPError
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    class Server(MCPServer[Any]):
        """Opens the memory once the client has its tools, and answers a wrong name of a tool or prompt with the likely one."""

        async def list_tools(self) -> Any:
            memory.open_soon()
            return await super().list_tools()

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            names = [verb.tool for verb in VERBS]
            if name not in names:
                raise ToolError(f"There is no tool '{name[:60]}'.{likely(name, names)} Tools: {', '.join(names)}.")
            return await super().call_tool(name, arguments, context)

        async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
            if wrong := unfit(name, arguments or {}):  # the SDK would answer with code 0 and write the arguments to stderr
                raise MCPError(INVALID_PARAMS, wrong)
            return await super().get_prompt(name, arguments, context)

    server = Server("mnemos", title="mnemos memory", instructions=INSTRUCTIONS, version=__version__, tools=_tools(memory))
    _add_resources(server, memory)
    _add_prompts(server)
    return server


def _tools(memory: OpenMemory) -> list[Any]:
    """The verbs as SDK tools with our own schemas. Arguments go to `answer` as they came: read_all knows what they mean."""
    import anyio.to_thread
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
    from mcp_types import CallToolResult, TextContent, ToolAnnotations

    class VerbTool(Tool):
        """A tool whose function takes all arguments as one dict, on a worker thread."""

        async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
            reply, text = await anyio.to_thread.run_sync(self.fn, arguments)
            if reply is None:
                raise ToolError(text)
            return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=reply)

    def tool(verb: Verb) -> VerbTool:
        hints = ToolAnnotations(read_only_hint=verb.read_only, destructive_hint=verb.destructive, idempotent_hint=verb.idempotent, open_world_hint=False)
        return VerbTool(fn=lambda arguments: answer(memory, verb, arguments), name=verb.tool, title=None, description=verb.description,
                        parameters=verb.input_schema, fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=verb.output_schema),
                        is_async=False, context_kwarg=None, annotations=hints, meta={"anthropic/alwaysLoad": True} if verb.loaded else None)

    return [tool(verb) for verb in VERBS]


def answer(memory: OpenMemory, verb: Verb, arguments: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The reply of one call as JSON and text; None and a sentence when it failed."""
    try:
        values = read_all(verb.params, arguments, verb.tool)
        explain = values.get("explain", False)
        result = memory.call(verb, values)
        return fitting.fitted(verb.name, render.as_json(result, time.time(), explain=explain))
    except MnemosError as reason:
        from .mechanisms.firewall import Firewall
        return None, render.plain(Firewall().redact(str(reason)))  # a refused argument may hold a secret: it is not said back
    except Exception as bug:
        log.error("%s failed: %s", verb.tool, place_of(bug))
        return None, INTERNAL.format(kind=type(bug).__name__)


def _add_resources(server: Any, memory: OpenMemory) -> None:
    from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

    def read(work: Any) -> str:
        try:
            return render.plain(work(memory.engine()))
        except NotFound as reason:
            raise ResourceNotFoundError(render.plain(str(reason))) from None
        except MnemosError as reason:
            raise ResourceError(render.plain(str(reason))) from None
        except Exception as bug:
            log.error("a resource failed: %s", place_of(bug))
            raise ResourceError(INTERNAL.format(kind=type(bug).__name__)) from None

    @server.resource("mnemos://stats", name="stats", description="Counts of the whole memory", mime_type="application/json")  # type: ignore[untyped-decorator]
    def stats() -> str:
        return read(lambda engine: fitting.dumped(render.as_json(engine.stats(), time.time())))

    @server.resource("mnemos://architecture", name="architecture", description="The mechanisms of mnemos and the numbers in force")  # type: ignore[untyped-decorator]
    def numbers() -> str:
        return read(lambda engine: architecture.page(engine.mind.config))

    @server.resource("mnemos://brief", name="brief", description="What a session in this project should know now")  # type: ignore[untyped-decorator]
    def brief() -> str:
        return read(lambda engine: engine.brief())

    @server.resource("mnemos://memory/{id}", name="memory", description="Everything about one memory, its text unshortened",  # type: ignore[untyped-decorator]
                     mime_type="application/json")
    def one(id: str) -> str:
        return read(lambda engine: fitting.dumped(render.as_json(engine.inspect(id), time.time())))


def unfit(name: str, arguments: dict[str, Any]) -> str:
    """Why a prompt cannot be given with these arguments; '' when it can."""
    names, takes = list(PROMPTS), {"recall": ["topic"]}.get(name, [])
    if name not in names:
        return f"There is no prompt '{name[:60]}'.{likely(name, names)} Prompts: {', '.join(names)}."
    missing, strange = [n for n in takes if n not in arguments], [n for n in arguments if n not in takes]
    said = [f"needs {', '.join(missing)} (a text)"] if missing else []
    said += [f"has no {', '.join(n[:60] for n in strange[:5])}"] if strange else []
    return render.plain(f"The prompt {name} {' and '.join(said)}.") if said else ""


def _add_prompts(server: Any) -> None:
    @server.prompt(name="recall", description="Recall what earlier sessions learned about a topic")  # type: ignore[untyped-decorator]
    def recall(topic: str) -> str:
        return PROMPTS["recall"].format(topic=render.plain(topic))

    @server.prompt(name="distil", description="Turn pending episodes into lasting facts")  # type: ignore[untyped-decorator]
    def distil() -> str:
        return PROMPTS["distil"]


def end(memory: OpenMemory, code: int = 0) -> None:
    """Leave at once: every acknowledged write is committed, and a call that still runs must not hold up the client."""
    closer = threading.Thread(target=memory.close, daemon=True)
    closer.start()
    closer.join(CLOSING_S)
    os._exit(code)


def _end_soon(memory: OpenMemory) -> None:
    """The client is gone: whatever still runs gets a moment, then the process ends."""
    timer = threading.Timer(LINGER_S, end, [memory])
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    main()
