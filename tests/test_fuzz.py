"""Free input: the JSON-RPC door under a seeded hail of broken lines, and properties of texts, filters, ids, stamps and schemas."""
import json
import math
import random
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_rig import Server

from mnemos_mcp import moments
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.errors import BadInput, MnemosError
from mnemos_mcp.opening import OpenMemory
from mnemos_mcp.params import read_all
from mnemos_mcp.render import plain
from mnemos_mcp.runtime import open_for_python
from mnemos_mcp.server import answer
from mnemos_mcp.tools import VERBS
from mnemos_mcp.wire import Unreadable, read_message

FEW = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(st.characters(codec=None), max_size=200)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12)


@pytest.fixture(scope="module")
def engine():
    """A memory of words alone for all examples; what one stores the next may find."""
    made = open_for_python(MnemosConfig(), embedder=None)
    made.store("The lighthouse is green.", force=True, tags=("sea",))
    yield made
    made.close()


# ---- the door


def hail(rng, count):
    """Broken, odd and hostile lines, each without a line end in it."""
    good = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mnemos_store", "arguments": {"content": "The crane is yellow.", "force": True}}}
    for n in range(count):
        line = json.dumps({**good, "id": f"h{n}"}).encode()
        match n % 10:
            case 0:
                yield bytes(rng.randrange(256) for _ in range(rng.randrange(1, 300)))
            case 1:
                yield line[:rng.randrange(1, len(line))]
            case 2:
                place = rng.randrange(len(line))
                yield line[:place] + bytes([rng.randrange(256)]) + line[place + 1:]
            case 3:
                yield line.replace(b"yellow", b"\\ud83d" * rng.randrange(1, 5))
            case 4:
                yield line.replace(b'"The crane is yellow."', rng.choice([b"NaN", b"1e999", b"[" * 3000, b"{}", b"null", b"-0", b"true"]))
            case 5:
                yield json.dumps(rng.choice([[], [good], 5, None, "x", {}, {"id": 1}, {"method": 5}, {"jsonrpc": "1.0", "id": -1 - n, "method": "ping"}])).encode()
            case 6:
                yield json.dumps({**good, "id": f"h{n}", "params": {"name": rng.choice(["mnemos_store", "mnemos_none", "", "\u0000"]), "arguments": rng.choice(
                    [None, [], "x", 5, {"content": None}, {"content": ["x"]}, {"content": "x", "limit": {}}, {"": ""}])}}).encode()
            case 7:
                yield json.dumps({**good, "id": rng.choice([None, 1.5, True, [], {}, "x" * 3000, -(2 ** 70), ""])}).encode()
            case 8:
                yield json.dumps({"jsonrpc": "2.0", "method": rng.choice(["notifications/cancelled", "notifications/nothing", "x" * 500]), "params": {"requestId": n}}).encode()
            case 9:
                yield line.replace(b"yellow", b"y" * rng.randrange(90_000, 300_000))


