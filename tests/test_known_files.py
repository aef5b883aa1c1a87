"""What the client's own memory files say already is no news; nothing else is held back, and the files are only read."""
import os

import pytest

from mnemos_mcp import known_files
from mnemos_mcp.known_files import KnownFiles
from mnemos_mcp.mechanisms.known_text import says, statements, told
from mnemos_mcp.runtime import open_engine as open_by_settings
from mnemos_mcp.settings import load

RULE = "Run the tests with pytest before every commit."


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home" / "ledger").mkdir(parents=True)
    (tmp_path / "home" / "ledger" / "pyproject.toml").touch()
    return tmp_path / "home"


@pytest.fixture
def root(home):
    return home / "ledger"


@pytest.fixture
def memory(home, root, clock):
    """An engine as the server opens it in the project folder; vectors off unless asked for."""
    opened = []

    def make(**environ):
        settings = load({"MNEMOS_SQLITE_PATH": str(home.parent / "data" / "mnemos.db"), "MNEMOS_EMBEDDING_PROVIDER": "none", **environ}, cwd=str(root), home=str(home))
        opened.append(open_by_settings(settings, door="cli", clock=clock))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(("name", "shown"), [
    ("ledger/AGENTS.md", "AGENTS.md"), ("ledger/CLAUDE.md", "CLAUDE.md"), ("ledger/.claude/rules/testing.md", ".claude/rules/testing.md"),
    (".claude/CLAUDE.md", "~/.claude/CLAUDE.md"), (".claude/projects/{folder}/memory/MEMORY.md", "~/.claude/projects/{folder}/memory/MEMORY.md")])
def test_what_a_file_of_the_client_says_is_no_news_and_the_reason_names_the_file(memory, home, root, name, shown):
    folder = str(root).replace("/", "-")
    path = write(home / name.format(folder=folder), f"# How we work\n\n- {RULE}\n- Something else.\n")
    before = (path.stat().st_mtime_ns, path.read_bytes())
    result = memory().store(RULE)
    assert (result.outcome, result.reason) == ("not_news", f"{shown.format(folder=folder)} already says so")
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


@pytest.mark.parametrize("how", [{"force": True}, {"key": "testing"}, {"pinned": True}])
def test_whoever_insists_is_believed(memory, root, how):
    write(root / "AGENTS.md", f"- {RULE}\n")
    assert memory().store(RULE, **how).outcome == "stored"


def test_what_supersedes_a_memory_is_stored_whatever_the_files_say(memory, root):
    engine = memory()
    old = engine.store("Run the tests with unittest before every commit.", force=True)
    write(root / "AGENTS.md", f"- {RULE}\n")
    assert engine.store(RULE, supersedes=[old.id]).outcome == "superseded"


def test_what_a_memory_knows_too_reinforces_it(memory, root):
    engine = memory()
    engine.store(RULE)
    write(root / "AGENTS.md", f"- {RULE}\n")
    assert engine.store(RULE).outcome == "reinforced"


def test_a_file_is_read_again_when_it_changed_and_looked_at_once_in_a_while(memory, root, clock, monkeypatch):
    engine, looks = memory(), []
    monkeypatch.setattr(known_files, "_fitting", lambda paths, look=known_files._fitting: looks.append(paths) or look(paths))
    assert engine.store("Deploys go through the blue pipeline.").outcome == "stored"
    assert len(looks) == 2, "the project's files, and the user's"
    assert engine.store("The ledger keeps its invoices for ten years.").outcome == "stored"
    assert len(looks) == 2
    write(root / "AGENTS.md", f"- {RULE}\n")
    clock.forward(seconds=known_files.LOOK_AGAIN_S + 1)
    assert engine.store(RULE).outcome == "not_news"
    write(root / "AGENTS.md", "- Nothing about it.\n")
    clock.forward(seconds=known_files.LOOK_AGAIN_S + 1)
    assert engine.store(RULE).outcome == "stored"


def test_a_fact_that_holds_beyond_the_project_is_news_where_only_the_project_says_it(memory, home, root):
    write(root / "AGENTS.md", f"- {RULE}\n")
    assert memory().store(RULE, scope="global").outcome == "stored"
    write(home / ".claude" / "CLAUDE.md", "- Prefer small pull requests over big ones.\n")
    assert memory().store("Prefer small pull requests over big ones.", scope="global").outcome == "not_news"


def test_another_projects_files_say_nothing_here(memory, home, root):
    write(home / "shop" / "AGENTS.md", f"- {RULE}\n")
    engine = memory()
    assert engine.store(RULE, project=str(home / "shop")).outcome == "not_news"
    assert engine.store(RULE).outcome == "stored"


def test_sleep_makes_no_fact_of_what_a_file_says_and_does_not_ask_again(memory, root):
    from mnemos_mcp.episode import UNJUDGED
    from mnemos_mcp.model import Episode
    from mnemos_mcp.writes import AddEpisode
    engine = memory()
    identity = engine.place().identity
    for number, text in enumerate((RULE, "We decided to use PostgreSQL 16 for the ledger.")):
        engine.mind.store.apply([AddEpisode(Episode(f"e{number}", text, identity, "s", "user", "user", engine.mind.clock(), UNJUDGED))])
    write(root / "AGENTS.md", f"- {RULE}\n")
    slept = engine.consolidate()
    assert {fact.outcome: fact.reason for fact in slept.facts}["not_news"] == "AGENTS.md already says so"
    assert [m.content for m in engine.list().memories] == ["We decided to use PostgreSQL 16 for the ledger."]
    assert engine.consolidate().facts == () and engine.mind.store.episodes(project=identity) == []


