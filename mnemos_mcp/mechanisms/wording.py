"""What a text says, as far as two texts can be compared without a model: words, numbers, names, negations, opposites.

Pure functions on text, shared by what compares memories (supersession, reconsolidation, consolidation), as `vectors` is for arrays.
Words are folded (NFC, case) and lightly stemmed; stop words are those that carry no fact. English, German, French, Spanish; Chinese, Japanese and
Korean by character pairs. "must", "only", "never" are content: without them it is another statement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from .lazy import Lazy
from .rivals import KIND, ORDINARY, SPELLINGS

CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = Lazy(rf"[{CJK}]+|(?:--?|[./@$~])?[^\W{CJK}]+(?:[-./:@#+'’=\\]+[^\W{CJK}]+)*(?:\+\+|#|/(?!\w))?")
_SENTENCE = Lazy(r"(?<=[.!?])[\"'”’)]*\s+|[;；。！？\n]+|\s[-•*]\s")
_QUOTED = Lazy(r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|«\s?([^»\n]{1,80}?)\s?»|「([^」\n]{1,80})」|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_INNER = Lazy(r"[a-z][A-Z]|[A-Z]{2}|\d|[_/@#$\\]|\w[.:]\w|\+\+")
_QUESTION = Lazy(r"^\s*(?:what|which|who|whose|when|where|why|how|should|shall|can|could|would|do|does|did|is|are|was|were|has|have|will|wer|was|wie|wo|wann"
                       r"|warum|welche\w*|soll\w*|kann\w*|pourquoi|comment|quel\w*|est-ce|qué|cómo|cuándo|dónde|por qué)\b.*\?|\?\s*$|^¿|(?:吗|呢|？)\s*[?？]?$", re.IGNORECASE | re.DOTALL)

STOP: frozenset[str] = frozenset("""
a an the this that these those there here it its it's he she they them their we us our you your i my me mine i'm we're we've i've and or but so as if than
then of in on at to by for from with into onto over under via per through about is are was were be been being am do does did done has have had having
will would can could shall which who whom whose what when where while because since also just very really quite now please let let's too yet still each
every all any some such both get gets got go goes more most much many own same user assistant tool
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden wurde wurden hat habe haben wir ihr ich du er sie es im in
am an auf aus bei mit nach von vom zu zum zur für durch über unter als wie auch dass weil wenn dann noch schon sich uns unser unsere jetzt
le la les un une des du de d' l' sommes suis sera et ou mais est sont était être a ont avons avez nous vous je tu il elle on ils elles ce cet cette ces dans en au aux par pour
sur sous avec que qui dont où aussi plus très maintenant notre nos
el los las una unos unas del al y o pero es son era ser fue ha han hemos nosotros yo tú él ella ellos este esta estos estas ese esa con por para sin sobre
como también estamos muy ahora que se su sus nuestro nuestra lo
""".split()) - {"sin"}
NEGATORS: frozenset[str] = frozenset("""
not no never none nor neither without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't mustn't couldn't hasn't haven't
forbidden prohibited disallowed banned avoid stop nicht kein keine keinen keinem keiner nie niemals ohne verboten pas jamais sans aucun aucune interdit
nunca jamás ninguno ninguna sin prohibido
""".split())
_CJK_NEGATOR = Lazy("不|没|沒|别|別|勿|禁止|ない|ません|않|없")
OPPOSITES: tuple[frozenset[str], ...] = tuple(frozenset(pair.split()) for pair in (
    "enabled disabled", "enable disable", "on off", "true false", "always never", "before after", "allow deny", "allowed denied", "allow block", "allow forbid",
    "min max", "minimum maximum", "least most", "increase decrease", "increased decreased", "client server", "frontend backend", "read write", "input output",
    "staging production", "staging prod", "dev prod", "development production", "test production", "local remote", "sync async", "synchronous asynchronous",
    "public private", "internal external", "first last", "left right", "open closed", "start stop", "up down", "master replica", "primary replica", "legacy new",
    "primary secondary", "upload download", "inbound outbound", "ascending descending", "optional required", "optional mandatory", "may must", "safe unsafe",
    "mutable immutable", "stateful stateless", "ios android", "light dark", "tabs spaces", "upper lower", "uppercase lowercase", "monolith microservices",
    "today tomorrow", "yesterday today", "squash rebase", "merge rebase", "merge squash", "passes fails", "works broken", "above below", "inside outside",
    "aktiviert deaktiviert", "immer nie", "vor nach", "activé désactivé", "toujours jamais", "avant après", "siempre nunca", "antes después"))
_DATES = ("january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday "
          "januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag "
          "janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche "
          "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo")
DATES: frozenset[str] = frozenset(_DATES.split()) - {"may", "march", "mars"}


def fold(text: str) -> str:
    """NFC, case folded, one space where there was any white space. The identity of a text."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).split())


