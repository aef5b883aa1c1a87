"""Export and import: every field survives, nothing is taken twice, nothing newer is overwritten, and a broken file changes nothing."""
import io
import itertools
import json
import os
import stat

import pytest

from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.errors import BadInput
from mnemos_mcp.mechanisms.scopes import Governance
from mnemos_mcp.model import GLOBAL, LONGEST_CONTENT, Affect, Episode, Memory, Scope
from mnemos_mcp.transfer import Chosen, export, import_, write
from mnemos_mcp.writes import AddEpisode, AddMemory, MarkRecalled, Reinforce, Revise, Supersede

NOW = 1_790_000_000.123456
HERE = Scope("project", "git:example.org/acme/ledger")
CLOUD_KEY = "AKIA" + "Q7WJ4ZNB" + "T2KX5MVD"


@pytest.fixture
def open_mind(tmp_path, open_engine):
    """Minds without an embedder on files of their own; the second and later ones are other machines."""
    number = itertools.count()
    return lambda: open_engine(str(tmp_path / f"{next(number)}.db"), embedder=None).mind


def memory(memory_id, content, **more):
    at = more.pop("at", NOW - 1000)
    return Memory(memory_id, content, **{"scope": HERE, "created_at": at, "valid_from": at, "reinforced_at": at, **more})


def add(mind, *memories):
    config = mind.config
    applied = mind.store.apply([AddMemory(m, config.keywords.index(m.content), config.supersession.text_hash(m.content)) for m in memories])
    assert applied.done


def full_life(mind):
    """A store in which every field of the export has something to say."""
    add(mind,
        memory("aaaa0001", "The staging server is heron.", key="staging", tags=("infra", "75%"), origin="user", kind="decision", importance=0.75,
               surprisal=0.4, affect=Affect(-0.2, 0.3, 0.5), sectors=(0.1, 0.2, 0.3, 0.1, 0.3), session="s1"),
        memory("aaaa0002", "Prefer small pull requests.", scope=GLOBAL, kind="preference", pinned=True, role="assistant"),
        memory("aaaa0003", "Deploys run on Friday.", scope=Scope("workspace", "acme")),
        memory("aaaa0004", "The staging server is ibis.", key="old-staging"))
    text = "Deploys run on Monday."
    mind.store.apply([
        Supersede("aaaa0001", "aaaa0004", NOW - 5, "moved", 1), Reinforce("aaaa0002", 1.5, NOW - 4), MarkRecalled(("aaaa0002",), NOW - 3, True, "how big"),
        Revise("aaaa0003", 1, text, mind.config.keywords.index(text), mind.config.supersession.text_hash(text), NOW - 2, "said anew"),
        AddEpisode(Episode("eeee0001", "we talked about deploys", HERE.name, "s1", "user", "user", NOW - 1, kind="fact", durable=True, event="ev1"))])


def exported(mind, *chosen):
    file = io.StringIO()
    write(mind.store, file, *chosen, now=NOW)
    return file.getvalue()


def lines_of(text):
    return io.BytesIO(text.encode())


def contents(mind):
    return [json.loads(line) for line in exported(mind).splitlines()[1:-1]]


def test_every_field_survives_the_round_trip_into_an_empty_store(open_mind):
    source, target = open_mind(), open_mind()
    full_life(source)
    done = import_(target, lines_of(exported(source)), trust=True)
    assert (done.taken, done.episodes, done.refused) == (4, 1, ())
    assert contents(target) == contents(source)
    assert contents(source)[2]["memory"]["revisions"][0]["content"] == "Deploys run on Friday."


def test_importing_twice_changes_nothing_the_second_time(open_mind):
    source, target = open_mind(), open_mind()
    full_life(source)
    text = exported(source)
    import_(target, lines_of(text))
    before = contents(target)
    done = import_(target, lines_of(text))
    assert (done.taken, done.updated, done.episodes, done.present, done.newer) == (0, 0, 0, 5, ())
    assert contents(target) == before


