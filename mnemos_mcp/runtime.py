"""open_engine: the only chooser of implementations."""
from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Literal

from . import __version__, patterns
from .config import MnemosConfig, with_tables
from .engine import Engine
from .identity import resolve
from .known_files import KnownFiles
from .mind import Mind
from .place import Place, locator, place_of, remembered
from .private import make_private, only_readable
from .storage.schema import BUSY_MS, driver_versions
from .storage.sqlite import SqliteStore

if TYPE_CHECKING:
    from .ports import LLM, Clock, Embedder, MemoryStore
    from .settings import Settings

Door = Literal["server", "cli", "hook", "web"]
HOOK_BUSY_MS = 400  # a hook gives up on a held file rather than hold up the client
OWN_PROJECT = Place("name:python", "python", "", "a memory of its own in this process")


def new_id() -> str:
    """Twelve hex digits: six make an unambiguous prefix in any store of one person."""
    return os.urandom(6).hex()


def open_engine(settings: Settings, *, door: Door, clock: Clock = time.time, embedder: Embedder | None = None) -> Engine:
    """The memory that these settings mean; `embedder` where one is at work already. Raises StoreUnavailable when its file cannot be opened."""
    patterns.use(settings.data_dir)
    config, problems = with_tables(MnemosConfig(firewall=settings.firewall()), settings.mechanisms)
    path = settings.database
    reading = path != ":memory:" and only_readable(path)
    warning = make_private(path, create=True) if path != ":memory:" and not reading else None
    store = SqliteStore(path, clock=clock, keywords=config.keywords, busy_ms=HOOK_BUSY_MS if door == "hook" else BUSY_MS, read_only=reading)
    facts = {"versions": versions, "problems": (*settings.problems, *problems),
             "checks": [{"name": "private", "status": "warn", "detail": warning, "effect": "others on this machine may see that the files exist, not what they hold",
                         "remedy": "give mnemos a folder of its own (MNEMOS_SQLITE_PATH)"}] if warning else [],
             "paths": {"store": path, "log": settings.log_path, "settings": settings.user_file, "repository settings": settings.repository_file},
             "differs": {d["name"]: f"{d['value']} ({d['from']})" for d in settings.differences()}}
    locate = locator(settings, store, allow_git=door != "hook")
    own = locate("")
    here = own.identity or ""
    files = KnownFiles(settings.home, lambda project: own.root if project == here else store.root_of(project), clock) if config.capture.known_files else None
    mind = Mind(_fits(store), embedder or _embedder(settings, door), _llm(settings), config, clock, new_id, lambda scope: settings.govern(scope, here), files)
    return Engine(mind, store, locate=locate, session=f"s-{new_id()}", facts=facts)


def open_for_python(config: MnemosConfig, *, embedder: Embedder | Literal["builtin"] | None = "builtin", llm: LLM | None = None, clock: Clock = time.time,
                    project: str = "") -> Engine:
    """For MnemosEngine: no settings, no file unless `config.store` is one. On ':memory:' the project is its own wherever it runs."""
    path = config.store
    if path != ":memory:":
        path = os.path.expanduser(path)
        make_private(path, create=True)
    store = SqliteStore(path, clock=clock, keywords=config.keywords)
    home, cwd = os.path.expanduser("~"), os.getcwd()

    def locate(asked: str) -> Place:
        if path == ":memory:" and not (asked or project):
            return OWN_PROJECT
        return place_of(resolve(asked or project, cwd=cwd, home=home, known=store.named, allow_git=True, cached=remembered(store)), ())

    chosen = _builtin() if embedder == "builtin" else embedder
    mind = Mind(_fits(store), chosen, llm, config, clock, new_id, lambda _: config.governance)
    return Engine(mind, store, locate=locate, session=f"s-{new_id()}", facts={"versions": versions, "paths": {"store": path}})


def _fits(store: MemoryStore) -> MemoryStore:
    """Here the type checker proves that the store fits its protocol."""
    return store


def _builtin() -> Embedder:
    from .providers.embed import BuiltinEmbedder
    return BuiltinEmbedder()


def _embedder(settings: Settings, door: Door) -> Embedder | None:
    from .providers import embed
    match settings.embedding_provider:
        case "none":
            return None
        case "ollama":
            return embed.OllamaEmbedder(settings.embedding_model, settings.embedding_url)
        case "openai":
            return embed.OpenAIEmbedder(settings.embedding_model, settings.embedding_url, settings.openai_api_key.reveal())
        case _:
            # onnxruntime, where installed, embeds faster and starts twice as slowly: only a process that stays wants it.
            return embed.BuiltinEmbedder(runtime="auto" if door in ("server", "web") else "numpy")


def _llm(settings: Settings) -> LLM | None:
    if settings.llm_provider == "none":
        return None
    from .providers import llm
    if settings.llm_provider == "ollama":
        return llm.OllamaLLM(settings.llm_model, settings.llm_url)
    return llm.OpenAILLM(settings.llm_model, settings.llm_url, settings.openai_api_key.reveal())


def versions() -> dict[str, str]:
    """What health prints of the installation."""
    import platform
    return {"mnemos-mcp": __version__, "python": platform.python_version(), **driver_versions(), "platform": f"{sys.platform} {platform.machine()}"}
