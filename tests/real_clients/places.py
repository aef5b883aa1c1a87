"""Where a client runs: a fresh home, fresh repositories, and the memory that mnemos makes in that home."""
from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from mnemos_mcp.model import Episode
from mnemos_mcp.storage.sqlite import SqliteStore

END_S = 60.0  # the longest that a small step may take on a busy machine
GIT = ("git", "-c", "user.name=Rig", "-c", "user.email=rig@example.invalid", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false")

# A deploy that really fails, for a reason that a command really removes.
DEPLOY = """#!/bin/sh
if [ ! -f config/nomad.hcl ]; then
  echo "deploy.sh: error: config/nomad.hcl not found" >&2
  exit 3
fi
echo "deployed billing"
"""



@dataclass
class Place:
    """A home of its own, with repositories beside it. `env` goes to every client started here."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        (self.root / "home").mkdir(parents=True, exist_ok=True)
        return self.root / "home"

    def repository(self, name: str) -> Path:
        """A git repository with one commit, whose deploy.sh fails until its configuration is made."""
        folder = self.root / name
        (folder / "config").mkdir(parents=True)
        (folder / "deploy.sh").write_text(DEPLOY)
        (folder / "config" / "nomad.example.hcl").write_text(f'job "{name}" {{}}\n')
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", f"Start {name}"]):
            subprocess.run([*GIT, *command], cwd=folder, check=True, timeout=END_S)
        return folder

    def environment(self, **more: str) -> dict[str, str]:
        """Nothing of the person who runs the tests; a proxy that nobody serves for whatever leaves loopback."""
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1",
                "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", **self.env, **more}

    def mnemos(self, *words: str, cwd: Path) -> str:
        """Run the command line of mnemos here; what it printed."""
        done = subprocess.run([sys.executable, "-P", "-m", "mnemos_mcp", *words], cwd=cwd, env=self.environment(), capture_output=True,
                              text=True, timeout=END_S)
        if done.returncode:
            raise RuntimeError(f"mnemos {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


    def set_up(self, client: str, folder: Path, *words: str) -> None:
        """What a user runs in a repository: `mnemos setup CLIENT`."""
        self.mnemos("setup", client, *words, cwd=folder)

    def episodes(self) -> list[Episode]:
        """All episodes in the file of this home, whatever became of them."""
        with closing(self.store()) as store:
            return [e for status in ("pending", "consolidated") for e in store.episodes(status=status)]

    def store(self) -> SqliteStore:
        return SqliteStore(str(self.database()), clock=time.time)

    def database(self) -> Path:
        """The file that mnemos made by itself in this home."""
        return next(self.home.rglob("mnemos.db"))

    def holds(self, words: str) -> bool:
        """Whether the words stand anywhere in the bytes of the memory's files."""
        return any(words.encode() in path.read_bytes() for path in self.home.rglob("mnemos.db*"))
