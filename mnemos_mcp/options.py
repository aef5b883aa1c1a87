"""Every setting of mnemos: its names, its default, and how a text becomes its value. Pure.

A setting `llm_provider` is MNEMOS_LLM_PROVIDER in the environment and `llm_provider = ...` or `[llm] provider = ...` in TOML.
A reader takes what was written and returns the value, or raises ValueError whose text says what is allowed.
"""
from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .mechanisms.scopes import CAPTURE_MODES

PREFIX = "MNEMOS_"
# One TOML table a mechanism, handed on to its fields: the fields of MnemosConfig, [governance] and [workspaces] apart.
MECHANISMS = frozenset({"surprisal", "affect", "sectors", "decay", "supersession", "reconsolidation", "sleep", "activation", "ranking",
                        "packing", "floor", "keywords", "firewall", "capture"})
SAME_TABLE = {"consolidation": "sleep"}
# From what lets most through to what lets least; a value that cannot be read never loosens.
STRICTNESS = ("allow", "redact", "block")
GOVERNANCE = ("capture_mode", "retention_days", "cap")
# Accepted names of the OpenAI-compatible provider, with the base URL that each brings.
OPENAI_NAMES = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1", "openclaw": "http://127.0.0.1:18789/v1"}
EMBEDDING_MODELS = {"builtin": "", "none": "", "ollama": "qwen3-embedding:4b", "openai": "text-embedding-3-small",
                    "openrouter": "openai/text-embedding-3-small", "openclaw": "text-embedding-3-small"}
LLM_MODELS = {"none": "", "ollama": "qwen3:8b", "openai": "gpt-4o-mini", "openrouter": "openai/gpt-4o-mini", "openclaw": "openclaw"}
_LISTEN_ON_ALL = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "*": "127.0.0.1", "[::]": "[::1]"}


class Option(NamedTuple):
    """One setting. `field` is its name in Settings; `env` its variables, the first one leading; `toml` its flat names."""

    field: str
    env: tuple[str, ...]
    default: Any
    read: Callable[[Any], Any]
    toml: tuple[str, ...] = ()
    path: bool = False
    private: bool = False  # the value is never shown
    repository: bool = False  # a repository's own file may set it
    user: bool = True  # the user's file may set it


class Secret:
    """A key that shows itself to `reveal()` only: not in a repr, a log, a traceback or a JSON answer."""

    __slots__ = ("_value",)

    def __init__(self, value: str = ""):
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "<set>" if self._value else "<not set>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


def choice(*allowed: str, **same: str) -> Callable[[Any], str]:
    """One of these words, in any case; `same` maps other spellings to them."""
    def read(raw: Any) -> str:
        word = raw.strip().lower() if isinstance(raw, str) else ""
        word = same.get(word, word)
        if word not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return word
    return read


def whole(low: int, high: int) -> Callable[[Any], int]:
    def read(raw: Any) -> int:
        text = str(raw).strip().replace("_", "") if not isinstance(raw, bool) else ""
        if not re.fullmatch(r"[+-]?\d{1,12}", text, re.ASCII) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)
    return read


def number(low: float, high: float) -> Callable[[Any], float]:
    def read(raw: Any) -> float:
        try:
            value = float(raw) if not isinstance(raw, bool) else math.nan
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g}")
        return value
    return read


def text(longest: int) -> Callable[[Any], str]:
    def read(raw: Any) -> str:
        if not isinstance(raw, str) or len(raw) > longest or not raw.strip().isprintable():
            raise ValueError(f"one line of at most {longest} characters")
        return raw.strip()
    return read


def path(raw: Any) -> str:
    if not isinstance(raw, str) or "\0" in raw or len(raw) > 4000:
        raise ValueError("a path")
    return raw.strip()


def ollama_url(raw: Any) -> str:
    """Every form that Ollama takes for its host: 127.0.0.1, localhost:11434, :11434, http://host/; port 11434 unless a scheme is given."""
    return service_url(raw, default_port="11434")


