"""Every published case has its test."""
import re
from pathlib import Path

import pytest
from cases import CASES

WEB = {"exposure-web-script"}  # tests/browser: markup stays text in every view
SOURCES = "".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
PROVED = set(re.findall(r'@case\("([a-z0-9-]+)"\)', SOURCES))


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_published_case_has_its_test(name):
    assert name in PROVED or name in WEB


def test_no_test_names_a_case_that_is_not_published():
    assert set(CASES) >= PROVED
