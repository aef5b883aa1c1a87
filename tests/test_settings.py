"""Environment and TOML -> Settings."""
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mnemos_mcp import options
from mnemos_mcp import settings as module
from mnemos_mcp.errors import MnemosError
from mnemos_mcp.identity import resolve
from mnemos_mcp.model import GLOBAL, Scope
from mnemos_mcp.settings import Secret, Settings, load

HERE = "git:h.example/a/b"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def read(home, tmp_path):
    """load() with this environment, this user's file and this repository's file."""
    def call(env: dict[str, str] | None = None, user: str = "", repository: str = "", cwd: Path | None = None) -> Settings:
        shop = tmp_path / "shop"
        (shop / ".mnemos").mkdir(parents=True, exist_ok=True)
        (home / ".config/mnemos").mkdir(parents=True, exist_ok=True)
        (home / ".config/mnemos/mnemos.toml").write_text(user)
        (shop / ".mnemos/mnemos.toml").write_text(repository)
        return load({"HOME": str(home), **(env or {})}, cwd=str(cwd or shop))
    return call


def test_the_defaults_are_those_of_the_contract(read, home):
    found = read()
    assert found.sqlite_path == found.database == f"{home}/.local/share/mnemos/mnemos.db"
    assert found.log_path == f"{home}/.local/share/mnemos/mnemos.log"
    assert (found.store_type, found.embedding_provider, found.llm_provider, found.inject) == ("sqlite", "builtin", "none", "session")
    assert (found.secret_action, found.pii_action, found.surprisal_threshold) == ("block", "redact", 0.30)
    assert not found.problems and not found.sources and not found.mechanisms and found.differences() == []


def test_a_misspelt_variable_is_named_with_the_likely_one(read):
    found = read({"MNEMOS_DB_PTH": "secret-value", "MNEMOS_LLM_PROVIDR": "x", "MNEMOS_ZZZZZZ": "x", "mnemos_inject": "off", "MNEMO_INJECT": "off",
        "MNEMONIC": "seed words"})
    said = "\n".join(found.problems)
    assert "MNEMOS_DB_PTH is no setting of mnemos; did you mean MNEMOS_DB_PATH?" in said
    assert "did you mean MNEMOS_LLM_PROVIDER?" in said and "MNEMOS_ZZZZZZ is no setting" in said
    assert said.count("did you mean MNEMOS_INJECT?") == 2
    assert "secret-value" not in said and "MNEMONIC" not in said and len(found.problems) == 5
    assert found.sqlite_path.endswith("/mnemos/mnemos.db")


def test_empty_is_not_set(read):
    everything = dict(zip(options.BY_ENV, ["", " ", "\t"] * 20, strict=False))
    assert read({**everything, "OLLAMA_HOST": " ", "CLAUDE_PROJECT_DIR": "", "XDG_DATA_HOME": ""}) == read()
    assert read(user='inject = ""\n[llm]\nprovider = ""').inject == "session"


def test_paths(read, home, tmp_path):
    assert read({"MNEMOS_SQLITE_PATH": "~/m/x.db"}).sqlite_path == f"{home}/m/x.db"
    assert read({"MNEMOS_DB_PATH": "/tmp/a/../x.db"}).sqlite_path == "/tmp/x.db"
    assert read({"MNEMOS_SQLITE_PATH": "/a.db", "MNEMOS_DB_PATH": "/b.db"}).sqlite_path == "/a.db"
    assert read({"MNEMOS_SQLITE_PATH": str(tmp_path)}).sqlite_path == f"{tmp_path}/mnemos.db"
    assert read({"MNEMOS_SQLITE_PATH": "~/new/"}).sqlite_path == f"{home}/new/mnemos.db"
    relative = read({"MNEMOS_DB_PATH": "other.db"})
    assert relative.sqlite_path == f"{tmp_path}/shop/other.db" and "relative" in relative.problems[0]
    assert read(user='sqlite_path = "x.db"').sqlite_path == f"{home}/.config/mnemos/x.db"
    assert read({"XDG_DATA_HOME": "/data"}).sqlite_path == "/data/mnemos/mnemos.db"
    assert read({"XDG_DATA_HOME": "data"}).sqlite_path == f"{home}/.local/share/mnemos/mnemos.db"
    for env in ({"MNEMOS_STORE_TYPE": "memory"}, {"MNEMOS_SQLITE_PATH": ":memory:"}):
        assert read(env).database == ":memory:" and read(env).store_type == "memory"


