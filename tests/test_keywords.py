from __future__ import annotations

import pytest

from mnemos_mcp.mechanisms.keywords import Keywords
from mnemos_mcp.mechanisms.porter import stem
from mnemos_mcp.model import GLOBAL, Memory, Search, View
from mnemos_mcp.writes import AddMemory

keywords = Keywords()


def found(query: str, text: str) -> set[str]:
    return set(keywords.terms(query)) & set(keywords.index(text).split())


@pytest.mark.parametrize(("query", "text"), [
    ("cart summary", "cartSummary goes stale after login"),
    ("cartSummary", "the CARTSUMMARY store"),
    ("signing keys", "LEDGER_SIGNING_KEYS holds a list"),
    ("pnpm-lock.yaml", "the lockfile is pnpm-lock.yaml"),
    ("client.ts", "export it in src/lib/api/client.ts"),
    ("--frozen-lockfile", "pnpm install --frozen-lockfile"),
    ("57P01", "SQLSTATE 57P01 means a restart"),
    ("nodejs", "we run node.js 22"),
    ("C++", "the core is C++20 and C++"),
    ("c#", "the plugin is written in C#"),
    ("Große Straße", "GROSSE STRASSE"),
    ("naive", "a naïve approach"),
    ("migrations", "add a migration"),
])
def test_a_name_is_found_in_each_of_its_spellings(query: str, text: str) -> None:
    assert found(query, text)


@pytest.mark.parametrize(("query", "text"), [
    ("数据库", "我们选择了数据库连接池"), ("設計", "データベースの設計"), ("테스트", "통합 테스트를 실행"), ("ฐานข้อมูล", "เราเลือกฐานข้อมูล")])
def test_scripts_without_spaces_are_found_by_pairs_of_characters(query: str, text: str) -> None:
    assert found(query, text)


def test_a_single_character_of_a_dense_script_is_found() -> None:
    assert found("库", "数据库")


def test_tokens_hold_only_letters_and_digits() -> None:
    text = "a/b.c -- --x=y don't `foo_bar` <tag> 1.2.3 ::1 C++ e\u0301 \U0001f600 x" + "y" * 500
    assert all(token.isalnum() and len(token) <= keywords.longest_token for token in keywords.index(text).split())


def test_a_version_is_not_the_number_that_its_digits_make() -> None:
    assert "16p2" in keywords.index("Postgres 16.2").split()
    assert not set(keywords.terms("162")) & set(keywords.index("Postgres 16.2").split())


def test_a_query_of_stop_words_asks_for_nothing() -> None:
    assert keywords.terms("who are we and what is this?") == ()


def test_terms_come_once_and_in_order() -> None:
    assert keywords.terms("deploy the deploy script, deploying") == ("deploi", "script")


@pytest.mark.parametrize(("word", "cut"), [("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("hopping", "hop"), ("filing", "file"),
                                           ("happy", "happi"), ("relational", "relat"), ("vietnamization", "vietnam"), ("effective", "effect"),
                                           ("controll", "control"), ("sky", "sky"), ("is", "is"), ("x9", "x9")])
def test_stems_are_porters(word: str, cut: str) -> None:
    assert stem(word) == cut


def test_a_rare_term_weighs_more_and_a_light_word_half() -> None:
    assert keywords.idf(1, 100) > keywords.idf(50, 100) > 0
    assert keywords.idf(5, 100, stem("using")) == pytest.approx(keywords.idf(5, 100) / 2)


def test_bm25_grows_with_the_count_and_falls_with_the_length() -> None:
    assert keywords.bm25(2, 10, 10, 1.0) > keywords.bm25(1, 10, 10, 1.0) > keywords.bm25(1, 40, 10, 1.0) > 0
    assert keywords.bm25(0, 10, 10, 1.0) == 0.0
    assert keywords.bm25(1, 0, 0, 1.0) > 0


def test_coverage_is_the_share_of_the_rarity_that_was_found() -> None:
    assert Keywords.coverage(["a"], {"a": 1.0, "b": 3.0}) == 0.25
    assert Keywords.coverage([], {}) == 0.0


def test_what_sql_counts_is_the_bm25_of_the_mechanism(open_store, path):
    """The store writes the formula again in SQL, to count inside the file; here both are asked about the same texts."""
    texts = ["retry the deploy, then retry the health check", "deploy on Fridays", "health " * 40 + "deploy", "nothing of that kind", "retry retry retry"]
    words = Keywords(k1=1.3, b=0.6)
    store = open_store(path, keywords=words)
    for n, text in enumerate(texts):
        store.apply([AddMemory(Memory(f"{n:012x}", text, GLOBAL), words.index(text), str(n))])
    terms = words.terms("retry a deploy after the health check")
    found = store.search(Search(View((GLOBAL,)), terms))
    tokens = [words.index(text).split() for text in texts]
    mean = sum(map(len, tokens)) / len(tokens)
    for candidate in found.candidates:
        own = words.index(candidate.memory.content).split()
        expected = sum(words.bm25(own.count(t), len(own), mean, words.idf(sum(t in other for other in tokens), len(tokens), t)) for t in terms)
        assert candidate.keyword == pytest.approx(expected, rel=1e-9) and expected > 0
    assert len(found.candidates) == 4
