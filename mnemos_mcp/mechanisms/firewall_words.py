"""Names that say the value beside them is a secret, in the languages of the firewall, and how much each proves."""
from __future__ import annotations

import re
from functools import lru_cache

from mnemos_mcp.mechanisms.firewall_anchors import narrowed
from mnemos_mcp.mechanisms.firewall_values import Strength
from mnemos_mcp.mechanisms.lazy import Lazy

# Searched as literals in the lower-cased text, which is ten times as fast as one pattern of them all.
HINTS = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "creds", "sessid", "session", "identified by", "auth", "_pat", "dsn", "psk",
         "pin", "seed", "recovery code", "recovery codes", "recovery_code", "backup code", "backup codes", "backup_code")
# Words of other languages than English: password words, then words for key and token. Those with "~" are also ordinary words or parts of
# some and count only as a whole word.
PASSWORD_WORDS = tuple("""kennwort|passwort|contraseña|contrasena|mot de passe|mots de passe|mdp~|parola d'ordine|parola~|senha~|palavra-passe|wachtwoord
|hasło~|haslo~|lösenord|adgangskode|passord|salasana|heslo~|şifre~|sifre~|пароль|пароля|паролем|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호
|पासवर्ड|كلمة المرور|كلمة السر|mật khẩu|kata sandi|jelszó|parolă~|lozinka~|κωδικός πρόσβασης|סיסמה|รหัสผ่าน""".replace("\n", "").split("|"))
SECRET_WORDS = ("geheimnis", "schlüssel", "schluessel", "jeton", "clé", "clave~", "chiave~", "chave~", "sleutel~", "klucz~", "ключ", "токен", "密钥", "密鑰",
                "令牌", "トークン", "토큰", "apiキー", "zugangsdaten")
# A word for "key" is a word for a secret only with one of these beside it.
_KEY_WORDS = ("schlüssel", "schluessel", "clé", "clave", "chiave", "chave", "sleutel", "klucz", "ключ")
FOREIGN = tuple(word.rstrip("~") for word in PASSWORD_WORDS + SECRET_WORDS)
_WHOLE = frozenset(word[:-1] for word in PASSWORD_WORDS + SECRET_WORDS if word.endswith("~"))
_FOREIGN_PASSWORDS = frozenset(word.rstrip("~") for word in PASSWORD_WORDS)

_PARTS = Lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Letters of a name, matched on the reversed text and on what follows; ASCII texts, which are most, take the pattern that is quicker to make.
_LEFT = Lazy(r"[\w.$\u00df-\u024f\u1ea0-\u1ef9-]*", re.ASCII), Lazy(r"[\w.$-]*", re.ASCII)
_RIGHT = Lazy(r"(?:[\w\u00df-\u024f\u1ea0-\u1ef9-]|\.(?=\w)){0,48}", re.ASCII), Lazy(r"(?:[\w-]|\.(?=\w)){0,48}", re.ASCII)
_WORD_BEFORE = Lazy(r"(?<!\w)([A-Za-z]{2,15}|2[Ff][Aa]|WPA[23])[ -]\Z")
_WORD_AFTER = Lazy(r" (?:(?:secr\u00e8te|secreta|segreta|priv\u00e9e|privada|privata|api|API|\u0434\u043e\u0441\u0442\u0443\u043f\u0430)"
                   r"|(?:d['\u2019]|de |di )(?:api|acc\u00e8s|acceso|acesso|accesso))\b", re.I)

_TRAILING = frozenset("""base value val string str text plain plaintext default prod production dev staging stage test live old new primary secondary backup raw b64 main root
    admin in literal override""".split())
_NOT_SECRET = frozenset("""hash hashed hashes sha sha1 sha256 sha512 digest checksum integrity fingerprint commit rev public pub num count length len max min""".split())
_PASSWORD = ("password", "passwort", "passwd", "passphrase", "passcode", "kennwort", "contrase\u00f1a", "contrasena", "mot de passe", "mots de passe",
             "pwd", "identified by", "psk")
