"""A pattern that is tried at its words only finds what it finds when it is tried everywhere."""
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemos_mcp.mechanisms import firewall_commands as commands
from mnemos_mcp.mechanisms import firewall_pii as pii
from mnemos_mcp.mechanisms import firewall_views as views
from mnemos_mcp.mechanisms.firewall_anchors import Led, folded, lines_with, lowered, narrowed, places, runs, tried, tried_if_few
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
        plain = narrowed(folded(lowered(read)) if led.pattern.flags & re.I else read)
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


NUMBERS = st.lists(st.sampled_from([*"-./()+x_", " ", " ", "1", "22", "333", "4444", "55555", "666666", "7777777", "\u0664\u0664", "4111 1111 1111 1111", "123-45-6789",
                                    "(415) 555-0134", "555 123 4567", "079 123 45 67", "030/1234567", "8(912)345-67-89"]), max_size=16).map("".join)


@pytest.mark.parametrize("name", ["_NORTH", "_GROUPED", "_SSN", "_CARD"])
@settings(max_examples=200)
@given(text=NUMBERS)
def test_numbers_tried_where_seven_digits_begin_are_found_wherever_they_stand(name, text):
    pattern, starts = getattr(pii, name), [match.start() for match in pii._NUMBER.finditer(text)]
    assert [m.span() for m in tried(pattern, starts, text)] == [m.span() for m in pattern.finditer(text)]


@settings(max_examples=200)
@given(text=NUMBERS)
def test_loose_numbers_of_seven_digits_are_found_wherever_they_stand(text):
    def long(matches):
        return [m.span() for m in matches if 7 <= sum(map(str.isdigit, m.group())) <= 13]
    assert long(tried(pii._LOOSE, [match.start() for match in pii._NUMBER.finditer(text)], text)) == long(pii._LOOSE.finditer(text))


APART = st.lists(st.sampled_from(["a", "B", "7", "-", " ", " ", "\n", ".", ",", "*", "(", "abcd", "AB12", "abcde", "aB3dE6gH", "s e c r e t k e y a b c d ",
                                  "a.b.c.d.e.f.g.h.i.j.k.l.m"]), max_size=24).map("".join)


@pytest.mark.parametrize(("pattern", "starts"), [(views._SPACED, views._spaced_starts), (views._GROUPS, views._group_starts)], ids=["spaced", "groups"])
@settings(max_examples=150)
@given(text=APART)
def test_letters_apart_and_groups_are_found_wherever_they_stand(pattern, starts, text):
    assert [m.span() for m in tried(pattern, starts(text), text)] == [m.span() for m in pattern.finditer(text)]


@given(text=st.text("aB3+=/_-. \n\u00e9\ud83d", max_size=120))
def test_runs_are_where_a_pattern_of_their_characters_finds_them(text):
    assert list(runs(text, "+/_-", 5)) == [(m.start(), m.group()) for m in re.finditer("(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{5,}", text)]


@given(text=st.text("ab ", max_size=80))
def test_starts_nearly_everywhere_give_way_to_a_plain_search(text):
    pattern = Lazy("a+b?")
    assert [m.span() for m in tried_if_few(pattern, places(text, "a"), text)] == [m.span() for m in pattern.finditer(text)]
