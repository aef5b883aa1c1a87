"""The firewall's table of vendor key forms: what a key looks like by itself, whatever stands around it.

Prefixes and lengths follow the vendors' documentation as of 2026; rule names follow gitleaks (MIT). Minimum lengths are
set below the real ones, because a key cut short is still most of a key. Every pattern is open at its end, so that no
tail stays behind, and each starts at a literal, so that the search is linear.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from mnemos_mcp.mechanisms.firewall_anchors import runs
from mnemos_mcp.mechanisms.firewall_vendors import PREFIXED
from mnemos_mcp.mechanisms.lazy import Lazy

SECRET_KINDS = ("private_key", "connection_string", "cloud_key", "access_token", "api_token", "credential")
PII_KINDS = ("iban", "payment_card", "national_id", "phone", "email")


class Finding(NamedTuple):
    """One caught value: `text[start:end]`, its contract kind, and the rule that caught it (never the value)."""

    kind: str
    start: int
    end: int
    rule: str


class Rule(NamedTuple):
    """A vendor form. `keyword` is the cheap test; `lead` is how many characters before the match belong to the key; `plain` and
    `run` say where a keyword counts: in `run` or more letters, digits and signs of keys in a row (when plain, with _ and - as their only signs)."""

    kind: str
    name: str
    keyword: str
    pattern: str
    lead: int
    plain: bool
    run: int


# Bodies: A letters and digits, W also _ and -, D also the dot, H hex, B base64, U as it stands in a URL.
_BODY = {"A": "[A-Za-z0-9]", "W": "[A-Za-z0-9_-]", "D": "[A-Za-z0-9_.=-]", "H": "[A-Fa-f0-9]", "B": "[A-Za-z0-9+/=_-]",
         "U": "[A-Za-z0-9_.%+/=-]"}

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Forms that are more than a prefix: kind, name, keyword, pattern, characters before the match that belong to the key, and the
# characters in a row, all of them letters, digits or signs of keys, that no such key has fewer of around its keyword.
# A pattern starts with its keyword; a look-behind with the keyword in it then costs nothing where the keyword is not.
_SHAPED = (
    ("api_token", "openai-plain", "sk-", r"sk-(?<![A-Za-z0-9]sk-)(?:[A-Za-z0-9]{32,}|(?=[\w-]{0,64}[0-9])(?=[\w-]{0,64}[A-Z])[\w-]{20,})", 0, 23),
    ("cloud_key", "aws-key", "AKIA", r"AKIA(?<![A-Za-z0-9]AKIA)[A-Z0-9]{12,}(?![a-z])(?:[^\w\n][^\n]{0,40}?"
        r"(?<![\w/+])[\w/+]{40}(?![\w/+=]))?", 0, 16),
    ("cloud_key", "aws-session-key", "ASIA", r"ASIA(?<![A-Za-z0-9]ASIA)(?=[A-Z]{0,20}[0-9])[A-Z0-9]{12,}(?![a-z])(?:[^\w\n][^\n]{0,40}?"
        r"(?<![\w/+])[\w/+]{40}(?![\w/+=]))?", 0, 16),
    ("cloud_key", "aws-bearer", "ABIA", r"ABIA(?<![A-Za-z0-9]ABIA)[A-Z0-9]{16}(?![A-Za-z0-9])", 0, 20),
    ("cloud_key", "aws-context", "ACCA", r"ACCA(?<![A-Za-z0-9]ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", 0, 20),
    ("cloud_key", "aws-old-key", "A3T", r"A3T(?<![A-Za-z0-9]A3T)[A-Z0-9]{17}(?![A-Za-z0-9])", 0, 20),
    ("cloud_key", "google-refresh", "1//0", r"1//0[\w-]{30,}", 0, 34),
    ("cloud_key", "azure-storage", "AccountKey=", r"AccountKey=[A-Za-z0-9+/%]{20,}={0,2}", 0, 31),
    ("cloud_key", "azure-shared-key", "SharedAccessKey=", r"SharedAccessKey=[A-Za-z0-9+/%]{20,}={0,2}", 0, 36),
    ("cloud_key", "azure-sas", "sig=", r"sig=(?<=[?&;]sig=)[A-Za-z0-9%+/=_-]{30,}", 0, 34),
    ("cloud_key", "azure-client-secret", "Q~", r"Q~(?<=[\w~.]{3}\dQ~)[\w~.-]{28,}", 4, 34),
    ("cloud_key", "azure-devops", "AZDO", r"AZDO(?<=[A-Za-z0-9]{40}AZDO)[A-Za-z0-9]{4,}", 80, 48),
    ("cloud_key", "terraform", ".atlasv1.", r"\.atlasv1\.(?<=[A-Za-z0-9]{14}\.atlasv1\.)[\w=-]{30,}", 14, 53),
    ("api_token", "mailgun", "key-", r"key-(?<![\w-]key-)[0-9a-f]{32,}", 0, 36),
    ("api_token", "mailgun-new", "-", r"-(?<=(?<![0-9a-f-])[0-9a-f]{32}-)[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])", 32, 50),
    ("api_token", "mailchimp", "-us", r"-us(?<=[0-9a-f]{32}-us)\d{1,2}(?!\w)", 32, 36),
    ("api_token", "newrelic-license", "NRAL", r"NRAL(?<=[0-9a-f]{36}NRAL)(?!\w)", 36, 40),
    ("api_token", "resend", "re_", r"re_(?<![A-Za-z0-9_]re_)(?=\w{0,30}\d)(?:[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}|[A-Za-z0-9]{24,})", 0, 26),
    ("api_token", "airtable", "pat", r"pat(?<!\wpat)[A-Za-z0-9]{14}\.[0-9a-f]{40,}", 0, 58),
    ("api_token", "harness", "at.", r"at\.(?<=(?<!\w)[ps]at\.)[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", 1, 72),
    ("api_token", "asana", "/", r"/(?<=(?<![\w/])[12]/)\d{12,}(?:/\d+)?:[0-9a-f]{32,}", 1, 47),
    ("api_token", "maxmind", "_mmk", r"_mmk(?<=[A-Za-z0-9]{29}_mmk)(?!\w)", 36, 33),
    ("api_token", "okta", "00", r"00(?<=SSWS 00)[\w-]{36,}", 0, 38),
    ("cloud_key", "azure-keyed", "JQQJ99", r"JQQJ99(?<=[A-Za-z0-9]{20}JQQJ99)[A-Za-z0-9]{20,}", 64, 46),
    ("access_token", "facebook-app", "|", r"\|(?<=(?<!\d)\d{15}\|)[\w-]{27}(?![\w-])|\|(?<=(?<!\d)\d{16}\|)[\w-]{27}(?![\w-])", 16, 43),
    ("api_token", "octopus", "API-", r"API-(?<!\wAPI-)[A-Z0-9]{26,}(?!\w)", 0, 30),
    ("api_token", "launchdarkly", "sdk-", rf"sdk-{_UUID}", 0, 40),
    ("api_token", "telegram", ":AA", r":AA(?<=\d{8}:AA)[\w-]{30,}", 11, 41),
    ("access_token", "discord", ".", r"\.(?:(?<=(?<![\w-])[MNO][\w-]{23}\.)|(?<=(?<![\w-])[MNO][\w-]{25}\.))[\w-]{6}\.[\w-]{27,}", 28, 59),
    ("api_token", "zai", ".", r"\.(?<=(?<![\w.-])[0-9a-f]{32}\.)(?=[A-Za-z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9_-]{16,24}(?![\w.-])", 32, 49),
    ("access_token", "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}", 0, 45),
    ("access_token", "discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{8,}/[\w-]{20,}", 0, 43),
    ("access_token", "teams-webhook", "/IncomingWebhook/", r"/IncomingWebhook/[0-9a-f]{32}/[\w-]{36,}", 0, 86),
    ("access_token", "google-chat-webhook", "chat.googleapis.com/", r"chat\.googleapis\.com/v1/spaces/[\w-]{5,}/messages\?[\w=&%-]{30,}", 0, 44),
    ("access_token", "braintree", "access_token$", r"access_token\$(?:production|sandbox)\$[\w$]{20,}", 0, 41),
    ("access_token", "jwt", "eyJ", r"eyJ(?<![A-Za-z0-9]eyJ)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}", 0, 20),
    ("api_token", "1password-key", "A3-", r"A3-(?<!\wA3-)[A-Z0-9]{6}-[A-Z0-9]{5,11}-[A-Z0-9-]{15,}", 0, 31),
    ("cloud_key", "presigned-url", "-Signature=", r"-Signature=(?:(?<=X-Amz-Signature=)|(?<=Goog-Signature=))[0-9a-f]{64,}", 0, 75),
    ("access_token", "twitter-user", "-", r"-(?:(?<=(?<![\w-])\d{18}-)|(?<=(?<![\w-])\d{19}-))(?=[A-Za-z]{0,39}\d)(?=\d{0,39}[A-Za-z])[A-Za-z0-9]{35,50}(?![\w-])", 19, 54),
    ("access_token", "vault-old", "s.", r"s\.(?<![\w.]s\.)(?=(?:[A-Za-z]{0,12}\d){3})[A-Za-z0-9]{24}(?![\w.(])", 0, 26),
    ("access_token", "hook-url", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/\d+/[\w/]{6,}", 0, 36),
    ("access_token", "hook-url", ".make.com/", r"\.make\.com/[a-z0-9]{30,}", 0, 40),
    ("access_token", "hook-url", "/with/key/", r"/with/key/[\w-]{20,}", 0, 30),
    ("access_token", "hook-url", "/hooks/", r"/hooks/(?=[a-z]{0,25}\d)[a-z0-9]{26}(?!\w)", 0, 33),
    ("access_token", "zoho", "1000.", r"1000\.(?<![\w.]1000\.)[0-9a-f]{32}\.[0-9a-f]{32}", 0, 70),
    ("api_token", "firebase", ":APA91b", r":APA91b[\w-]{60,}", 14, 67),
    ("api_token", "ably", ":", r":(?<=(?<![\w.])[\w-]{6}\.[\w-]{6}:)[\w-]{40,}", 13, 54),
    ("api_token", "launchdarkly-api", "api-", rf"api-(?<![\w-]api-){_UUID}", 0, 40),
    ("api_token", "clickup", "pk_", r"pk_(?<!\wpk_)\d{5,12}_[A-Z0-9]{30,}", 0, 39),
    ("access_token", "paseto", ".local.", r"\.local\.(?<=v[1-4]\.local\.)[\w-]{40,}(?:\.[\w-]+)?", 2, 49),
    ("access_token", "salesforce", "!", r"!(?<=\b00[A-Za-z0-9]{13}!)[\w.-]{60,}", 15, 76),
    ("access_token", "kubeadm", "--token", r"--token[ =](?<=--token.)[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.])", 0, 7),
    ("private_key", "rsa-body", "IBAAK", r"IBAAK(?<=MII[\w+/]{3}IBAAK)[\w+/=]{20,}", 6, 31),
    ("private_key", "pkcs8-body", "IBADAN", r"IBADAN(?<=MII[\w+/]{3}IBADAN)[\w+/=]{20,}", 6, 32),
    ("private_key", "openssh-body", "b3BlbnNzaC1rZXktdjE", r"b3BlbnNzaC1rZXktdjE[\w+/=]{20,}", 0, 39),
    ("private_key", "ec-body", "MHcCAQEE", r"MHcCAQEE[\w+/=]{30,}", 0, 38),
    ("private_key", "ed25519-body", "MC4CAQAwBQYDK2Vw", r"MC4CAQAwBQYDK2Vw[\w+/=]{20,}", 0, 36),
)

# A vendor nobody listed: acme_live_<random>, acme_sk_<random>.
_INFIXES = ("_live_", "_oat_", "_sec_", "_rk_", "_prod_", "_secret_", "_sk_", "_pat_", "_key_", "_token_", "_api_", "_apikey_")

# Signs that keys have beside _ and -, and the lengths by which runs of them are told apart.
_SIGNS = "!#$%+./:=^|~"
_STEPS = (0, 14, 20, 24, 32, 40)

_LEAD = Lazy(r"[A-Za-z0-9_.~-]*\Z")
# Written for the reader, not for the service.
_PLACEHOLDER = Lazy(r"your[-_]?(?:api|key|token|secret|own|new|open|pass|access)|example|placeholder|redacted|[-_]here\b|EXAMPLE|"
    r"(?<![xX])[xX]{8,39}$|\.\.\.")


def _step(length: int) -> int:
    return max(step for step in _STEPS if step <= length)


def _prefixed(row: str) -> Iterator[Rule]:
    kind, name, *prefixes, body, least = row.split()
    for prefix in prefixes:
        literal = re.escape(prefix)
        # A long prefix with punctuation is a sign by itself; a short one must begin a word ("task-", "half_").
        glued = len(prefix) >= 4 and not prefix[-1].isalnum()
        begins = "" if glued and (len(prefix) > 5 or prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")) else f"(?<![A-Za-z0-9{'' if glued else '_'}]{literal})"
        plain = body in "AWH" and not set(prefix) & set(_SIGNS)
        yield Rule(kind, name, prefix, f"{literal}{begins}{_BODY[body]}{{{least},}}", 0, plain, _step(len(prefix) + int(least)))


def _rules() -> Iterator[Rule]:
    for row in PREFIXED.strip().splitlines():
        yield from _prefixed(row)
    for kind, name, keyword, pattern, lead, least in _SHAPED:
        yield Rule(kind, name, keyword, pattern, lead, False, _step(least))
    for infix in _INFIXES:
        # A publishable key (pk_live_...) is no secret.
        pattern = rf"{infix}(?<=[A-Za-z0-9]{infix})(?<!pk{infix})(?=[A-Za-z]{{0,40}}[0-9])(?=[0-9]{{0,40}}[A-Za-z])[A-Za-z0-9]{{20,}}"
        yield Rule("api_token", "vendor-like", infix, pattern, 12, True, _step(len(infix) + 21))


@cache
def _compiled(pattern: str) -> Lazy:
    """Made when first needed: a hook that meets no key pays for none of the table."""
    return Lazy(pattern, re.ASCII)


@cache
def rules() -> tuple[Rule, ...]:
    """The whole table, made when the first text has something in it that could be a key."""
    return tuple(_rules())


def worded(body: str) -> bool:
    """True when `body` is plain words joined by - or _ (a CSS class, a file name), which no key is."""
    parts = [part for part in re.split("[-_.]", body) if part]
    return len(parts) > 2 and all(part.isalpha() and len(part) < 15 and (part.islower() or part.isupper()) for part in parts)


def _runs(text: str) -> dict[tuple[bool, int], str]:
    """What of `text` can hold a keyword of a key, by Rule.plain and Rule.run: most of a text is in none of them."""
    wide = [run for _, run in runs(text, "_-" + _SIGNS, _STEPS[1])]
    plain = [run for _, run in runs(" ".join(wide), "_-", _STEPS[1])]
    found = {(False, 0): text}
    for step in _STEPS[1:]:
        wide, plain = [run for run in wide if len(run) >= step], [run for run in plain if len(run) >= step]
        found[False, step], found[True, step] = "\n".join(wide), "\n".join(plain)
    return found


def vendor_findings(text: str) -> Iterator[Finding]:
    """Every vendor key form in `text`, as spans of `text`; overlaps are left to the caller."""
    where = _runs(text)
    for rule in rules() if where[False, _STEPS[1]] else ():
        if rule.keyword not in where[rule.plain, rule.run]:
            continue
        for match in _compiled(rule.pattern).finditer(text):
            start, end = match.span()
            if rule.lead:
                lead = _LEAD.search(text, max(0, start - rule.lead), start)
                start = lead.start() if lead else start
            value = text[start:end].rstrip(".=")
            if not (_PLACEHOLDER.search(value) or worded(value)):
                yield Finding(rule.kind, start, end - (text[end - 1] == "."), rule.name)
