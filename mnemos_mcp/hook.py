"""The door of the hooks: a client's event on stdin, at most one JSON object on stdout, exit code 0, always.

Run as `python -EP -m mnemos_mcp.hook EVENT` (the working folder is somebody's repository, and the environment may point into it). Nothing that is not
needed is imported, because the user waits; errors go to the log; what could not be written is put aside beside the database.
"""
from __future__ import annotations

import gc

if __name__ == "__main__":
    gc.disable()  # a hook ends before there is anything to collect; looking for it takes a twentieth of its time

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from . import events, patterns
from .buffered import AddReceipt, Applied, Count, TimeHook, TouchSession
from .events import Event

if TYPE_CHECKING:
    from .capture import Captured, Desk
    from .scope import Scope
    from .settings import Settings
    from .telling import Question

STDIN_BYTES = 32_000_000
DEADLINE_S = {"prompt": 4.0, "failure": 4.0, "success": 4.0, "end": 2.5}  # the client gives these 5 s (Codex an end 3), the others 10
LAST_S = 8.0
TRIES = 2  # of the recall that a session's first prompt gets
BUSY_MS = 400  # a held file is waited for so long, once
LOG_BYTES = 1_000_000


def main(argv: list[str] | None = None) -> int:
    """Handle one event. Never raises, never returns anything but 0."""
    words = sys.argv[1:] if argv is None else argv
    try:
        payload = _payload()
        event = _with_exit_code(events.read(payload, words[0] if words else ""), payload)
        if event.kind:
            _deadline(DEADLINE_S.get(event.kind, LAST_S))
            _handle(event)
    except BaseException:
        return 0  # no settings, no log: a hook has nobody to tell
    return 0


def script() -> None:
    """Entry point: leaves without the interpreter's farewell, which costs as much as a small hook."""
    main()
    try:  # noqa: SIM105 - contextlib is not imported otherwise
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        pass
    os._exit(0)


def _payload() -> Any:
    """What stdin holds, read to its end so that the client sees no broken pipe; None for nothing or no JSON."""
    if sys.stdin is None or sys.stdin.isatty():
        return None
    _deadline(LAST_S)
    raw = sys.stdin.buffer.read(STDIN_BYTES + 1)
    if len(raw) > STDIN_BYTES:
        while sys.stdin.buffer.read(STDIN_BYTES):
            pass
        return None
    import json
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _deadline(seconds: float) -> None:
    """Whatever happens then, the hook is gone by that time, as if it had had nothing to say."""
    import signal
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _with_exit_code(event: Event, payload: Any) -> Event:
    """Codex reports no failure: there the record of the session has the exit code. Without one it is neither a failure nor a fix."""
    if event.client != "codex" or event.kind != "success":
        return event
    from .transcript import exit_code
    code = exit_code(event.transcript, event.use)
    if code is None:
        return events.NOTHING
    from .mechanisms.failures import finds_nothing
    if finds_nothing(event.command, code):
        return events.NOTHING
    output = payload.get("tool_response")
    return event._replace(kind="failure", error=f"Exit code {code}\n{output if isinstance(output, str) else ''}") if code else event


def _handle(event: Event) -> None:
    from . import settings as layer
    settings = layer.load(cwd=event.folder or None)
    if settings.store_type == "memory":
        return
    patterns.use(settings.data_dir)
    try:
        _at_desk(event, settings)
    except Exception as reason:
        _log(settings, event.name, reason)


def _at_desk(event: Event, settings: Settings) -> None:
    """Write what the event leaves, then tell what is to be told, then see to it that somebody thinks about it."""
    from .capture import capture
    now = time.time()
    event = _without_secrets(event, settings)
    desk = _desk(settings, now)
    allowed = bool(desk.project) and settings.govern(_scope(desk.project), desk.project).admits("hook")
    asked = None
    if event.kind == "prompt" and settings.inject != "off" and (settings.inject == "prompt" or desk.buffer.prompts(event.session) < TRIES):
        from .telling import question
        asked = question(event, settings)
    captured = capture(event, desk) if allowed else None
    if captured and captured.writes:
        _write(desk, settings, (*captured.writes, _timed(event, now)))
        asked = None if desk.held() else asked  # who may not write now would be asked to wait a second time, and for the next prompt again
    if settings.inject != "off" and event.prints:
        text, ids = _told(event, desk, settings, captured, asked)
        # A recall that its deadline ended before this is tried once more, at the next prompt.
        ended = (TouchSession(event.session, desk.project, now, prompts=TRIES),) if asked else ()
        if text and _write(desk, settings, (_receipt(event, desk, text, ids), Count("injections"), _timed(event, now), *ended)).done:
            _print(events.context(event, text))
        elif not text and (asked or event.kind == "start") and not desk.held():
            _write(desk, settings, (_timed(event, now), *ended))
    if allowed and not desk.buffer.read_only:
        from .waking import wake_if_due
        wake_if_due(event, desk, settings)


