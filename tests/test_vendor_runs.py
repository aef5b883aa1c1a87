"""A key is looked for only in runs of the characters that keys have: the shortest text each form allows must lie in such a run."""
import random
import re
import string
from functools import cache
from itertools import islice
from re import _constants as ops
from re import _parser

import pytest

from mnemos_mcp.mechanisms.firewall_rules import _runs, rules

SIGNS = string.ascii_letters + string.digits + "_-./+=%$:|~!?& "
CATEGORIES = {ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_WORD: r"\w", ops.CATEGORY_NOT_WORD: r"\W", ops.CATEGORY_SPACE: r"\s", ops.CATEGORY_NOT_SPACE: r"\S"}


@cache
def signs(parts):
    return [sign for sign in SIGNS if allowed(parts, sign)]


def allowed(parts, sign):
    return (parts[0][0] is ops.NEGATE) != any(
        chr(value) == sign if op is ops.LITERAL else value[0] <= ord(sign) <= value[1] if op is ops.RANGE
        else op is ops.CATEGORY and re.match(CATEGORIES[value], sign, re.ASCII) for op, value in parts)


class Shortest:
    """A text by chance, as short as a pattern allows, with what it looks back on; it may still break a condition."""

    def __init__(self, pattern, chance):
        self.chance, self.before, self.text = chance, "", ""
        self.text = self.of(_parser.parse(pattern, re.ASCII))

    def of(self, parsed, made=""):
        for op, value in parsed:
            if op is ops.ASSERT and value[0] < 0:  # it ends with what stands already
                back = self.of(value[1])
                if back.endswith(made):
                    self.before = back[:len(back) - len(made)]
            elif op is ops.BRANCH:
                made = self.of(self.chance.choice(value[1]), made)
            elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
                for _ in range(value[0]):
                    made = self.of(value[2], made)
            elif op is ops.SUBPATTERN:
                made = self.of(value[3], made)
            elif op is ops.LITERAL:
                made += chr(value)
            elif op is ops.IN:
                made += self.chance.choice(signs(tuple(value)))
            elif op is ops.ANY:
                made += "="
        return made


@pytest.mark.parametrize("kind", sorted({rule.kind for rule in rules()}))
def test_the_shortest_keys_of_each_form_lie_in_the_runs_they_are_looked_for_in(kind):
    chance = random.Random(7)
    for rule in (rule for rule in rules() if rule.kind == kind):
        tried = (Shortest(rule.pattern, chance) for _ in range(2000))
        keys = list(islice((key for key in (one.before + one.text for one in tried) if re.search(rule.pattern, key, re.ASCII)), 8))
        assert len(keys) == 8, rule.name
        for key in keys:
            assert rule.keyword in _runs(f"<{key}>")[rule.plain, rule.run], (rule.name, key)
