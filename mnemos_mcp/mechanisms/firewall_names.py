"""Secrets known by the name beside them: DB_PASSWORD=..., apiKey: "...", --token ..., "the password is ...".

A name is found first, by a plain search; everything after it is matched at that place over a bounded stretch, so the
work grows with the length of the text and with nothing else. English, German, French and Spanish.
"""
import re
from collections.abc import Iterator

from mnemos_mcp.mechanisms.firewall_rules import Finding
from mnemos_mcp.mechanisms.firewall_values import Setting, Strength, is_secret

# Searched as literals in the lower-cased text, which is ten times as fast as one pattern of them all.
_HINTS = ("pass", "pwd", "pw", "kennwort", "contrase\u00f1a", "contrasena", "mot de passe", "mots de passe", "secret", "geheimnis", "token", "jeton", "key",
          "schl\u00fcssel", "schluessel", "cl\u00e9", "clave", "credential", "creds", "zugangsdaten", "sessid", "session", "identified by", "auth",
              "_pat", "dsn")
_PARTS = re.compile(r"[A-Z]+(?![a-z\u00df-\u00ff])|[A-Z]?[a-z\u00df-\u00ff]+|\d+")
_LEFT = re.compile(r"[A-Za-z0-9_.$\u00df-\u00ff-]*")  # matched on the reversed text
_RIGHT = re.compile(r"(?:[A-Za-z0-9_\u00df-\u00ff-]|\.(?=\w)){0,48}")

_WORD_BEFORE = re.compile(r"(?<!\w)([A-Za-z]{2,15})[ -]\Z")
_WORD_AFTER = re.compile(r" (?:(?:secr\u00e8te|secreta|priv\u00e9e|privada|api)|(?:d['\u2019]|de )(?:api|acc\u00e8s|acceso))\b", re.I)

_TRAILING = frozenset(["base", "value", "val", "string", "str", "text", "plain", "plaintext", "default", "prod", "production", "dev", "staging", "stage",
    "test", "live", "old", "new", "primary", "secondary", "backup", "raw", "b64", "main", "root", "admin", "in"])
_NOT_SECRET = frozenset(["hash", "hashed", "hashes", "sha", "sha1", "sha256", "sha512", "digest", "checksum", "integrity", "fingerprint", "commit",
    "rev", "public", "pub", "num", "count", "length", "len", "max", "min"])
_PASSWORD = ("password", "passwort", "passwd", "passphrase", "passcode", "kennwort", "contrase\u00f1a", "contrasena", "mot de passe", "mots de passe",
    "pwd", "identified by")
_SECRET = ("secret", "secreto", "geheimnis", "jeton", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "licensekey", "signingkey",
           "schl\u00fcssel", "schluessel", "authtoken", "accesstoken", "dsn", "credential", "credentials", "creds", "zugangsdaten", "pat",
           "sessionid", "sessid", "sessionid", "auth")
_KEY_QUALIFIERS = frozenset(["api", "access", "secret", "private", "auth", "authentication", "encryption", "encrypt", "signing", "sign", "master",
    "account", "shared", "service", "license", "client", "deploy", "app", "application", "admin", "bearer", "webhook", "jwt", "session", "crypt",
    "crypto", "subscription", "consumer", "integration", "write", "hmac", "aes", "ssh", "storage", "server", "activation", "vault", "functions"])
_PLAIN_KEYS = frozenset(["public", "primary", "foreign", "cache", "partition", "sort", "row", "idempotency", "dedup", "dedupe", "index", "lookup",
    "group", "routing", "unique", "composite", "join", "path", "event", "query", "param", "map", "object", "translation", "i18n", "message", "hot",
    "short", "arrow", "enter", "any", "each", "same", "object", "dict", "registry", "config", "setting", "feature", "flag", "storage", "s3", "context",
    "memory", "state", "the", "a"])
