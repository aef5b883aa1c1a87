"""Is this value a secret? Judged by its shape and by how it stands next to a name that says so."""
from __future__ import annotations

import math
import re
from collections import Counter
from typing import Literal

from mnemos_mcp.mechanisms.firewall_letters import riddled, unspoken
from mnemos_mcp.mechanisms.lazy import Lazy

# How much the name alone proves: a password may be any word, a token must look random, some kind of key more so, the word "key" alone
# most; a pin is digits.
Strength = Literal["password", "secret", "key", "lone", "pin"]
# How the value stands: `NAME=value` of an env file, an assignment in code or configuration, after "is", just next to it.
# and after a few words more.
Setting = Literal["env", "assigned", "said", "near", "far"]

_WORDS = frozenset(["str", "string", "text", "int", "integer", "bool", "boolean", "bytes", "bytearray", "any", "object", "char", "chararray", "varchar",
    "number", "float", "none", "null", "nil", "undefined", "nan", "true", "false", "yes", "no", "on", "off", "required", "optional", "hidden", "masked",
    "redacted", "encrypted", "hashed", "hash", "unset", "empty", "missing", "invalid", "valid", "expired", "wrong", "incorrect", "correct", "weak",
    "strong", "secret", "password", "passwd", "passphrase", "pass", "pwd", "token", "apikey", "key", "credentials", "credential", "default", "value",
    "values", "input", "output", "data", "body", "params", "args", "arg", "param", "field", "name", "user", "username", "email", "login", "prompt",
    "ask", "env", "environment", "config", "settings", "file", "vault", "keychain", "keyring", "bearer", "basic", "digest", "oauth", "oauth2", "jwt",
    "saml", "sha1", "sha256", "sha512", "md5", "bcrypt", "scrypt", "argon2", "argon2id", "pbkdf2", "base64", "hex", "utf8", "utf-8", "aes256", "rsa2048",
    "rsa4096", "ed25519", "2fa", "totp", "type", "self", "this", "that", "it", "the", "a", "an", "not", "never", "always", "now", "still", "only",
    "also", "set", "get", "reset", "stored", "postgres", "postgresql", "mysql", "root", "redis", "rabbitmq", "guest", "foo", "bar", "baz", "foobar",
    "qux", "test", "testing", "tests", "dummy", "sample", "demo", "todo", "tbd", "fixme", "fake", "mock", "stub", "changeme", "change_me", "change-me",
    "changeit", "replaceme", "replace_me", "placeholder", "example", "none-set", "n/a", "na", "xxx", "abc", "abc123", "123", "1234567890", "lorem",
    "ipsum", "rotated", "shared", "random", "static", "dynamic", "same", "different", "old", "new", "here", "there", "below", "above", "ok", "fine",
    "public", "private", "read", "write", "admin-only", "obligatoire", "requis", "erforderlich", "falsch", "richtig", "leer", "geheim", "ungültig",
    "abgelaufen", "invalide", "vide", "requerido", "obligatoria", "vacío", "incorrecta", "case-sensitive", "auto-generated", "read-only", "write-only",
    "continue", "return", "break", "raise", "else", "option", "options", "flag", "flags", "argument", "unique", "per-user", "per-project", "time-limited", "short-lived", "long-lived", "one-time", "base64-encoded", "url-safe"])
_PLACEHOLDER = Lazy(
    r"your[-_ ]?|(?:^|[-_.])my[-_](?:api|secret|token|pass|key)|example|placeholder|change[-_]?(?:me|this|it)|replace[-_]?(?:me|this|with)"
    r"|redacted|insert[-_ ]|enter[-_ ]|to[-_]be[-_]|not[-_](?:set|a[-_]real)|[-_]here$|^here|xxxx|\*\*\*|\.\.\.|\u2026|\u2022\u2022|____|####|----"
        r"|<[^>]*>?$|todo|dummy|lorem|abcdefgh|0123456",
    re.I)
