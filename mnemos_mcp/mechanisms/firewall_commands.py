"""Secrets known by their place in a command, a header, an SQL statement, a call, a table or a phrase, with no name of their own beside them."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mnemos_mcp.mechanisms.firewall_anchors import Led, folded, lines_with, lowered, narrowed, places, tried
from mnemos_mcp.mechanisms.firewall_rules import Finding
from mnemos_mcp.mechanisms.firewall_values import classes, is_secret, wordlike
from mnemos_mcp.mechanisms.firewall_words import PASSWORD_WORDS, strength
from mnemos_mcp.mechanisms.lazy import Lazy

_BEARER = Led("Bearer|bearer|BEARER|Basic|basic|BASIC|Authorization|authorization",
              r"(?:[Bb]earer|BEARER)[ \t]*(?:[,:][ \t]*)?([A-Za-z0-9_.~+/=!^*-]{12,})|(?:[Bb]asic|BASIC)[ \t]+([A-Za-z0-9+/]{12,}={0,2})(?![\w-])"
              r"|[Aa]uthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:(?:[Tt]oken|ApiKey|Apikey|key|SSWS|Key)[ \t]+(?:token=)?)?[\"']?([\w.=+/-]{16,})")
_COOKIE_VALUE, _COOKIE_NAME = Lazy(r"=(?<=[\w.-]=)(?=[^\s;\"',]{16})"), Lazy(r"(?<![\w.-])[\w.-]+\Z")
_COOKIE = Lazy(r"(?:^|[;:\s][ \t]*)[\w.-]{0,30}(?:sess|sid|auth|token|jwt|remember|login)[\w.-]{0,20}=([^\s;\"',]{16,4096})", re.I)

# Commands and how each takes a secret: the words that begin it, and what stands before the value. A value may stand in quotes.
_FLAGS = tuple((tuple(words.split("|")), sign, Lazy(rf"(?<![\w-])(?:{words})(?![\w-])[^\n|;]{{0,200}}?{flag}" r"[\"']?([^\s\"'$<{-][^\s\"'`]{3,200})")) for words, sign, flag in (
    ("sshpass", "-p", r"[ \t]-p[ \t]*"), ("mysql|mysqldump|mysqladmin|mariadb|mariadb-dump", " -p", r"(?<=[ \t])-p"),
    ("docker|podman|nerdctl|helm|oc|az|skopeo|buildah|crane", " -p ", r"(?<=login)[ \t](?:[^\n|;]{0,160}?[ \t])?-p[ \t]+"),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport", " -p", r"[ \t]-p[ \t]*"), ("redis-cli", " -a ", r"[ \t]-a[ \t]+"),
    ("curl|wget|http|https|xh|ab", " -", r"(?<=[ \t])(?:-u|--user|-a|-A|--proxy-user|-U)[ \t=]*[\"']?[\w.@+-]{1,64}:"),
    ("smbclient|smbget|rpcclient", " -U", r"[ \t]-U[ \t]*[\"']?[\w.\\@-]{1,64}%"), ("net use", "/user:", r"/user:\S{1,64}[ \t]+"),
    ("openssl", " -", r"(?:[ \t](?:-k|-K)[ \t]+|[ \t]-pass(?:in|out)?[ \t]+pass:)"), ("zip|unzip", " -P", r"[ \t]-P[ \t]*"), ("7z|7za|7zz|rar|unrar", " -p", r"[ \t]-p"),
    ("htpasswd", " -", r"[ \t]-\w*b\w*[ \t]+(?:-\w+[ \t]+)*\S+[ \t]+[\w.@-]{1,64}[ \t]+"), ("useradd|usermod", " -p ", r"[ \t]-p[ \t]+"),
    ("sqlplus|rman|expdp|impdp", "@", r"[ \t][\w#$]{1,40}/(?=[^\s@/]{4,60}@)"), ("sqlcmd|bcp|osql|isql|tsql", " -P", r"[ \t]-P[ \t]*"),
    ("rabbitmqctl", "rabbitmqctl", r"[ \t](?:add_user|change_password|authenticate_user)[ \t]+[\w.-]{1,64}[ \t]+"), ("ldapsearch|ldapmodify|ldapadd|ldapwhoami", " -w ", r"[ \t]-w[ \t]+"),
    ("mosquitto_pub|mosquitto_sub|ipmitool", " -P ", r"[ \t]-P[ \t]+"), ("gh secret set", " -", r"[ \t](?:-b|--body)[ =]"), ("nuget push|nuget setapikey", "nuget ", r"[ \t](?:-k[ \t]+)?(?=\w{24,})"),
    ("wandb login|cargo login|vault login", " login", r"[ \t]+(?:--?\w+[ \t]+)?(?=[\w.-]{24,})"), ("doctl|railway|vercel|netlify|fly|flyctl|glab", " -", r"[ \t](?:-t|--auth)[ =](?=\S{16,})"),
    ("xfreerdp|xfreerdp3", "/p:", r"/p:"), ("rdesktop", " -p ", r"[ \t]-p[ \t]+"), ("lftp", ",", r"-u[ \t]+[\w.-]{1,40},"), ("mc alias set|mc config host add", "mc ", r"(?:[ \t]+\S+){3}[ \t]+(?=\S{12})"), ("schtasks", "/rp ", r"/rp[ \t]+"), ("vncpasswd|x11vnc", " -passwd", r"[ \t]-passwd[ \t]+"), ("net user", "net user", r"[ \t]+[\w.-]{1,40}[ \t]+(?!/)")))
_FLAG = Lazy(r"-(?<=[ \t]-)[\w-]")
_PIPED = Led("echo|printf", r"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?[\"']?(?:[\w.-]{1,32}:)?([^\s\"'$|:]{4,128})[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?"
             r"(?:sudo[ \t]+-S|passwd[ \t]+--stdin|chpasswd|docker[ \t]+login|podman[ \t]+login|cryptsetup|gpg)")
_SQL = Led("identified|password", r"(?:identified|password)\b(?:(?<=password)[ \t]+(?=N?'))?[^'\"\n;]{0,60}?(?:(?<=password )|\b(?:by|as)|=|\(|password|for)[ \t]*(?:(?:'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|\w+)(?:@'[^'\n]{1,60}')?[ \t]*=[ \t]*"
            r"(?:password\()?)?N?(['\"])([^'\"\n]{4,128})\1", re.I)
_SECURE = Lazy(r"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?[\"']([^\"'\n]{4,128})[\"']", re.I)
_SQL_BEFORE = Lazy(r"\b(?:create|alter)[ \t]+(?:user|role|login|database)\b|\bgrant\b|\bset[ \t]+\Z", re.I)
_PAIR = Led("auth|Auth|cred|Cred|connect|Connect|login|Login|sign|Sign|getConnection|UsernamePassword|BasicAuth|basic_auth",
            r"(?:[Aa]uth|[Cc]red(?:ential)?s?|[Cc]onnect|[Ll]ogin|[Ss]ign_?[Ii]n|authenticate|getConnection|UsernamePassword\w*|BasicAuth\w*|basic_auth)[\"']?[ \t]*(?:[:=][ \t]*)?[\[(]"
             r"(?:[\w.]{1,40}[ \t]*,[ \t]*)?(?:b?[\"'][^\"'\n]{1,80}[\"'][ \t]*,[ \t]*)?(?:b?[\"'][^\"'\n]{1,80}[\"'])[ \t]*,[ \t]*b?([\"'])([^\"'\n]{4,128})\1[ \t]*[\])]")
# One argument of a call that lets somebody in: client.login("...").
_LOGIN = Led(".login(|.auth|.sign|.setAuth(|.connect(", r"\.(?:login|authenticate|auth|signIn|sign_in|setAuth|connect)\([ \t]*([\"'])([\w.~+/=-]{24,4096})\1[ \t]*\)")
# Calls that take a key, in any place of their arguments; a network is joined with its name and password.
_KEYED = Led("Fernet(|jwt.|createHmac(|CreateHmac(|hmac.new(|createCipheriv(|CreateCipheriv(|createDecipheriv(|CreateDecipheriv(|AES.new(|SecretKeySpec(|Client(",
             r"(?:\bFernet|\bjwt\.(?:sign|encode|decode|verify)|[cC]reateHmac|\bhmac\.new|[cC]reate(?:Dec|C)ipheriv|\bAES\.new|SecretKeySpec|\bClient)\(")
_JOINING = Led("WiFi.begin(", r"WiFi\.begin\([ \t]*(?:\"[^\"\n]{1,40}\"|\w+)[ \t]*,[ \t]*([\"'])([^\"'\n]{8,64})\1")
_ENTERING = Led("connect(|PDO(|PlainAuth(", r"(?:connect|\bPDO|\bPlainAuth)\((?=[^()\n]{0,80}[\"'][ \t]*,)")
_QUOTED = Lazy(r"(?<=, )([\"'])([^\s\"'/:()]{8,64})\1")
_CALLED = ("pdo(", "plainauth(", "login(", "auth", "signin(", "sign_in(", "connect(", "fernet(", "jwt.", "hmac", "ipheriv(", "aes.new(", "secretkeyspec(", "client(", "wifi.begin(")
_LITERAL = Lazy(r"([\"'])([\w+/=.-]{16,128})\1")
_INSERT = Led("insert", r"\binsert[ \t]+into[ \t]+\S{1,60}[ \t]*\(([^()\n]{3,300})\)\s{0,20}values\s{0,20}\(([^()\n]{3,600})\)", re.I)
_ITEM = Lazy(r"[ \t]*(?:'[^'\n]*'|\"[^\"\n]*\"|[^,'\"]+)")
_COLON = Led("basic|auth|credential|creds|login|log in|logged in|sign in|signed in|zugangsdaten|identifiants|credenciales|credenziali|anmeldung|anmelden|einloggen",
             r"(?:basic|auth|credentials?|creds|login|log in|logged in|sign in|signed in|zugangsdaten|identifiants|credenciales|credenziali|anmeldung|anmelden|einloggen)"
             r"\w{0,4}[\"']?(?:[ \t](?:for|f\u00fcr|to|the|[a-z-]{3,16})){0,4}[ \t]*(?:[:=]|is|are|with|as|mit|sind|using|avec|sont)?[ \t]*[\"'`(]?(?:user[ \t])?"
             r"[a-z][\w.@-]{1,40}(?:[ \t]*[:/][ \t]*|[ \t](?:with|mit|and|und|avec)[ \t])[`]?([^\s\"'`),;]{6,64})")  # on the lower-cased text: twice as fast as re.I
_ADDRESS = Lazy(r"\w\.[a-z]{2,}|^\d+\.")
# `admin/X`, `FTP: bo / X`, `u: bo p: X`: no word for the secret at all.
_ACCOUNTS, _SLASHED = "ftp|sftp|ssh|vpn|rdp|smtp|imap|wifi|wlan|router|nas|konto|account", Lazy(r":(?=[ ]{1,2}[\w.@-]{1,40}[ ]/[ ])")
_ACCOUNT = Lazy(rf"(?<![\w/.@-])(?:(?:admin|root|administrator)[ ]?[/:][ ]?|(?:{_ACCOUNTS})s?:[ ]{{1,2}}[\w.@-]{{1,40}}[ ]/[ ]|"
                r"u:[ ]?[\w.@-]{1,40}[ ,;]{1,3}p:[ ]?)"
                r"([^\s\"'`,;<>/]{8,64})")
_MIXED = Lazy(r"(?<!\S)(?=\S{0,62}\d)(?=\S{0,62}[A-Za-z])\S{6}")
_PORT, _HOST = Lazy(r":(?=(?:\d{2,5}|\*):[\w*-]{1,40}:[\w*.@-]{1,40}:)"), Lazy(r"(?<![\w*.-])[\w*.-]+\Z")
_PGPASS = Lazy(r"(?:^|[\s\"'])(?:[\w-]+(?:\.[\w-]+)*|\*):(?:\d{2,5}|\*):[\w*-]{1,40}:[\w*.@-]{1,40}:([^\s:\"'/]{4,128})(?=[\s\"']|$)")
_ROW = Lazy(r"\n[ \t]*\|[^\n]*\|[ \t]*(?=\n)")
_PHRASE = Led("seed|mnemonic|recovery|backup|wallet|secret", r"(?:seed|mnemonic|recovery|backup|wallet|secret)[ -]?(?:phrase|words|seed)?\b[^\n:]{0,30}[:=][ \t]*[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b")
_USERLIST = Lazy(r"\"[\w.-]{1,40}\"[ \t]+\"([^\"\n]{6,128})\"[^\n]{0,60}(?:userlist|pgbouncer)")
_SECRET_WORDS = ("pass", "pw", "secret", "token", "api key", "apikey", "api-key", "credential")


class _Read(NamedTuple):
    """A text, the same in small letters, and where words are looked for in it: narrowed, and folded as well."""

    text: str
    low: str
    cased: str
    plain: str


def _found(match: re.Match[str], group: int, strong: str, rule: str, quoted: bool = True, kind: str = "credential", setting: str = "assigned") -> Iterator[Finding]:
    value = match.group(group)
    if is_secret(value.rstrip(",;"), strong, setting, quoted, True):  # type: ignore[arg-type]
        yield Finding(kind, *match.span(group), rule)


def _headers(read: _Read) -> Iterator[Finding]:
    text, low, cased, _ = read
    if "bearer" in low or "basic" in low or "authorization" in low:
        for match in _BEARER.finditer(text, cased):
            if match.lastindex:
                yield from _found(match, match.lastindex, "secret", "authorization", kind="access_token", setting="said")
    if "cookie" in low or "sid=" in low or "session=" in low:
        for match in tried(_COOKIE, _cookies(text), text):
            yield from _found(match, 1, "secret", "cookie", kind="access_token")


def _cookies(text: str) -> Iterator[int]:
    """Where a cookie may begin: at the sign before a short name that has a long value."""
    for value in _COOKIE_VALUE.finditer(text):
        name = _COOKIE_NAME.search(text, max(0, value.start() - 60), value.start())
        if name:
            yield max(0, name.start() - 1)


def _hosts(text: str) -> Iterator[int]:
    """Where a line of .pgpass may begin: at the sign before a host."""
    for port in _PORT.finditer(text):
        host = _HOST.search(text, text.rfind(":", 0, port.start()) + 1, port.start())
        if host:
            yield max(0, host.start() - 1)


def _flags(read: _Read) -> Iterator[Finding]:
    text, low, cased, _ = read
    if " -" in text or "net u" in low or "rabbitmqctl" in low or "login" in low or "sqlplus" in low or "mc alias" in low or "schtasks" in low or "nuget" in low:
        flagged = narrowed(lines_with(_FLAG, text))
        for words, sign, pattern in _FLAGS:
            lines = flagged if sign.startswith(" -") else cased
            if sign in (cased if sign == " -" else lines):
                for match in tried(pattern, places(cased, [word for word in words if word in lines]), text):
                    if not re.fullmatch(r"\d{1,5}", match.group(1)):  # a port
                        yield from _found(match, 1, "password", "flag", quoted=False, setting="env")
    if "|" in text and ("echo" in text or "printf" in text):
        for match in _PIPED.finditer(text, cased):
            yield from _found(match, 1, "password", "piped", setting="env")


def _statements(read: _Read) -> Iterator[Finding]:
    text, low, cased, plain = read
    if ("'" in text or '"' in text) and ("identified" in low or "password" in low) and any(w in low for w in ("create", "alter", "grant", "set ")):
        for match in _SQL.finditer(text, plain):
            if low.startswith("identified", match.start()) or _SQL_BEFORE.search(text, max(0, match.start() - 160), match.start()):
                yield from _found(match, 2, "password", "sql")
    if "," in text and ('"' in text or "'" in text) and any(word in low for word in ("auth", "login", "cred", "connect", "sign", "password")):
        for match in _PAIR.finditer(text, cased):
            value = match.group(2)
            if re.search(r"\d", value) and re.search("[A-Za-z]", value) and not re.search(r"[/ ]|@\w+\.|^[a-z_]\w*\.\w+$", value):
                yield from _found(match, 2, "password", "pair")


def _calls(read: _Read) -> Iterator[Finding]:
    text, cased = read.text, read.cased
    for match in _LOGIN.finditer(text, cased):
        yield from _found(match, 2, "key", "login")
    for match in _KEYED.finditer(text, cased):
        for literal in _LITERAL.finditer(text, match.end(), match.end() + 200):
            if is_secret(literal.group(2), "key", "assigned", True, True):
                yield Finding("credential", *literal.span(2), "keyed-call")
    for match in _ENTERING.finditer(text, cased):
        for literal in _QUOTED.finditer(text, match.end(), match.end() + 120):
            value = literal.group(2)
            if classes(value) == 3 and not wordlike(value) and not _ADDRESS.search(value) and is_secret(value, "password", "near", True, True):
                yield Finding("credential", *literal.span(2), "connecting-call")
    for match in _JOINING.finditer(text, cased):
        yield from _found(match, 2, "password", "wifi")


def _inserts(read: _Read) -> Iterator[Finding]:
    """INSERT INTO t (..., password) VALUES (..., 'X')."""
    text, plain = read.text, read.plain
    for match in _INSERT.finditer(text, plain):
        columns = [column.strip(" \t`\"[]").lower() for column in match.group(1).split(",")]
        values = list(_ITEM.finditer(text, match.start(2), match.end(2)))
        for column, value in zip(columns, values, strict=False):
            strong = strength(column)
            inner = value.group().strip()
            if strong and inner[:1] in ("'", '"') and is_secret(inner[1:-1], strong, "assigned", True, True):
                first = value.start() + value.group().index(inner) + 1
                yield Finding("credential", first, first + len(inner) - 2, "insert")


def _secure_strings(text: str) -> Iterator[Finding]:
    for match in _SECURE.finditer(text):
        yield from _found(match, 1, "password", "secure-string")


def _phrases(read: _Read) -> Iterator[Finding]:
    text, low, cased, plain = read
    if (":" in text or "/" in text or " with " in text or " and " in text) and any(w in low for w in ("auth", "cred", "log", "sign", "zugang", "identif", "anmeld", "einlog")) and _MIXED.search(text):
        for match in _COLON.finditer(low, plain):
            value = text[match.start(1):match.end(1)]
            if re.search(r"\d", value) and re.search("[A-Za-z]", value) and "/" not in value and not _ADDRESS.search(value) and is_secret(value, "password", "said", False, True):
                yield Finding("credential", *match.span(1), "user-and-password")
    if "admin" in low or "root" in low or " / " in low or " p:" in low:
        for match in tried(_ACCOUNT, places(plain, ["admin", "root", *(_ACCOUNTS.split("|") if _SLASHED.search(low) else ()), *(("u:",) if "p:" in low else ())]), low):
            value = text[match.start(1):match.end(1)]
            if classes(value) == 3 and not wordlike(value) and not _ADDRESS.search(value) and is_secret(value, "password", "said", False, True):
                yield Finding("credential", *match.span(1), "account")
    if text.count(":") > 3:
        for match in tried(_PGPASS, _hosts(text), text):
            if re.search("[A-Za-z]", match.group(1)) and re.search(r"\d", match.group(1)) and not re.fullmatch(r"[0-9a-fA-F]+", match.group(1)):
                yield from _found(match, 1, "password", "pgpass", quoted=False, setting="near")
    if "phrase" in low or "mnemonic" in low or "seed" in low or "words" in low:
        for match in _PHRASE.finditer(text, cased):
            if len(set(match.group(1).split())) > 10:
                yield Finding("private_key", *match.span(1), "seed-phrase")
    if "pgbouncer" in low or "userlist" in low:
        for match in _USERLIST.finditer(text):
            yield from _found(match, 1, "password", "userlist")


def _tables(text: str) -> Iterator[Finding]:
    """A Markdown table with a column of that name."""
    columns: list[int] = []
    last = -2
    for match in _ROW.finditer(f"\n{text}\n"):
        row = match.group()[1:]
        start = match.start()
        cells = row.split("|")
        if start > last + 1:
            words = [cell.strip(" \t*`").lower() for cell in cells]
            columns = [i for i, cell in enumerate(words) if cell in ("password", "passwort", "pw", "pass", "secret", "token", "api key", "kennwort", "passwd")
                       or cell in PASSWORD_WORDS]
        else:
            for column in columns:
                yield from _cell(text, cells, column, start)
        last = match.end() - 1


def _cell(text: str, cells: list[str], column: int, start: int) -> Iterator[Finding]:
    if column >= len(cells):
        return
    value = cells[column].strip(" \t*`")
    first = text.find(value, start + len("|".join(cells[:column])) + (column > 0)) if value else -1
    if first >= 0 and re.search(r"\d", value) and re.search("[A-Za-z]", value) and is_secret(value, "password", "assigned", False, True):
        yield Finding("credential", first, first + len(value), "table")


def placed_findings(text: str) -> Iterator[Finding]:
    """Secrets of `text` known by their place, as spans of `text`."""
    low = lowered(text)
    read = _Read(text, low, narrowed(text), narrowed(folded(low)))
    yield from _headers(read)
    yield from _flags(read)
    yield from _statements(read)
    if "securestring" in low:
        yield from _secure_strings(text)
    if "insert" in low and "values" in low:
        yield from _inserts(read)
    if "(" in text and ('"' in text or "'" in text) and any(word in low for word in _CALLED):
        yield from _calls(read)
    yield from _phrases(read)
    if text.count("|") > 5 and "\n" in text:
        yield from _tables(text)
