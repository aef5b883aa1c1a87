"""Hooks as the clients run them: a process of its own, the payload on stdin, what it prints and how it ends."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAYLOADS = Path(__file__).resolve().parent / "data" / "hook_payloads"
TIMEOUT_S = 60
# The deadlines are for people who wait; a test on a busy machine must not meet them.
PATIENT = "import mnemos_mcp.hook as h, mnemos_mcp.waking as w; h.LAST_S, h.DEADLINE_S, w.REST_S = 50.0, {}, 0.0; h.script()"


class Client:
    """A client in one repository of one home. Every event is a process."""

    def __init__(self, folder: Path, name: str = "shop", home: Path | None = None, **environment: str):
        self.home = home or folder / "home"
        self.home.mkdir(exist_ok=True)
        self.repository = folder / name
        self.repository.mkdir(exist_ok=True)
        (self.repository / ".git").mkdir(exist_ok=True)
        (self.repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        for part in ("objects", "refs"):
            (self.repository / ".git" / part).mkdir(exist_ok=True)
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "MNEMOS_SQLITE_PATH": str(folder / "memory" / "mnemos.db"),
                            **environment}
        self.store = Path(self.environment["MNEMOS_SQLITE_PATH"])
        self._turn = 0

    def raw(self, stdin: bytes, event: str = "") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-P", "-c", PATIENT, *([event] if event else [])], input=stdin, capture_output=True, cwd=self.repository,
                              env=self.environment, timeout=TIMEOUT_S, check=False)

    def send(self, event: str, session: str = "s1", **fields: Any) -> str:
        """What the client would hand to its model; '' for nothing. Checks that the hook ended well."""
        self._turn += 1
        payload = {"session_id": session, "prompt_id": f"p{self._turn}", "cwd": str(self.repository), "hook_event_name": event, **fields}
        done = self.raw(json.dumps(payload).encode(), event)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
        if not done.stdout:
            return ""
        said = json.loads(done.stdout)
        assert set(said) == {"hookSpecificOutput"} and said["hookSpecificOutput"]["hookEventName"] == event
        return said["hookSpecificOutput"]["additionalContext"]

    def prompt(self, text: str, session: str = "s1", **fields: Any) -> str:
        return self.send("UserPromptSubmit", session, prompt=text, **fields)

    def start(self, session: str = "s1", source: str = "startup") -> str:
        return self.send("SessionStart", session, source=source)

    def fails(self, command: str, error: str, session: str = "s1", **fields: Any) -> str:
        return self.send("PostToolUseFailure", session, **{"tool_name": "Bash", "tool_use_id": f"t{self._turn}", "tool_input": {"command": command}, "error": error, **fields})

    def passes(self, command: str, session: str = "s1", **fields: Any) -> str:
        return self.send("PostToolUse", session, tool_name="Bash", tool_use_id=f"t{self._turn}", tool_input={"command": command},
                         tool_response={"stdout": "ok", "stderr": "", "interrupted": False}, **fields)

    def sleep(self, moment: str = "session_end") -> None:
        """The worker that a hook would wake, waited for."""
        subprocess.run([sys.executable, "-P", "-m", "mnemos_mcp.worker", moment, str(self.repository)], env=self.environment, cwd=self.repository,
                       timeout=TIMEOUT_S, check=True)

    def mnemos(self, *words: str) -> Any:
        """The value of a command."""
        done = subprocess.run([sys.executable, "-P", "-m", "mnemos_mcp", *words, "--json"], env=self.environment, cwd=self.repository, timeout=TIMEOUT_S,
                              capture_output=True, text=True, check=False)
        return json.loads(done.stdout)
