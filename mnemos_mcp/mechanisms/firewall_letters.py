"""Do letters follow each other as they do in words? Random text has pairs that no word has."""
from __future__ import annotations

import re
from functools import cache

# First letter, then the letters that follow it in fewer than one of 5,000 pairs of the commonest words (8,000 to 30,000 of each) of English, German,
# French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Finnish and Polish, accents taken off (word lists of wordfreq 3.1).
_RARE = """aq bcdfghjkmnpqtvwxz cbdfgmnpqsvwx dbcfhjkmpqwx e fbcdghjkmnpqsvwxyz gbcfjkmpqvwxyz hbcdfghjkpqsvwxz iwy jbcdfghjlmnpqrstvwxyz
    kbcdfghjmpqvwxz lcjqrwxz mcdfghjklqrvwxz nbjmpqrwx oqx pbcdfgjkmnqvwxyz qabcdefghijklmnopqrstvwxyz rjqx sbdgqrx tbdfgjmpqvx uqwy
    vbcdfghjklmnpqstvwxyz wbcdfgjklmpqrtuvwxz xabcdfghjklmnoqrsuvwxyz ybfhijquvwxyz zbcdfghjklmpqrstvwx"""


@cache
def _rare() -> frozenset[str]:
    return frozenset(row[0] + letter for row in _RARE.split() for letter in row[1:])


def unspoken(runs: list[str]) -> bool:
    """Whether more than a quarter of the pairs of letters inside `runs` (ASCII letters) are pairs that words do not have."""
    pairs = [run[i:i + 2].lower() for run in runs for i in range(len(run) - 1)]
    return len(pairs) > 4 and sum(pair in _rare() for pair in pairs) > len(pairs) / 4


def riddled(value: str) -> bool:
    """Whether digits stand between letters (`a7nuf0y6f`) more often than in any name: more than twice, in long small letters without a sign more than once."""
    between = len(re.findall("(?<=[A-Za-z])[0-9]+(?=[A-Za-z])", value))
    return between > 2 or (between > 1 and len(value) > 15 and value.isalnum() and value.islower())