def test_without_trust_everything_counts_as_imported_and_with_it_only_tool_output_does(open_mind):
    source = open_mind()
    add(source, memory("aaaa0001", "Said by the user.", origin="user"), memory("aaaa0002", "Printed by a tool.", origin="tool"))
    plain, trusting = open_mind(), open_mind()
    import_(plain, lines_of(exported(source)))
    import_(trusting, lines_of(exported(source)), trust=True)
    assert [line["memory"]["origin"] for line in contents(plain)] == ["imported", "imported"]
    assert [line["memory"]["origin"] for line in contents(trusting)] == ["user", "imported"]


def test_one_broken_line_among_many_is_named_and_nothing_is_imported(open_mind):
    source, target = open_mind(), open_mind()
    add(source, *(memory(f"m{i:04d}", f"Fact number {i} about the ledger.") for i in range(50)))
    lines = exported(source).splitlines(keepends=True)
    lines[40] = lines[40].replace('"importance": 0.5', '"importance": "high"')
    with pytest.raises(BadInput, match=r"Line 41: importance must be a number from 0 to 1\. Nothing was imported"):
        import_(target, lines_of("".join(lines)))
    assert contents(target) == []


def test_a_file_cut_in_the_middle_of_a_line_or_between_two_is_refused(open_mind):
    source, target = open_mind(), open_mind()
    full_life(source)
    text = exported(source)
    whole_lines = "".join(text.splitlines(keepends=True)[:3])
    for cut, said in ((text[:len(text) // 2], "cut off"), (whole_lines, "Line 4: the file ends here without its end mark"), ("", "cut off")):
        with pytest.raises(BadInput, match=said):
            import_(target, lines_of(cut))
    assert contents(target) == []


@pytest.mark.parametrize(("text", "said"), [
    ("hello\n", "Line 1: it is no JSON"), ('{"a": 1}\n', "Line 1: it is not the header"), ('{"mnemos_export": 9}\n', "format 9"),
    ('{"mnemos_export": 1}\n[]\n', "Line 2: it is no JSON object"), ('{"mnemos_export": 1}\n{"memory": {"id": "abcd"}}\n', "Line 2: created_at"),
    ('{"mnemos_export": 1}\n{"other": 1}\n', "neither a memory nor an episode"), ('{"mnemos_export": 1}\n\n\n' + "[" * 3000 + "\n", "Line 4: it is no JSON"),
])
def test_what_is_no_export_is_refused_with_its_line(open_mind, text, said):
    with pytest.raises(BadInput, match=said):
        import_(open_mind(), lines_of(text))


def test_a_newer_memory_here_is_kept_and_named(open_mind):
    source, target = open_mind(), open_mind()
    full_life(source)
    text = exported(source)
    import_(target, lines_of(text))
    target.store.apply([Revise("aaaa0004", 1, "The staging server is owl.", "owl", "h-owl", NOW, "said anew"), Reinforce("aaaa0002", 1.0, NOW)])
    done = import_(target, lines_of(text))
    assert sorted(done.newer) == ["aaaa0002", "aaaa0004"]
    assert contents(target)[3]["memory"]["content"] == "The staging server is owl."


def test_a_later_version_in_the_file_becomes_the_next_version_here_with_its_history(open_mind):
    source, target = open_mind(), open_mind()
    add(source, memory("aaaa0001", "Deploys run on Friday."))
    import_(target, lines_of(exported(source)))
    source.store.apply([Revise("aaaa0001", 1, "Deploys run on Monday.", "deploy", "h1", NOW - 2, "said anew")])
    text = exported(source)
    assert import_(target, lines_of(text)).updated == 1
    assert import_(target, lines_of(text)).present == 1
    line = contents(target)[0]["memory"]
    assert (line["content"], line["version"], [r["content"] for r in line["revisions"]]) == ("Deploys run on Monday.", 2, ["Deploys run on Friday."])


def test_of_two_values_of_a_key_the_one_that_became_true_later_is_current(open_mind):
    newer, older, target = open_mind(), open_mind(), open_mind()
    add(newer, memory("bbbb0001", "PostgreSQL 17 it is.", key="db", at=NOW - 10))
    add(older, memory("cccc0001", "PostgreSQL 15 it is.", key="db", at=NOW - 900))
    add(target, memory("aaaa0001", "PostgreSQL 16 it is.", key="db", at=NOW - 500))
    assert import_(target, lines_of(exported(newer))).superseded == ("aaaa0001",)
    assert import_(target, lines_of(exported(older))).superseded == ()
    state = {line["memory"]["id"]: (line["memory"]["status"], line["memory"]["superseded_by"]) for line in contents(target)}
    assert state == {"aaaa0001": ("superseded", "bbbb0001"), "bbbb0001": ("active", ""), "cccc0001": ("superseded", "bbbb0001")}


def test_a_text_that_is_here_under_another_id_is_not_taken_again(open_mind):
    source, target = open_mind(), open_mind()
    add(source, memory("aaaa0001", "Use   uv, not pip."))
    add(target, memory("bbbb0001", "use uv, not pip."))
    done = import_(target, lines_of(exported(source)))
    assert (done.taken, done.present) == (0, 1)


def test_every_text_field_passes_the_firewall_before_it_is_stored(open_mind):
    source, target = open_mind(), open_mind()
    add(source, memory("aaaa0001", f"The key is {CLOUD_KEY}."), memory("aaaa0002", "Harmless text.", tags=(CLOUD_KEY,)),
        memory("aaaa0003", "Ask jane.doe@example.com about deploys."))
    done = import_(target, lines_of(exported(source)))
    assert [line for line, _ in done.refused] == [2, 3]
    assert (done.taken, done.masked) == (1, 1)
    assert "[REDACTED_EMAIL]" in exported(target) and CLOUD_KEY not in exported(target)


@pytest.mark.parametrize(("stamp", "seconds"), [
    ("2026-01-31T10:00:00+01:00", 1769850000.0), ("2026-01-31T09:00:00Z", 1769850000.0), ("2026-01-31T09:00:00", 1769850000.0),
    (1769850000, 1769850000.0), (1769850000000, 1769850000.0), ("1769850000", 1769850000.0)])
def test_a_stamp_in_any_usual_form_is_the_same_moment(open_mind, stamp, seconds):
    target = open_mind()
    line = {"id": "aaaa0001", "content": "A fact.", "scope": "global", "created_at": stamp}
    import_(target, lines_of('{"mnemos_export": 1}\n' + json.dumps({"memory": line}) + '\n{"mnemos_end": 1}\n'))
    assert target.store.find("aaaa0001", None)[0].valid_from == seconds


def test_project_memories_keep_their_project_unless_another_is_named(open_mind):
    source, same, other = open_mind(), open_mind(), open_mind()
    full_life(source)
    import_(same, lines_of(exported(source)))
    import_(other, lines_of(exported(source)), project="name:elsewhere")
    assert contents(same)[0]["memory"]["project"] == HERE.name
    assert [line["memory"].get("project") for line in contents(other)[:3]] == ["name:elsewhere", None, None]
    assert contents(other)[4]["episode"]["project"] == "name:elsewhere"


def test_an_export_can_be_cut_to_one_scope_or_project(open_mind):
    source = open_mind()
    full_life(source)
    add(source, memory("dddd0001", "Another project.", scope=Scope("project", "name:other")))
    ids = [[next(iter(json.loads(line).values()))["id"] for line in exported(source, chosen).splitlines()[1:-1]]
           for chosen in (Chosen("global"), Chosen("", ("name:other",)), Chosen("project", (HERE.name,)))]
    assert ids == [["aaaa0002"], ["dddd0001"], ["aaaa0001", "aaaa0004", "eeee0001"]]


def test_the_file_is_private_and_an_existing_one_is_left_alone(open_mind, tmp_path):
    source = open_mind()
    full_life(source)
    target = tmp_path / "out" / "export.jsonl"
    done = export(source.store, str(target), now=NOW)
    assert (done.memories, done.revisions, done.episodes) == (4, 1, 1)
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    target.write_text("mine")
    with pytest.raises(BadInput, match="exists and was left as it is"):
        export(source.store, str(target), now=NOW)
    assert target.read_text() == "mine"
    export(source.store, str(target), now=NOW, force=True)
    assert target.read_text() == exported(source)
    assert os.listdir(target.parent) == ["export.jsonl"]
    with pytest.raises(BadInput, match="is the database itself"):
        export(source.store, source.store.path, now=NOW, force=True)


def test_a_read_only_store_can_be_exported_and_has_what_was_stored_last(open_mind, open_store):
    source = open_mind()
    full_life(source)
    reading = open_store(source.store.path, read_only=True)
    add(source, memory("aaaa0009", "Stored last, still in the log file."))
    file = io.StringIO()
    write(reading, file, now=NOW)
    assert "Stored last" in file.getvalue()


def test_text_with_halves_of_surrogate_pairs_and_odd_characters_is_stored_as_something_readable(open_mind):
    target = open_mind()
    line = {"id": "aaaa0001", "content": "broken \ud83d half, kept 💾 whole", "scope": "global", "created_at": NOW}
    import_(target, lines_of('{"mnemos_export": 1}\n' + json.dumps({"memory": line}) + '\n{"mnemos_end": 1}\n'))
    assert target.store.find("aaaa0001", None)[0].content == "broken ? half, kept 💾 whole"


def test_the_same_id_twice_in_a_file_is_refused(open_mind):
    source = open_mind()
    add(source, memory("aaaa0001", "Once."))
    head, line, end = exported(source).splitlines(keepends=True)
    with pytest.raises(BadInput, match="Line 3: the id 'aaaa0001' stands in line 2 already"):
        import_(open_mind(), lines_of(head + line + line + end))


def test_a_memory_that_was_superseded_elsewhere_is_superseded_here_too(open_mind):
    source, target = open_mind(), open_mind()
    add(source, memory("aaaa0001", "The staging server is heron.", key="staging", at=NOW - 900))
    import_(target, lines_of(exported(source)))
    source.store.apply([Supersede("aaaa0001", "aaaa0002", NOW - 5, "moved", 1)])
    add(source, memory("aaaa0002", "The staging server is ibis.", key="staging", at=NOW - 5))
    done = import_(target, lines_of(exported(source)))
    assert (done.taken, done.updated) == (1, 1)
    assert target.store.find("aaaa0001", None)[0].superseded_by == "aaaa0002"


def test_vectors_are_made_again_for_what_was_imported_and_a_stopped_run_goes_on(open_mind, open_engine):
    from mnemos_mcp import reembed
    source, target = open_mind(), open_mind()
    add(source, *(memory(f"m{i:04d}", f"Service {i} listens on port {8000 + i}.") for i in range(20)))
    import_(target, lines_of(exported(source)))
    with_model = open_engine(target.store.path).mind
    steps = []
    first = reembed.fill(with_model, at_most=1, progress=steps.append)
    assert (first.done, first.left, first.reason) == (len(steps), 20 - len(steps), "") and first.left > 0
    assert (reembed.fill(with_model).left, reembed.missing(with_model), reembed.fill(with_model).done) == (0, 0, 0)
    with pytest.raises(BadInput, match="switched off"):
        reembed.missing(target)


def test_a_line_with_a_text_longer_than_a_store_takes_is_refused_by_its_number(open_mind):
    mind = open_mind()
    add(mind, memory("aaaa0001", "x" * LONGEST_CONTENT))
    export = exported(mind)
    assert import_(open_mind(), io.BytesIO(export.encode())).taken == 1
    with pytest.raises(BadInput, match="Line 2: content must be a text of at most 100,000 characters"):
        import_(open_mind(), io.BytesIO(export.replace("xxx", "xxxx", 1).encode()))


def test_a_second_import_into_another_project_says_that_the_memories_stay_where_they_are(open_mind):
    mind = open_mind()
    full_life(mind)
    here, there = open_mind(), "git:example.org/acme/other"
    import_(here, io.BytesIO(exported(mind).encode()))
    again = import_(here, io.BytesIO(exported(mind).encode()), project=there)
    assert again.taken == 0 and set(again.elsewhere) == {"aaaa0001", "aaaa0004"}
    assert import_(here, io.BytesIO(exported(mind).encode())).elsewhere == ()


def test_an_import_that_fills_a_scope_keeps_to_its_cap_and_counts_what_went(open_engine):
    source = open_engine(embedder=None).mind
    add(source, *(memory(f"aaaa{n:04d}", f"Rack {n} holds {n * 3} machines.", at=NOW - 100 + n) for n in range(9)))
    target = open_engine(config=MnemosConfig(governance=Governance(cap=4)), embedder=None)
    done = import_(target.mind, io.BytesIO(exported(source).encode()))
    assert (done.taken, done.archived) == (9, 5)
    assert target.mind.store.stats()["memories"]["project"] == {"active": 4, "archived": 5}
