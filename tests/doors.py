"""The doors that a verb can be reached by, on one file and in one project, each with the same two questions: `ask` for a reply, `refusal` for a failure."""
import contextlib
import io
import json
import sys
import time

from mnemos_mcp import cli
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.errors import MnemosError
from mnemos_mcp.opening import OpenMemory
from mnemos_mcp.render import as_json
from mnemos_mcp.runtime import open_for_python
from mnemos_mcp.server import answer
from mnemos_mcp.tools import VERBS

BY_NAME = {verb.name: verb for verb in VERBS}


class Tool:
    """The MCP tool: what arrives as arguments is read, called and rendered as the server does, the wire apart."""

    def __init__(self, engine):
        self.engine, self.memory = engine, OpenMemory(lambda: engine)

    def ask(self, verb, **arguments):
        reply, text = answer(self.memory, BY_NAME[verb], arguments)
        assert reply is not None, text
        return reply

    def refusal(self, verb, **arguments):
        reply, text = answer(self.memory, BY_NAME[verb], arguments)
        assert reply is None, reply
        return text


class Api:
    """The Python API: the engine's verbs with values of Python."""

    def __init__(self, engine):
        self.engine = engine

    def ask(self, verb, **arguments):
        needed = [arguments.pop(p.name) for p in BY_NAME[verb].params if p.required]
        return as_json(getattr(self.engine, verb)(*needed, **arguments), time.time(), explain=bool(arguments.get("explain")))

    def refusal(self, verb, **arguments):
        try:
            reply = self.ask(verb, **arguments)
        except MnemosError as reason:
            return str(reason)
        raise AssertionError(reply)


class Command:
    """The command line with --json, in this process."""

    def ask(self, verb, **arguments):
        code, value = self.run(verb, **arguments)
        assert "error" not in value and code == (value.get("outcome") == "refused" or (verb == "health" and value["status"] == "fail")), value
        return value

    def refusal(self, verb, **arguments):
        code, value = self.run(verb, **arguments)
        assert code != 0 and "error" in value, value
        return value["error"]["message"]

    def run(self, verb, **arguments):
        words = [verb, "--json"]
        for param in BY_NAME[verb].params:
            if param.name in arguments and not param.required:
                words += _option(param, arguments[param.name])
        words += ["--yes"] if verb == "forget" else []
        return self.words(*words, "--", *(str(arguments[p.name]) for p in BY_NAME[verb].params if p.required))

    @staticmethod
    def words(*words, stdin=""):
        """Exit code and the one JSON value."""
        out, before = io.StringIO(), sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                code = cli.main(words)
        finally:
            sys.stdin = before
        return code, json.loads(out.getvalue())


def _option(param, value):
    flag = "--" + param.name.replace("_", "-")
    if param.kind == "boolean":
        return [flag] if value else ["--no-" + flag[2:]] if param.default else []
    if param.kind == "strings":
        return [f"{flag}={item}" for item in value]
    return [f"{flag}={json.dumps(value) if param.kind == 'objects' else value}"]


def open_doors(path, folder, embedder):
    """{name: door} on one file; the caller closes `engine`."""
    engine = open_for_python(MnemosConfig(store=path), embedder=embedder, project=str(folder))
    return {"tool": Tool(engine), "api": Api(engine), "command": Command()}