_PLAIN_TOKENS = frozenset(["page", "next", "continuation", "sync", "pagination", "design", "color", "colour", "cancel", "cancellation", "eos", "bos",
    "pad", "unk", "mask", "stop", "special", "start", "end", "sep", "cls", "lexer", "syntax", "parse", "cursor", "first", "last", "word", "input",
    "output", "prompt", "per"])
_NOT_PASS = frozenset(["bypass", "compass", "surpass", "trespass", "encompass", "overpass", "underpass", "multipass"])

_CLOSE = r"(?:\\?[\"'`*\u201c\u201d]|[\])}]){0,4}"
_TYPE = r"(?::[ \t]*[&'\w\[\]<>|?., ]{1,40}?(?=[ \t]*=[ \t]*[rbuf@]{0,2}[\"'`]))?"
_ASSIGN = re.compile(rf"{_CLOSE}{_TYPE}[ \t]{{0,20}}(?:=>|:=|\?\?=|\|\|=|\?=|={{1,3}}|:{{1,2}}|<-|\u2192|->)[ \t]{{0,20}}(?:[|>][+-]?[ \t]*\n[ \t]+"
    rf"|\n[ \t]+(?=[\"'][^\"'\n:]+[\"']))?")
_TAG = re.compile(r"[^<>\n]{0,40}>[ \t]*(?=[^<\s])|[\"'][ \t]+value[ \t]*=[ \t]*|[\"']?[ \t]*,?\s{0,30}[\"']?[vV]alue[\"']?[ \t]*[:=][ \t]*")
_CALL = re.compile(r"\(\s{0,8}(?=[\"'`])|[\"'`]\s{0,8},\s{0,20}(?=[\"'`])")
_OF = r"(?:[ \t]+(?:for|of|to|on|in|at|f\u00fcr|von|zu|zum|zur|der|des|am|im|pour|de|du|sur|para|del|en)[ \t]+[^\n.;:=,]{1,40}?)?"
_SAID = re.compile(
    rf"{_CLOSE}{_OF}(?:[ \t]*\([^()\n]{{1,30}}\))?[ \t]*(?:[ \t](?:is|was|are|reads|equals|ist|war|lautet|hei\u00dft|sind|est|sera|es|era|ser\u00e1"
        rf"|son|to|auf|\u00e0|como)\b|:|=)"
    r"(?:[ \t]+(?:now|currently|still|set to|called|jetzt|nun|maintenant|ahora|simply|just|literally)\b)?[ \t]*:?[ \t]*\n?[ \t]*", re.I)
_NEAR = re.compile(rf"{_CLOSE}(?:[ \t]+\(?|[ \t]*\|[ \t]*|[ \t]*,[ \t]*(?=\d|\w*\d))(?!is\b|was\b)")
_BEFORE = re.compile(r"(?<!\S)[\"'`\u201c\u201e(]?([^\s\"'`]{6,200}?)[\"'`\u201d)]?[ \t]+(?:as|is|als|ist|comme|est|como|es)[ \t]+(?:(?:the|an?|your"
    r"|my|our|das|dein|mein|unser|le|la|un|el|su)[ \t]+)?(?:\S{1,20}[ \t]+)?\Z", re.I)

_USING = re.compile(r"\b(?:with|using|mit|avec|con|pass)[ \t]\Z", re.I)
_LINK = re.compile(r"[ \t](?:as|is|als|ist|comme|est|como|es)[ \t]")

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_OPENING = re.compile(r"[rbuf@]{0,2}(\\?[\"'`\u201c\u201e\u00ab])|\*\*")
_BARE = re.compile(r"\S{1,120}")
_TAIL = re.compile(r"[^\s\"'`<>&,;)}\]]{0,4096}")
_CLOSED = re.compile(r"[ \t]*(?:$|[\n.;!?&#)]|,[ \t]|--)|[ \t]+(?:and|und|et|y|on|for|f\u00fcr|pour|para|#|//)\b")
_LONGEST = 4096
_JUDGED = 120  # characters; the head of a value says what it is

