"""What a text that somebody keeps for an agent (CLAUDE.md and its like) states, and whether that says what was said already. Pure."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from . import sameness
from .lazy import Lazy
from .wording import content, fold, is_question, negations, sentences, swapped

LONGEST_LINE = 2_000  # characters: what is longer is data, and patterns need not run over it
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


class Told(NamedTuple):
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


def holders(text: str, known: Sequence[tuple[str, Told]], alike: Callable[[str, str], bool] | None = None) -> list[str]:
    """The name beside the statement that says it, for each sentence of the text, '' where none does; [] for a question and for no words.
    `alike` judges two wordings by meaning, and is asked only where one holds every word of the other."""
    parts = [part for part in map(told, sentences(text)) if part.words] if known else []
    if any(is_question(part.text) for part in parts):
        return []
    return [next((name for name, statement in known if says(statement, part, alike)), "") for part in parts]


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
