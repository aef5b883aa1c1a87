"""The command line: `mnemos VERB`. Parses, runs one command, prints its answer or its error; no traceback reaches the user."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .errors import Ambiguous, MnemosError

if TYPE_CHECKING:
    from .commands.answer import Answer

FAILED, USAGE, INTERRUPTED = 1, 2, 130
FILES = ("export", "import", "backup", "recover", "erase-all", "reembed", "sweep")
OTHERS = ("project", "profile", "serve", "demo", "ui", "completion")
CLIENTS = ("setup", "doctor")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. 0: the verb answered, 1: it failed, 2: the command line is wrong."""
    # Bytes that are no UTF-8 come as half surrogates, which can be neither stored nor printed.
    words = [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in (sys.argv[1:] if argv is None else argv)]
    if words[:1] == ["hook"]:
        from .hook import main as hook  # before anything else is imported: a client waits
        return hook(words[1:])
    as_json = "--json" in words[:words.index("--")] if "--" in words else "--json" in words
    _speak_utf8()
    try:
        code = _run(words, as_json)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _reader_left()


def _run(words: list[str], as_json: bool) -> int:
    session = None
    try:
        from .commands.answer import Session
        from .commands.arguments import build, read
        args = read(words)
        if args.command is None:
            print(build()[0].format_help(), file=sys.stderr)
            return USAGE
        session = Session(args)
        return _print(_command(args.command)(session), as_json)
    except MnemosError as error:
        return _fail(error, as_json)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _say("interrupted", "Interrupted.", as_json, INTERRUPTED)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _say("io", f"{name}{error.strerror or error}", as_json, FAILED)
    except Exception as error:
        _trace(session)
        return _say("internal", f"mnemos failed ({type(error).__name__}: {error}). MNEMOS_LOG_LEVEL=debug shows where.", as_json, FAILED)
    finally:
        if session is not None:
            session.close()


def _command(name: str) -> Any:
    if name in FILES:
        from .commands.files import run
    elif name in OTHERS:
        from .commands.others import run
    elif name in CLIENTS:
        from importlib import import_module
        run = import_module(f".commands.{name}", __package__).run
    else:
        from .commands.verbs import run
    return run


def _print(answer: Answer, as_json: bool) -> int:
    if as_json and answer.value is not None:
        print(json.dumps(answer.value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
    elif answer.draw is not None and sys.stdout.isatty():
        from rich.console import Console
        answer.draw(Console(highlight=False))
    elif answer.text and not as_json:
        from .render import plain
        print(plain(answer.text))
    return answer.code


def _fail(error: MnemosError, as_json: bool) -> int:
    from .commands.answer import UsageError
    kind = "".join(f"_{c.lower()}" if c.isupper() else c for c in type(error).__name__).lstrip("_").removesuffix("_error")
    more = {"candidates": error.candidates} if isinstance(error, Ambiguous) else {}
    from .mechanisms.firewall import Firewall
    return _say(kind, Firewall().redact(str(error)), as_json, USAGE if isinstance(error, UsageError) else FAILED, **more)


def _say(kind: str, message: str, as_json: bool, code: int, **more: Any) -> int:
    """The one place where errors are told: as JSON on stdout, or as a sentence on stderr."""
    from .render import plain
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": plain(message), **more}}, ensure_ascii=False))
    else:
        print(f"mnemos: {plain(message)}", file=sys.stderr)
    return code


def _trace(session: Any) -> None:
    """A bug's traceback, for those who asked for it."""
    try:
        debugging = session is not None and session.settings.log_level == "debug"
    except Exception:
        debugging = False
    if debugging:
        import traceback
        traceback.print_exc()


def _speak_utf8() -> None:
    """Pipes get UTF-8 everywhere; a terminal keeps its encoding, with marks for what it cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(**({} if stream.isatty() else {"encoding": "utf-8"}), errors="replace")


def _reader_left() -> int:
    """Whoever read the output has enough (`| head`): quiet, and no second complaint when Python flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def script() -> None:
    """Entry point of the `mnemos` command."""
    sys.exit(main())
