"""What the gate sees in a text: named signs (speech act, cues, form, word classes) and hashed signs (pieces of words, words, patterns of word classes).

Word classes (gate_words) are shared by the five languages: "gestern", "hier" and "昨天" are one sign, so what was learnt in one language serves the others.
`benchmarks/fit_gate.py` learns a weight for each sign; nothing here is fitted.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from functools import cache

from mnemos_mcp.mechanisms.durable_cues import fold
from mnemos_mcp.mechanisms.durable_speech import Clause
from mnemos_mcp.mechanisms.gate_words import CLASSES, PAST, UNFINISHED

from .lazy import Lazy

BUCKETS = 1 << 18  # so wide that a piece never met in the fit seldom falls on one that was
CUES = ("lasting decision preference fix outcome incident correction identity deixis moment not_yet verdict status social quantity start_did").split()
_CODE = Lazy(
    r"`[^`]*`|https?://\S+|[\w.-]*/[\w./-]+|\b\w+[_]\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|--?[a-z][\w-]+"
    r"|\b[\w-]+\.(?:py|js|ts|tsx|go|rs|java|kt|md|json|ya?ml|toml|sql|sh|css|html|lock|php|rb|c|h|cpp|env|txt|csv)\b"
)
_NUMBER = Lazy(r"\d[\d.,:]*")
_TOKEN = Lazy(r"[a-z][a-z']*|[<>{}]|[\u3400-\u9fff]+|[?!.,:;…-]|[^\s\w]|\w+")
_CJK = Lazy("[\u3400-\u9fff]")
_NAME = Lazy(r"(?<=[a-z,:;] )[A-Z][A-Za-z]+|[A-Z]{2,}|[A-Za-z]{2,}(?= ?[\u3400-\u9fff])")
_FORM = (  # sign, what shows it
    ("q", Lazy(r"[?？]")),
    ("qend", Lazy(r"[?？]\W*$")),
    ("comma", Lazy(r"[,，]")),
    ("colon", Lazy(r"[:：]")),
    ("semi", Lazy(r"[;；]")),
    ("sent2", Lazy(r"[.!?。！？]\s*\S")),
    ("excl", Lazy(r"[!！]")),
    ("ell", Lazy(r"\.\.\.|…")),
    ("emoji", Lazy("[\U0001f300-\U0001faff☀-➿]")),
    ("end.", Lazy(r"[.。]\s*$")),
    ("lower", Lazy(r"^[a-z]")),
)
_LOG = Lazy(  # what a program printed, not what a person said
    r"^\W*(?:info|warn(?:ing)?|error|err|debug|fatal|trace|notice)\b[\]:) ]|^\W*\d{4}-\d\d-\d\d[t ,]+\d\d:\d\d|^traceback \(|^(?:[\w.]+\.)?[a-z]+(?:error|exception)\b[:(]|^exception in |^caused by: |^panic: "
    r"|^npm (?:err|warn)|^error\[|^\$ |\(core dumped\)|^\d+ passed\b|^exit (?:code|status) \d|^at [\w.$]+\("
)
_TURN = (  # turns of speech, over folded text
    ("progress", Lazy(r"\d[\d.,  ]*(?: \w+)? (?:of|von|sur|de|out of|/) (?:the |los |las |les |den )?\d|\d ?%|\d (?:left|to go)|(?:quedan|faltan|restent?|reste|fehlen) \w+|还剩|跑了\d")),
    ("so_far", Lazy(r"\b(?:so far|for now|as we speak|right now|at the moment|at the minute|could be a while|almost there|bisher|im moment|gerade noch|lass ihn mal|por ahora|de momento|por el momento|pour l'instant|pour le moment|jusqu'ici|ca devrait finir)\b|暂时|目前还|刚刚|进行中")),
    ("enclitic", Lazy(r"(?:^|[,.;:] ?|\by )(?!resulta)[a-z]{2,}(?:ate|alo|ala|alos|alas|elo|ela|ame|eme|ime|anos|enos|melo|mela)\b|^[a-z-]+e[sz]?-(?:moi|le|la|les|nous)\b")),
    ("asks", Lazy(r"[,;:] (?:para que|por que|como|comment|pourquoi|a quoi|wozu|warum|wieso|wie|what|why|how|which|who|where)\b|\b(?:or not|oder nicht|ou pas|o no|oder|right|no|hein|ne|verdad)$|\b(?:what do you mean|not sure i follow|i'm lost|bin verwirrt|me pierdo)\b|^gibt ?'?s|还是(?!用|走|在|按|得|会)|(?:没有|没|不|吧|呢|吗)$")),
    ("this_once", Lazy(r"\b(?:this time|this once|just this|only this|for this (?:run|test|one|push)|pour ce coup|cette fois|solo (?:para|en) est[ae]|por esta vez|solo esta|diesmal|fur diesen|nur diesmal|i just want to see|je veux juste|solo quiero ver|ich will nur)\b|这次|这回|这一次")),
    ("log", _LOG),
    ("reversal", Lazy(r"\b(?:the other way round|backwards|swapped|mixed up|rubbish|nonsense|misspoke|my bad|i told you|al reves|me equivoque|andersrum|andersherum|umgekehrt|vertauscht|verwechselst?|verwechselt|quatsch|unsinn|l'inverse|inverse|betise|n'importe quoi|trompe|and not|und nicht|et non|y no|not an?)\b|反了|弄反|搞错|说错|而不是|不是.{1,8}是")),
    ("upshot", Lazy(r"\b(?:turns out|turned out|it was|culprit|sorted it|cured|cures|went away|came from|did it|did the trick|c'etait|ca passe|venait|resulta que|era por|se acabo|se acabaron|solucionado|por eso|lag an|kam von|kam vom|war schuld|seitdem|deshalb|darum|d'ou|du coup|no more|plus de|nothing came|nichts gebracht|n'a rien)\b|原来|难怪|就好了|才好|解决")),
)


def signs(text: str, clauses: list[Clause], weighed: list[tuple[float, str, str]]) -> tuple[dict[str, float], dict[str, float]]:
    """(named, hashed) signs with their strength. `weighed` is the rule's (score, kind, act) of each clause."""
    tokens = tokenise(text)
    language = language_of(tokens)
    classes = classes_of(tokens, language)
    named = {**_acts(clauses, weighed), **_form(text, tokens), **_named_classes(tokens, classes, language)}
    pieces = _pieces(tokens)
    strength = 6 / math.sqrt(len(pieces) + 20)
    hashed = dict.fromkeys(pieces, strength)
    for pattern, weight in _patterns(classes).items():
        hashed[pattern] = weight
    return named, hashed


