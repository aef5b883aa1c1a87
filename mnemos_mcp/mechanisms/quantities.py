"""Numbers of a text with what they count and what they are the number of: 'port 8080', '60 requests', 'Postgres 14', '3 May'."""

# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and a start of a session pays for it.
import re
from functools import lru_cache
from typing import NamedTuple

from .lazy import Lazy
from .wording import NEGATORS, STOP, stem

# The word before a number is looked for at its beginning only: from every letter on, a text without spaces would take time by its square.
_NUMBER = Lazy(r"(?:(?<![\w./+#-])(?P<before>[^\W\d_][\w./+#-]*))?[\s:=(\"'`#]*(?<![\w.,/])(?P<sign>-)?[vV]?(?P<number>\d+(?:[.,_:/-]\d+)*)(?P<percent>\s?%)?(?:[-\s]?(?P<after>[^\W\d_]+))?")
_UNITS = {
    "time:ms": "ms msec millisecond milliseconds millisekunden 毫秒", "time:s": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒",
    "time:min": "min mins minute minutes minuten minuto minutos 分钟", "time:h": "h hr hrs hour hours stunde stunden heure heures hora horas 小时",
    "time:d": "d day days tag tage tagen jour jours día días 天", "time:week": "week weeks woche wochen semaine semaines semana semanas 周",
    "time:month": "month months monat monate monaten mois mes meses 个月", "time:y": "year years jahr jahre jahren an ans año años 年",
    "size:B": "byte bytes", "size:kB": "k kb kib", "size:MB": "m mb mib", "size:GB": "g gb gib", "size:TB": "t tb tib", "share": "percent prozent pourcent",
}
UNITS: dict[str, str] = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_WORDS = {
    2: "two zwei deux dos", 3: "three drei trois tres", 4: "four vier quatre cuatro", 5: "five fünf cinq cinco", 6: "six sechs seis",
    7: "seven sieben sept siete", 8: "eight acht huit ocho", 9: "nine neun neuf nueve", 10: "ten zehn dix diez", 11: "eleven elf onze once", 12: "twelve zwölf douze doce",
}
NUMBER_WORDS: dict[str, str] = {word: str(number) for number, words in _WORDS.items() for word in words.split() if word not in {"once"}}
_WORD_NUMBER = Lazy(r"\b(" + "|".join(NUMBER_WORDS) + r")\b", re.IGNORECASE)


class Quantity(NamedTuple):
    """`value` as written in plain digits, `unit` what it counts, `label` the word before it; '' where there is none."""

    value: str
    unit: str = ""
    label: str = ""

    @property
    def dimension(self) -> str:
        """'time' for seconds and hours alike, else the unit itself."""
        return self.unit.split(":")[0]


@lru_cache(maxsize=512)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number of the text in order; the number inside an identifier (psycopg2) belongs to the name."""
    spelled = _WORD_NUMBER.sub(lambda match: NUMBER_WORDS[match[1].casefold()], text)
    found = []
    for match in _NUMBER.finditer(spelled):
        before, after = (match["before"] or "").casefold(), (match["after"] or "").casefold()
        unit = "share" if match["percent"] else UNITS.get(after) or ("" if after in STOP or after in NEGATORS else stem(after))
        label = "" if before in STOP else stem(before)
        found.append(Quantity((match["sign"] or "") + _plain(match["number"]), unit, label))
    return tuple(found)


def _plain(number: str) -> str:
    """'1,000' and '1_000' are 1000; '1,5' is 1.5; versions, times and dates stay as written."""
    if re.fullmatch(r"\d{1,3}(?:[,_]\d{3})+", number):
        return re.sub("[,_]", "", number)
    return number.replace(",", ".")


def numbers(text: str) -> tuple[str, ...]:
    return tuple(quantity.value for quantity in quantities(text))


def counts_differ(a: str, b: str) -> bool:
    """Both give numbers and not the same ones, or the same number of another measured unit. A text without numbers contradicts none."""
    first, second = quantities(a), quantities(b)
    if not first or not second:
        return False
    if sorted(q.value for q in first) != sorted(q.value for q in second) and {q.value for q in first} != {q.value for q in second}:
        return True
    measured = [{(q.value, q.unit) for q in side if q.dimension in ("time", "size", "share")} for side in (first, second)]
    return bool(measured[0] and measured[1]) and measured[0] != measured[1]
