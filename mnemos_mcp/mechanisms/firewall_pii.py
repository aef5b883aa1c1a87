"""Personal data: e-mail, phone, US social security number, payment card, IBAN.

Each is a shape plus a proof where one exists (Luhn, mod 97, issued ranges) or a structure that dates, versions, builds
and identifiers do not have.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from mnemos_mcp.mechanisms.firewall_anchors import few, tried_if_few
from mnemos_mcp.mechanisms.firewall_rules import Finding
from mnemos_mcp.mechanisms.lazy import Lazy

_AT = Lazy(r"@(?=(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-]|\())")
_DOMAIN = Lazy(r"(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}[^\W\d_]{2,24}")
_LOCAL_PART = Lazy(r"[\w!#$%&*+/=?^{}|~-](?:[\w.!#$%&*+/=?^{}|~-]*[\w!#$%&*+/=?^{}|~-])?\Z")
_FILE_ENDING = Lazy(r"\.(?:png|jpe?g|gif|svg|webp|avif|ico|json|jsx?|tsx?|ya?ml|html?|css|scss|lock|toml|txt|log|xml|csv|pdf|gz|zip|exe|dll|so"
    r"|class|jar|java|service)$", re.I)
_SHELL_USE = Lazy(r"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|autossh)\b[^\n|;]{0,100}\Z")
_USERINFO = Lazy(r"://[^\s/@\"'`<>]*\Z")
_REMOTE_PATH = Lazy(r":(?:[/~]|[\w.-]+/|[\w.-]+\.git\b)")

# What announces a number: a word for telephone (also inside a name: homePhone, phone_number), "my number", a request to call; then a few small words.
_CONTEXT = Lazy(
    r"(?:(?:\b|_|(?<=[a-z])(?=(?-i:[A-Z])))(?:(?:tele)?phones?|tel|telefon|telephone|t\u00e9l|t\u00e9l\u00e9phone|tel\u00e9fono|telefono|telefone|telefoon|telem\u00f3vel"
    r"|mobile?|mobil|handy|m\u00f3vil|cellulare|cell(?:phone)?|gsm|mobiel|notfall|notruf|fax|whatsapp|sms|rufnummer|hotline|durchwahl|r\u00fcckruf|ph|portable|celular|pager|dial-?in)"
    r"[ _-]?(?:numbers?|num|no|nr|nummer)?"
    r"|\b(?:(?:call|call me|ring|dial|text|reach)(?=[ :])|anrufen|ruf|ruft|r\u00fcckruf|erreichbar|erreichst|appelle[rz]?|joindre|ll\u00e1mame|llamar|chiama(?:mi|re)?"
    r"|(?:my|his|her|our|their|your|contact|emergency|office|work|customer) (?:number|no)|(?:meine|seine|ihre|unsere) nummer|(?:mon|son|notre) num\u00e9ro|(?:mi|su) n\u00famero|mio numero"
    r"|meu n\u00famero)\b|wa\.me(?=/)|\u260e|\U0001f4de|(?:\u624b\u673a|\u7535\u8bdd|\u96fb\u8a71|\u643a\u5e2f)(?:\u53f7\u7801?|\u756a\u53f7)?[\u306f\u662f]?"
    r"|\u0442\u0435\u043b(?:\u0435\u0444\u043e\u043d)?|\uc804\ud654(?:\ubc88\ud638)?\ub294?)[^\w\n+]{0,6}(?:(?:me|us|at|on|is|no|nr|number|nummer|unter|num\u00e9ro|n\u00famero|ist|est|es|\u00e8|\u00e9|line"
    r"|phone|mich|uns|bitte|auf|au|al|le|el|il)\b[^\w\n+]{0,4}){0,3}\(?\Z", re.I)
# After these, with nothing between, a number may be a count or a size: "call 1234567 times", "mobile 1280 720".
_VERB = Lazy(r"\b(?:call|text|reach|ring|dial|sms|line|cell|mobile|portable|pager)\s\Z", re.I)
_PLUS = Lazy(r"\+(?<![\w+.)]\+)(?:[1-9]\d{0,2}(?:[ \u00a0\u202f.\-/]{0,3}\(?\d{1,5}\)?){2,6}(?!\w)|[1-9]\d{7,14}(?!\w))")
_ZEROS = Lazy(r"00(?<![\w.-]00)[1-9]\d{1,2}(?:[ ./-]\(?\d{2,8}\)?){2,5}(?!\w)")
_NORTH = Lazy(r"[(2-9](?:(?<![\w.+-].)|(?<=(?<![\w.+-])1[ .-].))(?:(?<=\()[2-9]\d{2}\) ?[2-9]\d{2}[ .-]?\d{4}|(?<=\d)\d{2}(?:-[2-9]\d{2}-"
    r"|\.[2-9]\d{2}\.)\d{4})(?![\w-]|\.\d)")
_FRENCH = Lazy(r"0(?<![\w.+-]0)[1-9](?:([ .])\d{2})(?:\1\d{2}){3}(?![\w-]|\.\d| \d)")
_DASHED = Lazy(r"0(?<![A-Za-z0-9_.+-]0)\d{1,3}-\d{3,4}-\d{4}(?![\w-]|\.\d)")
_LOOSE = Lazy(r"[(\d](?<![A-Za-z0-9_.+-].)\d{0,13}\)?(?:[ ./-]{1,3}\(?\d{2,8}\)?){0,4}(?![\w-]|\.\d)")
# National forms that nothing else has: Swiss, Belgian, Swedish and Australian groups, British and Dutch mobiles, area codes in brackets or before a
# stroke, Brazilian and Russian ones.
_GROUPED = Lazy(
    r"[0(8](?<![\w.+(/-].)(?:(?<=0)(?:\d{2} \d{3} \d{2} \d{2}|4\d{2} \d{2} \d{2} \d{2}|7\d-\d{3} \d{2} \d{2}|4\d{2} \d{3} \d{3}|7\d{3} \d{6}|1[567]\d[ -]\d{7,8}|6-\d{8}|\d{2,4}/\d{5,8}"
    r"|\d{2} \d{4} \d{4})|(?<=\()0\d{1,4}\) ?(?:\d{5,8}|\d{3,4}[ -]\d{4})|(?<=\()\d{2}\) ?9?\d{4}-\d{4}|(?<=8)[ -]?\(9\d\d\)[ -]?\d{3}[ -]\d{2}[ -]\d{2})(?![\w-]|\.\d)")
# Where a number of seven digits or more may begin, for the patterns that begin with any digit and find no shorter one.
_NUMBER = Lazy(r"[(\d](?<![A-Za-z0-9_].)(?=(?:[ ./()-]{0,6}\d){6})")
_DECIMAL = Lazy(r"\d{1,3}\.\d+")
_DATE = Lazy(r"\+?(?:19|20)\d\d[-./ ]?[01]\d[-./ ]?[0-3]\d")

_SSN = Lazy(r"\d(?<![\w.-]\d)\d\d([- ]?)\d{2}\1\d{4}(?![\w-]|\.\d)")
_SSN_CONTEXT = Lazy(r"(?:\bssn\b|social security|\bitin\b|\btin\b)[^\n\d]{0,30}\Z", re.I)

_CARD = Lazy(r"\d(?<![\w.+-]\d)(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{2,4}(?:\1\d{1,3})?|\d{3}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d)")
_ISSUER = Lazy(r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011"
    r"|4[4-9]\d|5\d\d)\d{12}"
                     r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}")

_IBAN_START = Lazy(r"\d\d(?:(?<=[A-Za-z]{2}\d\d)|(?<=[A-Za-z]{2} \d\d))(?=[\s.-]{0,2}[A-Za-z0-9]{4})")
# Length of a country's IBAN: the registry of ISO 13616, and the African ones and Iran's that banks use beside it.
_IBAN_LENGTHS = """
    15 NO
    16 BE
    18 DK FI FK FO GL NL SD
    19 MK SI
    20 AT BA EE KZ LT LU MN XK
    21 CH HR LI LV
    22 BG BH CR DE GB GE IE ME RS VA
    23 AE GI IL IQ OM SO TL
    24 AD CZ ES MD PK RO SA SE SK SY TN VG
    25 AO CV LY MZ PT ST
    26 DZ IR IS TR
    27 BI CF CG CM DJ FR GA GQ GR IT KM MC MG MR SM TD
    28 AL AZ BF BJ BY CI CY DO GT HN HU LB MA ML NE NI PL SN SV TG
    29 BR EG PS QA UA
    30 JO KW MU YE
    31 MT SC
    32 LC
    33 RU"""
_IBAN_LENGTH = {country: int(row.split()[0]) for row in _IBAN_LENGTHS.strip().splitlines() for country in row.split()[1:]}


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


def _counts(number: str) -> bool:
    """Whether the groups of `number` count up evenly, as a row of numbers does: `01 02 03 04 05`."""
    groups = [int(group) for group in re.split("[ .]", number)]
    return len({b - a for a, b in pairwise(groups)}) == 1


def _phones(text: str, numbers: list[int]) -> Iterator[Finding]:
    for match in chain(_PLUS.finditer(text), _ZEROS.finditer(text)):
        bare = match.group()[1:].isdigit()
        added = bare and text[max(0, match.start() - 1):match.start()] == "\n"  # an added line of a diff
        if not added and not (bare and len(match.group()) < 11) and _dialable(match.group()):
            yield Finding("phone", *match.span(), "phone-plus")
    for pattern in (_NORTH, _FRENCH, _DASHED, _GROUPED):
        for match in pattern.finditer(text) if pattern in (_FRENCH, _DASHED) else tried_if_few(pattern, numbers, text):
            if (pattern is _FRENCH and _counts(match.group())) or (pattern is _DASHED and re.match("0[0-9]-(?:19|20)[0-9]{2}-", match.group())):
                continue
            yield Finding("phone", *match.span(), "phone-national")
    for match in tried_if_few(_LOOSE, numbers, text):
        if match.end() - match.start() < 7:
            continue
        digits = sum(map(str.isdigit, match.group()))
        shaped = 7 <= digits <= 13 and not _DATE.match(match.group().lstrip("(")) and not _DECIMAL.fullmatch(match.group()) and match.group().count(".") != 3
        if not shaped:
            continue
        before = text[max(0, match.start() - 48):match.start()]
        counted = match.group()[0] not in "0(" and "-" not in match.group() and digits < 10 and _VERB.search(before)
        if not counted and _CONTEXT.search(before):
            yield Finding("phone", *match.span(), "phone-context")


def _national_ids(text: str, numbers: list[int]) -> Iterator[Finding]:
    for match in tried_if_few(_SSN, numbers, text):
        digits, separator = match.group().replace("-", "").replace(" ", ""), match.group(1)
        area, group, serial = digits[:3], digits[3:5], digits[5:]
        if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
            continue
        if separator == "-" or _SSN_CONTEXT.search(text[max(0, match.start() - 50):match.start()]):
            yield Finding("national_id", *match.span(), "ssn")


def _cards(text: str, numbers: list[int]) -> Iterator[Finding]:
    for match in tried_if_few(_CARD, numbers, text):
        digits = re.sub(r"\D", "", match.group())
        if _ISSUER.fullmatch(digits) and len(set(digits)) > 1 and luhn(digits):
            yield Finding("payment_card", *match.span(), "card")


def _ibans(text: str) -> Iterator[Finding]:
    for match in _IBAN_START.finditer(text):
        start = match.start() - 2 - text[match.start() - 1].isspace()
        if text[start - 1:start].isalnum() and text[max(0, start - 4):start].upper() != "IBAN" and start:
            continue
        length = _IBAN_LENGTH.get(text[start:start + 2].upper(), 0)
        span = re.compile(rf"(?:[\s.-]{{0,2}}[A-Za-z0-9]){{{length - 4}}}(?![A-Za-z0-9])").match(text, match.end()) if length else None
        if span:
            code = re.sub("[^A-Za-z0-9]", "", text[start:span.end()]).upper()
            # Digits, because "it 20 ..." begins many a sentence.
            if (sum(map(str.isdigit, code)) >= 8 or text[start:span.end()].isupper()) and int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1:
                yield Finding("iban", start, span.end(), "iban")


def personal_findings(text: str) -> Iterator[Finding]:
    """Personal data in `text`, as spans of `text`; overlaps are left to the caller."""
    if "@" in text:
        yield from _emails(text)
    digits = sum(map(text.count, "0123456789"))
    if digits > 9:
        yield from _ibans(text)
    numbers = few((match.start() for match in _NUMBER.finditer(text)), text) if digits > 6 else []
    if digits > 12:
        yield from _cards(text, numbers)
    if digits > 8:
        yield from _national_ids(text, numbers)
    if digits > 6:
        yield from _phones(text, numbers)
