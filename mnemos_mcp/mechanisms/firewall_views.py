"""Text made safe to store, and its other readings: what hides in full width, escapes, cuts, spacing and base64."""
from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from mnemos_mcp.mechanisms.firewall_anchors import runs, tried, tried_if_few
from mnemos_mcp.mechanisms.lazy import Lazy

# Terminal colours; line ends; what has no place in text; what turns the reading direction; characters nobody sees.
_ANSI = Lazy(r"\x1b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]")
_NEWLINE = Lazy("[\r\x0b\x0c\x85\u2028\u2029](?:(?<=\r)\n)?")
_NUL = Lazy("\x00+")
_DROPPED = Lazy("[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_SURROGATE = Lazy("[\ud800-\udfff]")
# Unicode needs at most 30 marks on a letter (Stream-Safe Text Format, UAX 15); more is slow to normalise and means nothing.
_MARK = "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MARKS = Lazy(f"({_MARK}{{30}}){_MARK}+")
# With blanks inside only where it is closed: `if a < private then` is no mark.
_PRIVATE = Lazy(r"<(?=/?private|\s{0,9}/?\s{0,9}private\s{0,9}>)\s{0,9}(/?)\s{0,9}private(?![\w-])[^<>]{0,80}>?", re.I)

_UNSEEN = "\u00ad\u0300-\u036f\u20d0-\u20ff\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f"
_FOLDED = ("\u00aa\u00b2\u00b3\u00b9\u00ba\u2010-\u2015\u2070-\u209c\u2100-\u214f\u2212\u2460-\u24ff\u3000\ufe50-\ufe6b\uff01-\uff5e"
           "\U0001d400-\U0001d7ff\U0001f130-\U0001f189")
# The disguises, each with the characters it begins with. A pattern of those that a text can hold is one leading class, then
# look-behinds: the search skips to the few characters that can begin a disguise.
_DISGUISES = (
    ("\\", r"\\", r"(?<=\\)\\{0,3}(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|[nrt]|\r?\n[ \t]*|[_.\-~/+=:@\"'])"),
    ("%", "%", r"(?<=%)(?:25(?=[0-9a-fA-F]{2}))?[0-9a-fA-F]{2}"),
    ("&", "&", r"(?<=&)(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|amp|quot|lt|gt|apos|nbsp|lowbar|hyphen|colon|equals|commat|period);"),
    ("\"'", "\"'", r"(?<=[\"'])(?:[ \t]{0,20}(?:[+&~]|\.{1,2}|\|\|)[ \t]{0,20}\n?[ \t]{0,40}[\"']|[ \t]{0,20}\n[ \t]{0,40}[\"'](?=\w))"),
    ("<", "<", r"(?<=<)/?(?:wbr|br|b|i|em|strong|span|mark|code)[ ]?/?>"),
    ("`^=", "`^=", r"(?<=[`^=])\n[ \t>|]{0,40}"))
# Letters of other alphabets that look like Latin ones; read as such where a Latin letter, a digit or a mark of keys is next to them.
_LOOKALIKE = dict(zip("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u03bf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5",
                      "aeopcyxijsdABEKMHOPCTXoABEZHIKMNOPTXY", strict=True))
_LIKE = "".join(_LOOKALIKE)
_UNICODE = (_UNSEEN + _FOLDED + _LIKE, rf"(?<=[{_UNSEEN}])[{_UNSEEN}]*|(?<=[{_FOLDED}])|(?<=[{_LIKE}])(?:(?=[A-Za-z0-9_-])|(?<=[A-Za-z0-9_-].))")
_SPACED = Lazy(r"\s(?<=\s)\S(?:[ \t\u00a0\n]{1,2}\S(?!\S)){11,}|\A\S(?:[ \t\u00a0\n]{1,2}\S(?!\S)){11,}|(?<![^\s\"'`(])[!-~](?:([.,|*/\u00b7-])[!-~](?![^\s.,|*/\u00b7\"'`)-])){11,}")
# What _SPACED cannot do without: a single character between blanks, or the same sign twice around one; and when it is worth the trouble: twelve
# single characters one after another, or a long word with such signs.
_APART = Lazy(r"\s(?=\S[ \t\u00a0\n]{1,2}\S(?!\S))|[.,|*/\u00b7-](?=[!-~][.,|*/\u00b7-][!-~])")
_STRETCHED = Lazy(r"\s(?:\S(?:\s+\S(?!\S)){11}|(\S)(?!\1)(\S)\S\2\S\2\S{17})")
# The end of the first of some groups of one length.
_GROUPED = Lazy(r"[ -](?:(?<=(?<!\S)\S{4}[ -])(?=(?:\S{4}[ -]){3}\S{4})|(?<=(?<!\S)\S{5}[ -])(?=(?:\S{5}[ -]){2}\S{5})|(?<=(?<!\S)\S{8}[ -])(?=\S{8}[ -]\S{8}))")
_GROUPS = Lazy(r"(?<!\S)\S{4}(?:[ -]\S{4}){4,}(?:[ -]\S{1,3})?(?!\S)|(?<!\S)\S{5}(?:[ -]\S{5}){3,}(?:[ -]\S{1,4})?(?!\S)|(?<!\S)\S{8}(?:[ -]\S{8}){2,}(?:[ -]\S{1,7})?(?!\S)")
_LISTED = Lazy(r"[\"'][ \t]*,\s{0,20}[\"']")
_WRAPPED = Lazy(r"\n(?<=[A-Za-z0-9_-]\n)[ \t>|]{0,20}(?=[A-Za-z0-9_-])")
_ENCODED = Lazy(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_REACH = 256  # characters: no rule looks farther for what belongs together, tables, statements and key blocks apart, which are paragraphs
_READABLE = bytes(range(32, 127)) + b"\t\n\r"


class View(NamedTuple):
    """Another reading of a text, with the way back: `starts[i]` in `text` is `origins[i]` in the source."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source that reads as `text[start:end]`."""
        return self._origin(start, 0), max(self._origin(end - 1, 1), self._origin(start, 0) + 1)

    def _origin(self, place: int, after: int) -> int:
        piece = bisect_right(self.starts, place) - 1
        origin = self.origins[piece] + place - self.starts[piece]
        last = self.origins[piece + 1] if piece + 1 < len(self.origins) else origin + 1
        # A replacement stands for all of its source, whose length differs from its own.
        if piece % 2:
            return last if after else self.origins[piece]
        return min(origin + after, last)


class Parts(NamedTuple):
    """Paragraphs of a view, a blank line between them: `begins[i]` in `text` is `places[i]` in the text of the view."""

    text: str
    begins: tuple[int, ...]
    places: tuple[int, ...]
    view: View

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source that reads as `text[start:end]`."""
        return self.view.span(self._place(start), self._place(end - 1) + 1)

    def apart(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` is of several parts, which do not stand together in the view."""
        return bisect_right(self.begins, start) != bisect_right(self.begins, end - 1)

    def _place(self, at: int) -> int:
        part = bisect_right(self.begins, at) - 1
        return self.places[part] + at - self.begins[part]


def changed(view: View) -> Parts:
    """The paragraphs of `view` in which something was replaced, or so near that a secret and its name may reach there: the rest reads as before."""
    spans: list[tuple[int, int]] = []
    for piece in range(1, len(view.starts) - 1, 2):
        start, end = view.starts[piece] - _REACH, view.starts[piece + 1] + _REACH
        if not spans or end > spans[-1][1]:
            first, last = view.text.rfind("\n\n", 0, max(0, start)) + 2, view.text.find("\n\n", end)
            first, last = 0 if first == 1 else first, len(view.text) if last < 0 else last
            if spans and first <= spans[-1][1] + 2:
                first = spans.pop()[0]
            spans.append((first, last))
    begins = (0, *accumulate(last - first + 2 for first, last in spans[:-1]))
    return Parts("\n\n".join(view.text[first:last] for first, last in spans), begins, tuple(first for first, _ in spans), view)


def _view(text: str, matches: Iterable[re.Match[str]], replace: Callable[[str], str]) -> View | None:
    """`text` with each match replaced; None when there is none. Even pieces are copied, odd ones replaced."""
    out, starts, origins, done, size = [], [], [], 0, 0
    for match in matches:
        new = replace(match.group())
        kept = text[done:match.start()]
        starts += [size, size + len(kept)]
        origins += [done, match.start()]
        out += [kept, new]
        size += len(kept) + len(new)
        done = match.end()
    if not done:
        return None
    return View("".join([*out, text[done:]]), (*starts, size), (*origins, done))


@lru_cache(4096)
def _plain(found: str) -> str:
    head = found.lstrip("\\")
    if found[0] == "\\":
        if head[0] in "ux" and len(head) > 1:
            code = int(head[1:].strip("{}"), 16)
            return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if len(head) == 3 and head.isdigit():
            return chr(int(head, 8))
        return {"n": "\n", "r": "\n", "t": "\t"}.get(head[0], head if head.strip() else "")
    if found[0] == "%":
        return chr(int(found[-2:], 16)) if int(found[-2:], 16) < 128 else found
    if found[0] == "&":
        import html
        return html.unescape(found)
    if found[0] in "\"'`^=<":
        return ""
    import unicodedata
    if found in _LOOKALIKE:
        return _LOOKALIKE[found]
    if unicodedata.category(found[0]) in ("Cf", "Mn", "Me", "Lo"):
        return unicodedata.normalize("NFKC", found) if found[0] in "\u00aa\u00ba" else ""
    return "-" if found in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212" else unicodedata.normalize("NFKC", found)


def plain_view(text: str) -> View | None:
    """Full width, invisible characters, escapes and cut lines undone; None when there are none."""
    chosen = tuple(i for i, (marks, _, _) in enumerate(_DISGUISES) if any(mark in text for mark in marks))
    if 3 in chosen and not ("\n" in text or any(sign in text for sign in "+.&~|")):
        chosen = tuple(i for i in chosen if i != 3)
    chosen += () if text.isascii() else (-1,)
    return _view(text, _disguises(chosen).finditer(text), _plain) if chosen else None


_compiled: dict[tuple[int, ...], Lazy] = {}


def _disguises(chosen: tuple[int, ...]) -> Lazy:
    if chosen not in _compiled:
        parts = [_DISGUISES[i][1:] if i >= 0 else _UNICODE for i in chosen]
        _compiled[chosen] = Lazy(f"[{''.join(lead for lead, _ in parts)}](?:{'|'.join(rest for _, rest in parts)})")
    return _compiled[chosen]


def spaced_view(text: str) -> View | None:
    """Runs of single characters set apart by a blank or a point, closed up; None when there are none."""
    if not _STRETCHED.search(f" {text}"):
        return None
    return _view(text, tried_if_few(_SPACED, _spaced_starts(text), text),
                 lambda run: " " * run[0].isspace() + re.sub(r"\s", "", run) if run[1:2] not in ".,|*/\u00b7-" else run[::2])


def _spaced_starts(text: str) -> Iterator[int]:
    """Where characters set apart may begin."""
    yield 0
    for match in _APART.finditer(text):
        yield match.start() if match.group().isspace() else max(0, match.start() - 1)


def _group_starts(text: str) -> list[int]:
    """Where groups of equal length may begin."""
    return sorted({match.start() - length for match in _GROUPED.finditer(text) for length in (4, 5, 8) if match.start() >= length})


def grouped_view(text: str) -> View | None:
    """Groups of equal length joined, and the parts of a list that is joined in code; None when there are none."""
    if "join" in text and _LISTED.search(text):
        return _view(text, _LISTED.finditer(text), lambda _: "")
    return _view(text, tried_if_few(_GROUPS, _group_starts(text), text), lambda run: re.sub("[ -]", "", run))


def wrapped_view(text: str) -> View | None:
    """Lines that end and begin in the middle of a word, joined; None when there are none."""
    return _view(text, _WRAPPED.finditer(text), lambda _: "") if "\n" in text else None


def decoded_view(text: str) -> View | None:
    """What stands in base64 and is text itself, a line a piece; None when there is none."""
    out, starts, origins, size, done = [], [], [], 0, 0
    for match in tried(_ENCODED, (at for at, _ in runs(text, "+/_-", 24)), text):
        clear = _decoded(match.group())
        if clear:
            starts += [size, size + 1]
            origins += [done, match.start()]
            out += ["\n", clear]
            size += 1 + len(clear)
            done = match.end()
    return View("".join([*out, "\n"]), (*starts, size), (*origins, done)) if done else None


def _decoded(code: str) -> str:
    if len(code) >= 32 and len(code) % 2 == 0 and not code.lower().strip("0123456789abcdef"):
        raw = bytes.fromhex(code)
        return raw.decode("ascii") if not raw.translate(None, _READABLE) else ""
    body = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = binascii.a2b_base64(body[:len(body) - (len(body) % 4 == 1)] + "=" * (-len(body) % 4 % 3))
    except binascii.Error:
        return ""
    clear = raw.decode("ascii") if len(raw) >= 16 and not raw.translate(None, _READABLE) else ""
    return _decoded(clear) or clear if _ENCODED.fullmatch(clear) else clear


def without_private(text: str) -> str:
    """`text` without what stands between <private> and </private>, any case, nested, also never closed."""
    kept, done, depth = [], 0, 0
    for tag in _PRIVATE.finditer(text):
        if tag.group(1):
            if depth == 1:
                done = tag.end()
            depth = max(0, depth - 1)
            continue
        if depth == 0:
            kept.append(text[done:tag.start()])
        depth += 1
    if depth == 0:
        kept.append(text[done:])
    # Joined by a space: two halves around a private part must not grow together into a new tag.
    return " ".join(kept)


def clean(text: str) -> str:
    """`text` that every layer can hold: no surrogates, control or direction characters, no private parts, NFC."""
    # Printable means: no control, format, surrogate or line separator; most texts are, but for their newlines and tabs.
    if not text.replace("\n", "").replace("\t", "").isprintable():
        if not text.isascii() and _SURROGATE.search(text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = _ANSI.sub("", text) if "\x1b" in text else text
        text = _NEWLINE.sub("\n", _NUL.sub(" ", text) if "\0" in text else text)
        text = _DROPPED.sub("", text)
    if not text.isascii():
        import unicodedata
        text = unicodedata.normalize("NFC", _MARKS.sub(r"\1", text))
    return without_private(text) if "private" in text.lower() else text
