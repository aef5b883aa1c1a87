"""Environment and TOML -> Settings. The only reader of os.environ.

Order: MNEMOS_* of the environment, `<repository>/.mnemos/mnemos.toml` (name, inject, retention, a stricter capture; nothing else), the user's
TOML, OLLAMA_HOST, defaults. Empty is not set. What cannot be used is a sentence in `problems`, and the next in order is used; a firewall
action that cannot be read falls to the default or to what the user's file says, whichever lets less through.
"""
from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from . import identity
from .errors import MnemosError
from .layers import Layer, empty, file_layer, shown_value, variables
from .mechanisms.scopes import CAPTURE_MODES, Governance, at_least_as_strict
from .options import BY_FIELD, EMBEDDING_MODELS, GOVERNANCE, LLM_MODELS, OPENAI_NAMES, OPTIONS, STRICTNESS, Option, Secret

if TYPE_CHECKING:
    from .mechanisms.firewall import Firewall
    from .scope import Scope

_MOST_PROBLEMS = 30  # sentences: a file full of unknown names must not flood health
_NOTHING: Mapping[str, Any] = MappingProxyType({})
REPOSITORY_FILE = os.path.join(".mnemos", "mnemos.toml")


class Settings(NamedTuple):
    """Everything a user can choose, resolved. URLs and models are those of the chosen provider."""

    sqlite_path: str = ""  # absolute; of no use when store_type is "memory"
    store_type: str = "sqlite"
    embedding_provider: str = "builtin"  # builtin, ollama, openai, none
    embedding_model: str = ""
    embedding_url: str = ""
    llm_provider: str = "none"  # none, ollama, openai
    llm_model: str = ""
    llm_url: str = ""
    ollama_url: str = "http://127.0.0.1:11434"
    openai_url: str = ""
    openai_api_key: Secret = Secret()
    surprisal_threshold: float = 0.30  # cosine distance 0..1
    secret_action: str = "block"
    pii_action: str = "redact"
    capture_mode: str = "all"
    retention_days: int = 0
    cap: int = 0
    project: str = ""  # given by MNEMOS_PROJECT: an absolute folder or a name
    project_name: str = ""  # display name, from the repository's file
    workspace: str = ""
    workspaces: Mapping[str, tuple[str, ...]] = _NOTHING
    inject: str = "session"
    log_level: str = "warning"
    mechanisms: Mapping[str, Mapping[str, Any]] = _NOTHING
    scope_rules: Mapping[str, Mapping[str, Any]] = _NOTHING  # [governance.<level or name>] of the user's file
    repository_rules: Mapping[str, Any] = _NOTHING  # what the repository's file says, for its own project
    fixed_rules: frozenset[str] = frozenset()  # governance given by the environment: no file overrides it
    home: str = ""
    cwd: str = ""
    folder: str = ""  # MNEMOS_PROJECT if it is a folder, else CLAUDE_PROJECT_DIR, else the working folder
    data_dir: str = ""
    user_file: str = ""
    repository_file: str = ""  # "" when there is none
    sources: Mapping[str, str] = _NOTHING  # what differs from the defaults -> where it came from
    problems: tuple[str, ...] = ()

    @property
    def database(self) -> str:
        """What SQLite opens."""
        return ":memory:" if self.store_type == "memory" else self.sqlite_path

    @property
    def log_path(self) -> str:
        """Beside the database, named after it; in the data folder when the store is in memory."""
        beside = self.sqlite_path or os.path.join(self.data_dir, "mnemos.db")
        return os.path.splitext(beside)[0] + ".log"

    def firewall(self) -> Firewall:
        """What may enter. The rules are imported here: most hooks screen nothing."""
        from .mechanisms.firewall import Firewall
        return Firewall(self.secret_action, self.pii_action)  # type: ignore[arg-type]

    def govern(self, scope: Scope, here: str = "") -> Governance:
        """Rules of a scope. `here` is the identity of the client's project: only there the repository's own file has a say."""
        rules: dict[str, Any] = {name: getattr(self, name) for name in GOVERNANCE}
        layers = [self.scope_rules.get(scope.level, {}), self.scope_rules.get(scope.name, {}) if scope.name else {}]
        if scope.level == "project" and here and scope.name == here:
            layers.append(self.repository_rules)
        for layer in layers:
            for name, value in layer.items():
                # A repository's file comes last here and may only tighten capture, also over a rule for this very project.
                loosens = name == "capture_mode" and layer is self.repository_rules and not at_least_as_strict(value, rules[name])
                if name not in self.fixed_rules and not loosens:
                    rules[name] = value
        return Governance(**rules)

    def differences(self) -> list[dict[str, str]]:
        """What differs from the defaults, for people: name, value (a key only as <set>, a URL without its login) and where it came from."""
        found = [{"name": name, "value": shown_value(name, getattr(self, name)), "from": source} for name, source in self.sources.items()]
        found += [{"name": name, "value": shown_value(name, value), "from": f"{self.repository_file} (this project only)"}
                  for name, value in self.repository_rules.items()]
        tables = [f"[{name}]" for name in self.mechanisms] + [f"[governance.{name}]" for name in self.scope_rules]
        tables += ["[workspaces]"] if self.workspaces else []
        return found + [{"name": name[:60], "value": "<table>", "from": self.user_file} for name in tables]


