"""Failure memory: two failures are the same when command and error are, once paths, numbers, times and hashes are taken out of both.

Pure, and without a model: the key is exact, and where it misses, the same command with half of the error's words is the nearest.
"""
from __future__ import annotations

import re
from collections.abc import Sequence

from ..episode import Failure
from .lazy import Lazy

LONGEST_COMMAND = 400  # characters of a command that are kept and shown
LONGEST_ERROR = 600  # characters of an error that are kept: its telling lines
SHOWN_STEPS = 6  # of them that are told
UNSAID = "a command that is not kept (it held a secret)"
STEPS = 12  # commands between a failure and its fix that are remembered, the last ones
TELLING = 4  # lines of an error that say what went wrong
NEAR = 0.5  # share of the shorter error's words that must stand in the other, for the same command

_ANSI = Lazy(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_EXIT = Lazy(r"\s*exit code:?\s*(\d+)", re.IGNORECASE)
# From the most to the least specific; each leaves a mark, so that two texts that differ there only are one.
_MARKS = (
    (Lazy(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?|\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?\b"), "<time>"),
    (Lazy(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"), "<hash>"),
    (Lazy(r"(?:(?<=[\s'\"(=:\[,])|^)(?:~|[A-Za-z]:)?(?:[\\/][\w.@+~-]+)*[\\/]([\w.@+~-]+)[\\/]?", re.MULTILINE), r"\1"),
    (Lazy(r"\b\d+(?:[.,]\d+)*(?=(?:ms|s|m|h|MB|KB|GB|kB|B|%)?\b)"), "<n>"),
)
_TELLS = Lazy(r"error|exception|fail|not found|no such|cannot|can't|could not|unable|denied|refused|fatal|panic|undefined|unknown|missing|invalid|unexpected|"
                    r"traceback|timed? ?out|conflict|unresolved|expected|assert|abort|erreur|fehler|错误|エラー", re.IGNORECASE)
_PART = Lazy(r"\s*(?:&&|\|\||;|\n)\s*")
_AND = Lazy(r"\s*&&\s*")
_LOOSE = Lazy(r"\|\||;|(?<!\|)\|(?!\|)|(?<![&>])&(?![&>\d])|\n")
_QUOTED = Lazy(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL)
_LOOKS = Lazy(r"(?:ls|cat|pwd|echo|head|tail|less|which|find|grep|rg|wc|tree|stat|file|env|printenv|date|whoami|git (?:status|log|diff|show|branch))\b(?!.*>)")
_ANSWERS = Lazy(r"(?:grep|egrep|fgrep|rg|ag|diff|cmp|test|\[|which|pgrep|command -v|git (?:grep|diff))(?:\s|$)")
_LEAD = Lazy(r"(?:cd\s+\S+|export\s+\S+|set\s+-\S+|source\s+\S+|time|sudo)\s*")


def plain(text: str) -> str:
    """The text with paths cut to their last name, and times, hashes and numbers marked."""
    text = _ANSI.sub("", text)
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    return " ".join(text.split())


def shape(command: str) -> str:
    """A command as it is compared: what only prepares the shell (cd, export, time, sudo) is left out."""
    parts = [part for part in _PART.split(command.strip()) if part]
    kept = [part for part in parts if not _LEAD.fullmatch(part)] or parts
    return plain(" && ".join(_LEAD.sub("", part, count=1) if part.startswith(("time ", "sudo ")) else part for part in kept))


def telling(error: str) -> str:
    """The lines that say what went wrong: the first few that speak of an error, and the last one. At most LONGEST_ERROR characters."""
    lines = [line.strip() for line in _ANSI.sub("", error).splitlines() if line.strip() and not _EXIT.fullmatch(line)]
    spoken = [line for line in lines if _TELLS.search(line)][:TELLING]
    chosen = list(dict.fromkeys([*spoken, *lines[-1:]])) or lines[:1]
    return "\n".join(line[:200] for line in chosen)[:LONGEST_ERROR]


def exit_code(error: str) -> str:
    """The number in a leading 'Exit code N', or ''."""
    found = _EXIT.match(error)
    return found[1] if found else ""


def fingerprint(command: str, error: str) -> str:
    """16 hex digits; the same for the same failure on another day, in another folder. Two checksums, forwards and backwards: enough to tell the failures of
    one command apart, and an agent waits for it (hashlib alone would take a twentieth of the time)."""
    from zlib import crc32
    text = f"{shape(command)}\n{exit_code(error)}\n{plain(telling(error)).casefold()}".encode("utf-8", "replace")
    return f"{crc32(text):08x}{crc32(text[::-1]):08x}"


def runs(wanted: str, passed: str) -> bool:
    """Is the command that passed now the one of this shape, alone or after others that passed too? What stands beside `||`, `;`, `|` or `&`
    may have failed all the same."""
    return shape(passed) == wanted or (not _LOOSE.search(_bare(passed)) and wanted in {shape(part) for part in _AND.split(_bare(passed)) if part.strip()})


def steps_towards(command: str) -> bool:
    """Could this have changed anything? Looking around has not."""
    return not all(_LOOKS.match(part) for part in _PART.split(command.strip()) if part)


def finds_nothing(command: str, code: int) -> bool:
    """An exit code of 1 that is an answer, not a failure: a search without a hit, a comparison, a test."""
    parts = [part for part in _PART.split(command.strip()) if part]
    return code == 1 and bool(parts) and _ANSWERS.match(parts[-1].split("|")[-1].strip()) is not None


def _bare(command: str) -> str:
    """The command with what stands in quotes left out where it holds signs of the shell."""
    return _QUOTED.sub(lambda m: m.group() if not set(m.group()) & set("&|;") else '""', command)


def nearest(known: Sequence[Failure], key: str, error: str) -> Failure | None:
    """The failure met before, among those of the same command: by exact key, else by the words of the error. A fixed one first, then the latest."""
    exact = [k for k in known if k.fingerprint == key]
    words = _words(error)
    near = exact or [k for k in known if words and _names(error) == _names(k.error) and _shared(words, _words(k.error)) >= NEAR]
    return max(near, key=lambda k: (k.status == "fixed" and bool(k.fix), k.status == "fixed", k.at), default=None)


def shown(command: str) -> str:
    """A command as it is kept and told; what is left out of a long one is marked."""
    return command if len(command) <= LONGEST_COMMAND else f"{command[:LONGEST_COMMAND]} ..."


def fixed_by(wanted: str, steps: Sequence[str], passed: str, edited: Sequence[str]) -> str:
    """What was done between the failure of a command of this shape and its end: the last commands, what passed if it is another line, and the
    files edited. '' for nothing."""
    done = [step if step == UNSAID else marked(step) for step in steps[-SHOWN_STEPS:]]
    if shape(passed) != wanted:
        done.append(marked(shown(passed)))
    return joined([*done, *(f"edit of {name}" for name in edited)], ", ")


def marked(command: str) -> str:
    """A command in text: between backticks; one of several lines between fences longer than any in it, on lines of their own, as it can be run again."""
    if "\n" not in command.strip():
        return f"`{command.strip()}`"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", command)), default=0))
    return f"\n{fence}\n{command.strip(chr(10))}\n{fence}\n"


def joined(parts: Sequence[str], sign: str = " ") -> str:
    """One text of these, with the sign between those that do not stand on lines of their own."""
    text = ""
    for part in parts:
        if text.endswith("\n"):
            text += part.removeprefix("\n")
        else:
            text += part if not text or part.startswith("\n") else f"{sign}{part}"
    return text


def cut(text: str, most: int) -> str:
    """At most so long, and no fence left open."""
    if len(text) <= most:
        return text
    kept = text[:most - 100].rpartition("\n")[0] or text[:most - 100]
    opened = ""
    for fence in re.findall(r"^`{3,}$", kept, re.MULTILINE):
        opened = "" if opened and len(fence) >= len(opened) else opened or fence
    return kept + (f"\n{opened}\n..." if opened else " ...")


def stopped(text: str) -> str:
    return text if text.endswith("\n") else f"{text}."


def lesson(command: str, error: str, fix: str, tried: Sequence[str] = ()) -> str:
    """A failure and its fix as one statement, in the words of what was run."""
    why = telling(error).splitlines()
    failed = "failed" + (f" ({why[0][:160]})" if why else "") + ";"
    helped = ["what fixed it:", stopped(fix)] if fix else ["it passed when it was run again."]
    others = ["Did not help:", stopped(joined([marked(step) for step in tried[-3:]], ", "))] if tried else []
    return joined([marked(command), failed, *helped, *others]).strip()


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[^\W\d_]{3,}", plain(telling(text)).casefold()))


def _names(text: str) -> frozenset[str]:
    """What an error quotes: another module, file or symbol is another failure."""
    return frozenset(name.casefold() for name in re.findall(r"['\"`\u2018\u201c]([^'\"`\u2019\u201d\s]{1,80})['\"`\u2019\u201d]", plain(telling(text))))


def _shared(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