# A value that is fetched, computed or filled in later, not written down.
_TEMPLATE = Lazy(
    r"^\{[\"']|\$\{|\{\{|^--[a-z]|<%|%\(|\$\(|#\{|\{\w*\}|^\$[A-Za-z_]\w*$|^%\w+%$|^@\w+@$|^\{[\w.]+\}?$|^\{[A-Za-z_][\w.]*(?:![rsa])?(?::[^}]*)?\}|^[!&*][a-z_][a-z_-]*$|^ENC\[|^%\{|^AgB[A-Za-z0-9+/]{60}|^AQICA|^<|^\[|^op://|^vault:|^ref\+|^arn:"
        r"|^env[:.]|^file:"
    r"|^https?://|^secretKeyRef|^%s|^sha\d{1,3}[:-]|^md5:|^\\?$")
_CODE = Lazy(r"&?[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)\w+)*[(\[{]|[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+$|[A-Za-z_]\w*<|[(*]|@[a-z][a-z-]*(?:[./:]|$)|\S*\[:|lambda$|await$|new$")
_PATH = Lazy(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\]+[\w.-]+(?:[/\\]|$)|[\w.-]+\.(?:txt|json|ya?ml|toml|env|pem|key|crt|py|js|ts|go|rs|md|cfg|ini|conf|sh)$")
# A secret that somebody made up: word and number.
_WEAK = Lazy(r"[A-Za-z]{5,}\d{3,}\W?$")
_SLUG = Lazy(r"(?=.*[a-z]{4})[a-z]{2,12}(?:[-_](?:[a-z]{1,12}\d{0,2}|\d{1,4})){2,}$")
_CAPITAL, _SMALL, _DIGIT = Lazy("[A-Z]"), Lazy("[a-z]"), Lazy("[0-9]")
_LETTERS, _NUMBER = Lazy("[A-Z]?[a-z]+|[A-Z]+(?![a-z])"), Lazy(r"\d{5}")
# A vowel in it unless it is short; no five consonants together.
_SPOKEN = Lazy("(?!.{0,20}[^aeiouyAEIOUY]{5})(?:.{1,3}$|.{0,20}[aeiouyAEIOUY])")
_TYPE_NAME = Lazy(r"(?:\w+\.)*[A-Z]\w*[a-z0-9](?:Key|Token|Password|Secret|Credentials?|Manager|Mgr|Types?)$")
_BASE64 = Lazy(r"[A-Za-z0-9+/]+={0,2}$")
_POINTED = Lazy(r"[\w.-]+$")
_VERSION = Lazy(r"v?\d+(?:\.\d+)+\S{0,12}$|\d{4}-\d\d-\d\d\S*$")
_SECRET_WORD = Lazy(r"pass(?:wor[dt]|wd|phrase)|secret|token|api.?key|credential|kennwort|contrase|pwd", re.I)
PROSE = frozenset("the and for are not must with from that this you your can has have will was should does before after never always only when then than stored kept asked saved".split())
# group:name:1.2.3, image:1.2, name@1.2
_COORDINATE = Lazy(r"[A-Za-z][\w./-]*[:@]v?\d+(?:\.\d+)+\S*$")
# UUID and ULID.
_UUID = Lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|01[0-9A-HJKMNP-TV-Z]{24}$", re.I)
_HEX = Lazy(r"[0-9a-f]{7,40}$", re.I)
_STATE = Lazy(r"\w+(?:ed|ing|able|ible|ful|less|ent|ant|\u00e9e?|iert|bar|ada?|ido|ida|ory|ary|ive|ous|ional|i?que|ig|lich|isch|los|haft|sam|tt[ao]|ur[ao]|ic[ao]|[aeiu]t[aoe]|ss[ao]|[o\u00f3\u00e1]ri[ao])$")


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, bits per character."""
    if not value:
        return 0.0
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def wordlike(value: str) -> bool:
    """True when `value` reads as words and short numbers (`prod-db-2`, `orderService`), which random text does not."""
    if _SLUG.match(value) and not unspoken(re.split("[-_]", value)):
        return True
    value = value.replace("25519", "")  # the one long number in names of code
    letters = _LETTERS.findall(value)
    if not letters or sum(map(len, letters)) < 0.6 * len(value):
        return False
    if _NUMBER.search(value):
        return False
    spoken = [part for part in letters if len(part) < 20 and _SPOKEN.match(part)]
    return len(spoken) == len(letters) and sum(map(len, letters)) / len(letters) >= 3.4 and not riddled(value) and not unspoken(letters)


def _random(value: str, least: int, bits: float) -> bool:
    """Letters and digits mixed, or long and varied enough; never plain words."""
    if len(value) < least or entropy(value) < bits or wordlike(value) or _VERSION.match(value):
        return False
    if _DIGIT.search(value) and (_SMALL.search(value) or _CAPITAL.search(value)):
        return True
    return len(value) >= 20 and entropy(value) >= 3.0


def _never(value: str, setting: Setting, quoted: bool) -> bool:
    """What no name makes a secret: masks, placeholders, templates, paths, code."""
    bare = value.strip("*xX.-_\u2022?#=~ ")
    if len(bare) < 3 or "[REDACTED" in value or value.lower().strip("'\"`()[]{}.,;:!?") in _WORDS:
        return True
    if _TEMPLATE.search(value) or _stands_for(value) or len(set(value)) < (2 if value.isdigit() else 3):
        return True
    if _COORDINATE.match(value) or (value.count("/") > 1 and not any(_random(part, 12, 3.0) for part in value.split("/")) and not _slashed(value)):
        return True
    if _PATH.match(value) and (value.count("/") > 1 or entropy(value) < 4.2) and not _slashed(value):
        return True
    return not quoted and bool(_TYPE_NAME.match(value) or (_CODE.match(value) and not _no_name(value)))


def _slashed(value: str) -> bool:
    """Random base64 with strokes in it, which is no path: long, of all three classes, its pieces no words."""
    return bool(len(value) >= 24 and _BASE64.match(value) and classes(value) == 3 and entropy(value) > 4.2
                and not any(wordlike(part) for part in re.split("[/+]", value) if len(part) > 4))


def _no_name(value: str) -> bool:
    """A chain with points in it of which one part is no name that code could have: `na1.DzAtAIKzCYuheDBy`, `Fl9pJ.pf5q`."""
    parts = value.split(".")
    if len(parts) < 2 or not _POINTED.match(value):
        return False
    if any(_random(part, 12, 3.0) and re.search(r"\d", part) for part in parts):
        return True
    return classes(value) == 3 and any(len(part) > 3 and re.search(r"\d[A-Za-z]", part) and not wordlike(part) for part in parts)


def classes(value: str) -> int:
    """How many of capitals, small letters and digits `value` has."""
    return sum(bool(of.search(value)) for of in (_CAPITAL, _SMALL, _DIGIT))


def _stands_for(value: str) -> bool:
    """A placeholder, not a secret that has such a word in it: what is left beside the word holds no mixture of letters and digits."""
    hit = _PLACEHOLDER.search(value)
    if hit is None:
        return False
    rest = value[:hit.start()] + value[hit.end():]
    return not (re.search(r"\d", rest) and len(re.findall("[A-Za-z]", rest)) >= 4 and rest.isalnum())


def _password(value: str, setting: Setting, quoted: bool, closes: bool) -> bool:
    """A password may be a weak word; then how it stands must say that it is the value and not the talk about it."""
    if len(value) < 4:
        return False
    plain = value.replace("-", "").replace("_", "").replace("'", "").isalpha()
    if _garbled(value):
        return quoted or setting != "near" or closes
    if " " in value.strip():
        words = value.split()
        if quoted and 4 <= len(words) <= 12 and all(w.isalpha() and w.islower() and len(w) > 2 for w in words) and not PROSE.intersection(words):
            return True
        return bool(quoted and re.search(r"\d", value) and len(value.split()) < 6 and not re.search("[.?!:]", value) and setting != "near")
    if plain or wordlike(value):
        return _word(value, setting, quoted, closes, plain)
    if value.isdigit():
        return setting != "near" and (len(value) >= 4 if setting != "said" else len(value) >= 6)
    return setting != "near" or _mixed(value)


def _garbled(value: str) -> bool:
    """Letters alone, but cased as no word is: `KBmvohXXHN`."""
    return len(value) >= 8 and value.strip("-_+").replace("_", "").replace("-", "").replace("+", "").isalpha() \
        and bool(re.search("[a-z][A-Z]", value)) and not wordlike(value)


def _word(value: str, setting: Setting, quoted: bool, closes: bool, plain: bool) -> bool:
    """Whether a value that reads as words is the password itself."""
    digits = sum(c.isdigit() for c in value)
    if _SECRET_WORD.search(value) and (plain or not (quoted or setting in ("env", "assigned") or digits)):
        return False
    if setting == "env":
        return True
    if setting == "near":
        return closes and digits >= 2 and _mixed(value) and not _VERSION.search(value)
    if setting == "said" and not quoted and plain:
        return closes and not _STATE.match(value) and "_" not in value and value.count("-") != 1 and len(value) > 4 and not value.isupper()
    if plain and not quoted:
        # snake_case and CamelCase without quotes are names of code.
        return closes and "_" not in value and not re.fullmatch("(?:[A-Z][a-z]+)+", value)
    return quoted or closes or not plain


def _mixed(value: str) -> bool:
    return bool(len(value) >= 6 and re.search("[A-Za-z]", value) and re.search(r"[\d!@#$%^&*]", value))


def _lone(value: str) -> bool:
    """After the word "key" alone: long, of all three classes, as random as a key and no path, hash or id."""
    return len(value) >= 28 and classes(value) == 3 and bool(re.fullmatch(r"[\w+/=-]+", value)) and entropy(value) > 4.0 and value.count("/") < 4 \
        and not wordlike(value) and not _UUID.match(value)


def is_secret(value: str, strength: Strength, setting: Setting, quoted: bool, closes: bool) -> bool:
    """Whether `value`, found beside a name of this `strength`, is a secret. `closes`: it ends its line or clause."""
    if setting == "far":
        sure = classes(value) == 3 and not wordlike(value) and (len(value) >= 24 or strength == "password")
        return sure and is_secret(value, "password" if strength == "password" else "key", "near", False, True)
    if len(value) < 3 or (setting == "near" and not quoted and (value.isalpha() if strength == "password" else len(value) < 8)):
        return False
    if _never(value, setting, quoted):
        return False
    if strength == "pin":
        return value.isdigit() and 4 <= len(value) <= 8 and setting in ("env", "assigned", "said") and closes
    if strength == "password":
        return _password(value, setting, quoted, closes)
    if " " in value.strip():
        return False
    if strength == "lone":
        return _lone(value)
    if strength == "key":
        return not _UUID.match(value) and _random(value, 16, 3.0) and bool(re.search(r"\d", value)) and not (setting == "near" and _HEX.match(value))
    if setting == "env" and value.isalpha() and len(value) >= 12 and not re.match("(?i)(?:test|some)", value):
        return True
    if setting == "env" and _WEAK.match(value):
        return True
    if not quoted and _SECRET_WORD.search(value) and value.replace("_", "").isalnum() and len(value) < 16:
        return False
    if setting == "near" and len(value) < 16 and not (quoted and classes(value) == 3):
        return False
    return _random(value, 8, 2.5) or (len(value) >= 12 and _garbled(value)) or bool(quoted and len(value) >= 10 and re.search("[!@#$%^&*+/]", value) and re.search("[A-Z]", value)
                                          and re.search("[a-z]", value) and not wordlike(value))