def load(environ: Mapping[str, str] | None = None, cwd: str | None = None, home: str | None = None) -> Settings:
    """Read everything once. MnemosError only when no place for the database can be found; all else is in `problems`."""
    env = os.environ if environ is None else environ
    cwd = os.path.abspath(cwd or _working_folder(env))
    home = home or _home(env, real_user=environ is None)
    problems: list[str] = []
    data_dir, user_file = _places(env, home, sys.platform)
    given = variables(env, cwd, problems)
    folder = os.path.join(cwd, env.get("CLAUDE_PROJECT_DIR", "").strip() or cwd)
    chosen = _chosen(given, folder, cwd, home)
    repository_file = _repository_file(chosen, home)
    layers = [given,
              file_layer(repository_file, problems, repository=True) if repository_file else empty(),
              file_layer(user_file, problems) if user_file else empty(),
              empty("", {"ollama_url": (env["OLLAMA_HOST"], "OLLAMA_HOST")} if env.get("OLLAMA_HOST", "").strip() else {})]
    values, sources = _decide(layers, home, problems)
    if "project" in given.values and chosen:
        values["project"] = folder = chosen
    rules = _repository_rules(layers, values, sources, problems)
    settings = Settings(**{name: value for name, value in values.items() if name != "openai_api_key"},
                        openai_api_key=Secret(values["openai_api_key"]),
                        workspaces=layers[2].workspaces, scope_rules=layers[2].scope_rules, repository_rules=rules,
                        fixed_rules=frozenset(set(GOVERNANCE) & set(given.values)), sources=sources, home=home, cwd=cwd, folder=folder,
                        data_dir=data_dir, user_file=user_file, repository_file=repository_file)
    settings = _with_services(_with_database(settings))
    return settings._replace(mechanisms=_mechanisms(layers[2], settings), problems=tuple(dict.fromkeys(problems))[:_MOST_PROBLEMS])


def environment() -> dict[str, str]:
    """A copy of the environment of this process, for those who start others or look where a client keeps its files."""
    return dict(os.environ)


def load_at(folder: str) -> Settings:
    """What holds in another folder than the client's own, its repository's file included."""
    own = ("CLAUDE_PROJECT_DIR", "MNEMOS_PROJECT")
    return load({name: value for name, value in os.environ.items() if name not in own}, cwd=folder)