_BEARER = re.compile(r"(?:[Bb]earer|BEARER)[ \t]+([A-Za-z0-9_.~+/=-]{16,})|(?:[Bb]asic)[ \t]+([A-Za-z0-9+/]{12,}={0,2})(?![\w-])"
    r"|[Aa]uthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:[Tt]oken|ApiKey|Apikey|key)[ \t]+(?:token=)?[\"']?([\w.-]{16,})")
_FLAGS = re.compile(
    r"(?:sshpass[ \t]+-p[ \t]*|mysql(?:dump|admin)?[ \t][^\n|;]{0,80}?(?<=[ \t])-p|docker[ \t]+login[ \t][^\n|;]{0,80}?(?<=[ \t])-p[ \t]+|(?:curl|wget"
        r"|http)[ \t][^\n|;]{0,120}?(?<=[ \t])(?:-u|--user)[ \t=]+[\"']?[\w.@+-]{1,64}:)"
    r"[\"']?([^\s\"'$<{-][^\s\"']{3,})")


def strength(identifier: str) -> Strength | None:
    """What a name proves about the value beside it; None for names that only sound like a secret (token_count)."""
    if identifier.lower().startswith(("mot", "identified")):
        parts = [identifier.lower()]
    elif identifier.lower().startswith(("cl\u00e9 ", "clave ")):
        return "secret"
    else:
        parts = [part.lower() for part in _PARTS.findall(identifier)]
    while len(parts) > 1 and (parts[-1] in _TRAILING or parts[-1].isdigit()):
        parts.pop()
    if not parts or _NOT_SECRET.intersection(parts):
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last.endswith(_PASSWORD) or last == "pw" or (last.endswith("pass") and last not in _NOT_PASS and (before or last != "pass")):
        return "password"
    if last.endswith("token"):
        return None if before in _PLAIN_TOKENS else "secret"
    if last.endswith(_SECRET) or (last == "pass" and not before) or (last == "id" and before == "session"):
        return "secret"
    if last == "clave":
        return "password"
    if last == "key" and before and before not in _PLAIN_KEYS:
        return "secret" if before in _KEY_QUALIFIERS else "key"
    return None


def _value(text: str, at: int) -> tuple[int, int, bool]:
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
    bare = _BARE.match(text, at)
    if not bare:
        return at, at, False
    value = bare.group()
    for stop in ("&", "</", '",', "',", '\\"', "\\n", "`"):
        cut = value.find(stop, 1)
        if cut > 0 and not (stop == "&" and "=" not in value[cut:]):
            value = value[:cut]
    return at, at + len(value.rstrip(",;.:)]}>'\"`*|")), False


def _head(value: str) -> str:
    """As much of `value` as its judgement needs; a chain of assignments without spaces is judged link by link."""
    head = value[:_JUDGED]
    second = head.find("=", head.find("=") + 1)
    return head[:second] if 0 < second < len(head) - 3 else head


def _setting(text: str, start: int, end: int, value: int) -> Setting:
    """An env line is NAME=value without spaces, the name in capitals or alone at the start of its line."""
    if text[end:value].strip("\"'") == "=":
        line = text[max(0, text.rfind("\n", 0, start) + 1, start - 20):start].strip()
        if text[start:end].isupper() or line in ("", "export", "set", "ENV", "-", "-e", "$env:"):
            return "env"
    return "assigned"


def _candidates(text: str, start: int, end: int) -> Iterator[tuple[int, Setting, bool]]:
    """Where a value may begin for the name `text[start:end]`: place, setting, and whether it must be quoted."""
    assigned = _ASSIGN.match(text, end)
    if assigned:
        yield assigned.end(), _setting(text, start, end, assigned.end()), False
    tagged = _TAG.match(text, end)
    if tagged and (text[end - 1:end] != ">" and (text[max(0, start - 1):start] in "<\"'=: ")):
        yield tagged.end(), "assigned", False
    call = _CALL.match(text, end)
    if call:
        yield call.end(), "assigned" if text[start - 1:start] == "-" or text[start:end].startswith("--") else "near", True
    said = None if assigned else _SAID.match(text, end)
    if said:
        yield said.end(), "said", False
    near = _NEAR.match(text, end)
    if near:
        option = text[start:end].startswith("-") and text[near.end() - 1] == " "
        using = _USING.search(text, max(0, start - 10), start) and re.match(r"\S{0,40}\d", text[near.end():near.end() + 42])
        yield near.end(), "assigned" if option else "said" if using else "near", False