def test_folders_of_other_systems():
    assert module._places({}, "/Users/a", "darwin") == ("/Users/a/Library/Application Support/mnemos",
        "/Users/a/Library/Application Support/mnemos/mnemos.toml")
    env = {"APPDATA": "/r", "LOCALAPPDATA": "/l"}
    assert module._places(env, "/h", "win32") == ("/l/mnemos", "/r/mnemos/mnemos.toml")
    assert module._places({"XDG_CONFIG_HOME": "/c"}, "", "linux") == ("", "/c/mnemos/mnemos.toml")


def test_without_home_the_password_database_knows_and_else_it_is_said(tmp_path, monkeypatch):
    import pwd
    assert load({}, cwd=str(tmp_path)).sqlite_path == pwd.getpwuid(os.getuid()).pw_dir + "/.local/share/mnemos/mnemos.db"
    assert load({"HOME": ""}, cwd=str(tmp_path)).home == pwd.getpwuid(os.getuid()).pw_dir

    def unknown(_: int) -> None:
        raise KeyError
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(MnemosError, match="HOME is not set"):
        load({}, cwd=str(tmp_path))
    assert load({"MNEMOS_SQLITE_PATH": "/x/y.db"}, cwd=str(tmp_path)).sqlite_path == "/x/y.db"
    assert load({"XDG_DATA_HOME": "/x"}, cwd=str(tmp_path)).sqlite_path == "/x/mnemos/mnemos.db"
    assert load({"MNEMOS_STORE_TYPE": "memory"}, cwd=str(tmp_path)).database == ":memory:"


@pytest.mark.parametrize(("name", "bad", "field", "used", "allowed"), [
    ("MNEMOS_INJECT", "alwyas", "inject", "session", "off, session, prompt"), ("MNEMOS_STORE_TYPE", "postgres", "store_type", "sqlite", "sqlite, memory"),
    ("MNEMOS_EMBEDDING_PROVIDER", "cohere", "embedding_provider", "builtin", "builtin, ollama"), ("MNEMOS_LLM_PROVIDER", "x", "llm_provider", "none",
    "none, ollama"),
    ("MNEMOS_SURPRISAL_THRESHOLD", "nan", "surprisal_threshold", 0.3, "0 to 1"), ("MNEMOS_MEMORY_RETENTION_TTL_DAYS", "-1", "retention_days", 0,
    "0 to 36500"),
    ("MNEMOS_MEMORY_MAX_CHUNKS_PER_SCOPE", "many", "cap", 0, "whole number"), ("MNEMOS_OLLAMA_URL", "ftp://x", "ollama_url", "http://127.0.0.1:11434",
    "a URL"),
    ("MNEMOS_OPENAI_URL", "http://h:99999/v1", "openai_url", "", "a URL"), ("MNEMOS_MEMORY_SECRET_ACTION", "alow", "secret_action", "block",
    "allow, redact, block"),
    ("MNEMOS_MEMORY_PII_ACTION", "off", "pii_action", "redact", "allow, redact, block"), ("MNEMOS_MEMORY_CAPTURE_MODE", "none", "capture_mode", "all",
    "manual_only, hooks_only")])
def test_a_bad_value_is_named_with_the_allowed_ones_and_not_used(read, name, bad, field, used, allowed):
    found = read({name: bad})
    assert getattr(found, field) == used
    assert len(found.problems) == 1 and name in found.problems[0] and allowed in found.problems[0]


def test_a_bad_firewall_action_never_loosens(read):
    assert read({"MNEMOS_MEMORY_PII_ACTION": "?"}, user='[firewall]\npii_action = "block"').pii_action == "block"
    assert read({"MNEMOS_MEMORY_PII_ACTION": "?"}, user='memory_pii_action = "allow"').pii_action == "redact"
    assert read({"MNEMOS_MEMORY_SECRET_ACTION": "?"}, user='[memory]\nsecret_action = "allow"').secret_action == "block"
    assert read(user='[memory]\nsecret_action = "allow"').secret_action == "allow"


