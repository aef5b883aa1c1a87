"""The real server over real stdio: every byte of stdout, every line answered, gone when asked."""
from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import case
from mcp_rig import INITIALIZE, SERVE, STUCK, Server, sdk_client

TOOLS = ["mnemos_store", "mnemos_retrieve", "mnemos_consolidate", "mnemos_forget", "mnemos_inspect", "mnemos_list", "mnemos_stats", "mnemos_health",
         "mnemos_reinforce", "mnemos_timeline"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the module, as noisy as it can be told to be."""
    with Server(tmp_path_factory.mktemp("mcp"), PYTHONWARNINGS="always", MNEMOS_LOG_LEVEL="debug") as running:
        running.start()
        yield running


def contents(reply: dict[str, Any]) -> list[str]:
    return [m["content"] for m in reply["memories"]]


# ---- what is said


def test_instructions_come_with_the_handshake(tmp_path: Path) -> None:
    with Server(tmp_path, STUCK) as server:
        result = server.start()
        assert result["serverInfo"]["name"] == "mnemos"
        assert "data" in result["instructions"] and len(result["instructions"].split()) < 120
        assert server.close_stdin() == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_works_in_both_eras(mode: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with sdk_client(tmp_path, mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            fact = {"content": "We use uv as the package manager, never pip.", "key": "package-manager"}
            stored = (await client.call_tool("mnemos_store", fact)).structured_content
            assert stored["outcome"] == "stored" and stored["stored"] is True
            found = await client.call_tool("mnemos_retrieve", {"query": "which package manager?", "explain": True})
            first = found.structured_content["memories"][0]
            assert first["id"] == stored["id"] and round(sum(first["why"].values()), 9) == first["score"]
            assert stored["id"] in found.content[0].text
            for verb, arguments in (("inspect", {"id": stored["id"][:6]}), ("list", {}), ("stats", {}), ("health", {}),
                                    ("timeline", {"key": "package-manager"}), ("reinforce", {"id": stored["id"]}), ("consolidate", {"dry_run": True}),
                                    ("forget", {"id": stored["id"]})):
                result = await client.call_tool(f"mnemos_{verb}", arguments)  # the client checks the reply against its outputSchema
                assert not result.is_error, (verb, result.content)
            refused = await client.call_tool("mnemos_retrieve", {"query": "x", "limit": 0})
            assert refused.is_error and "1 to 50" in refused.content[0].text
            uris = [str(r.uri) for r in (await client.list_resources()).resources]
            assert uris == ["mnemos://stats", "mnemos://architecture", "mnemos://brief"]
            for uri in [*uris, f"mnemos://memory/{stored['id']}"]:
                assert (await client.read_resource(uri)).contents[0].text is not None
            assert [t.uri_template for t in (await client.list_resource_templates()).resource_templates] == ["mnemos://memory/{id}"]
            assert [p.name for p in (await client.list_prompts()).prompts] == ["recall", "distil"]
            assert "deploys {x}" in (await client.get_prompt("recall", {"topic": "deploys {x}"})).messages[0].content.text
            assert "mnemos_consolidate" in (await client.get_prompt("distil")).messages[0].content.text

    asyncio.run(asyncio.wait_for(scenario(), 60))


@case("tools-values-as-strings")
def test_strings_are_taken_for_numbers_lists_and_truth(server: Server) -> None:
    server.call("store", content="The staging cluster runs in Frankfurt.", tags='["infra","cities"]', pinned="false", importance="0.8", force="true")
    reply = server.call("retrieve", query="staging cluster city", limit="5", tags='["infra"]', explain="false", scopes="project, global")
    assert contents(reply) == ["The staging cluster runs in Frankfurt."]
    assert "why" not in reply["memories"][0]


@case("stdio-failure-not-flagged")
@pytest.mark.parametrize(("verb", "arguments", "said"), [
    ("forget", {"id": "does-not-exist"}, "does-not-exist"), ("inspect", {"id": "ffffffff"}, "mnemos_list"), ("store", {}, "needs content"),
    ("retrieve", {"query": 5}, "query must be a text"), ("retrieve", {"qury": "x"}, "Did you mean query?"), ("list", {"limit": -1}, "1 to 100"),
    ("list", {"offset": -1}, "0 or more"), ("retrieve", {"query": "x", "as_of": "yesterday"}, "2026-01-31"), ("search", {"query": "x"}, "mnemos_retrieve"),
    ("store", {"content": "word " * 200_000}, "100,000 characters"), ("timeline", {}, "id, key or query"),
    ("consolidate", {"undo": "no-such-run"}, "no-such-run"),
])
def test_failures_are_flagged_with_what_to_change(server: Server, verb: str, arguments: dict[str, Any], said: str) -> None:
    text = server.refusal(verb, **arguments)
    assert said in text
    assert "Traceback" not in text and "/" not in text.replace("subject/attribute", "") and "\n" not in text


def test_ten_calls_at_once(server: Server) -> None:
    texts = [f"Service number {i} listens on port {9000 + i}." for i in range(10)]
    ids = [server.ask("tools/call", {"name": "mnemos_store", "arguments": {"content": text, "force": True}}) for text in texts]
    replies = [server.answer(i)["result"]["structuredContent"] for i in ids]
    assert all(reply["stored"] for reply in replies)
    assert set(texts) <= set(contents(server.call("list", limit=100)))


@case("oversize-answer-over-client-cap")
def test_replies_stay_small(server: Server) -> None:
    for i in range(30):
        server.call("store", content=f"migration {i} " + "x" * 5000, force=True, tags=["bulk"])
    for verb, arguments in (("retrieve", {"query": "migration", "limit": 20, "budget_tokens": 5000}), ("list", {"tags": ["bulk"], "limit": 100})):
        line = json.dumps(server.answer(server.ask("tools/call", {"name": f"mnemos_{verb}", "arguments": arguments})), ensure_ascii=False)
        assert len(line) <= 20_000 and "shortened; full text: mnemos_inspect" in line
    assert server.call("list", tags=["bulk"], limit=5)["total"] == 30


# ---- lines that the SDK would drop


@case("encoding-lone-surrogate")
def test_half_a_surrogate_pair_is_replaced(server: Server) -> None:
    sent = server.ask_raw(rb'{"content":"The half \ud83d pair stays, \ud83d\ude00 and \\ud83d too.","force":true}')
    stored = server.answer(sent)["result"]["structuredContent"]
    assert server.call("inspect", id=stored["id"])["content"] == "The half \ufffd pair stays, 😀 and \\ud83d too."


def test_bad_bytes_inside_a_text_are_taken(server: Server) -> None:
    sent = server.ask_raw(b'{"content":"Bytes \xff\xed\xa0\xbd and a NUL \x00 stay, tail omegaword.","force":true}')
    stored = server.answer(sent)["result"]["structuredContent"]
    assert "tail omegaword" in server.call("inspect", id=stored["id"])["content"]


@pytest.mark.parametrize(("line", "code", "answered"), [
    (b"garbage", -32700, None), (b"\xff\xfe{}", -32700, None), (b'{"jsonrpc":"2.0","id":"cut-1","method":"ping"', -32700, "cut-1"), (b"[1]", -32600, None),
    (b"5", -32600, None), (b'{"id":"no-version","method":"ping"}', -32600, "no-version"), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":"list-params","method":"ping","params":[]}', -32600, "list-params"),
    (b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}", -32700, "deep"),
    (b'{"jsonrpc":"2.0","id":"nan","method":"ping","params":{"a":NaN}}', -32700, "nan"),
    (b'{"params":{"a":[{"id":"inner"},-Infinity]},"method":"ping","id":"infinite","jsonrpc":"2.0"}', -32700, "infinite"),
    (b'{"jsonrpc":"2.0","method":"ping","params":' + b'{"a":[' * 60000 + b"]}" * 60000 + b',"id":"deep-late"}', -32700, "deep-late"),
    (b'{"jsonrpc":"2.0","id":"endless","method":"ping","params":{"a":1e999}}', -32700, "endless"),
    (b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"a":"' + b"x" * (17 << 20) + b'"}}', -32600, "long"),
    (b'{"params":{"a":"' + b"x" * (17 << 20) + b'"},"method":"ping","jsonrpc":"2.0","id":"long-late"}', -32600, "long-late"),
], ids=lambda value: str(value)[:24] if isinstance(value, bytes) else "")
def test_bad_lines_are_answered_and_the_next_call_works(server: Server, line: bytes, code: int, answered: Any) -> None:
    server.raw(b"\n" + line + b"\n")
    ping = server.ask("ping")
    assert server.answer(answered)["error"]["code"] == code
    assert "result" in server.answer(ping)


def error(server: Server, method: str, params: dict[str, Any]) -> tuple[int, str]:
    answered = server.answer(server.ask(method, params))["error"]
    return answered["code"], answered["message"]


@pytest.mark.parametrize(("method", "params", "said"), [
    ("prompts/get", {"name": "recall"}, "recall needs topic"), ("prompts/get", {"name": "recall", "arguments": {"topik": "secretword"}}, "has no topik"),
    ("prompts/get", {"name": "recall", "arguments": {"topic": "x", "depth": "secretword"}}, "has no depth"),
    ("prompts/get", {"name": "distill"}, "Did you mean distil?"), ("prompts/get", {}, "name (a text)"), ("resources/read", {"uri": 5}, "uri (a text)"),
    ("tools/call", {"name": "mnemos_stats", "arguments": []}, "arguments (an object)"), ("logging/setLevel", {"level": "x"}, "logging/setLevel")])
def test_wrong_params_are_named_with_the_code_for_them_and_leave_no_trace_on_stderr(server: Server, method: str, params: dict[str, Any], said: str) -> None:
    code, message = error(server, method, params)
    assert code == -32602 and said in message
    assert "result" in server.answer(server.ask("ping"))
    assert b"Traceback" not in server.errors and b"secretword" not in server.errors


def test_whatever_comes_before_the_handshake_is_told_of_it(tmp_path: Path) -> None:
    with Server(tmp_path, STUCK) as server:
        for method, params in (("tools/list", {}), ("tools/call", {"name": "mnemos_stats", "arguments": {}}), ("prompts/get", {"name": "distil"})):
            code, message = error(server, method, params)
            assert code == -32602 and "initialize first" in message
        assert "protocolVersion" in error(server, "initialize", {})[1]
        server.start()
        assert "result" in server.answer(server.ask("tools/list"))


def test_a_byte_order_mark_and_carriage_returns_do_no_harm(server: Server) -> None:
    server.raw(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"bom","method":"ping","params":null}\r\n')
    assert "result" in server.answer("bom")


@case("stdio-noise-on-stdout")
def test_every_line_of_stdout_was_a_message(server: Server) -> None:
    """Last in the module: what all the tests above made it print, with warnings and debug logs on."""
    assert "result" in server.answer(server.ask("ping"))
    assert len(server.lines) > 80
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
    assert b"omegaword" not in server.errors and b"Frankfurt" not in server.errors


# ---- a store that cannot be opened


def test_a_broken_store_is_said_by_each_call_and_by_health(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder is needed")
    with Server(tmp_path, MNEMOS_SQLITE_PATH=str(tmp_path / "taken" / "mnemos.db")) as server:
        server.start()
        for verb, arguments in (("store", {"content": "x"}), ("stats", {})):
            text = server.refusal(verb, **arguments)
            assert "mnemos.db" in text and str(tmp_path) not in text
        assert server.call("health")["status"] == "fail"
        (tmp_path / "taken").unlink()
        assert server.call("store", content="We deploy on Fridays only.", force=True)["stored"]


# ---- the end


def test_what_was_asked_before_the_end_of_stdin_is_answered(tmp_path: Path) -> None:
    with Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.ask("initialize", INITIALIZE)
        stored = server.ask("tools/call", {"name": "mnemos_store", "arguments": {"content": "The CI runs on arm64 machines.", "force": True}})
        assert server.close_stdin() == 0
        assert server.answer(stored)["result"]["structuredContent"]["stored"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, None], ids=["SIGTERM", "SIGINT", "end of stdin"])
def test_it_is_gone_when_asked_even_within_a_call(how: signal.Signals | None, tmp_path: Path) -> None:
    with Server(tmp_path, STUCK) as server:
        server.start()
        server.ask("tools/call", {"name": "mnemos_retrieve", "arguments": {"query": "never answered"}})
        assert "result" in server.answer(server.ask("ping"))
        asked = time.monotonic()
        if how is None:
            server.process.stdin.close()  # type: ignore[union-attr]
        else:
            server.process.send_signal(how)
        assert server.process.wait(10) == 0
        assert time.monotonic() - asked < (5.0 if how is None else 1.0)


def test_a_client_that_is_dead_is_not_waited_for(tmp_path: Path) -> None:
    with Server(tmp_path, STUCK) as server:
        server.start()
        server.ask("tools/call", {"name": "mnemos_retrieve", "arguments": {"query": "never answered"}})
        assert "result" in server.answer(server.ask("ping"))
        asked = time.monotonic()
        server.close_stdout()
        server.process.stdin.close()  # type: ignore[union-attr]
        assert server.process.wait(10) == 0
        assert time.monotonic() - asked < 2.0


@pytest.mark.parametrize("how", [signal.SIGTERM, None], ids=["SIGTERM", "end of stdin"])
def test_an_idle_server_is_gone_at_once(how: signal.Signals | None, tmp_path: Path) -> None:
    with Server(tmp_path, STUCK) as server:
        server.start()
        assert "result" in server.answer(server.ask("ping"))
        asked = time.monotonic()
        if how is None:
            server.process.stdin.close()  # type: ignore[union-attr]
        else:
            server.process.send_signal(how)
        assert server.process.wait(10) == 0
        assert time.monotonic() - asked < 1.0


EMPTY = ("-c", "from mcp.server.mcpserver import MCPServer; MCPServer('empty').run('stdio')")


@pytest.mark.slow
def test_start_to_tools_list_costs_no_more_than_an_empty_server(tmp_path: Path) -> None:
    def seconds(args: tuple[str, ...]) -> float:
        began = time.monotonic()
        with Server(tmp_path, args) as server:
            server.start()
            server.answer(server.ask("tools/list"))
            return time.monotonic() - began

    pairs = [(seconds(EMPTY), seconds(SERVE)) for _ in range(7)]
    assert min(ours for _, ours in pairs) <= 1.2 * min(theirs for theirs, _ in pairs)


def test_a_value_that_supersedes_by_id_has_the_key_of_the_old_one(tmp_path: Path) -> None:
    with Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.start()
        first = server.call("store", content="Staging runs on Ubuntu 22.04.", key="staging/os")
        server.call("store", content="Staging runs on Debian 13.", supersedes=[first["id"]])
        third = server.call("store", content="Staging runs on Alpine 3.20.", key="staging/os")
        assert third["outcome"] == "superseded"
        assert [m["content"] for m in server.call("list")["memories"]] == ["Staging runs on Alpine 3.20."]