def bucket(sign: str) -> tuple[int, int]:
    """(place, +1 or -1): the sign of the hash lets collisions cancel."""
    number = zlib.crc32(sign.encode())
    return number % BUCKETS, 1 if number >> 31 else -1


def tells(said: str) -> bool:
    """A finite verb that is no imperative stands in it: a form of be, have or must, or a past."""
    tokens = tokenise(said)
    return bool({"BE", "BED", "HAVE", "HAD", "MUST", "CAN", "V"} & set(classes_of(tokens, language_of(tokens))))


def tokenise(text: str) -> list[str]:
    """Folded words and marks; code is `{`, a number `<`."""
    return _TOKEN.findall(fold(_NUMBER.sub(" < ", _CODE.sub(" { ", text.replace("¿", " ¿ ")))))


def language_of(tokens: list[str]) -> str:
    """The language whose words occur most."""
    return _leading(tokens)[0]


def plain_language(text: str) -> str:
    """The language when it is beyond doubt (ahead by a word), else ""."""
    language, lead = _leading(tokenise(text))
    return language if lead >= 1 else ""


def _leading(tokens: list[str]) -> tuple[str, float]:
    """(language, how many words it is ahead of the next)."""
    chinese = sum(len(word) for word in tokens if _CJK.match(word))
    if chinese and 4 * chinese >= sum(len(word) for word in tokens if word.isalpha() and not _CJK.match(word)):
        return "zh", float(chinese)
    known = _lexicon()
    counts = {one: sum((1.0 + 0.5 * (len(word) > 2)) for word in tokens if word in known[one]) for one in ("en", "de", "fr", "es")}
    first, second = sorted(counts, key=lambda one: -counts[one])[:2]
    return first, counts[first] - counts[second]


def classes_of(tokens: list[str], language: str) -> list[str]:
    """The class of each word; V past, G unfinished, W any other word. Chinese is cut at the words of its lexicon."""
    if language == "zh":
        return _chinese_classes("".join(word if _CJK.match(word) or not word.isalpha() else "{" for word in tokens))
    known, found = _lexicon()[language], []
    for token in tokens:
        for word in [part for part in token.split("'") if part] if language == "fr" and "'" in token and token not in known else [token]:
            if word in known:
                found.append(known[word][0])
            elif not word[0].isalpha():
                found.append(word[0] if word[0] in "<{}?!.,:;" else "#")
            else:
                found.append("V" if PAST[language].search(word) else "G" if UNFINISHED[language].search(word) else "W")
    return found


def _chinese_classes(said: str) -> list[str]:
    known, place = _lexicon()["zh"], 0
    found: list[str] = []
    while place < len(said):
        if met := _chinese().match(said, place):
            found.append(known[met.group()][0])
            place = met.end()
            continue
        if _CJK.match(said[place]):
            if not found or found[-1] != "W":
                found.append("W")
        elif said[place].strip():
            found.append(said[place] if said[place] in "<{}?!.,:;" else "#")
        place += 1
    return found


