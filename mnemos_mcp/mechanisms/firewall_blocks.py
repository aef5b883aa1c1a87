"""Private key blocks in any wrapping, and connection strings that carry a password."""
from __future__ import annotations

import re
from collections.abc import Iterator

from mnemos_mcp.mechanisms.firewall_anchors import Led, folded, lowered, narrowed
from mnemos_mcp.mechanisms.firewall_rules import Finding
from mnemos_mcp.mechanisms.lazy import Lazy

_BEGIN = Lazy(r"BEGIN[ A-Z0-9_]{0,40}?PRIVATE[ _]KEY(?:[ _]BLOCK)?(?: ?-{2,5})?")
_END = Lazy(r"END[ A-Z0-9_]{0,40}?KEY(?:[ _]BLOCK)?(?: ?-{2,5})?")
_PUTTY = Lazy(r"Private-Lines: ?\d+(?:\s+[A-Za-z0-9+/=]{20,}){1,80}")
# The private members of a JSON Web Key (RFC 7518): d of every kind, the factors of RSA, k of a symmetric one.
_JWK = Lazy(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,8}:\s{0,8}\"([\w-]{20,2000})\"")
_LONGEST_KEY = 20_000
# What may stand in a key cut off before its END: key text, headers, and whatever wraps a line.
_REST = Lazy(r"(?:(?:\\[nrt]|[\s\"'`>|+,#*\\])*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n\\]{1,80}|[A-Za-z0-9+/]{16,}={0,2}))+(?:"
    r"(?:\\[nr]|[\s\"'`>|+,#*\\])*[A-Za-z0-9+/]{0,63}(?:={1,2}|(?=\s*$)))?")
_KEY_TEXT = Lazy(r"[A-Za-z0-9+/=]{10,}|(?=[A-Za-z]{0,12}\d)(?=\d{0,12}[A-Za-z])[A-Za-z0-9+/=]{6,}")

_URL = Lazy(r"://(?<=\w://)([^\s:/@\"'`<>]{0,128}):([^\s\"'`<>]{1,256})@(?=[\w\[.$%-])")
_URL_TOKEN = Lazy(r"://(?<=\w://)([^\s:/@\"'`<>]{12,256})@(?=[\w\[.-])")
_ORACLE = Lazy(r"jdbc:oracle:\w{2,5}:([^/\s@]{1,64})/([^@\s]{1,128})@")
_GO = Lazy(r"@(?:tcp|unix)\((?<=[\w!#$%^&*.]@tcp\()|@unix\((?<=[\w!#$%^&*.]@unix\()")
_HOST = Lazy(r"@(?=(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,16})(?::\d{2,5}\b|/)|(?:\d{1,3}\.){3}\d{1,3}(?![\w.]))")
_PAIR = Lazy(r"(?<![\w/:@.])([A-Za-z][\w.-]{1,40}):([^\s:@/\"'`]{3,80})\Z")
_ADO = Led("password|pwd", r"(?:password|pwd)[ \t]*=[ \t]*([^;\n\"'`]{3,128})", re.I)
_ADO_LINE = Lazy(r"(?:server|data source|host|user id|uid|user|username|database|dbname|initial catalog|accountendpoint|port)[ \t]*=", re.I)

_NOT_PASSWORD = Lazy(r"(?i)(?:pass|password|passwd|pwd|pw|passwort|token|x-oauth-basic|user|username|redacted|hidden|secret_here|change[-_]?me"
    r"|x{3,}|\*+|\.+|\u2022+|your.*|my[-_]?password|.*example.*|.*placeholder.*|db_?pass(?:word)?)$")
_TEMPLATED = Lazy(r"\$\{|\{\{|\$\(|^\$\w+$|^[<{\[%]|[>}\]]$|^%\w+%|\[REDACTED|^:")
_WEAK = frozenset(["secret", "root", "postgres", "mysql", "admin", "guest", "test", "app", "dev", "user", "redis", "rabbit", "minio"])
_LOCAL = Lazy(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\b|hostname|db\b|postgres\b|redis\b|mysql\b|rabbitmq\b|[\w.-]*example\.(?:com|org|net))")


