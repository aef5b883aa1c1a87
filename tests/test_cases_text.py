"""Published cases about text: what is typed into a search, odd characters, sizes, filters, edits and deletions; by tool, command and API alike."""
import json
import time
import unicodedata

import pytest
from cases import case, contents, given, kept, made

DOORS = ("tool", "command", "api")


@pytest.fixture
def words(open_doors):
    """The doors with the words alone: nothing is found by meaning."""
    return open_doors(words_only=True)


# ---- search-text


@case("search-hyphen-and-path")
@pytest.mark.parametrize("name", DOORS)
def test_a_hyphen_a_slash_and_a_colon_are_plain_text(words, name):
    texts = given("search-hyphen-and-path")["store"]
    for text in texts:
        kept(words["tool"], text)
    first = {"node-gyp": texts[0], "src/app.ts:42": texts[1], "owner: ops": texts[2], "src\\app.ts": texts[1], "-gyp": texts[0], "Release:": texts[2]}
    for query in (*given("search-hyphen-and-path")["queries"], *first, "content:node", "rowid:1", "^node", "words : cache", "--", "a/b\\c", "x:y:z", "*", "node*"):
        found = contents(words[name].ask("retrieve", query=query))
        assert query not in first or found[0] == first[query], query


@case("search-operators-and-open-quotes")
@pytest.mark.parametrize("name", DOORS)
def test_words_of_the_search_grammar_are_words(words, name):
    text = given("search-operators-and-open-quotes")["store"][0]
    kept(words["tool"], text)
    more = ['"backoff', "backoff)", "backoff NEAR/2 exponential", "NOT backoff", "backoff AND NOT retry", "{backoff}", "back''off", "';drop table memory;--", "(((", "\"\"\""]
    for query in (*given("search-operators-and-open-quotes")["queries"], *more):
        found = contents(words[name].ask("retrieve", query=query))
        assert found == [text] or "backoff" not in query, query


@case("search-unspaced-scripts")
@pytest.mark.parametrize("name", DOORS)
def test_a_word_inside_an_unspaced_sentence_is_found_by_words_alone(words, name):
    own = ["ตัวประมวลผลการชำระเงินล้มเหลว", "支払い処理はキューに入れる"]
    asked = [*given("search-unspaced-scripts")["queries"], "ชำระเงิน", "キュー"]
    stored = [*given("search-unspaced-scripts")["store"], *own]
    for text in stored:
        kept(words["tool"], text)
    for query, text in zip(asked, stored, strict=True):
        assert contents(words[name].ask("retrieve", query=query))[:1] == [text], query


@case("search-unicode-forms")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
def test_composed_and_decomposed_spellings_are_one(words, name, form):
    written, other = ("NFD", "NFC") if form != "NFD" else ("NFC", "NFD")
    text = unicodedata.normalize(written, made(given("search-unicode-forms")["gen"]))
    first = kept(words["tool"], text, tags=[unicodedata.normalize(written, "résumé")])
    for query in given("search-unicode-forms")["queries"][:1]:
        assert [m["id"] for m in words[name].ask("retrieve", query=unicodedata.normalize(other, query))["memories"]] == [first]
    tagged = words[name].ask("list", tags=[unicodedata.normalize(other, "résumé")])
    assert [m["id"] for m in tagged["memories"]] == [first]
    again = words[name].ask("store", content=unicodedata.normalize(other, text), force=True)
    assert (again["outcome"], again["id"], words[name].ask("list")["total"]) == ("reinforced", first, 1)


# ---- text-encoding (the raw line itself: test_stdio.py, test_fuzz.py)


@case("encoding-nul-run")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("odd", ["\x00", "\x1b", "\u202e", "\ufffe", "\U000e0041", "\ufeff"])
def test_what_stands_after_odd_characters_is_not_lost(words, name, odd):
    text = made(given("encoding-nul-run")["gen"]).replace("\x00", odd)
    if name == "command" and odd == "\x00":
        code, value = words["command"].words("store", "--force", "--json", "-", stdin=text)
        assert code == 0 and value["stored"]
    else:
        kept(words[name], text)
    kept(words["tool"], "The harbour crane is yellow.")
    assert contents(words[name].ask("retrieve", query="omega"))[0].split()[-1] == "omega"
    assert contents(words[name].ask("retrieve", query="harbour crane"))[0] == "The harbour crane is yellow."
    assert json.loads(json.dumps(words[name].ask("list")))["total"] == 2
    assert {c["name"]: c["status"] for c in words[name].ask("health")["checks"]}["word_index"] == "ok"


# ---- oversize (what leaves: test_stdio.py)