def _acts(clauses: list[Clause], weighed: list[tuple[float, str, str]]) -> dict[str, float]:
    if not clauses:
        return {"none": 1.0}
    found: dict[str, float] = {}
    for clause, (_, _, act) in zip(clauses, weighed, strict=True):
        found["act_" + act] = 1.0
        for cue in CUES:
            if clause.has(cue):
                found["has_" + cue] = found[f"has_{cue}_{act}"] = 1.0
        for name in ("correction", "polite", "company", "demonstrative", "laughing"):
            if getattr(clause, name):
                found[name] = 1.0
    score, kind, act = max(weighed, key=lambda one: one[0])
    return {**found, "best_" + act: 1.0, "kind_" + kind: 1.0, "score": max(-4.0, min(5.0, score)) / 4, "kept": float(score > 0.5)}


def _form(text: str, tokens: list[str]) -> dict[str, float]:
    size = sum(1 for word in tokens if word[0].isalnum() and not _CJK.match(word)) + len(_CJK.findall(text)) / 1.7
    found = {"len": min(size, 30) / 15, "ln": math.log1p(size) / 2}
    found |= {f"len>{bound}": 0.5 for bound in (2, 3, 4, 5, 6, 8, 10, 13, 17, 22) if size > bound}
    counts = {"num": tokens.count("<"), "code": tokens.count("{"), "cap": len(_NAME.findall(text))}
    found |= {name: 1.0 for name, count in counts.items() if count} | {name + "2": 1.0 for name, count in counts.items() if count > 1}
    said = fold(text)
    found |= {name: 1.0 for name, mark in _FORM if mark.search(text)} | {name: 1.0 for name, turn in _TURN if turn.search(said)}
    return {"s_" + name: value for name, value in found.items()}


def _named_classes(tokens: list[str], classes: list[str], language: str) -> dict[str, float]:
    known = _lexicon()[language]
    seen = set(classes) if language == "zh" else {one for word in tokens for one in known.get(word, ())} | ({"V", "G"} & set(classes))
    found = {"L" + language: 0.7}
    for one in seen:
        found["T" + one], found["T" + language + one] = 0.7, 0.35
    return found | ({"^T" + classes[0]: 0.7} if classes else {})


def _pieces(tokens: list[str]) -> set[str]:
    """Words alone and in pairs, how the text begins, pieces of 3 to 5 letters, of 1 to 3 Chinese characters."""
    row = ["^", *tokens, "$"]
    found = {"w" + word for word in row} | {"w" + " ".join(row[at : at + 2]) for at in range(len(row) - 1)} | {"f3" + " ".join(row[:4])}
    for at, word in enumerate(tokens):
        if _CJK.match(word):
            found.update("z" + word[start : start + size] for size in (1, 2, 3) for start in range(len(word) - size + 1))
            if at and tokens[at - 1] == ",":
                found.add("^z" + word[:2])
        elif word.isalpha():
            edged = f"_{word}_"
            found.update("c" + edged[start : start + size] for size in (3, 4, 5) for start in range(len(edged) - size + 1))
    if tokens and _CJK.match(tokens[0]):
        found.update("^z" + tokens[0][:size] for size in (1, 2, 3))
    if tokens and _CJK.match(tokens[-1]):
        found.update("$z" + tokens[-1][-size:] for size in (1, 2))
    return found


def _patterns(classes: list[str]) -> dict[str, float]:
    """Runs of word classes, the same without articles and unknown words, and which classes stand together."""
    row = ["^", *classes, "$"]
    found = {"t" + " ".join(row[at : at + size]): 0.3 for size in (2, 3) for at in range(len(row) - size + 1)}
    found["t" + " ".join(row[:4])] = 0.3
    bare = [one for one in row if one not in ("W", "DET", "P")]
    found |= {"u" + " ".join(bare[at : at + size]): 0.3 for size in (2, 3) for at in range(len(bare) - size + 1)}
    kinds = sorted(set(classes) - {"W", "DET", "P", ".", ","})
    return found | {f"p{one}&{other}": 0.2 for at, one in enumerate(kinds) for other in kinds[at + 1 :]}


@cache
def _lexicon() -> dict[str, dict[str, list[str]]]:
    known: dict[str, dict[str, list[str]]] = {}
    for language, table in CLASSES.items():
        words = known.setdefault(language, {})
        for name, listed in table.items():
            for word in listed.split():
                words.setdefault(unicodedata.normalize("NFC", word), []).append(name)
    return known


@cache
def _chinese() -> Lazy:
    return Lazy("|".join(sorted(map(re.escape, _lexicon()["zh"]), key=lambda word: -len(word))))