def test_values_are_taken_in_any_case(read):
    found = read({"MNEMOS_LLM_PROVIDER": " Ollama ", "MNEMOS_LOG_LEVEL": "WARN", "MNEMOS_INJECT": "OFF"})
    assert (found.llm_provider, found.log_level, found.inject) == ("ollama", "warning", "off") and not found.problems


def test_the_published_client_configuration_works(read):
    found = read({"MNEMOS_LLM_PROVIDER": "ollama", "MNEMOS_STORE_TYPE": "sqlite", "MNEMOS_LLM_MODEL": "llama3"})
    assert (found.llm_provider, found.llm_model, found.llm_url) == ("ollama", "llama3", "http://127.0.0.1:11434") and not found.problems


@pytest.mark.parametrize(("written", "url"), [
    ("0.0.0.0:11434", "http://127.0.0.1:11434"), ("127.0.0.1", "http://127.0.0.1:11434"), ("localhost:11434", "http://localhost:11434"),
    ("http://127.0.0.1:11434/", "http://127.0.0.1:11434"), ("0.0.0.0", "http://127.0.0.1:11434"), ("[::]:11434", "http://[::1]:11434"), ("::1",
    "http://[::1]:11434"),
    (":8080", "http://127.0.0.1:8080"), ("https://ollama.example.com/base/", "https://ollama.example.com/base"), ('"http://0.0.0.0:9"', "http://127.0.0.1:9"),
    ("box:1", "http://box:1")])
def test_ollama_host_forms(read, written, url):
    assert read({"OLLAMA_HOST": written}).ollama_url == read({"MNEMOS_OLLAMA_URL": written}).ollama_url == url
    assert read({"OLLAMA_HOST": "other:1", "MNEMOS_OLLAMA_URL": written}).ollama_url == url
    assert read({"OLLAMA_HOST": "other:1"}, user=f"[ollama]\nurl = {json.dumps(written)}").ollama_url == url


def test_names_of_the_openai_compatible_provider(read):
    router = read({"MNEMOS_LLM_PROVIDER": "openrouter", "MNEMOS_EMBEDDING_PROVIDER": "openclaw"})
    assert (router.llm_provider, router.llm_url) == ("openai", "https://openrouter.ai/api/v1")
    assert (router.embedding_provider, router.embedding_url) == ("openai", "http://127.0.0.1:18789/v1")
    mixed = read({"MNEMOS_LLM_PROVIDER": "openrouter", "MNEMOS_EMBEDDING_PROVIDER": "openai", "MNEMOS_OPENAI_URL": "http://localhost:1234/v1/"})
    assert (mixed.llm_url, mixed.embedding_url) == ("https://openrouter.ai/api/v1", "http://localhost:1234/v1")
    assert read({"MNEMOS_LLM_PROVIDER": "openclaw", "MNEMOS_OPENAI_URL": "http://localhost:1/v1"}).llm_url == "http://localhost:1/v1"
    assert read({"MNEMOS_LLM_PROVIDER": "openai"}).llm_url == "https://api.openai.com/v1"
    assert read({"MNEMOS_EMBEDDING_PROVIDER": "ollama"}).embedding_model == "qwen3-embedding:4b"


def test_a_key_is_shown_nowhere(read):
    found = read({"MNEMOS_OPENAI_API_KEY": "sk-TOKEN123456789", "MNEMOS_LLM_PROVIDER": "sk-TOKEN123456789sk-TOKEN123456789",
        "MNEMOS_OPENAI_KEY": "sk-TOKEN123456789",
                  "MNEMOS_OPENAI_URL": "https://ann:TOKEN123456789@h.example/v1?key=TOKEN123456789", "MNEMOS_OLLAMA_URL": "ftp://ann:TOKEN123456789@h"},
                 user='openai_keyy = "TOKEN123456789"\n[llm]\nkey = "TOKEN123456789"')
    assert found.openai_api_key.reveal() == "sk-TOKEN123456789"
    shown = f"{found.differences()} {found.problems} {found.openai_api_key!r} {found.openai_api_key} {found.sources}"
    assert "TOKEN" not in shown and "<set>" in shown and "h.example" in shown
    with pytest.raises(TypeError):
        json.dumps(found.openai_api_key)
    assert Secret("a") and not Secret() and Secret("a") == Secret("a") != Secret("b")


