"""Personal data: e-mail, phone, US social security number, payment card, IBAN.

Each is a shape plus a proof where one exists (Luhn, mod 97, issued ranges) or a structure that dates, versions, builds
and identifiers do not have.
"""
import re
from collections.abc import Iterator
from itertools import chain

from mnemos_mcp.mechanisms.firewall_rules import Finding

_AT = re.compile(r"@(?=(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-]|\())")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}[^\W\d_]{2,24}")
_LOCAL_PART = re.compile(r"[\w!#$%&*+/=?^{}|~-](?:[\w.!#$%&*+/=?^{}|~-]*[\w!#$%&*+/=?^{}|~-])?\Z")
_FILE_ENDING = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|ico|json|jsx?|tsx?|ya?ml|html?|css|scss|lock|toml|txt|log|xml|csv|pdf|gz|zip|exe|dll|so"
    r"|class|jar|java|service)$", re.I)
_SHELL_USE = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|autossh)\b[^\n|;]{0,100}\Z")
_USERINFO = re.compile(r"://[^\s/@\"'`<>]*\Z")
_REMOTE_PATH = re.compile(r":(?:[/~]|[\w.-]+/|[\w.-]+\.git\b)")

_CONTEXT = re.compile(r"(?:\b(?:phone|tel|telephone|telefon|t\u00e9l|t\u00e9l\u00e9phone|tel\u00e9fono|mobile?|mobil|handy|m\u00f3vil|cell|fax"
    r"|whatsapp|sms|call|call me|ring|dial|text|reach|rufnummer|anrufen|hotline)\b|\u260e|\U0001f4de)[^\w\n+]{0,6}(?:(?:me|us|at|on|is|no|nr|number"
        r"|nummer|unter|num\u00e9ro|n\u00famero|ist|est|es|line|phone)\b[^\w\n+]{0,4}){0,3}\(?\Z", re.I)
_PLUS = re.compile(r"\+(?<![\w+.)]\+)(?:[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}(?!\w)|[1-9]\d{7,14}(?!\w))")
_ZEROS = re.compile(r"00(?<![\w.-]00)[1-9]\d{1,2}(?:[ ./-]\(?\d{2,5}\)?){2,5}(?!\w)")
_NORTH = re.compile(r"[(2-9](?:(?<![\w.+-].)|(?<=(?<![\w.+-])1[ .-].))(?:(?<=\()[2-9]\d{2}\) ?[2-9]\d{2}[ .-]?\d{4}|(?<=\d)\d{2}(?:-[2-9]\d{2}-"
    r"|\.[2-9]\d{2}\.)\d{4})(?![\w-]|\.\d)")
_FRENCH = re.compile(r"0(?<![\w.+-]0)[1-9](?:([ .])\d{2})(?:\1\d{2}){3}(?![\w-]|\.\d| \d)")
_LOOSE = re.compile(r"[(\d](?<![\w.+-].)\d{1,6}\)?(?:[ ./-]{1,3}\(?\d{2,8}\)?){0,4}(?![\w-]|\.\d)")
_DATE = re.compile(r"\+?(?:19|20)\d\d[-./ ]?[01]\d[-./ ]?[0-3]\d")

_SSN = re.compile(r"\d(?<![\w.-]\d)\d\d([- ]?)\d{2}\1\d{4}(?![\w-]|\.\d)")
_SSN_CONTEXT = re.compile(r"(?:\bssn\b|social security|\bitin\b|\btin\b)[^\n\d]{0,30}\Z", re.I)

_CARD = re.compile(r"\d(?<![\w.+-]\d)(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{2,4}(?:\1\d{1,3})?|\d{3}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d)")
_ISSUER = re.compile(r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011"
    r"|4[4-9]\d|5\d\d)\d{12}"
                     r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}")

