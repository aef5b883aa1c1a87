"""Secrets known by the name beside them: DB_PASSWORD=..., apiKey: "...", --token ..., "the password is ...".

A name is found first, by a plain search; everything after it is matched at that place over a bounded stretch, so the
work grows with the length of the text and with nothing else.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

from mnemos_mcp.mechanisms.firewall_anchors import lowered
from mnemos_mcp.mechanisms.firewall_rules import Finding
from mnemos_mcp.mechanisms.firewall_values import PROSE, Setting, Strength, classes, is_secret, wordlike
from mnemos_mcp.mechanisms.firewall_words import foreign, hints, identifier, strength
from mnemos_mcp.mechanisms.lazy import Lazy

_CLOSE = r"(?:\\?[\"'`*\u201c\u201d]|[\])}]){0,4}"
# A declared type between name and value; after a closing quote it would be the next attribute of a tag.
_TYPE = (r"(?:(?::[ \t]*[&'\w\[\]<>|?., ]{1,40}?(?=[ \t]*=[ \t]*[rbuf@NL]{0,2}[\"'`])"
         r"|[ \t]+(?:As )?[\w*&\[\].<>]{1,24}(?=[ \t]*=[ \t]*[rbuf@NL]{0,2}[\"'`])))")
_OPERATOR = r"(?:=>|:=|\?\?=|\|\|=|\?=|[=!]={1,2}|=|:-|:{1,2}|<-|\u2192|->|\uff1a|\uff1d)"
# What a literal is put into on its way: SecretStr("..."), std::string("...").
_MADE = r"(?:new[ \t]+)?(?:Secret(?:Str|String|Bytes)?|(?:std::)?string|String(?:::from)?|str|bytes|Buffer\.from|(?:base64\.)?b64decode|atob|text|Text|Some)"
_ASSIGN = Lazy(rf"(?:(?:\[\d{{0,4}}\])?{_TYPE}|{_CLOSE}(?:\[\d{{0,4}}\])?)[ \t]{{0,20}}{_OPERATOR}(?:\*\*|__)?[ \t]{{0,20}}(?:[|>][+-]?[ \t]*\n[ \t]+|\n[ \t]+(?=[^\s:]{{4,256}}(?:\n|\Z))"
               r"|\n[ \t]+(?=[\"'][^\"'\n:]+[\"'])|\n[ \t]+(?:value|default)[ \t]*:[ \t]+)?(?:(?:!!?\w{1,12}|&\w{1,20})[ \t]+(?=\S))?(?:\$\(echo[ \t]+)?"
               rf"(?:{_MADE}\((?=[rbuf@NL]{{0,2}}[\"'`]))?")
_TAG = Lazy(r"[^<>\n]{0,40}>[ \t]*(?=[^<\s])|[\"'][ \t]+value[ \t]*=[ \t]*|[\"']?[ \t]*,?\s{0,30}[\"']?(?:[vV]alue|v)[\"']?[ \t]*[:=][ \t]*"
            r"|</key>\s{0,20}<string>|[\"'][ \t]*\{[^{}]{0,80}?\bdefault[ \t]*=[ \t]*")
_CALL = Lazy(r"[({]\s{0,8}(?=[\"'`])|(?:[\"'`]|[\"'`\])]{2,4})(?:\s{0,8},\s{0,20}|\.(?:type|fill|send_?[kK]eys|set_?[vV]alue|press_sequentially)\(\s{0,8})[rbuf@NL]{0,2}(?=[\"'`])|[ \t]+(?:--?[a-z-]{1,16})[ =](?=\S)|[ \t]*,[ \t]*(?=[\"'])")
_SETTER = Lazy(r"(?:set|Set|SET|put|with)\w*\(\s{0,8}[\"'`]?\Z")
_ELSE = Lazy(r"[\"']?[\])]{0,2}[ \t]*(?:\|\||\?\?|\bor)[ \t]*(?=[\"'`])")
_PREPOSITIONS = ("for|of|to|on|in|at|from|f\u00fcr|von|vom|zu|zum|zur|der|des|am|im|pour|de|du|sur|para|del|della|di|da|do|en|dla|van|voor|till|"
                 "\u0434\u043b\u044f|\u043e\u0442")
_OF = rf"(?:[ \t]+(?:{_PREPOSITIONS})[ \t]+[^\n.;:=,]{{1,40}}?)?"
_COPULAS = ("(?:(?:was|is|got|has been) )?(?:changed|set|reset|updated) to|(?:wurde|ist|habe[n]?) auf|is|was|are|will be|be|became|reads|equals|ist|war|lautet|hei\u00dft|sind|wird|est|c['\u2019]est|este|sera|es|era|ser\u00e1|son|\u00e8|\u00e9|era|foi|jest|to|er|"
            "\u00e4r|on|je|as|auf|\u00e0|como|\u044d\u0442\u043e|l\u00e0|adalah")
_SAID = Lazy(
    rf"{_CLOSE}(?:[ \t]+(?:admin|root|db|database|user|prod|production|staging|server|wifi|test|dev|new|nueva|nuevo|nouveau|nuova|nova|actuelle?|actual|attuale)(?=[ \t]*[:=]|[ \t]+(?:is|ist|est|es|\u00e8|\u00e9)\b))?{_OF}"
    rf"(?:[ \t]*\([^()\n]{{1,30}}\))?[ \t]*(?:[ \t](?:{_COPULAS})(?!\w)(?!::)|:|=|\uff1a|[ \t][-\u2013\u2014](?=[ \t]))"
    r"(?:[ \t]+(?:now|currently|still|set to|called|jetzt|nun|maintenant|ahora|simply|just|literally)\b)?[ \t]*:?[ \t]*\n?[ \t]*", re.I)
_SCRIPT = Lazy(r"\s{0,2}(?:\u306f|\u306f\u3001|\u662f|\u70ba|\u4e3a|\u8bbe\u4e3a|\uc740|\ub294|[:=\uff1a\uff1d]|\u0e04\u0e37\u0e2d)?\s{0,2}[\"'`\u300c\u300e\u201c\u300a]?"
               r"(?=[!-~])")
_NEAR = Lazy(rf"{_CLOSE}(?:[ \t]+(?:(?:value|string|code|wert|valeur|valor|should be|must be)[ \t]+)?\(?(?!\|)|[ \t]*\|[ \t]*|[ \t]*,[ \t]*(?=\d|\w*\d))(?!is\b|was\b)")
_BEFORE = Lazy(r"(?<!\S)[\"'`\u201c\u201e(]?([^\s\"'`]{6,200}?)[\"'`\u201d)]?[ \t]+(?:as|is|als|ist|comme|est|como|es|come)[ \t]+(?:(?:the|an?|your"
               r"|my|our|das|dein|mein|unser|le|la|un|el|su)[ \t]+)?(?:\S{1,20}[ \t]+)?\Z", re.I)
# `with X token`: a value alone is told from a word by all three classes of characters.
_RIGHT_BEFORE = Lazy(r"(?<!\S)[\"'`(]?([\w+=-]{20,200})[\"'`)]? \Z")
# `I use X for the database password`, `reset to X, that's the new password`.
_FOR_IT = Lazy(r"(?<!\S)[\"'`(]?([^\s\"'`(){}<>/]{8,64}?)[\"'`)]?(?:,? that(?:['\u2019]s| is)| for|,? das ist| f\u00fcr) (?:the|your|my|our|his|her|das|dein|mein|unser) (?:[\w-]{1,20} ){0,2}\Z", re.I)
_FOR_WORDS = frozenset("for that that's that\u2019s das f\u00fcr".split())
# A passphrase without quotes is words to the end of the line or sentence.
_WORDS = Lazy(r"(?:[a-z]{3,9}[ -]){3,11}[a-z]{3,9}(?=[ \t]*(?:[\n.]|\Z))")
_COMPARED = Lazy(r"([\"'`])([^\"'`\n]{4,200})\1[ \t]*[=!]={1,2}[ \t]*\$?[\w.]{0,40}\Z")
# `the token I got from the dashboard: X`
_FAR = Lazy(r"[ \t][^\n.;:=\"'`]{3,60}:[ \t]{1,4}[\"'`]?(?=\S{8})")
# A form copied: the label on a line, the value on the next.
_FIELD = Lazy(r"[ \t]*\n[ \t]*(?=(?=\S{0,40}\d)(?=\S{0,40}[A-Z])(?=\S{0,40}[a-z])\S{8,40}[ \t]*(?:\n|\Z))")
_USING = Lazy(r"\b(?:with|using|mit|avec|con|pass|and|und)[ \t](?:(?:the|das|dem)[ \t])?\Z", re.I)
_LINK_WORDS = frozenset("as is als ist comme est como es come".split())
_COMMAND = Lazy(r"(?:^|\n)[ \t]*(?:ENV|ARG|setenv|setx|set|declare|typeset|requirepass|masterauth|AUTH|\(setq|\(def)[ \t]*(?:-\w{1,3}[ \t]+)?\Z")

_ALONE = Lazy(r"(?=\S{0,63}\d)\S{6,128}[ \t]*(?:\n|\Z)")
_PUT_WORDS = frozenset("put set SET config write".split())
_PUT = Lazy(r"\b(?:put|set|SET|config|write)[ \t]+(?:[\w./:-]{0,24}[/:])?\Z")
_COMMAND_HEADS = frozenset(["ENV", "ARG", "setenv", "setx", "set", "declare", "typeset", "requirepass", "masterauth", "AUTH", "(setq", "(def"])
_COPULA_WORDS = frozenset(word for copula in _COPULAS.split("|") for word in (copula.split()[-1].strip("()?"),)) | {"e", "to", "c'est", "c\u2019est"}
# Something that can be a secret of more than plain words: long, or with a digit, or right behind a sign.
_WORTH = Lazy(r"(?<!\S)(?:(?=\S{0,63}\d)\S{4}|\S{20}|[=:>|\"'`]\s?\S{8})")
_LONG = Lazy(r"\S{28}")
_SIGNED, _QUOTED, _DIGIT = Lazy("[=:\\-\u2192\u2013\u2014\uff1a\uff1d]"), Lazy("[\"'`]"), Lazy("[0-9]")
_SIGNS = frozenset("=:\"'`)]}>|&[(-\\*\uff1a\uff1d")

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_OPENING = Lazy(r"[rbuf@NL]{0,2}(\\{0,3}[\"'`\u201c\u201e\u00ab])|\*\*")
_BARE = Lazy(r"\S{1,120}")
_ASCII = Lazy(r"[!-~]{1,120}")
_TAIL = Lazy(r"[^\s\"'`<>&,;)}\]]{0,4096}")
_CLOSED = Lazy(r"[ \t]*(?:$|[\n.;!?&#)}]|,[ \t]|--|\|)|[ \t]+(?:\(|and|und|et|y|e|on|for|f\u00fcr|pour|para|#|//)(?:\b|(?<=[(#/]))|[^\x00-\x7f]")
_STOPS, _STOPPED = ("&", "</", '",', "',", '\\"', "\\n", "`"), Lazy(r"[&<\"'\\`]")
_LONGEST = 4096
_JUDGED = 120  # characters; the head of a value says what it is


def _value(text: str, at: int, script: bool) -> tuple[int, int, bool]:
    """The value that starts at `at`: its span without quotes, and whether it stood in quotes."""
    opening = _OPENING.match(text, at)
    if opening:
        mark = opening.group(1) or "**"
        start = opening.end()
        closing = mark[:-1] + _QUOTES.get(mark[-1], mark[-1])
        line = text.find("\n", start, start + _LONGEST)
        limit = line if line >= 0 else min(len(text), start + _LONGEST)
        end = text.find(closing, start, limit)
        if end > start:
            return start, end, True
        at = start
    bare = (_ASCII if script else _BARE).match(text, at)
    if not bare:
        return at, at, False
    value = bare.group()
    for stop in _STOPS if _STOPPED.search(value, 1) else ():
        cut = value.find(stop, 1)
        if cut > 0 and not (stop == "&" and "=" not in value[cut:]):
            value = value[:cut]
    return at, at + len(value.rstrip(",;.:)]}>'\"`*|")), False


def _head(value: str) -> str:
    """As much of `value` as its judgement needs; a chain of assignments without spaces is judged link by link."""
    head = value[:_JUDGED]
    second = head.find("=", head.find("=") + 1)
    return head[:second] if 0 < second < len(head) - 3 else head


def _line(text: str, start: int) -> str:
    """The line before `start`, at most its last 200 characters."""
    return text[max(0, start - 200):start].rpartition("\n")[2]


def _setting(text: str, start: int, end: int, value: int) -> Setting:
    """An env line is NAME=value without spaces, the name in capitals or alone at the start of its line."""
    if text[end:value].strip("\"'") == "=":
        line = _line(text, start)[-20:].strip()
        if text[start:end].isupper() or line in ("", "export", "set", "ENV", "-", "-e", "$env:"):
            return "env"
    return "assigned"


def _candidates(text: str, start: int, end: int) -> Iterator[tuple[int, Setting, bool]]:
    """Where a value may begin for the name `text[start:end]`: place, setting, and whether it must be quoted.

    Each pattern is asked only where a character it cannot do without is near.
    """
    before, after = text[max(0, start - 1):start], text[end:end + 100]
    signed = _SIGNED.search(after)
    assigned = _ASSIGN.match(text, end) if signed else None
    if assigned:
        # `user, password = split` is code.
        yield assigned.end(), _setting(text, start, end, assigned.end()), " = " in assigned.group() and text[max(0, start - 2):start] == ", "
    tagged = _TAG.match(text, end) if ">" in after or "alue" in after or "default" in after or '"v"' in after else None
    if tagged and text[end - 1:end] != ">" and (before in "<\"'=: " or text.startswith("</key>", end)):
        yield tagged.end(), "assigned", False
    quotes = _QUOTED.search(after)
    call = _CALL.match(text, end) if quotes or " -" in after else None
    if call:
        option = text[end:call.end()].lstrip()[:1] == "-"
        stored = (option and any(word in call.group() for word in ("value", "secret-string", "body"))) \
            or _SETTER.search(text, max(0, start - 24), start) or (text[start:start + 3].lower() in ("set", "wit") and call.group()[:1] in "({")
        if text[end] == "," and not text[start:end].isupper():
            stored = False  # a variable of that name, as in `setattr(pwd, "getpwuid", f)`
        yield call.end(), "assigned" if before == "-" or text[start:end].startswith("--") or stored else "near", not (option and stored)
    otherwise = _ELSE.match(text, end) if quotes and ("|" in after or "?" in after or "or" in after) else None
    if otherwise:
        yield otherwise.end(), "assigned", True
    if text[end:end + 1] in (" ", "\t") and _COMMAND_HEADS.intersection(text[max(0, start - 24):start].split()) \
            and _COMMAND.search(text, max(0, start - 24), start):
        yield end + 1, "env", False
    if ord(text[start]) > 0x24f:
        beside = _SCRIPT.match(text, end)
        if beside:
            yield beside.end(), "said" if beside.group().strip() else "near", False
    said = None if assigned or not (signed or _COPULA_WORDS.intersection(after.lower().split())) else _SAID.match(text, end)
    if said:
        yield said.end(), "said", False
    far = _FAR.match(text, end) if ":" in after else None
    if far:
        yield far.end(), "far", False
    field = _FIELD.match(text, end) if "\n" in after[:3] and not _line(text, start).strip(" \t-*#>") else None
    if field:
        yield field.end(), "near", False
    near = _NEAR.match(text, end)
    if near and ("|" not in near.group() or near.group().endswith(" ") or _line(text, start).lstrip()[:1] == "|"):
        put = _PUT_WORDS.intersection(text[max(0, start - 40):start].split()) and _PUT.search(text, max(0, start - 40), start)
        alone = not _line(text, start).strip() and _ALONE.match(text, near.end())  # `masterauth x`: a line of its own
        option = (put or alone or text[start:end].startswith("-")) and text[near.end() - 1] in " \t"
        using = _USING.search(text, max(0, start - 16), start) and re.match(r"\S{0,40}\d", text[near.end():near.end() + 42])
        yield near.end(), "assigned" if option or "|" in near.group() else "said" if using else "near", False


def _worth(text: str, start: int, end: int, strong: Strength) -> bool:
    """Whether anything near can be the value, before the dearer patterns are asked."""
    if strong == "lone":
        return bool(_LONG.search(text, end, end + 140))
    if strong == "password" or text[end:end + 1] in _SIGNS or text.startswith("</key>", end) or ord(text[start]) > 0x24f:
        return True
    return bool(_WORTH.search(text, end, end + 120)) or (text[end:end + 1] == "," and not text[end + 1:end + 2].isspace())


def _beside(text: str, start: int, end: int, strong: Strength) -> Iterator[Finding]:
    if text[max(0, start - 3):start] == "://" or (text[start - 1:start] == ":" and re.search(r"arn:|did:\Z", text[max(0, start - 120):start].split()[-1])):
        return  # a user name in a URL: the connection rules know where its password ends; a part of the name of a thing of AWS
    if not _worth(text, start, end, strong):
        yield from _in_front(text, start, strong)
        return
    script = ord(text[start]) > 0x24f
    for at, setting, quoted_only in _candidates(text, start, end):
        words = _WORDS.match(text, at) if setting != "near" and text[start:end].lower().endswith("phrase") else None
        if words and not PROSE.intersection(words.group().split()):
            yield Finding("credential", *words.span(), "passphrase")
            return
        first, last, quoted = _value(text, at, script)
        if first == last or (quoted_only and not quoted):
            continue
        closes = quoted or strong not in ("password", "pin") or text[start:end].startswith("-") or bool(_CLOSED.match(text, last))
        if strong == "password" and setting == "said" and text[first:last].replace("-", "").isalpha() and foreign(text[start:end]) \
                and (text[first:last].islower() or text[first:last].istitle()):
            continue  # "la password è obbligatoria": only a name known well may be followed by a plain word
        if text[first:last] != text[start:end] and is_secret(_head(text[first:last]), strong, setting, quoted, closes):
            tail = _TAIL.match(text, last) if last - first == _JUDGED or (setting == "env" and not quoted) else None
            last = tail.end() if tail else last
            yield Finding("credential", first, last, f"{setting}-{strong}")
            return
    yield from _in_front(text, start, strong)


def _in_front(text: str, start: int, strong: Strength) -> Iterator[Finding]:
    """The value stands before its name: `use X as the password`, `"X" == password`."""
    near = text[max(0, start - 44):start]
    window = text[max(0, start - 240):start]
    if not _DIGIT.search(window) and "==" not in near and "!=" not in near:
        return
    before = _BEFORE.search(text, max(0, start - 240), start) if _LINK_WORDS.intersection(near.split()) else None
    if before and re.search(r"\d", before.group(1)) and before.group(1) != text[start:start + len(before.group(1))] and is_secret(before.group(1), strong, "said", False, True):
        yield Finding("credential", *before.span(1), f"before-{strong}")
    if strong in ("secret", "key", "lone") and text[start - 1:start] == " ":
        long = len(window.rstrip().rpartition(" ")[2]) >= 20
        token = _RIGHT_BEFORE.search(text, max(0, start - 240), start) if long else None
        if token and classes(token.group(1)) == 3 and is_secret(token.group(1), "key", "near", False, True):
            yield Finding("credential", *token.span(1), f"front-{strong}")
    elif strong == "password" and text[start - 1:start] == " ":
        token = _FOR_IT.search(text, max(0, start - 160), start) if _FOR_WORDS.intersection(near.split()) else None
        if token and classes(token.group(1)) == 3 and not wordlike(token.group(1)) and is_secret(token.group(1), "password", "said", False, True):
            yield Finding("credential", *token.span(1), "for-password")
    compared = _COMPARED.search(text, max(0, start - 240), start) if "==" in near or "!=" in near else None
    if compared and is_secret(compared.group(2), strong, "assigned", True, True):
        yield Finding("credential", *compared.span(2), f"compared-{strong}")


def named_findings(text: str) -> Iterator[Finding]:
    """Every value in `text` that a name beside it marks as a secret, as spans of `text`."""
    low = lowered(text)
    done = chained = 0
    for first, last in hints(low):
        if first < done:
            continue
        start, end = identifier(text, first, last, done)
        # pwd=pwd=pwd=...: names that are each other's values are read only so far.
        chained = chained + 1 if done and start - done < 2 else 0
        done = max(last, end)
        end -= len(text[start:end]) - len(text[start:end].rstrip(".-"))
        strong = strength(text[start:end])
        if strong == "secret" and text[start:end].lower() == "pass" and re.search(r"\b(?:user|login)", low[max(0, start - 48):start]):
            strong = "password"
        if strong and chained < 8:
            yield from _beside(text, start, end, strong)