def test_the_order_is_environment_repository_user_default(read, tmp_path, home):
    user, repository = 'inject = "off"\n[memory]\nretention_ttl_days = 30', 'inject = "prompt"\nretention = 7\nname = "The Shop"'
    assert read(user=user).inject == "off" and read(user=user, repository=repository).inject == "prompt"
    found = read({"MNEMOS_INJECT": "session"}, user=user, repository=repository)
    assert found.inject == "session" and found.project_name == "The Shop"
    assert found.govern(Scope("project", HERE), here=HERE).retention_days == 7
    assert found.govern(Scope("project", "git:h.example/x/y"), here=HERE).retention_days == 30
    assert found.govern(GLOBAL, here=HERE).retention_days == 30
    fixed = read({"MNEMOS_MEMORY_RETENTION_TTL_DAYS": "3"}, user=user, repository=repository)
    assert fixed.govern(Scope("project", HERE), here=HERE).retention_days == 3
    assert found.sources["inject" if "inject" in found.sources else "retention_days"].endswith(str(home / ".config/mnemos/mnemos.toml"))
    assert read(repository=repository, cwd=home).project_name == ""
    assert read({"CLAUDE_PROJECT_DIR": str(tmp_path / "shop")}, repository=repository, cwd=home).project_name == "The Shop"
    assert read({"MNEMOS_PROJECT": str(tmp_path / "shop")}, repository=repository, cwd=home).project_name == "The Shop"
    assert read({"MNEMOS_PROJECT": "other"}, repository=repository).project_name == ""


@pytest.mark.parametrize("line", [
    'sqlite_path = "/tmp/x.db"', 'db_path = "x"', '[sqlite]\npath = "x"', 'openai_url = "http://evil.example/v1"', '[ollama]\nurl = "http://evil.example"',
    'llm_provider = "openai"',
    '[embedding]\nmodel = "x"', 'memory_secret_action = "allow"', '[firewall]\nsecret_action = "block"', '[memory]\npii_action = "allow"',
    'workspace = "team"', '[workspaces]\nteam = ["~"]',
    '[ranking]\npreset = "generative"', '[surprisal]\nthreshold = 1.0', 'project = "victim"', '[governance]\ncap = 1',
    '[governance.global]\nretention_days = 1', 'openai_api_key = "x"', 'log_level = "debug"',
    'nmae = "x"', 'store_type = "memory"'])
def test_a_repository_file_cannot_set_what_is_the_users(read, line):
    found, plain = read(repository=line), read()
    assert found.problems and all("repository's file" in said for said in found.problems)
    assert {**found._asdict(), "problems": (), "repository_file": ""} == {**plain._asdict(), "problems": (), "repository_file": ""}


@pytest.mark.parametrize(("users", "repositorys", "used"), [
    ("all", "manual_only", "manual_only"), ("all", "hooks_only", "hooks_only"), ("manual_only", "all", "manual_only"), ("manual_only", "hooks_only",
    "manual_only"),
    ("hooks_only", "all", "hooks_only"), ("manual_only", "manual_only", "manual_only")])
def test_a_repository_file_may_tighten_capture_only(read, users, repositorys, used):
    for own in (f'capture_mode = "{users}"', f'[governance.project]\ncapture_mode = "{users}"', f'[governance."{HERE}"]\ncapture_mode = "{users}"'):
        found = read(user=own, repository=f'capture = "{repositorys}"')
        assert found.govern(Scope("project", HERE), here=HERE).capture_mode == used
    assert found.govern(GLOBAL, here=HERE).capture_mode == "all"
    explicit = read({"MNEMOS_MEMORY_CAPTURE_MODE": users}, repository=f'capture = "{repositorys}"')
    assert explicit.govern(Scope("project", HERE), here=HERE).capture_mode == users