def _decide(layers: list[Layer], home: str, problems: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for option in OPTIONS:
        allowed = layers[:1] + layers[2:] if option.field in GOVERNANCE else layers
        value, source = _first_good(option, allowed, home, problems)
        values[option.field] = value
        if value != option.default:
            sources[option.field] = source
    return values, sources


def _first_good(option: Option, layers: list[Layer], home: str, problems: list[str]) -> tuple[Any, str]:
    """The value of the first layer that has a usable one, and where it came from."""
    bad: list[str] = []
    value, source = option.default, "default"
    for layer in layers:
        if option.field not in layer.values:
            continue
        raw, where = layer.values[option.field]
        try:
            value, source = option.read(raw), where
            if option.path:
                value = _absolute(value, layer.base, home)
            break
        except ValueError as error:
            bad.append(f"{where} = {shown_value(option.field, raw)} is not allowed ({error})")
    if bad and option.default in STRICTNESS and STRICTNESS.index(value) < STRICTNESS.index(option.default):
        value, source = option.default, "default"
    problems += [f"{one}; {shown_value(option.field, value) or 'the default'} is used." for one in bad]
    return value, source


def _repository_rules(layers: list[Layer], values: Mapping[str, Any], sources: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """Retention and capture of the repository's file, as far as it may set them."""
    rules: dict[str, Any] = {}
    for name in GOVERNANCE:
        if name not in layers[1].values:
            continue
        raw, where = layers[1].values[name]
        users = layers[2].scope_rules.get("project", {}).get(name, values[name])
        users = values[name] if name in layers[0].values else users
        try:
            value = BY_FIELD[name].read(raw)
        except ValueError as error:
            problems.append(f"{where} = {shown_value(name, raw)} is not allowed ({error}); {users} is used.")
            continue
        if name == "capture_mode" and not at_least_as_strict(value, users):
            problems.append(f"{where} = {value} is not stricter than your own {users}, which is used: a repository may only tighten capture "
                            f"({', '.join(CAPTURE_MODES)}).")
        else:
            rules[name] = value
    return rules


def _with_database(settings: Settings) -> Settings:
    path = settings.sqlite_path
    if settings.store_type == "memory" or path == ":memory:":
        return settings._replace(store_type="memory", sqlite_path="")
    if not path and not settings.data_dir:
        raise MnemosError("No place for the database: HOME is not set and the password database knows no home folder. "
                          "Set HOME, or MNEMOS_SQLITE_PATH to an absolute path.")
    path = path or settings.data_dir
    if path == settings.data_dir or path.endswith(("/", os.sep)) or os.path.isdir(path):
        path = os.path.join(path, "mnemos.db")
    return settings._replace(sqlite_path=path)


def _with_services(settings: Settings) -> Settings:
    """Resolve provider names to provider, URL and model. An explicit URL belongs to a plain `openai` if there is one, else to the alias."""
    names = (settings.embedding_provider, settings.llm_provider)

    def url(name: str) -> str:
        if name in OPENAI_NAMES:
            explicit = settings.openai_url if name == "openai" or "openai" not in names else ""
            return explicit or OPENAI_NAMES[name]
        return settings.ollama_url if name == "ollama" else ""

    def plain(name: str) -> str:
        return "openai" if name in OPENAI_NAMES else name

    embedding, llm = names
    return settings._replace(embedding_provider=plain(embedding), embedding_url=url(embedding), llm_provider=plain(llm), llm_url=url(llm),
                             embedding_model=settings.embedding_model or EMBEDDING_MODELS[embedding], llm_model=settings.llm_model or LLM_MODELS[llm])


def _mechanisms(users: Layer, settings: Settings) -> dict[str, dict[str, Any]]:
    """The user's tables, with what a setting says in the place of the field of that name."""
    tables = {name: dict(table) for name, table in users.mechanisms.items()}
    if "surprisal_threshold" in settings.sources:
        tables.setdefault("surprisal", {})["threshold"] = settings.surprisal_threshold
    return tables


def _chosen(given: Layer, folder: str, cwd: str, home: str) -> str:
    """The folder whose file counts: MNEMOS_PROJECT if it is a folder, nothing if it is a name, else the client's."""
    project = given.values.get("project", ("", ""))[0]
    if not project:
        return folder
    return _absolute(project, cwd, home) if identity.is_folder(project, cwd, home) else ""


def _repository_file(folder: str, home: str) -> str:
    root = identity.root_of(folder, home=home) if folder else ""
    path = os.path.join(root, REPOSITORY_FILE) if root else ""
    return path if path and os.path.isfile(path) else ""


def _absolute(path: str, base: str, home: str) -> str:
    if path in ("", ":memory:"):
        return path
    expanded = home + path[1:] if home and (path == "~" or path.startswith(("~/", "~\\"))) else path
    absolute = os.path.normpath(os.path.join(base, expanded))
    return absolute + os.sep if expanded.endswith(("/", os.sep)) else absolute


def _working_folder(env: Mapping[str, str]) -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us, a worktree for example
        return env.get("PWD", "") or os.sep


def _home(env: Mapping[str, str], *, real_user: bool) -> str:
    """HOME (USERPROFILE on Windows), else the password database; "" when neither knows."""
    found = env.get("HOME" if os.name == "posix" else "USERPROFILE", "").strip()
    if found:
        return os.path.abspath(found)
    try:
        import pwd
        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError, OSError):
        return os.path.expanduser("~") if os.name != "posix" and real_user else ""


def _places(env: Mapping[str, str], home: str, platform: str) -> tuple[str, str]:
    """Data folder and the user's TOML, "" where no home is known. XDG variables count on every system, as absolute paths only."""
    def place(xdg: str, windows: str, macos: str, otherwise: str) -> str:
        named = env.get(xdg, "").strip()
        if os.path.isabs(named):
            return os.path.join(named, "mnemos")
        if platform == "win32":
            named = env.get(windows, "").strip()
            return os.path.join(named or os.path.join(home, "AppData", "Local"), "mnemos") if named or home else ""
        under = macos if platform == "darwin" else otherwise
        return os.path.join(home, under, "mnemos") if home else ""
    support = os.path.join("Library", "Application Support")
    data = place("XDG_DATA_HOME", "LOCALAPPDATA", support, os.path.join(".local", "share"))
    config = place("XDG_CONFIG_HOME", "APPDATA", support, ".config")
    return data, os.path.join(config, "mnemos.toml") if config else ""