def _real_password(user: str, password: str, host: str) -> bool:
    if len(password) < 3:
        return False
    if _NOT_PASSWORD.match(password) or _TEMPLATED.search(password) or (user and _TEMPLATED.search(user) and password.isupper()):
        return False
    return not ((password.lower() in _WEAK or password == user) and _LOCAL.match(host))


def key_findings(text: str) -> Iterator[Finding]:
    """Private key blocks of `text`: up to END, or to where the key text stops when the block is cut off."""
    done = 0
    for begin in _BEGIN.finditer(text) if "PRIVATE" in text else ():
        if begin.start() < done:
            continue
        end = _END.search(text, begin.end(), begin.end() + _LONGEST_KEY)
        if end and _KEY_TEXT.search(text, begin.end(), end.start()) and not text.count("BEGIN", begin.end(), end.start()):
            last = end.end()
        else:
            rest = _REST.match(text, begin.end())
            if not rest:
                continue
            last = rest.end()
        head = text[max(0, begin.start() - 6):begin.start()]
        first = begin.start() - len(head) + len(head.rstrip("- "))
        done = last
        yield Finding("private_key", first, last, "key-block")
    if '"kty"' in text:
        for part in _JWK.finditer(text):
            yield Finding("private_key", *part.span(1), "jwk")
    for putty in _PUTTY.finditer(text) if "Private-Lines:" in text else ():
        yield Finding("private_key", *putty.span(), "putty")


def _url_findings(text: str) -> Iterator[Finding]:
    for match in _URL.finditer(text):
        user, password = match.groups()
        # In http://host:8080/a@b the colon begins a port, not a password.
        port = re.match(r"\d{1,5}(?:[/?#]|$)", password)
        if not port and ("/" not in password or not text.endswith(("http", "https"), 0, match.start())):
            host = text[match.end():match.end() + 64]
            if _real_password(user, password, host) or (password == "x-oauth-basic" and len(user) >= 12):
                yield Finding("connection_string", match.start(1), match.end(2), "url-password")
    for match in _URL_TOKEN.finditer(text):
        token = match.group(1)
        if re.search(r"\d", token) and re.search("[A-Za-z]", token) and not _TEMPLATED.search(token) and "." not in token:
            yield Finding("connection_string", *match.span(1), "url-token")


def _pair_findings(text: str) -> Iterator[Finding]:
    """user:password@host without a scheme, and user:password@tcp(host)."""
    for pattern in (_GO, _HOST):
        for match in pattern.finditer(text):
            pair = _PAIR.search(text, max(0, match.start() - 124), match.start())
            if pair and _real_password(pair.group(1), pair.group(2), text[match.end():match.end() + 64]):
                yield Finding("connection_string", *pair.span(2), "pair")


def connection_findings(text: str) -> Iterator[Finding]:
    """Passwords inside connection strings of `text`: URLs, JDBC, ADO, Go and bare user:password@host forms."""
    low = lowered(text) if "=" in text else ""
    if "://" in text:
        yield from _url_findings(text)
    if "@" in text:
        yield from _pair_findings(text)
    for match in _ORACLE.finditer(text) if "jdbc:oracle:" in text else ():
        yield Finding("connection_string", *match.span(2), "jdbc")
    for match in _ADO.finditer(text, narrowed(folded(low))) if "=" in text and any(word in low for word in ("pwd", "password")) else ():
        before = text[max(0, match.start() - 200):match.start()].rpartition("\n")[2]
        after = text[match.end():match.end() + 120].partition("\n")[0]
        if (";" in before or after[:1] == ";" or "user" in before) and (_ADO_LINE.search(before) or _ADO_LINE.search(after)):
            value = match.group(1).strip()
            value = value if ";" in before + after[:1] else value.split()[0]
            value = value.rstrip(")]},")
            if value not in ("None", "null", "nil") and not re.match(r"[A-Za-z_][\w.]*[(\[]", value) and _real_password("", value, ""):
                yield Finding("connection_string", match.start(1), match.start(1) + len(value), "ado")