def test_the_users_tables(read):
    found = read({"MNEMOS_SURPRISAL_THRESHOLD": "0.5"}, user="""
workspaces = { team = ["git:h.example/a/b", "~/work"], broken = "x" }
[ranking]
preset = "affective"
weights = { semantic = 1.0 }
[surprisal]
threshold = 0.4
other-field = 1
[governance]
cap = 100
[governance.global]
cap = 5
colour = 1
retention_days = "x"
[governance."team"]
capture_mode = "manual_only"
[rankin]
preset = "x"
""")
    assert found.mechanisms == {"ranking": {"preset": "affective", "weights": {"semantic": 1.0}}, "surprisal": {"other_field": 1, "threshold": 0.5}}
    assert found.workspaces == {"team": ("git:h.example/a/b", "~/work")}
    assert found.govern(GLOBAL).cap == 5 and found.govern(Scope("project", "x")).cap == 100
    assert found.govern(Scope("workspace", "team")).capture_mode == "manual_only"
    said = "\n".join(found.problems)
    assert all(word in said for word in ("workspaces.broken", "governance.global.colour", "retention_days", "rankin.preset", "[ranking]?"))
    assert len(found.problems) == 4
    assert {one["name"] for one in found.differences()} >= {"[ranking]", "[workspaces]", "cap", "surprisal_threshold"}


def test_the_tables_are_the_mechanisms_of_the_config():

    from mnemos_mcp.config import MECHANISMS
    assert {*MECHANISMS, "capture"} - {"governance"} == options.MECHANISMS


def test_a_project_given_as_a_folder_is_absolute(read, tmp_path):
    found = read({"MNEMOS_PROJECT": "./shop"}, cwd=tmp_path, repository='name = "The Shop"')
    assert found.project == found.folder == str(tmp_path / "shop")
    assert resolve(found.project, cwd=found.folder, home=found.home, name=found.project_name).name == "The Shop"
    named = read({"MNEMOS_PROJECT": "shop"}, cwd=tmp_path)
    assert (named.project, named.folder) == ("shop", str(tmp_path))


@pytest.mark.parametrize("text", ["inject = ", "inject = 'off'\ninject = 'off'", "\0", "[" * 2000, "x" * 300_000, "[workspaces]\nteam = 1",
    "workspaces = 1", "ranking = 1", "inject = [1]", "cap = true",
                                  "sqlite_path = 5", "[llm]\nprovider = {}", "retention_days = 1e5"])
def test_a_broken_file_is_said_and_the_rest_works(read, text):
    for found in (read(user=text), read(repository=text)):
        assert found.problems and found.sqlite_path.endswith("mnemos.db") and found.inject == "session"


def test_files_in_other_encodings(read, home):
    read()
    path = home / ".config/mnemos/mnemos.toml"
    path.write_bytes(b"\xef\xbb\xbfinject = 'off'\r\n")
    assert load({"HOME": str(home)}, cwd="/").inject == "off"
    path.write_bytes(b"inject = '\xff'")
    assert "UTF-8" in load({"HOME": str(home)}, cwd="/").problems[0]
    path.unlink()
    os.mkfifo(path)
    assert load({"HOME": str(home)}, cwd="/").problems == ()


def test_many_unknown_names_do_not_flood(read):
    assert len(read(repository="\n".join(f"x{n} = 1" for n in range(500))).problems) <= 30


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from([*options.BY_ENV, "OLLAMA_HOST", "CLAUDE_PROJECT_DIR", "XDG_DATA_HOME", "MNEMOS_ODD"]), st.text(max_size=40)))
@example({"MNEMOS_SQLITE_PATH": "\ud800", "CLAUDE_PROJECT_DIR": "\0", "MNEMOS_PROJECT": "/\0"})
@example({"OLLAMA_HOST": "http://[", "MNEMOS_OPENAI_URL": "http://h:٣/"})
def test_any_environment_gives_settings(home, env):
    found = load({"HOME": str(home), **env}, cwd="/")
    assert found.secret_action in options.STRICTNESS and found.database
    found.differences()
