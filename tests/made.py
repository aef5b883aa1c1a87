"""Made-up values for the places that rows of `data/firewall_dev.jsonl` leave open, so that no secret stands in the file.

A place is ⟦kind and length⟧: A letters and digits, a small ones, N capitals, l small letters alone, h H hex, W also - and _, B base64, S also signs,
T base32, Q Crockford's base32, d digits, e 2 to 9, P a password, U a UUID, SSN, CARD and IBAN with their forms. The same seed gives the same text.
"""
import random
import re
import string

DIGITS, SMALL, CAPITALS = string.digits, string.ascii_lowercase, string.ascii_uppercase
BOTH = string.ascii_letters + DIGITS
ALPHABETS = {"A": BOTH, "a": SMALL + DIGITS, "N": CAPITALS + DIGITS, "l": SMALL, "h": "0123456789abcdef", "H": "0123456789ABCDEF", "W": BOTH + "_-", "B": BOTH + "+/",
             "S": BOTH + "!@#%^&*(-_=+)", "T": CAPITALS + "234567", "Q": "0123456789ABCDEFGHJKMNPQRSTVWXYZ", "d": DIGITS, "e": "23456789",
             "P": BOTH + "!@#$%^*_-+.?"}
# Account part of an IBAN: digits (d), letters and digits (N), capitals (C).
ACCOUNTS = {"DE": "d18", "FR": "d10 N11 d2", "GB": "C4 d14", "ES": "d20", "IT": "C1 d10 N12", "NL": "C4 d10", "CH": "d17", "AT": "d16", "BE": "d12", "PL": "d24",
            "SE": "d20", "NO": "d11", "DK": "d14", "PT": "d21", "IE": "C4 d14", "LU": "d16", "MT": "C4 d5 N18", "TR": "d22", "SA": "d20"}


def _letters(r: random.Random, kind: str, length: int) -> str:
    return "".join(r.choices(CAPITALS if kind == "C" else ALPHABETS[kind], k=length))


def _password(r: random.Random, length: int) -> str:
    while True:
        made = _letters(r, "P", length)
        if all(re.search(of, made) for of in ("[A-Z]", "[a-z]", "[0-9]", "^[A-Za-z0-9]", "[^.?_-]$")):
            return made


def _iban(r: random.Random, form: str, country: str) -> str:
    account = "".join(_letters(r, part[0], int(part[1:])) for part in ACCOUNTS[country].split())
    check = 98 - int("".join(str(int(c, 36)) for c in f"{account}{country}00")) % 97
    whole = f"{country}{check:02}{account}"
    spaced = " ".join(re.findall(".{1,4}", whole))
    return {"": whole, "s": spaced, "l": whole.lower(), "d": spaced.replace(" ", "-"), "n": spaced.replace(" ", "\u00a0"), "t": spaced.replace(" ", "."),
            "g": f"{whole[:4]} {whole[4:8]} {whole[8:14]} {whole[14:]}", "u": spaced.replace(" ", "  "), "x": f"{spaced[:2]} {spaced[2:]}",
            "w": f"{spaced[:14]}\n{spaced[15:]}"}[form]


def _card(r: random.Random, first: str) -> str:
    number = first + _letters(r, "d", 15 - len(first))
    total = sum(n - 9 * (n > 9) for n in (int(d) * (2 - i % 2) for i, d in enumerate(reversed(number))))
    return number + str(-total % 10)


def _made(r: random.Random, place: str) -> str:
    if place == "U":
        h = _letters(r, "h", 32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"
    if place == "SSN":
        return f"{r.randint(100, 650)}-{r.randint(10, 99)}-{r.randint(1000, 9999)}"
    if place.startswith("IBAN"):
        return _iban(r, *place[4:].split(":"))
    if place.startswith("CARD"):
        first, joint = place[4:5].replace("5", "53"), {"s": " ", "d": "-"}.get(place[5:], "")
        return joint.join(re.findall("....", _card(r, first)))
    return _password(r, int(place[1:])) if place[0] == "P" else _letters(r, place[0], int(place[1:]))


def filled(text: str, seed: int) -> str:
    """`text` with each ⟦place⟧ filled."""
    r = random.Random(f"{seed} {text}")
    return re.sub("⟦([^⟧]+)⟧", lambda place: _made(r, place.group(1)), text)