_SECRET = ("secret", "secreto", "geheimnis", "jeton", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "licensekey", "signingkey",
           "presharedkey", "schl\u00fcssel", "schluessel", "authtoken", "accesstoken", "dsn", "credential", "credentials", "creds", "zugangsdaten", "pat",
           "auth")
# Of a session the identifier may be a mere name (a UUID), which is no secret.
_SESSION = ("sessionid", "sessid")
KEY_QUALIFIERS = frozenset("""api access secret private auth authentication encryption encrypt signing sign master account shared service license client deploy app application
    admin bearer webhook jwt session crypt crypto subscription consumer integration write hmac aes ssh server activation vault functions geheime
    geheimer fernet preshared rest nonce authorization logged nextauth sdk project team org
    openai anthropic stripe datadog mistral cohere groq gemini google aws azure gcp twilio sendgrid mailgun algolia mapbox github gitlab slack deepgram elevenlabs
    airtable heroku hubspot snyk pinecone dropbox kucoin scaleway squarespace netlify asana bitbucket bitly bitrise circleci clickup cloudinary coinbase
    contentful coveralls deepseek digitalocean discord disqus ebay etsy fastly figma firecrawl flickr freshbooks gitea gocardless gumroad huggingface infura
    alchemy intercom jumpcloud klaviyo launchdarkly linkedin mailchimp mailersend mattermost messagebird minimax moonshot newsapi nytimes okta onesignal
    openrouter openweather openweathermap ovh perplexity plivo posthog pubnub razorpay sendbird serpapi shodan shopify spotify stability supabase typeform
    upstage vercel virustotal wakatime weatherstack wandb yandex zendesk zhipu
    replicate exa tavily weather maps firebase segment amplitude sentry newrelic grafana cloudflare hetzner linode vultr resend postmark""".split())
_PLAIN_KEYS = frozenset("""public primary foreign cache partition sort row idempotency dedup dedupe index lookup group routing unique composite join path event query param map
    object translation i18n message hot short arrow enter any each same object dict registry config setting feature flag s3 context memory state
    the a meta attribute column field tag label node parent child row data dict hash cursor shortcut""".split())
_OPEN_KEYS = frozenset("""public site verify verification host publishable anon peer machine""".split())
_PLAIN_TOKENS = frozenset("""page next continuation sync pagination design color colour cancel cancellation eos bos pad unk mask stop special start end sep cls lexer syntax parse
    cursor first last word input output prompt per lock""".split())
_WIRELESS = ("wifi", "wlan", "wpa", "wpa2", "wpa3")
_CODES = ("recovery", "backup")
_NOT_PASS = frozenset(["bypass", "compass", "surpass", "trespass", "encompass", "overpass", "underpass", "multipass"])


# Names whose plain-word values are told from talk about them by the lists of firewall_values.
_KNOWN_WELL = ("kennwort", "passwort", "contrase", "mot", "mdp")


def foreign(name: str) -> bool:
    """Whether a name is of a language of which the firewall knows only the words for passwords."""
    low = name.lower()
    return low in _FOREIGN_PASSWORDS and not low.startswith(_KNOWN_WELL)


@lru_cache(4096)
def strength(identifier: str) -> Strength | None:
    """What a name proves about the value beside it; None for names that only sound like a secret (token_count)."""
    low = identifier.lower()
    if low in _FOREIGN_PASSWORDS or low == "clave" or low.startswith(("mot", "identified", "parola d")):
        return "password"
    if " " in low or not low.isascii():
        return "secret" if low.startswith(_CODES) else _foreign(low)
    if any(low.startswith(word) and len(low) - len(word) < 3 for word in ("adgangskode", "passord", "wachtwoord", "salasana")):
        return "password"
    if low.endswith("user.signingkey"):
        return None  # in the settings of git: a name of a key
    parts = [part.lower() for part in _PARTS.findall(identifier)]
    while len(parts) > 1 and (parts[-1] in _TRAILING or parts[-1].isdigit()):
        parts.pop()
    if not parts or _NOT_SECRET.intersection(parts):
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last == "pin":
        return "pin"
    if last.endswith(_PASSWORD) or last == "pw" or (last.endswith("pass") and last not in _NOT_PASS and (before or last != "pass")):
        return "password"
    if last.endswith("token"):
        return None if before in _PLAIN_TOKENS else "secret"
    if last.endswith(_SECRET) or (last == "pass" and not before) or (last in ("code", "codes") and before in _CODES) or last == "passwords" \
            or (last == "id" and before == "secret"):
        return "secret"
    if last.endswith(_SESSION) or (last == "id" and before == "session") or (last == "session" and len(parts) < 3):
        return "key"
    if last == "key":
        return _key(before)
    return "secret" if last == "seed" and before in ("totp", "otp", "mfa", "2fa") else None