_IBAN_START = re.compile(r"\d\d(?<=[A-Za-z]{2}\d\d)(?<![A-Za-z0-9][A-Za-z]{2}\d\d)(?=[ -]?[A-Za-z0-9]{4})")
_IBAN_LENGTH = dict(zip(
    ["AD", "AE", "AL", "AT", "AZ", "BA", "BE", "BG", "BH", "BR", "BY", "CH", "CR", "CY", "CZ", "DE", "DK", "DO", "EE", "EG", "ES", "FI", "FO", "FR",
        "GB", "GE", "GI", "GL", "GR", "GT", "HR", "HU", "IE", "IL", "IQ", "IS", "IT", "JO", "KW", "KZ", "LB", "LC", "LI", "LT", "LU", "LV", "LY", "MC",
        "MD", "ME", "MK", "MR", "MT", "MU", "NL", "NO", "PK", "PL", "PS", "PT", "QA", "RO", "RS", "SA", "SC", "SE", "SI", "SK", "SM", "TL", "TN", "TR",
        "UA", "VA", "VG", "XK"],
    map(int, ["24", "23", "28", "20", "28", "20", "16", "22", "22", "29", "28", "21", "22", "28", "24", "22", "18", "28", "20", "29", "24", "18", "18",
        "27", "22", "22", "23", "18", "27", "28", "21", "28", "22", "23", "23", "26", "27", "30", "30", "20", "28", "32", "21", "20", "20", "21", "25",
        "27", "24", "22", "19", "27", "31", "30", "18", "15", "24", "28", "29", "25", "29", "24", "22", "24", "31", "24", "19", "24", "27", "23", "24",
        "26", "29", "22", "24", "20"]), strict=True))


def luhn(digits: str) -> bool:
    """The check-sum of payment cards (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _emails(text: str) -> Iterator[Finding]:
    for at in _AT.finditer(text):
        local = _LOCAL_PART.search(text, max(0, at.start() - 64), at.start())
        domain = _DOMAIN.match(text, at.end())
        if not local or not domain:
            continue
        name, host, start = local.group().lstrip("/"), domain.group(), local.start()
        if "/" in local.group():
            name = local.group().rsplit("/", 1)[1]
            start = at.start() - len(name)
        if _USERINFO.search(text, max(0, start - 136), at.start()):
            continue
        if not name or name.lower() in ("git", "hg", "svn"):
            continue
        if _FILE_ENDING.search(host) or (re.match(r"v?\d+(?:\.\d+)*\.", host) and host.count(".") > 1) or _REMOTE_PATH.match(text, domain.end()):
            continue
        if not _SHELL_USE.search(text[max(0, start - 120):start].rpartition("\n")[2]):
            yield Finding("email", start, domain.end(), "email")


def _dialable(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    if _DATE.match(number.removeprefix("+")):
        return False
    if number.startswith("+1") and not re.match("1[2-9]", digits):
        return False
    return 8 <= len(digits) <= 15 and (not digits.startswith("1") or len(digits) == 11 or not number.startswith("+"))


def _phones(text: str) -> Iterator[Finding]:
    for match in chain(_PLUS.finditer(text), _ZEROS.finditer(text)):
        if _dialable(match.group()):
            yield Finding("phone", *match.span(), "phone-plus")
    for pattern in (_NORTH, _FRENCH):
        for match in pattern.finditer(text):
            yield Finding("phone", *match.span(), "phone-national")
    for match in _LOOSE.finditer(text):
        digits = len(re.sub(r"\D", "", match.group()))
        shaped = 7 <= digits <= 13 and not _DATE.match(match.group()) and match.group().count(".") != 3
        if shaped and _CONTEXT.search(text[max(0, match.start() - 48):match.start()]):
            yield Finding("phone", *match.span(), "phone-context")


def _national_ids(text: str) -> Iterator[Finding]:
    for match in _SSN.finditer(text):
        digits, separator = match.group().replace("-", "").replace(" ", ""), match.group(1)
        area, group, serial = digits[:3], digits[3:5], digits[5:]
        if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
            continue
        if separator == "-" or _SSN_CONTEXT.search(text[max(0, match.start() - 50):match.start()]):
            yield Finding("national_id", *match.span(), "ssn")


def _cards(text: str) -> Iterator[Finding]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if _ISSUER.fullmatch(digits) and len(set(digits)) > 1 and luhn(digits):
            yield Finding("payment_card", *match.span(), "card")


def _ibans(text: str) -> Iterator[Finding]:
    for match in _IBAN_START.finditer(text):
        start = match.start() - 2
        length = _IBAN_LENGTH.get(text[start:start + 2].upper(), 0)
        span = re.compile(rf"(?:[ -]?[A-Za-z0-9]){{{length - 4}}}(?![A-Za-z0-9])").match(text, match.end()) if length else None
        if span:
            code = re.sub("[ -]", "", text[start:span.end()]).upper()
            if int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1:
                yield Finding("iban", start, span.end(), "iban")


def personal_findings(text: str) -> Iterator[Finding]:
    """Personal data in `text`, as spans of `text`; overlaps are left to the caller."""
    if "@" in text:
        yield from _emails(text)
    yield from _ibans(text)
    yield from _cards(text)
    yield from _national_ids(text)
    yield from _phones(text)
