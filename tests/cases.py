"""The published cases of tests/data/public_cases.jsonl: what really went wrong in comparable tools. A test says which case it proves with
`@case(id)`; test_cases.py holds that each has one."""
import json
import unicodedata
from pathlib import Path

import pytest

CASES = {line["id"]: line for line in map(json.loads, (Path(__file__).parent / "data" / "public_cases.jsonl").read_text("utf-8").splitlines())}


def case(name):
    """Marks a test as the proof of a published case."""
    assert name in CASES, name
    return pytest.mark.case(name)


def given(name):
    """The input of a case."""
    return CASES[name]["input"]


def made(expression):
    """The value of a `gen` expression of a case."""
    return eval(expression, {"unicodedata": unicodedata})


def contents(reply):
    return [m["content"] for m in reply["memories"]]


def kept(door, text, **more):
    reply = door.ask("store", content=text, force=True, **more)
    assert reply["stored"], reply
    return reply["id"]