def _key(before: str) -> Strength | None:
    if not before:
        return "lone"
    if before in _PLAIN_KEYS or before in _OPEN_KEYS:
        return None
    if before in _WIRELESS:
        return "password"
    return "secret" if before in KEY_QUALIFIERS else "key"


def _foreign(low: str) -> Strength | None:
    """A name with a blank or other than Latin letters in it."""
    head = low.partition(" ")[0]
    if any(word in low for word in _FOREIGN_PASSWORDS - _WHOLE):
        return "password"
    if head in _KEY_WORDS:
        return "secret" if " " in low else "lone"
    if low.endswith(" key"):
        return _key(head)
    if head in ("jeton", "token", "токен", "totp", "otp", "mfa", "2fa") or head in KEY_QUALIFIERS or (any(low.endswith(word) for word in ("schlüssel", "schluessel")) and low not in _KEY_WORDS):
        return "secret"
    return "secret" if low in FOREIGN and low not in _KEY_WORDS else None


def hints(low: str) -> list[tuple[int, int]]:
    """Where a word stands that may name a secret, in order of place. `low` is the text in lower case."""
    places: list[tuple[int, int]] = []
    ascii_low = narrowed(low)
    for hint in HINTS:
        at = ascii_low.find(hint)
        while at >= 0:
            places.append((at, at + len(hint)))
            at = ascii_low.find(hint, at + len(hint))
    letters = set(low) if ascii_low is not low else set()
    for word in FOREIGN:
        where = ascii_low if word.isascii() else low
        at = where.find(word) if word.isascii() or letters.issuperset(word) else -1
        while at >= 0:
            end = at + len(word)
            if word not in _WHOLE or not (low[at - 1:at].isalpha() or low[end:end + 1].isalpha()):
                places.append((at, end))
            at = where.find(word, end)
    return sorted(places, key=lambda place: (place[0], -place[1]))


def identifier(text: str, first: int, last: int, done: int) -> tuple[int, int]:
    """The whole name around a hint; a lone "key" takes the word before it along ("API key", "clé secrète" the one after)."""
    if " " in text[first:last] or ord(text[first]) > 0x24f:
        start, end = first, last
    else:
        plain = text[max(0, first - 48):last + 48].isascii()
        left, right = _LEFT[plain].match(text[max(done, first - 48):first][::-1]), _RIGHT[plain].match(text, last)
        start, end = first - (left.end() if left else 0), right.end() if right else last
    low = text[start:end].lower()
    if low in ("key", "keys", "schl\u00fcssel", "schluessel", "seed"):
        word = _WORD_BEFORE.search(text, max(0, start - 24), start)
        known = word and (word.group(1).lower() in KEY_QUALIFIERS or word.group(1).lower() in _WIRELESS or (low == "seed" and word.group(1).lower() in ("totp", "otp", "mfa", "2fa")))
        start = word.start() if word and (known or word.group(1).lower() in _OPEN_KEYS) else start
    elif (low in _KEY_WORDS or low in ("jeton", "token", "токен")) and text[end + 1:end + 2] in tuple("dDaAsSpP\u0434"):
        word = _WORD_AFTER.match(text, end)
        end = word.end() if word else end
    return start, end