def _told(event: Event, desk: Desk, settings: Settings, captured: Captured | None, asked: Question | None) -> tuple[str, tuple[str, ...]]:
    """What is known of a failure stands with what was put down; what else may be told is imported where it is."""
    if event.kind == "start" or asked:
        from .telling import told
        return told(event, desk, settings, asked)
    return (captured.told if captured else "", ())


def _without_secrets(event: Event, settings: Settings) -> Event:
    """Its session and key by their hash where they look like a secret. The rules are not imported for a name of the common kind."""
    if events.ordinary(event.session) and events.ordinary(event.key):
        return event
    firewall = settings.firewall()
    return event._replace(session=firewall.named(event.session), key=firewall.named(event.key))


def _desk(settings: Settings, now: float) -> Desk:
    """The file opened for this event, and where it happens; its stand-in when the file cannot be opened now."""
    from .capture import Desk
    from .place import group, locator
    buffer = _buffer(settings, now)
    place = locator(settings, buffer, allow_git=False)("")
    return Desk(buffer, place, group(place, buffer.joined()), now, lambda: os.urandom(6).hex(), _screen(settings), settings.mechanisms)


def _buffer(settings: Settings, now: float) -> Any:
    from .private import make_private, only_readable
    from .storage.buffer import Buffer
    try:
        if not os.path.exists(settings.database):
            make_private(settings.database, create=True)
        return Buffer(settings.database, now=now, busy_ms=BUSY_MS, read_only=only_readable(settings.database))
    except Exception as reason:
        from .storage.aside import Aside
        _log(settings, "open", reason)
        return Aside(settings.database)


def _screen(settings: Settings) -> Any:
    """Clean text of a text, None for what may not be kept. The rules are imported when the first text comes."""
    def screen(text: str) -> str | None:
        return settings.firewall().kept(text) if text else ""
    return screen


def _scope(project: str) -> Scope:
    from .scope import GLOBAL, Scope
    return Scope("project", project) if project else GLOBAL


def _receipt(event: Event, desk: Desk, text: str, ids: tuple[str, ...]) -> AddReceipt:
    return AddReceipt(desk.now, desk.project, event.session, f"{event.name}:{event.source}" if event.source else event.name, len(text), ids)


def _timed(event: Event, now: float) -> TimeHook:
    return TimeHook(now, event.name, _since_start() * 1000)


def _since_start() -> float:
    """Seconds since this process began, to a hundredth; where the system does not tell, the processor time."""
    try:
        with open("/proc/self/stat", "rb") as file:
            started = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, AttributeError, IndexError):
        return time.process_time()


def _write(desk: Desk, settings: Settings, writes: tuple[Any, ...]) -> Applied:
    """Into the file, else aside. A held file is waited for once: the second write of this hook does not wait again."""
    try:
        return desk.buffer.apply(writes)
    except Exception as reason:
        from .storage.aside import Aside
        _log(settings, "write", reason)
        desk.buffer.hurry()
        try:
            return Aside(settings.database).apply(writes)
        except OSError as full:  # a full disk or one for reading only: what is known can still be told
            _log(settings, "aside", full)
            return Applied()


def _print(text: str) -> None:
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()


def _log(settings: Settings, what: str, reason: BaseException) -> None:
    """Time, event, type and place of a fault, never its text: that may quote what was said."""
    from .private import open_private
    trace = reason.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    try:
        path = settings.log_path
        if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
            os.replace(path, f"{path}.old.log")
        handle = open_private(path, append=True)
        os.write(handle, f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} hook {what}: {type(reason).__name__}{where}\n".encode())
        os.close(handle)
    except OSError:
        pass  # a full disk, a folder that is gone: the client must not notice


if __name__ == "__main__":
    script()
