"""A canary through a client's own commands: a prompt by its hook, a memory by its server, and back by both; then nothing of it is left.

The commands run as the client runs them: hooks by the shell, the server by itself, in the project's folder, with the environment that the
client hands on, on the store that is really in use.
"""
from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..buffered import Count, ForgetSessions
from ..errors import MnemosError
from ..model import Episode
from ..results import Check
from ..storage import rawbytes
from ..writes import SettleEpisodes
from .configured import Configured
from .launch import passed
from .shape import Client
from .stdio import ServerFault, Stdio

SLACK_S = 5.0  # beside the hook's own time: a cold start on a busy machine is no fault
LOOKS, PAUSE_S = 6, 0.5  # at what is left
RECENT = 200  # episodes that are looked through for the captured prompt


@dataclass
class Canary:
    """One bird: its words, where it flies, and what it found. `engine` is the memory that is really in use."""

    configured: Configured
    engine: Any
    folder: str
    environ: Mapping[str, str]
    scope: Literal["project", "global"]
    capture: str  # the capture mode here
    project: str = ""  # a folder that is a project for this canary alone, instead of the caller's
    word: str = field(default_factory=lambda: f"canary{secrets.token_hex(5)}")
    memory_id: str = ""
    stored: list[str] = field(default_factory=list)  # ids of what was stored for it, as often as the gate counted it
    recalls: int = 0
    checks: list[Check] = field(default_factory=list)

    def fly(self, said: Callable[[str], None] = lambda _: None) -> list[Check]:
        """captured, stored, recalled, injected, removed: one check each. Never raises for a broken set-up."""
        try:
            for name, step in (("captured", self._captured), ("server", self._served), ("injected", self._injected)):
                said(name)
                step()
        finally:
            said("removed")
            self._removed()
        return self.checks

    def _captured(self) -> None:
        event = self.configured.client.prompt_event
        command = self._command("captured", event)
        if command is None:
            return
        done = self._hook(command, event, self.word, {"prompt": f"We decided that the {self.word} of the first song lives in the blue cage."})
        if done is None:
            return
        if self._episodes():
            self._say("captured", "ok", f"a prompt came through the hook in {done * 1000:.0f} ms")
        elif self.capture == "manual_only":
            self._say("captured", "ok", "switched off here (capture mode manual_only)")
        else:
            self._say("captured", "fail", "the hook ran, but the prompt is not in this store", "what you say is not remembered by itself",
                      "see the log file that `mnemos health` names; capture mode and MNEMOS_SQLITE_PATH must be the same for the hook and here")

    def _served(self) -> None:
        server = self.configured.server
        if server is None:
            return self._say("stored", "fail", "no server is configured", "the agent has no memory tools", self._again())
        if server.off:
            return self._say("stored", "warn", "the server is switched off in the client", "the agent has no memory tools", "switch it on in the client")
        env = {**passed(self.configured.client, self.environ, server.env_vars), **self.configured.more_env, **self._markers(), **server.env}
        try:
            with Stdio([_expanded(word, env) for word in (server.command, *server.args)], env, self.folder) as client:
                begun = time.monotonic()
                client.start()
                self._stored(client, time.monotonic() - begun)
        except ServerFault as fault:
            self._say("recalled" if self.memory_id else "stored", "fail", str(fault), "the agent has no memory tools", self._again())
        return None

    def _stored(self, client: Stdio, started_s: float) -> None:
        text = f"The {self.word} of the second song sings at sunrise, as decided at the doctor's."
        reply = client.call("mnemos_store", content=text, scope=self.scope, importance="high", pinned=True, force=True, session=self.word)
        if reply.get("outcome") == "refused":
            return self._say("stored", "ok", f"switched off here ({reply.get('reason', 'refused')})")
        self.memory_id = str(reply.get("id", ""))
        if not self._known(self.memory_id):
            self._say("stored", "fail", "the server kept it in another store than this one", "the client remembers apart from the rest", self._elsewhere())
            client.call("mnemos_forget", id=self.memory_id, erase=True)
            self.memory_id = ""
            return None
        self.stored.append(self.memory_id)
        self._say("stored", "ok", f"by the server, which started in {started_s * 1000:.0f} ms")
        self.recalls += 1
        found = client.call("mnemos_retrieve", query=f"When does the {self.word} of the second song sing?", limit=1)
        if any(m.get("id") == self.memory_id for m in found.get("memories", ())):
            return self._say("recalled", "ok", "by the server")
        return self._say("recalled", "fail", "the server did not find it again", "recall does not work", "`mnemos health` says what is wrong")

    def _injected(self) -> None:
        event = self.configured.client.start_event
        command = self._command("injected", event)
        if command is None or not self.memory_id:
            return
        seen: list[str] = []
        done = self._hook(command, event, self.word + "2", {"source": "startup"}, seen)
        if done is None:
            return
        if not self.configured.client.injects:
            self._say("injected", "ok", f"the hook ran in {done * 1000:.0f} ms; {self.configured.client.title} is given no context by it, its agent asks the server")
        elif self.word in seen[0]:
            self._say("injected", "ok", f"a new session begins with it; the hook took {done * 1000:.0f} ms")
        elif not seen[0].strip():
            self._say("injected", "warn", "the hook ran and said nothing", "sessions start without what is known",
                      "MNEMOS_INJECT=off, or inject = \"off\" in a settings file, switches it off; else see the log file that `mnemos health` names")
        else:
            self._say("injected", "warn", "the hook said something else: its budget is full of what matters more", "", "none needed")

    def _removed(self) -> None:
        """Captured prompts go with a memory, so that one erasure proves both. A sleeper that the hook woke may make something of them meanwhile:
        that is looked for until a whole look finds nothing."""
        gone: dict[str, set[str]] = {"memories": set(), "episodes": set()}
        try:
            self.engine.mind.store.apply([ForgetSessions((self.word, self.word + "2"))])
            for _ in range(LOOKS):
                self._erase(gone)
                left = self._bytes_left()
                if not left and not self._episodes() and not self._memories():
                    break
                time.sleep(PAUSE_S)
            else:
                return self._say("removed", "fail", f"{left} bytes of it are still in the file", "", "`mnemos doctor` again; it also removes what an earlier run left")
            made = len(self.stored) + len(gone["memories"].difference(self.stored))  # some by a sleeper
            own = self.engine.group(self.engine.place(self.project)) if self.project else ()
            self.engine.mind.store.apply([*(Count(name, -by) for name, by in (("kept", made), ("recalls", self.recalls)) if by), ForgetSessions((), tuple(own))])
            if any(gone.values()):
                self._say("removed", "ok", f"{len(gone['memories'])} memories and {len(gone['episodes'])} episodes erased, 0 bytes left")
        except MnemosError as error:
            self._say("removed", "fail", str(error), "a memory about a canary is left", f"mnemos forget --erase {self.memory_id}")
        return None

    def _erase(self, gone: dict[str, set[str]]) -> None:
        episodes, memories = tuple(e.id for e in self._episodes()), self._memories()
        if episodes and not memories:  # only a memory is erased with proof: one that carries them away
            carrier = self.engine.store(f"The {self.word} of the third song is let go.", scope=self.scope, force=True, project=self.project).id
            memories = [carrier] if carrier else []
            self.stored += memories
        if episodes:
            self.engine.mind.store.apply([SettleEpisodes(episodes, memories[0] if memories else "", prune=not memories)])
        for one in memories:
            self.engine.forget(one, erase=True, project=self.project)
        gone["memories"].update(memories)
        gone["episodes"].update(episodes)

    def _memories(self) -> list[str]:
        known = [self.memory_id] if self.memory_id and self._known(self.memory_id) else []
        found = self.engine.retrieve(self.word, mode="keyword", limit=50, reconsolidate=False, project=self.project).memories
        return list(dict.fromkeys([*known, *(m.memory.id for m in found if self.word in m.memory.content)]))

    def _bytes_left(self) -> int:
        """Of its sentences, in the file and its log."""
        path, sentence = self.engine.mind.store.path, f"{self.word} of the ".encode()
        return len(sentence) * rawbytes.contents(path).count(sentence) if path != ":memory:" else 0

    def _hook(self, command: str, event: str, session: str, more: dict[str, Any], seen: list[str] | None = None) -> float | None:
        """Seconds that a hook took; None when it is broken, which is then said. Its stdout is added to `seen`."""
        name = "captured" if seen is None else "injected"
        limit = next((h.timeout_s for h in self.configured.client.hooks if h.event == event), 10)
        payload = {"hook_event_name": event, **self._about(session), **more}
        env = {**self.environ, **self.configured.more_env, **self._markers()}
        begun = time.monotonic()
        try:
            done = subprocess.run(command, shell=True, input=json.dumps(payload).encode(), env=env, cwd=self.folder, capture_output=True, timeout=limit + SLACK_S)
        except subprocess.TimeoutExpired:
            self._say(name, "fail", f"the hook for {event} took longer than {limit + SLACK_S:.0f} s: {command}", "the client waits for it", "`mnemos health`")
            return None
        took = time.monotonic() - begun
        if done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["nothing on stderr"]
            self._say(name, "fail", f"the hook for {event} ended with {done.returncode} ({last[0][:200]}): {command}", "nothing is captured or recalled by itself",
                      self._again())
            return None
        if seen is not None:
            seen.append(done.stdout.decode("utf-8", "replace"))
        return took

    def _about(self, session: str) -> dict[str, Any]:
        """What every payload of this client says of the session."""
        if self.configured.client.name == "cursor":
            return {"conversation_id": session, "generation_id": session, "workspace_roots": [self.folder], "cursor_version": "doctor"}
        turn = {"turn_id": session} if self.configured.client.name == "codex" else {"prompt_id": session}
        return {"session_id": session, "cwd": self.folder, "transcript_path": None, "permission_mode": "default", **turn}

    def _command(self, name: str, event: str) -> str | None:
        lines = self.configured.hooks.get(event)
        if lines:
            return lines[0].replace("${CLAUDE_PLUGIN_ROOT}", self.configured.more_env.get("CLAUDE_PLUGIN_ROOT", "${CLAUDE_PLUGIN_ROOT}"))
        if self.configured.client.hooks:
            self._say(name, "fail", f"no hook for {event} is configured", "this does not happen by itself", self._again())
        return None

    def _markers(self) -> dict[str, str]:
        """What the client itself adds to the environment."""
        match self.configured.client.name:
            case "claude":
                return {"CLAUDE_PROJECT_DIR": self.folder, "CLAUDE_CODE_SESSION_ID": self.word, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
            case "cursor":
                return {"CURSOR_VERSION": "doctor", "CURSOR_PROJECT_DIR": self.folder, "CLAUDE_PROJECT_DIR": self.folder}
        return {}

    def _episodes(self) -> list[Episode]:
        recent = self.engine.mind.store.episodes(status="all", limit=RECENT)
        return [e for e in recent if self.word in e.content or e.session.startswith(self.word)]

    def _known(self, memory_id: str) -> bool:
        try:
            return bool(self.engine.inspect(memory_id, project=self.project))
        except MnemosError:
            return False

    def _say(self, name: str, status: Literal["ok", "warn", "fail"], detail: str, effect: str = "", remedy: str = "") -> None:
        self.checks.append(Check(name, status, detail, effect, remedy))

    def _again(self) -> str:
        if self.configured.reach == "plugin":
            return "`mnemos setup claude` tells the plugin's launcher where mnemos is"
        return f"`mnemos setup {self.configured.client.name}" + (" --scope project`" if self.configured.reach == "project" else "`")

    def _elsewhere(self) -> str:
        return "MNEMOS_SQLITE_PATH must be the same in the client's configuration and here" + (
            "" if not self.configured.client.environment else f": {self.configured.client.title} hands on only what its configuration names")


def surroundings(client: Client, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that a client itself has: a program of the desktop starts with a short PATH, one of the terminal with yours."""
    if client.name in ("cursor", "windsurf") and os.name == "posix":
        return {**environ, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    return dict(environ)


def _expanded(text: str, env: Mapping[str, str]) -> str:
    """${NAME} and ${NAME:-default}, as clients expand them in the files of servers."""
    return re.sub(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}", lambda m: env.get(m[1], m[2] if m[2] is not None else m[0]), text)


def twice(configured: list[Configured]) -> list[Check]:
    """A client that has us more than once runs every hook more than once."""
    checks = []
    for name in dict.fromkeys(one.client.name for one in configured):
        reaches = [one.reach for one in configured if one.client.name == name and one.hooks]
        if len(reaches) > 1:
            checks.append(Check("hooks", "warn", f"{name} has them {len(reaches)} times ({', '.join(reaches)})",
                                "the same event twice is one episode, but every hook costs its time twice", f"`mnemos setup {name} --remove` for one of them"))
    return checks


def parts_missing(one: Configured) -> list[Check]:
    """What the files of a client lack."""
    again = f"`mnemos setup {one.client.name}" + (" --scope project`" if one.reach == "project" else "`")
    checks = [Check("file", "fail", problem, "the client may not read it either", "mend the file") for problem in one.problems]
    if one.client.hooks and one.hooks and one.missing_events:
        checks.append(Check("hooks", "warn", f"no hook for {', '.join(one.missing_events)}", "what these would do does not happen", again))
    if one.doubled_events:
        checks.append(Check("hooks", "warn", f"more than one for {', '.join(one.doubled_events)}", "every one costs its time", again))
    return checks
