"""A pattern that is tried at its words only finds what it finds when it is tried everywhere."""
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemos_mcp.mechanisms import firewall_commands as commands
from mnemos_mcp.mechanisms.firewall_anchors import Led, folded, lines_with, lowered, places, tried
from mnemos_mcp.mechanisms.lazy import Lazy

LED = {name: value for name, value in vars(commands).items() if isinstance(value, Led)}
PIECES = ["k3Yv9Qp2Lm8Rt4Wx7Zn5", "aB3_x9Qz.7", " ", " ", "\n", "\t", "=", ": ", "('bo', '", "')", '("', '")', "', '", "/", ".", ", ", "(", " -p ", " -u bo:", "@", "|",
          " = 's3cret!x'", " by 'tr0ub4dor'", " values (1, 'x9Qz77aa')", " into t (id, password)", "\u0130", "\u0131", "\u017f", "\u212a", "apple ", "sid=", "host:5432:db:bo:"]


TAILS = ["", " k3Yv9Qp2Lm8Rt4Wx7Zn5", ": k3Yv9Qp2Lm8Rt4Wx7Zn5", "=k3Yv9Qp2Lm8Rt4Wx7Zn5;", "('bo', 'tr0ub4dor')", "(\"k3Yv9Qp2Lm8Rt4Wx7Zn5aB3_\")", " -p 'tr0ub4dor'",
         " by 'tr0ub4dor'", " tr0ub4dor | passwd --stdin", " into t (id, password) values (1, 'x9Qz77aa')", ": " + "apple " * 12, ": bo / tr0ub4d0r", " -u bo:tr0ub4dor"]


def texts(words):
    """Words that lead to something, and what breaks it off."""
    led = [f"{cased}{tail}" for word in words for cased in (word, word.upper(), word.capitalize()) for tail in TAILS]
    return st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(led)), max_size=12).map("".join)


def written(led):
    """The words in a pattern's source, not in `words`: one that is missing there must show."""
    return sorted({*re.findall(r"[A-Za-z_.]{3,}", re.sub(r"\[(\w)(\w)\]", r"\2", led.pattern.pattern)), *led.words})


def same(led, text):
    for read in (text, lowered(text)):
        plain = folded(lowered(read)) if led.pattern.flags & re.I else None
        assert [m.span() for m in led.finditer(read, plain)] == [m.span() for m in led.pattern.finditer(read)], read


@pytest.mark.parametrize("name", LED)
def test_each_word_of_a_pattern_leads_to_what_is_found_everywhere(name):
    for word in written(LED[name]):
        for text in (f"{before}{cased}{tail}" for before in ("", " ", "a", ".") for cased in (word, word.capitalize()) for tail in TAILS):
            same(LED[name], text)


@pytest.mark.parametrize("name", LED)
@settings(max_examples=40)
@given(data=st.data())
def test_each_pattern_with_words_finds_what_it_finds_everywhere(name, data):
    same(LED[name], data.draw(texts(written(LED[name]))))


@pytest.mark.parametrize(("pattern", "starts"), [(commands._COOKIE, commands._cookies), (commands._PGPASS, commands._hosts)], ids=["cookie", "pgpass"])
@given(text=texts(["sess", "auth", "token", ";", "user=", "*:*:", "localhost"]))
def test_what_is_found_by_its_value_is_found_everywhere(pattern, starts, text):
    assert [m.span(1) for m in tried(pattern, starts(text), text)] == [m.span(1) for m in pattern.finditer(text)]


@pytest.mark.parametrize("host", ["a" * 400, "a." * 300 + "b", "*"])
def test_a_line_of_pgpass_is_found_however_long_its_host(host):
    text = f"see {host}:5432:shop:bo:x9Qz77aa"
    assert [m.span(1) for m in tried(commands._PGPASS, commands._hosts(text), text)] == [m.span(1) for m in commands._PGPASS.finditer(text)] != []


@given(text=texts(sorted({word for words, _, _ in commands._FLAGS for word in words})))
def test_a_command_with_its_flag_is_found_wherever_it_stands(text):
    for words, sign, pattern in commands._FLAGS:
        kept = lines_with(commands._FLAG, text) if sign.startswith(" -") else text
        found = list(tried(pattern, places(text, [word for word in words if word in kept]), text)) if sign in text else []
        assert [m.span() for m in found] == ([m.span() for m in pattern.finditer(text)] if sign in text else [])


@given(text=st.text(alphabet="ab x\n", max_size=60))
def test_lines_with_a_sign_are_those_lines(text):
    assert lines_with(Lazy("x"), text) == "\n".join(line for line in text.split("\n") if "x" in line)