@case("oversize-one-megabyte")
@pytest.mark.parametrize("name", DOORS)
def test_a_text_beyond_the_limit_is_refused_with_it_and_one_endless_word_harms_nothing(words, name):
    million, endless = map(made, given("oversize-one-megabyte")["gen"])
    began = time.process_time()
    if name == "command":
        code, value = words["command"].words("store", "--json", "-", stdin=million)
        said = value["error"]["message"] if code else ""
        assert words["command"].words("store", "--force", "--json", "-", stdin=endless)[1]["stored"]
    else:
        said = words[name].refusal("store", content=million)
        kept(words[name], endless)
    assert "100,000 characters" in said
    kept(words[name], "The harbour crane is yellow.")
    assert time.process_time() - began < 10  # the work, not the wait: five seconds of a quiet machine with room
    assert contents(words[name].ask("retrieve", query="harbour crane")) == ["The harbour crane is yellow."]
    words["api"].engine.mind.store._rebuild("asked for")
    assert contents(words[name].ask("retrieve", query="harbour crane")) == ["The harbour crane is yellow."]


@pytest.mark.parametrize("field", ["key", "session", "tags"])
def test_a_label_beyond_its_limit_is_refused_by_every_door(words, field):
    value = ["y" * 1001] if field == "tags" else "y" * 1001
    for door in words.values():
        assert "1,000 characters" in door.refusal("store", content="The crane is yellow.", force=True, **{field: value})


# ---- filters


@case("filter-negative-limit")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("verb", ["retrieve", "list"])
def test_a_limit_out_of_its_range_is_refused_with_the_range(words, name, verb):
    for n in range(6):
        kept(words["tool"], f"Crane {n} stands on pier {n * 3}.")
    asked = {"query": "crane"} if verb == "retrieve" else {}
    for limit in (*given("filter-negative-limit")["limits"], 51 if verb == "retrieve" else 101, -(2 ** 63)):
        assert ("1 to 50" if verb == "retrieve" else "1 to 100") in words[name].refusal(verb, limit=limit, **asked)
    if verb == "list":
        assert "0 or more" in words[name].refusal("list", offset=-1)
        assert words[name].ask("list", offset=100_000) == {"total": 6, "showing": 0, "offset": 100_000, "memories": []}


@case("filter-sql-wildcards")
@pytest.mark.parametrize("name", DOORS)
def test_a_filter_means_its_letters(words, name):
    tags = (*given("filter-sql-wildcards")["tags"], "_", "a[b]", "'", "ci_", "CI_FAST")
    texts = [f"The crane on pier {n * 7} is yellow." for n in range(len(tags))]
    for tag, text in zip(tags, texts, strict=True):
        kept(words["tool"], text, tags=[tag])
    for tag, text in zip(tags, texts, strict=True):
        for verb, asked in (("list", {}), ("retrieve", {"query": "yellow crane"})):
            assert contents(words[name].ask(verb, tags=[tag], **asked)) == [text], (verb, tag)
    assert contents(words[name].ask("list", tags=["75%", "other"])) == []
    assert "unknown" in words[name].refusal("retrieve", query="crane", sector="%") or "must be one of" in words[name].refusal("retrieve", query="crane", sector="%")
    assert contents(words["api"].ask("list", project="%")) == contents(words["api"].ask("retrieve", query="crane", project="_")) == []


# ---- delete-update


@case("delete-edit-old-words-match")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("how", ["supersedes", "key"])
def test_after_an_edit_only_the_new_words_match(words, name, how):
    old, new = given("delete-edit-old-words-match")["old"], given("delete-edit-old-words-match")["new"]
    first = kept(words[name], old, **({"key": "staging"} if how == "key" else {}))
    second = words[name].ask("store", content=new, **({"key": "staging"} if how == "key" else {"supersedes": [first]}))
    assert second["superseded"] == [first]
    for door in words.values():
        assert contents(door.ask("retrieve", query="heron", mode="keyword")) == []
        assert contents(door.ask("retrieve", query="ibis", mode="keyword")) == [new]
        assert contents(door.ask("list")) == [new]


@case("delete-id-prefix")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("verb", ["forget", "inspect", "reinforce"])
def test_an_id_is_never_a_pattern(words, name, verb):
    for n in range(40):
        kept(words["tool"], f"Crane {n} stands on pier {n * 3}.")
    for bad in (*given("delete-id-prefix")["ids"], "%%%%%%", "______", "' or 1=1 --", "\x00", "ffffffffffff", "é" * 6):
        if name != "command" or ("\x00" not in bad and bad.strip()):
            assert words[name].refusal(verb, id=bad)
    assert words["api"].ask("list", limit=100)["total"] == 40
    shown = words[name].ask("list", limit=1)["memories"][0]["id"]
    assert words[name].ask(verb, id=shown[:6])["id"] == shown


@case("delete-then-store-again")
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("erase", [False, True])
def test_what_was_forgotten_can_be_stored_again(words, name, erase):
    text = given("delete-then-store-again")["text"]
    first = kept(words[name], text, key="port", tags=["db"])
    words[name].ask("forget", id=first, erase=erase)
    assert contents(words[name].ask("list")) == []
    second = kept(words[name], text, key="port", tags=["db"])
    assert second != first
    for door in words.values():
        assert contents(door.ask("retrieve", query="port of the local database")) == [text]