def test_a_memory_that_may_say_otherwise_is_named(memory, root):
    engine = memory()
    old = engine.store("Run the tests with unittest before every commit.", force=True)
    write(root / "AGENTS.md", f"- {RULE}\n")
    result = engine.store(RULE)
    assert result.outcome == "not_news" and [c.id for c in result.possible_conflicts] == [old.id]


def test_the_same_meaning_with_all_its_words_in_a_longer_statement_is_no_news(memory, root):
    write(root / "AGENTS.md", "- Run all the tests locally with pytest before every single commit.\n")
    assert memory(MNEMOS_EMBEDDING_PROVIDER="builtin").store(RULE).outcome == "not_news"
    assert memory(MNEMOS_EMBEDDING_PROVIDER="builtin").store("Run every commit.").reason != "AGENTS.md already says so"


def test_it_can_be_switched_off(memory, home, root):
    write(home / "config" / "mnemos" / "mnemos.toml", "[capture]\nknown_files = false\n")
    write(root / "AGENTS.md", f"- {RULE}\n")
    assert memory(XDG_CONFIG_HOME=str(home / "config")).store(RULE).outcome == "stored"


KNOWN = statements("""---
owner: Use yarn for packages
---
# Rules
- Use uv for dependencies, never pip.
- Always run `make lint` before pushing,
  because CI rejects unformatted code.
- The production server is heron, the staging server is ibis.
1. The retry limit is 5.
* [ ] Redis caches sessions and Postgres stores orders.
- If the build is red, do not deploy.
- We use Postgres over MySQL for the ledger.
- Never force push and rewrite main.
- The canary was heron.
- Is the cache warm on start?
<!-- The mirror is at port 9. -->
```
pip install everything
```
## Never do
- commit to main
""")


@pytest.mark.parametrize("text", [
    "Use uv for dependencies.", "use UV  for dependencies, never pip", "Run make lint before pushing", "The staging server is ibis.", "The retry limit is 5",
    "Postgres stores the orders.", "Never commit to main."])
def test_said_already(text):
    assert any(says(statement, told(text)) for statement in KNOWN)


@pytest.mark.parametrize("text", [
    "Use pip for dependencies.", "Never use uv for dependencies.", "The staging server is heron.", "The production server is ibis.", "The retry limit is 7.",
    "The retry limit is not 5.", "Redis stores orders.", "Orders store Postgres.", "Do not deploy.", "We use MySQL for the ledger.", "Rewrite main.",
    "The canary is heron.", "Commit to main.", "pip install everything", "The mirror is at port 9.", "Use yarn for packages.", "The cache is warm on start.",
    "The retry limit is 5 and the timeout is 30 seconds.", "heron"])
def test_not_said_yet(text):
    assert not any(says(statement, told(text)) for statement in KNOWN)


@pytest.fixture
def files(home, root, clock):
    """`root`'s files as the gate sees them."""
    return KnownFiles(str(home), lambda _: str(root), clock)


def test_a_link_out_of_the_project_is_not_followed_and_one_inside_it_is(files, home, root, tmp_path):
    write(tmp_path / "elsewhere.md", RULE)
    os.symlink(tmp_path / "elsewhere.md", root / "AGENTS.md")
    write(home / ".ssh" / "notes.md", RULE)
    os.symlink(home / ".ssh" / "notes.md", root / "CLAUDE.local.md")
    assert files.say(RULE, "p") == ""
    write(root / "docs" / "agents.md", RULE)
    os.symlink(root / "docs" / "agents.md", root / "CLAUDE.md")
    assert KnownFiles(str(home), lambda _: str(root), lambda: 0.0).say(RULE, "p") == "CLAUDE.md"


def test_what_cannot_be_read_says_nothing_and_holds_up_nobody(files, root):
    os.mkfifo(root / "AGENTS.md")
    (root / "CLAUDE.md").mkdir()
    (root / ".claude").mkdir()
    (root / ".claude" / "rules").write_text("no folder")
    (root / "CLAUDE.local.md").write_bytes(b"\xff\xfe\x00" * 100 + RULE.encode())
    assert files.say("We use uv.", "p") == ""


def test_number_and_size_of_the_files_are_bounded(files, root):
    for number in range(known_files.MOST_FILES + 5):
        write(root / ".claude" / "rules" / f"{number:03d}.md", f"- The part {number} is painted green and blue.\n")
    last = known_files.MOST_FILES - 1
    assert files.say(f"The part {last} is painted green and blue.", "p") and not files.say(f"The part {last + 1} is painted green and blue.", "p")
    write(root / "AGENTS.md", "- filler words stand here\n" * (known_files.LARGEST // 26) + f"- {RULE}\n")
    assert KnownFiles("", lambda _: str(root), lambda: 0.0).say(RULE, "p") == ""


def test_a_line_without_end_is_passed_over(files, root):
    write(root / "AGENTS.md", "# " + "#" * 60_000 + f"x\n- {RULE}\n")
    assert files.say(RULE, "p") == "AGENTS.md"


def test_without_a_project_or_a_home_nothing_is_known(clock):
    assert KnownFiles("", lambda _: "", clock).say(RULE, "p") == "" == KnownFiles("", lambda _: "", clock).say(RULE, "")
