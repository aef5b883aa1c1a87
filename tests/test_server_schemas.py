"""The tools that a client is shown equal the contract, in plain schemas and within the size, and parameters are read as they are meant."""
from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from cases import case

from mnemos_mcp.errors import BadInput
from mnemos_mcp.params import read_all
from mnemos_mcp.tools import INSTRUCTIONS, VERBS

LEVELS = ["project", "workspace", "global"]
SECTORS = ["semantic", "procedural", "episodic", "emotional", "reflective"]
GRADES = ["auto", "low", "medium", "high"]
TEXT: dict[str, Any] = {"type": "string"}
LIST: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


def flag(default: bool = False) -> dict[str, Any]:
    return {"type": "boolean", "default": default}


def word(choices: list[str], default: str | None = None) -> dict[str, Any]:
    return {"type": "string", "enum": choices} | ({"default": default} if default else {})


# CONTRACT.md section 2, without descriptions. Required ones first.
CONTRACT: dict[str, tuple[list[str], dict[str, Any]]] = {
    "mnemos_store": (["content"], {
        "content": {"type": "string", "minLength": 1, "maxLength": 100_000}, "scope": word(LEVELS, "project"), "key": TEXT, "importance": word(GRADES, "auto"),
        "role": word(["user", "assistant", "tool"], "user"), "tags": LIST, "supersedes": LIST, "valid_from": TEXT, "pinned": flag(), "force": flag(),
        "project": TEXT, "session": TEXT}),
    "mnemos_retrieve": (["query"], {
        "query": {"type": "string", "minLength": 1}, "limit": {"type": "integer", "default": 8, "minimum": 1, "maximum": 50},
        "scopes": {"type": "array", "items": {"type": "string", "enum": LEVELS}}, "mode": word(["hybrid", "semantic", "keyword"], "hybrid"), "as_of": TEXT,
        "related_to": TEXT, "tags": LIST, "sector": word(SECTORS), "budget_tokens": {"type": "integer", "default": 2000, "minimum": 100, "maximum": 5000},
        "explain": flag(), "reconsolidate": flag(True), "project": TEXT}),
    "mnemos_consolidate": ([], {
        "project": TEXT, "dry_run": flag(), "undo": TEXT,
        "facts": {"type": "array", "items": {"type": "object", "required": ["content", "from"], "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 100_000}, "from": LIST, "key": TEXT, "importance": word(GRADES)}}}}),
    "mnemos_forget": (["id"], {"id": {"type": "string", "minLength": 1}, "erase": flag()}),
    "mnemos_inspect": (["id"], {"id": {"type": "string", "minLength": 1}}),
    "mnemos_list": ([], {
        "project": TEXT, "scope": word(["all", *LEVELS], "all"), "status": word(["active", "archived", "superseded", "all"], "active"),
        "sort": word(["recent", "salience", "retention", "accessed"], "recent"), "tags": LIST,
        "limit": {"type": "integer", "default": 20, "minimum": 1, "maximum": 100}, "offset": {"type": "integer", "default": 0, "minimum": 0}}),
    "mnemos_stats": ([], {}),
    "mnemos_health": ([], {}),
    "mnemos_reinforce": (["id"], {
        "id": {"type": "string", "minLength": 1}, "signal": word(["helpful", "not_helpful", "wrong", "pin", "unpin", "restore"], "helpful"), "note": TEXT}),
    "mnemos_timeline": ([], {"id": TEXT, "key": TEXT, "query": TEXT, "as_of": TEXT, "project": TEXT}),
}
READ_ONLY = {"mnemos_inspect", "mnemos_list", "mnemos_stats", "mnemos_health", "mnemos_timeline"}
FORBIDDEN = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "const", "title", "nullable"}


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """What the SDK sends to a client, by name."""
    from mnemos_mcp.opening import OpenMemory
    from mnemos_mcp.server import build_server
    memory = OpenMemory(lambda: None)  # type: ignore[arg-type, return-value]
    shown = asyncio.run(build_server(memory).list_tools())
    return {tool.name: json.loads(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in shown}


def without_descriptions(schema: Any) -> Any:
    """The schema without its own descriptions; a property may be called so."""
    if isinstance(schema, dict):
        return {k: ({name: without_descriptions(one) for name, one in v.items()} if k == "properties" else without_descriptions(v))
                for k, v in schema.items() if k != "description"}
    return [without_descriptions(v) for v in schema] if isinstance(schema, list) else schema


def test_tools_are_those_of_the_contract(tools: dict[str, Any]) -> None:
    assert list(tools) == list(CONTRACT)
    for name, (required, properties) in CONTRACT.items():
        expected = {"type": "object", "properties": properties} | ({"required": required} if required else {})
        assert without_descriptions(tools[name]["inputSchema"]) == expected, name


def plain_schema(schema: dict[str, Any], path: str) -> None:
    assert not FORBIDDEN & set(schema), path
    assert isinstance(schema["type"], str), path
    assert None not in schema.values() and None not in schema.get("enum", ()), path
    if schema["type"] == "array":
        plain_schema(schema["items"], f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        plain_schema(inner, f"{path}.{name}")


@case("tools-schema-unions")
def test_schemas_are_plain_and_every_parameter_is_described(tools: dict[str, Any]) -> None:
    for name, tool in tools.items():
        plain_schema(tool["inputSchema"], name)
        plain_schema(tool["outputSchema"], f"{name} reply")
        assert all(p["description"] for p in tool["inputSchema"]["properties"].values()), name
        assert all(name in tool["outputSchema"]["properties"] for name in tool["outputSchema"]["required"]), name


@case("tools-names-and-size")
def test_sizes(tools: dict[str, Any]) -> None:
    shown = [{k: tool[k] for k in ("name", "description", "inputSchema")} for tool in tools.values()]
    assert len(json.dumps(shown)) <= 8000
    assert len(json.dumps(list(tools.values()))) <= 30_000
    assert max(map(len, tools)) + len("mcp__plugin_mnemos_mnemos__") < 60
    assert len(INSTRUCTIONS.split()) < 120
    assert all("Call" in tool["description"] for tool in tools.values())


def test_annotations(tools: dict[str, Any]) -> None:
    for name, tool in tools.items():
        hints = tool["annotations"]
        assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert hints["openWorldHint"] is False
        assert hints["readOnlyHint"] is (name in READ_ONLY)
        assert hints["destructiveHint"] is (name == "mnemos_forget")


def read(verb: str, **given: Any) -> dict[str, Any]:
    params = next(v for v in VERBS if v.name == verb).params
    return read_all(params, given, f"mnemos_{verb}")


def test_what_is_left_out_has_its_default_and_null_counts_as_left_out() -> None:
    defaults = {"content": "x", "scope": "project", "importance": "auto", "role": "user", "pinned": False, "force": False}
    assert read("store", content="x") == defaults
    assert read("store", content="x", **{name: None for name in CONTRACT["mnemos_store"][1] if name != "content"}) == defaults
    assert read("store", content="x", key="", tags=[], scope="", valid_from="", pinned="") == defaults
    assert read("retrieve", query="x") == {"query": "x", "limit": 8, "mode": "hybrid", "budget_tokens": 2000, "explain": False, "reconsolidate": True}


@pytest.mark.parametrize(("verb", "name", "given", "meant"), [
    ("retrieve", "limit", "5", 5), ("retrieve", "limit", 5.0, 5), ("retrieve", "limit", " 50 ", 50), ("list", "offset", 100_000, 100_000),
    ("retrieve", "explain", "true", True), ("retrieve", "explain", 1, True), ("retrieve", "reconsolidate", "false", False),
    ("retrieve", "reconsolidate", "False", False), ("retrieve", "reconsolidate", False, False),
    ("store", "tags", '["api","auth"]', ("api", "auth")), ("store", "tags", "75%, of", ("75%, of",)), ("store", "tags", [2024, " x "], ("2024", "x")),
    ("store", "supersedes", "abc123, def456", ("abc123", "def456")), ("retrieve", "scopes", "Project,global", ("project", "global")),
    ("store", "importance", "0.8", "high"), ("store", "importance", 0.3, "low"), ("store", "importance", "HIGH", "high"),
    ("store", "valid_from", "2026-01-31", 1769817600.0), ("store", "valid_from", "2026-01-31T01:00:00+01:00", 1769817600.0),
    ("store", "valid_from", "1769817600", 1769817600.0), ("store", "valid_from", 1769817600000, 1769817600.0),
    ("consolidate", "facts", '[{"content":"a","from":"e1, e2","importance":"high"}]', ({"content": "a", "from": ("e1", "e2"), "importance": "high"},)),
])
def test_values_are_taken_as_they_are_meant(verb: str, name: str, given: Any, meant: Any) -> None:
    required = {"store": {"content": "x"}, "retrieve": {"query": "x"}}.get(verb, {})
    assert read(verb, **{**required, name: given})[name] == meant


@pytest.mark.parametrize(("verb", "given", "said"), [
    ("retrieve", {"query": "x", "limit": 0}, "1 to 50"), ("retrieve", {"query": "x", "limit": 51}, "1 to 50"),
    ("retrieve", {"query": "x", "limit": "many"}, "1 to 50"), ("retrieve", {"query": "x", "limit": True}, "1 to 50"),
    ("retrieve", {"query": "x", "limit": 2.5}, "1 to 50"), ("retrieve", {"query": "x", "limit": float("nan")}, "1 to 50"),
    ("retrieve", {"query": "x", "budget_tokens": 99}, "100 to 5000"), ("list", {"offset": -1}, "0 or more"), ("list", {"limit": 1_000_000}, "1 to 100"),
    ("retrieve", {"query": 5}, "query must be a text, not a number"), ("retrieve", {"query": " "}, "1 or more characters"),
    ("retrieve", {}, "needs query"), ("store", {"content": None}, "needs content"), ("store", {"content": "x" * 100_001}, "1 to 100,000 characters"),
    ("store", {"content": "x", "scope": "everyone"}, "project, workspace, global"), ("store", {"content": "x", "importance": 7}, "auto, low, medium, high"),
    ("store", {"content": "x", "tags": [{"a": 1}]}, "list of texts"), ("store", {"content": "x", "valid_from": "yesterday"}, "2026-01-31"),
    ("store", {"content": "x", "pinned": "perhaps"}, "true or false"), ("store", {"content": "x", "pin": True}, "Did you mean pinned?"),
    ("retrieve", {"query": "x", "scopes": ["team"]}, "project, workspace, global"), ("consolidate", {"facts": "all"}, "list of objects"),
    ("consolidate", {"facts": [{"content": "x"}]}, "needs from"), ("stats", {"verbose": True}, "It takes: none"),
])
def test_what_is_not_allowed_is_said_in_one_sentence(verb: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(verb, **given)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_refusal_never_quotes_a_text_that_may_be_a_secret() -> None:
    for given in ({"scope": "sk-secret-123"}, {"pinned": "sk-secret-123"}, {"tags": {"sk-secret-123": 1}}, {"importance": "sk-secret-123"}):
        with pytest.raises(BadInput) as caught:
            read("store", content="x", **given)
        assert "sk-secret" not in str(caught.value)