def _beside(text: str, start: int, end: int, strong: Strength) -> Iterator[Finding]:
    if text[max(0, start - 3):start] == "://":
        return  # a user name in a URL: the connection rules know where its password ends
    for at, setting, quoted_only in _candidates(text, start, end):
        first, last, quoted = _value(text, at)
        if first == last or (quoted_only and not quoted):
            continue
        closes = bool(_CLOSED.match(text, last)) or quoted
        if is_secret(_head(text[first:last]), strong, setting, quoted, closes):
            tail = _TAIL.match(text, last) if last - first == _JUDGED else None
            last = tail.end() if tail else last
            yield Finding("credential", first, last, f"{setting}-{strong}")
            return
    before = _BEFORE.search(text, max(0, start - 240), start) if _LINK.search(text, max(0, start - 36), start) else None
    if before and re.search(r"\d", before.group(1)) and is_secret(before.group(1), strong, "said", False, True):
        yield Finding("credential", *before.span(1), f"before-{strong}")


def _hints(low: str) -> list[tuple[int, int]]:
    """Where a word stands that may name a secret, in order of place."""
    places = []
    for hint in _HINTS:
        at = low.find(hint)
        while at >= 0:
            places.append((at, at + len(hint)))
            at = low.find(hint, at + len(hint))
    return sorted(places, key=lambda place: (place[0], -place[1]))


def _identifier(text: str, first: int, last: int, done: int) -> tuple[int, int]:
    """The whole name around a hint; a lone "key" takes the word before it along ("API key", "cl\u00e9 secr\u00e8te" the one after)."""
    if " " in text[first:last]:
        return first, last
    left, right = _LEFT.match(text[max(done, first - 48):first][::-1]), _RIGHT.match(text, last)
    start, end = first - (left.end() if left else 0), right.end() if right else last
    if text[start:end].lower() in ("key", "keys", "schl\u00fcssel", "schluessel"):
        word = _WORD_BEFORE.search(text, max(0, start - 24), start)
        start = word.start() if word and word.group(1).lower() in _KEY_QUALIFIERS else start
    elif text[start:end].lower() in ("cl\u00e9", "clave"):
        word = _WORD_AFTER.match(text, end)
        end = word.end() if word else end
    return start, end


def _headers(text: str) -> Iterator[Finding]:
    for match in _BEARER.finditer(text):
        group = match.lastindex
        if group and is_secret(match.group(group), "secret", "said", True, True):
            yield Finding("access_token", *match.span(group), "authorization")


def named_findings(text: str) -> Iterator[Finding]:
    """Every value in `text` that a name beside it marks as a secret, as spans of `text`."""
    low = text.replace("\u0130", "I").lower()  # the one letter whose lower case is longer
    done = chained = 0
    for first, last in _hints(low):
        if first < done:
            continue
        start, end = _identifier(text, first, last, done)
        # pwd=pwd=pwd=...: names that are each other's values are read only so far.
        chained = chained + 1 if done and start - done < 2 else 0
        done = max(last, end)
        end -= len(text[start:end]) - len(text[start:end].rstrip(".-"))
        strong = strength(text[start:end])
        if strong and chained < 8:
            yield from _beside(text, start, end, strong)
    if "bearer" in low or "basic" in low or "authorization" in low:
        yield from _headers(text)
    if " -p" in text or " -u" in text or " --user" in text:
        for match in _FLAGS.finditer(text):
            if is_secret(match.group(1), "password", "env", False, True):
                yield Finding("credential", *match.span(1), "flag")