def hailed(home, count):
    rng = random.Random(20261130)
    with Server(home, MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.start()
        for n, line in enumerate(hail(rng, count)):
            server.raw(line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
            if n % 50 == 49:
                assert "result" in server.answer(server.ask("ping"))
        stored = server.call("store", content="After the hail the lighthouse is green.", force=True)
        assert server.call("retrieve", query="lighthouse after the hail")["memories"][0]["id"] == stored["id"]
        assert server.call("health")["checks"] and server.process.poll() is None
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
        assert b"Traceback" not in server.errors and b"crane is" not in server.errors


def test_after_a_hail_of_broken_lines_a_normal_call_works(tmp_path):
    hailed(tmp_path, 250)


@pytest.mark.slow
def test_after_ten_thousand_broken_lines_a_normal_call_works(tmp_path):
    hailed(tmp_path, 10_000)


def test_a_flood_of_calls_is_answered_each_once(tmp_path):
    with Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.start()
        ids = [server.ask("tools/call", {"name": "mnemos_list", "arguments": {}}) if n % 3 else server.ask("ping") for n in range(300)]
        assert all("result" in server.answer(i) for i in ids)


@FEW
@given(st.binary(max_size=300))
def test_any_line_is_a_message_or_an_answer_to_its_sender(line):
    try:
        message, text = read_message(line)
        assert isinstance(message, dict) and json.loads(text) == message and "\n" not in text
    except Unreadable as bad:
        assert json.loads(bad.reply)["error"]["code"] in (-32700, -32600)


@FEW
@given(JSON, st.integers(0, 10 ** 9) | st.text("abcxyz-09", min_size=1, max_size=20))
def test_a_broken_message_is_answered_under_its_id_wherever_that_stands(params, request_id):
    inner = json.dumps(params) if finite(params) else "1"
    parts = [f'"id":{json.dumps(request_id)}', '"jsonrpc":"2.0"', '"method":"ping"', f'"params":{{"a":{inner},"b":NaN}}']
    for turn in range(len(parts)):
        line = "{" + ",".join(parts[turn:] + parts[:turn]) + "}"
        with pytest.raises(Unreadable) as bad:
            read_message(line.encode("utf-8", "surrogatepass"))
        assert json.loads(bad.value.reply)["id"] == request_id


def finite(value):
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list) else True


# ---- schemas: whatever arrives as arguments


@FEW
@given(st.sampled_from(VERBS), st.data())
def test_any_arguments_get_a_reply_or_a_sentence_never_an_inner_failure(engine, verb, data):
    names = [p.name for p in verb.params if p.name != "erase"]
    arguments = data.draw(st.dictionaries(st.sampled_from(names) if names else st.nothing(), JSON, max_size=4)) if names else {}
    reply, text = answer(OpenMemory(lambda: engine), verb, arguments)
    assert "failed inside" not in text and "Traceback" not in text
    if reply is not None:
        assert len(json.dumps(reply, ensure_ascii=False)) <= 20_000 and set(verb.always) <= set(reply)
        assert not set(plain(text)) ^ set(text)
    else:
        assert text.strip() and len(text) < 2_000


@FEW
@given(st.sampled_from([p for verb in VERBS for p in verb.params]), JSON)
def test_a_parameter_is_read_within_its_schema_or_refused(param, value):
    try:
        read = read_all((param,), {param.name: value}, "x").get(param.name)
    except BadInput as reason:
        assert param.name in str(reason)
        return
    if read is not None and param.kind == "integer":
        assert isinstance(read, int) and (param.low or read) <= read <= (param.high or read)
    if read is not None and param.choices and param.kind == "string":
        assert read in param.choices


# ---- texts


@FEW
@given(TEXTS)
def test_any_text_is_kept_as_one_can_see_it_or_refused_and_is_found_again(engine, text):
    try:
        result = engine.store(text, force=True)
    except BadInput:
        assert not text.strip()
        return
    engine.retrieve(text)
    if result.outcome == "stored":
        kept = engine.inspect(result.id).memory.content
        assert kept == unicodedata.normalize("NFC", kept) and kept.encode("utf-8") and "\x00" not in kept
        again = engine.store(text, force=True)
        assert (again.outcome, again.id) == ("reinforced", result.id)


@FEW
@given(TEXTS)
def test_any_query_is_answered(engine, text):
    for mode in ("keyword", "hybrid"):
        assert engine.retrieve(text, mode=mode, explain=True).scopes


# ---- filters, ids


@FEW
@given(TEXTS)
def test_a_filter_finds_exactly_the_memories_that_have_its_tag(engine, tag):
    seen = {m.id for m in engine.list(tags=(tag,), limit=100).memories}
    everything = engine.list(limit=100).memories
    wanted = unicodedata.normalize("NFC", tag).strip()
    assert seen == {m.id for m in everything if wanted in m.tags} or (wanted not in {t for m in everything for t in m.tags} and not seen - {m.id for m in everything if m.tags})


@FEW
@given(st.text(st.characters(codec=None), max_size=20))
def test_no_id_is_a_pattern(engine, text):
    known = {m.id for m in engine.list(status="all", limit=100).memories}
    if not any(i.startswith(text.strip()) for i in known) or len(text.strip()) < 6:
        with pytest.raises(MnemosError):
            engine.inspect(text)


# ---- stamps


@FEW
@given(st.floats(moments.EARLIEST, moments.LATEST))
def test_a_moment_that_is_written_is_read_as_the_same_moment(at):
    assert abs(moments.parse(moments.iso(at, exact=True)) - at) <= 1e-5 * max(1.0, abs(at) / 1e10)
    assert moments.parse(moments.iso(at)) >= at - 1e-3 or at > moments.LATEST - 1


@FEW
@given(JSON)
def test_anything_else_is_no_time_and_says_so(value):
    try:
        assert moments.EARLIEST <= moments.parse(value) <= moments.LATEST
    except BadInput as reason:
        assert "is no time" in str(reason)