def service_url(raw: Any, default_port: str = "") -> str:
    """A base URL without a last slash. A listen-on-all address is dialled as loopback. ValueError says the form."""
    allowed = "a URL such as http://127.0.0.1:11434" if default_port else "a URL such as https://host/v1"
    written = raw.strip(" \t\r\n\"'") if isinstance(raw, str) else ""
    scheme, mark, rest = written.rpartition("://") if "://" in written else ("", "", written)
    authority, slash, where = rest.partition("/")
    login, at, host = authority.rpartition("@")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"  # a bare IPv6 address
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]?#]*)(?::(\d{1,5}))?", host)
    if not written or scheme.lower() not in ("", "http", "https") or found is None or int(found[2] or 1) not in range(1, 65536) or (
            not found[1] and not found[2]) or not written.isprintable() or re.search(r"\s", written):
        raise ValueError(allowed)
    name = _LISTEN_ON_ALL.get(found[1], found[1].lower())
    port = found[2] or (default_port if not mark else "")
    local = name == "localhost" or name.startswith("127.") or name == "[::1]"
    scheme = scheme.lower() or ("http" if default_port or local or port else "https")
    return f"{scheme}://{login}{at}{name}{':' if port else ''}{port}{slash}{where}".rstrip("/")


def likely(name: str, allowed: list[str] | tuple[str, ...], cutoff: float = 0.6) -> str:
    """The name that was probably meant, or ""."""
    from difflib import get_close_matches
    return next(iter(get_close_matches(name, allowed, n=1, cutoff=cutoff)), "")


_PROVIDERS = ("ollama", *OPENAI_NAMES)
OPTIONS: tuple[Option, ...] = (
    Option("sqlite_path", ("MNEMOS_SQLITE_PATH", "MNEMOS_DB_PATH"), "", path, ("db_path", "store_path"), path=True),
    Option("store_type", ("MNEMOS_STORE_TYPE",), "sqlite", choice("sqlite", "memory")),
    Option("embedding_provider", ("MNEMOS_EMBEDDING_PROVIDER",), "builtin", choice("builtin", *_PROVIDERS, "none")),
    Option("embedding_model", ("MNEMOS_EMBEDDING_MODEL",), "", text(200)),
    Option("llm_provider", ("MNEMOS_LLM_PROVIDER",), "none", choice("none", *_PROVIDERS)),
    Option("llm_model", ("MNEMOS_LLM_MODEL",), "", text(200)),
    Option("ollama_url", ("MNEMOS_OLLAMA_URL",), "http://127.0.0.1:11434", ollama_url),
    Option("openai_url", ("MNEMOS_OPENAI_URL",), "", service_url, ("openai_base_url",)),
    Option("openai_api_key", ("MNEMOS_OPENAI_API_KEY",), "", text(4000), private=True),
    Option("surprisal_threshold", ("MNEMOS_SURPRISAL_THRESHOLD",), 0.30, number(0, 1)),
    Option("secret_action", ("MNEMOS_MEMORY_SECRET_ACTION",), "block", choice(*STRICTNESS), ("firewall_secret_action", "firewall_secrets")),
    Option("pii_action", ("MNEMOS_MEMORY_PII_ACTION",), "redact", choice(*STRICTNESS), ("firewall_pii_action", "firewall_pii")),
    Option("capture_mode", ("MNEMOS_MEMORY_CAPTURE_MODE",), "all", choice(*CAPTURE_MODES),
           ("capture", "governance_capture_mode", "governance_capture"), repository=True),
    Option("retention_days", ("MNEMOS_MEMORY_RETENTION_TTL_DAYS",), 0, whole(0, 36500),
           ("retention", "retention_ttl_days", "governance_retention_days", "governance_retention"), repository=True),
    Option("cap", ("MNEMOS_MEMORY_MAX_CHUNKS_PER_SCOPE",), 0, whole(0, 10_000_000), ("max_chunks_per_scope", "governance_cap")),
    Option("project", ("MNEMOS_PROJECT",), "", path),
    Option("workspace", ("MNEMOS_WORKSPACE",), "", text(100)),
    Option("inject", ("MNEMOS_INJECT",), "session", choice("off", "session", "prompt"), repository=True),
    Option("log_level", ("MNEMOS_LOG_LEVEL",), "warning", choice("debug", "info", "warning", "error", "critical", warn="warning")),
    Option("project_name", (), "", text(100), ("name",), repository=True, user=False),
)
BY_FIELD = {option.field: option for option in OPTIONS}
BY_ENV = {name: option for option in OPTIONS for name in option.env}
BY_TOML = {name: option for option in OPTIONS
           for name in (option.field, *option.toml, *(env.removeprefix(PREFIX).lower() for env in option.env))}