def text_hash(text: str) -> str:
    """SHA-256 (hex, 64 characters) of the folded text: equal for texts that differ in Unicode form, case or spacing only."""
    from hashlib import sha256  # OpenSSL's library comes with it, which a hook can do without
    return sha256(fold(text).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[str, ...]:
    """Words as written, paths and identifiers whole, without surrounding punctuation."""
    return tuple(_TOKEN.findall(unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[str, ...]:
    """Statements of a text: split at sentence ends, semicolons and line ends."""
    return tuple(piece.strip() for piece in _SENTENCE.split(text) if piece.strip())


def is_question(text: str) -> bool:
    """A question by its mark or its form: it tells nothing and is never evidence."""
    return bool(_QUESTION.search(text))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A folded word without its ordinary English inflection; identifiers stay whole. Both sides of a comparison go through it, so it need not be a word."""
    if not word.isascii() or not word.isalpha() or len(word) < 4 or word in KIND:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif re.search(r"(?:sh|ch|x|z|ss)es$", word):
        word = word[:-2]
    elif word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    if word.endswith("ie"):
        word = word[:-2] + "y"
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[:-len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lse":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=512)
def content(text: str) -> tuple[str, ...]:
    """Content words in order: folded, stemmed, stop words out; a run of Chinese, Japanese or Korean gives its character pairs."""
    found: list[str] = []
    for token in tokens(text):
        word = token.casefold().replace("’", "'")
        if re.match(f"[{CJK}]", word):
            found += [word] if len(word) == 1 else [a + b for a, b in pairwise(word)]
        elif word not in STOP or (word != token and token.isupper() and len(token) > 1):
            found.append(stem(SPELLINGS.get(word, word).removesuffix("'s")))
    return tuple(found)


def content_set(text: str) -> frozenset[str]:
    return frozenset(content(text))


def contains(fuller: str, other: str) -> bool:
    """Whether `fuller` drops no content word of `other`."""
    return content_set(other) <= content_set(fuller)


def overlap(a: str, b: str) -> float:
    """Shared content words over all of them (Jaccard), 0..1; two texts without any: 0."""
    first, second = content_set(a), content_set(b)
    return len(first & second) / len(first | second) if first | second else 0.0


@lru_cache(maxsize=512)
def names(text: str) -> tuple[str, ...]:
    """Proper names, identifiers, paths, quoted texts, days and months, in order and folded. A capital at the start of a sentence proves nothing."""
    found = [fold(next(part for part in match if part)) for match in _QUOTED.findall(text)]
    for sentence in sentences(text):
        for place, token in enumerate(tokens(sentence)):
            word = token.casefold()
            number = re.fullmatch(r"-?[vV]?\d[\d.,:]*", token)
            capital = place > 0 and token[0].isupper() and word not in STOP
            known = (word in KIND and word not in ORDINARY) or word.removesuffix("s") in DATES
            if not number and not re.match(f"[{CJK}]", token) and (capital or known or _INNER.search(token) or token[0] in "/@$~"):
                found.append(SPELLINGS.get(word, word).removesuffix("'s"))
    return tuple(found)


def negations(text: str) -> int:
    """How many words deny."""
    words = [token.casefold().replace("’", "'") for token in tokens(text)]
    return sum(word in NEGATORS for word in words) + len(_CJK_NEGATOR.findall(text))


def opposed(a: str, b: str) -> bool:
    """One says 'enabled' where the other says 'disabled', for any pair of opposites."""
    first, second = (frozenset(token.casefold() for token in tokens(text)) for text in (a, b))
    return any(len(pair & first) == 1 and len(pair & second) == 1 and pair & first != pair & second for pair in OPPOSITES)


def ordered(a: str, b: str) -> bool:
    """Whether all content words of one text stand in the other in the same order."""
    return _runs_through(content(a), content(b))


def swapped(a: str, b: str) -> bool:
    """The words that both hold in another order inside one clause: 'A waits for B' and 'B waits for A' are two facts."""
    shared = content_set(a) & content_set(b)
    first, second = ([word for word in content(text) if word in shared] for text in (a, b))
    if _runs_through(first, second):
        return False
    named = [tuple(word for word in names(text) if word in shared) for text in (a, b)]
    return named[0] != named[1] or not any(re.search(r"[,;:.!?]\s|\bbecause\b|[，；：。]", text) for text in (a, b))


def _runs_through(a: Sequence[str], b: Sequence[str]) -> bool:
    """Every word of the shorter row stands in the longer one, in its order."""
    few, many = sorted((a, b), key=len)
    rest = iter(many)
    return all(word in rest for word in few)
