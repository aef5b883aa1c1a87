"""What the client's own memory files say already: text known to the gate, never written and never kept.

Of a project: CLAUDE.md, AGENTS.md and their like at its root, .claude/rules/*.md, and the folder where Claude Code keeps its memory of it. Of the user:
~/.claude/CLAUDE.md and ~/.codex/AGENTS.md. What a repository holds is somebody's: only regular files inside it count, bounded in number and size.
"""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .mechanisms import sameness
from .mechanisms.lazy import Lazy
from .mechanisms.wording import content, fold, is_question, negations, sentences, swapped

AT_ROOT = ("CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
OF_USER = (".claude/CLAUDE.md", ".codex/AGENTS.md")
MOST_FILES = 20  # of a project, and of the user
LARGEST = 65_536  # bytes of a file that are read: a client's memory is short, or its model would not read it either
LONGEST_LINE = 2_000  # characters: what is longer is data, and patterns need not run over it
LOOK_AGAIN_S = 5.0  # between two looks at the same folder
MOST_BYTES = 262_144  # of all files of a place: a third of a second of reading when all of them are new
COVERED = 0.75  # share of the words of a statement or clause that make what is said the whole of it; own judgement
LEAST_WORDS = 2  # content words: one alone stands in every other statement

_FENCED = Lazy(r"^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = Lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FRONT = Lazy(r"\A---\n.*?\n---\n", re.DOTALL)
_BULLET = Lazy(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?|\s*>\s?")
_HEADING = Lazy(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
# Words under which a statement holds only then, held once, is thought of, or is named to be turned down.
_TURNS = Lazy(r"\b(?:if|when(?:ever)?|unless|until|except|only|instead of|rather than|in place of|over|than|used to|formerly|previously|was|were|had|will|might"
              r"|may|could|maybe|perhaps|plan(?:s|ned|ning)?|wenn|falls|außer|nur|statt|anstatt|früher|war|waren|wird|vielleicht|si|quand|sauf|seulement|au lieu de"
              r"|plutôt que|était|peut-être|cuando|salvo|sólo|solo|en lugar de|en vez de|era|quizás)\b", re.IGNORECASE)
_CLAUSE = Lazy(r"\s*[,;:–—]\s+|\s+\(|\)|\s+(?:and|but|because|so that|und|aber|weil|et|mais|parce que|y|pero|porque)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Told:
    """One statement of a file, or a clause of one: `above` is the heading that denies it, `words` are its content words in order."""

    above: str
    sentence: str
    words: tuple[str, ...]
    held: frozenset[str]  # the same words without order

    @property
    def text(self) -> str:
        return self.above + self.sentence

    @property
    def turns(self) -> frozenset[str]:
        """The words that turn what it says."""
        return frozenset(fold(turn) for turn in _TURNS.findall(self.text))

    @property
    def clauses(self) -> list[Told]:
        """Up to the first that denies: a denial may reach over what follows it."""
        found: list[Told] = []
        for clause in _CLAUSE.split(self.sentence):
            found.append(told(clause, self.above))
            if negations(clause):
                break
        return found


def told(sentence: str, above: str = "") -> Told:
    words = content(above + sentence)
    return Told(above, sentence, words, frozenset(words))


@dataclass
class Folder:
    """The files of one place: how each looked, and what it says."""

    looked: float
    states: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # path -> (inode, size, time of the last change)
    said: dict[str, list[Told]] = field(default_factory=dict)


class KnownFiles:
    """`root_of` gives the folder of a project's identity, '' where none is known. `clock` in seconds."""

    def __init__(self, home: str, root_of: Callable[[str], str], clock: Callable[[], float]):
        self.home, self._root_of, self._clock = home, root_of, clock
        self._folders: dict[str, Folder] = {}

    def say(self, text: str, project: str, *, alike: Callable[[str, str], bool] | None = None) -> str:
        """The name of a file that says this already, else ''. `project` '' asks those of the user alone. `alike` judges two wordings by meaning, and
        is asked only where one holds every word of the other."""
        known = list(self._all(project))
        parts = [part for part in map(told, sentences(text)) if part.words] if known else []
        if not parts or any(is_question(part.text) for part in parts):
            return ""
        holders = [next((name for name, statement in known if says(statement, part, alike)), "") for part in parts]
        return holders[0] if all(holders) else ""

    def _all(self, project: str) -> Iterator[tuple[str, Told]]:
        root = self._root_of(project) if project else ""
        places = [(root, of_project)] if root else []
        places += [(self.home, of_user)] if self.home else []
        for folder, find in places:
            for path, said in self._read(folder, find).said.items():
                name = self._name(path, root)
                for statement in said:
                    yield name, statement

    def _name(self, path: str, root: str) -> str:
        """As people know it."""
        if root and path.startswith(root.rstrip(os.sep) + os.sep):
            return os.path.relpath(path, root)
        return f"~{os.sep}{os.path.relpath(path, self.home)}"

    def _read(self, folder: str, find: Callable[[str, str], Iterator[str]]) -> Folder:
        """What the files of a place say, looked at again after a while, read again when they changed."""
        now = self._clock()
        known = self._folders.get(f"{find.__name__} {folder}")
        if known and abs(now - known.looked) < LOOK_AGAIN_S:
            return known
        states = _fitting(find(folder, self.home))
        said = {path: known.said[path] if known and known.states.get(path) == state else statements(_text(path)) for path, state in states.items()}
        self._folders[f"{find.__name__} {folder}"] = Folder(now, states, said)
        return self._folders[f"{find.__name__} {folder}"]


def of_project(root: str, home: str) -> Iterator[str]:
    """Files at the root and in its rules, then those that Claude Code keeps of it in the user's home."""
    inside = [os.path.join(root, name) for name in AT_ROOT] + _markdown(os.path.join(root, ".claude", "rules"))
    yield from (path for path in inside if _within(path, root))
    for name in dict.fromkeys((re.sub(r"[^A-Za-z0-9]", "-", root), root.replace(os.sep, "-"))) if home else ():
        yield from (path for path in _markdown(os.path.join(home, ".claude", "projects", name, "memory")) if _within(path, home))


def of_user(home: str, _: str) -> Iterator[str]:
    yield from (path for path in (os.path.join(home, name) for name in OF_USER) if _within(path, home))


def _markdown(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    except OSError:
        return []


def _fitting(paths: Iterator[str]) -> dict[str, tuple[int, int, int]]:
    """The first of these that are files, as many as may be read, each with how it looks now."""
    states: dict[str, tuple[int, int, int]] = {}
    left = MOST_BYTES
    for path in paths:
        state = _state(path)
        if state is None:
            continue
        left -= min(state[1], LARGEST)
        if left < 0 or len(states) == MOST_FILES:
            break
        states[path] = state
    return states


def _within(path: str, folder: str) -> bool:
    """There, and inside the folder wherever links lead."""
    try:
        return os.path.lexists(path) and os.path.realpath(path).startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)
    except (OSError, ValueError):
        return False


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return (state.st_ino, state.st_size, state.st_mtime_ns) if stat.S_ISREG(state.st_mode) else None


def _text(path: str) -> str:
    """The beginning of a regular file; '' for anything else, and where it cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return ""
            raw = file.read(LARGEST + 1)
    except (OSError, ValueError):
        return ""
    whole = raw if len(raw) <= LARGEST else raw[:LARGEST].rpartition(b"\n")[0]
    return whole.decode("utf-8-sig", "replace")


def statements(text: str) -> list[Told]:
    """The statements of a Markdown text. Code blocks, comments and front matter state nothing; a heading that denies denies what stands below it."""
    plain = _COMMENT.sub(" ", _FENCED.sub("\n", _FRONT.sub("", text.replace("\r\n", "\n"))))
    found: dict[tuple[str, str], None] = {}
    heading = ""
    for block in _blocks(plain):
        if title := _HEADING.match(block):
            heading = f"{title[1]}: " if negations(title[1]) else ""
            continue
        for sentence in sentences(" ".join(block.replace("**", "").replace("|", " ").split())):
            found[heading, sentence] = None
    return [one for one in (told(sentence, above) for above, sentence in found) if one.words and not is_question(one.text)]


def _blocks(text: str) -> Iterator[str]:
    """Headings, list items and paragraphs, each with its continued lines as one."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        if len(line) > LONGEST_LINE:
            continue
        bullet = _BULLET.match(line)
        begins = bullet is not None or _HEADING.match(line) is not None or line.lstrip().startswith("|")
        if block and (begins or not line.strip() or _HEADING.match(block[0])):
            yield " ".join(block)
            block = []
        if line.strip():
            block.append(line[bullet.end():] if bullet else line.strip())


def says(known: Told, said: Told, alike: Callable[[str, str], bool] | None = None) -> bool:
    """Does a statement of a file say this? The same words do; so do a clause or the whole where all words, numbers and denials of `said` stand there in
    their order and are nearly all of it; so does a whole that holds them all and means the same.

    What holds under a condition, held once, or is named to be turned down is another statement than the same words without that.
    """
    if not said.held <= known.held:
        return False
    if fold(known.text).strip(".! ") == fold(said.text).strip(".! ") or sameness.same_words(known.text, said.text):
        return True
    if len(said.held) < LEAST_WORDS or known.turns != said.turns:
        return False
    if any(_is_nearly(part, said) for part in (known, *known.clauses)):
        return True
    return alike is not None and not _differ(known, said) and alike(said.text, known.text)


def _is_nearly(part: Told, said: Told) -> bool:
    return said.held <= part.held and len(said.held) >= COVERED * len(part.held) and _in_order(said.words, part.words) and not _differ(part, said)


def _differ(known: Told, said: Told) -> bool:
    return sameness.differing(said.text, known.text) or swapped(said.text, known.text)


def _in_order(words: Sequence[str], among: Sequence[str]) -> bool:
    """Do these words stand there in this order, others between them or not? Order is what tells 'A calls B' from 'B calls A'."""
    rest = iter(among)
    return all(word in rest for word in words)
