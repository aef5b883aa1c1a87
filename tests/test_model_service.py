"""With a model server on loopback that speaks the real protocol: its judgement decides, one call a store; off, slow, chatty, cut off, wrong: the rule does."""
import json

import pytest
from fakes import FakeOllama, FakeOpenAI, serving

from mnemos_mcp.errors import LLMUnavailable
from mnemos_mcp.providers.llm import OllamaLLM, OpenAILLM, json_object

FACT = "The gateway retries twice before it gives up"


def judged(**parts):
    return json.dumps({"durable": True, "kind": "fact", "importance": 0.6, "affect": {"valence": 0, "arousal": 0.2, "complexity": 0.4},
                       "sectors": {"semantic": 1, "procedural": 0, "episodic": 0, "emotional": 0, "reflective": 0}, **parts})


@pytest.fixture
def server():
    with serving(FakeOllama()) as fake:
        yield fake


@pytest.fixture
def with_model(open_engine, server):
    return lambda where=":memory:": open_engine(where, llm=OllamaLLM("qwen3:8b", server.url))


def chats(server):
    return [body for path, _, body in server.requests if path == "/api/chat"]


def test_two_replies_of_the_gate_give_two_outcomes(with_model, server):
    engine = with_model()
    server.replies += [judged(durable=False, kind="chatter"), judged()]
    assert engine.store(FACT).outcome == "not_news"
    assert engine.store(FACT + " on errors").outcome == "stored"


def test_two_replies_give_two_affects_sectors_and_importances(with_model, server):
    engine = with_model()
    server.replies += [judged(importance=0.2), judged(importance=0.9, affect={"valence": -1, "arousal": 1, "complexity": 0}, sectors={"episodic": 1})]
    calm, urgent = engine.store(FACT), engine.store("The worker pool was resized to twelve")
    assert (calm.importance, urgent.importance) == (0.2, 0.9)
    assert calm.affect.arousal == 0.2 and urgent.affect.arousal == 1.0 and calm.sectors[0] > 0.9 > urgent.sectors[0] and urgent.sectors[2] > 0.9


def test_the_judge_decides_what_the_rule_leaves_open(with_model, server):
    old, new = "Our invoices are kept for seven years", "Invoices are kept by us for ten years"
    for verdict, outcome in (("updates", "superseded"), ("differs", "stored")):
        engine = with_model()
        server.replies.append(judged())
        first = engine.store(old)
        server.replies.append(judged(relations=[{"id": first.id, "verdict": verdict}]))
        assert engine.store(new).outcome == outcome


def test_one_store_asks_once_with_one_schema(with_model, server):
    engine = with_model()
    server.replies.append(judged())
    engine.store(FACT)
    (request,) = chats(server)
    assert {"durable", "affect", "sectors", "relations"} <= set(request["format"]["properties"]) and request["stream"] is False


def test_what_the_model_expected_is_no_surprise(with_model, server):
    engine = with_model()
    server.replies += [judged(), json.dumps({"prediction": "We deploy the ledger on Tuesdays after the smoke test"}), judged(), judged()]
    engine.store(FACT, session="s")
    assert engine.idle()  # the guess is made after the turn
    expected = engine.store("We deploy the ledger on Tuesdays after the smoke test", session="s")
    other = engine.store("We deploy the ledger on Tuesdays after the smoke test.", session="t", project="other")
    assert expected.surprisal < 0.3 < other.surprisal


@pytest.mark.parametrize("reply", [
    '```json\n{"facts":["Uses yarn for every install"]}\n```', 'Sure {as asked}:\n{"facts":["Uses yarn for every install"]}\nThat is all.',
    '```\n{"facts":["Uses yarn for every install"]}\n```\nOne fact.', '{"facts":[{"content":"Uses yarn for every install"}]}',
])
def test_a_fenced_or_chatty_reply_gives_the_same_single_fact(with_model, server, reply):
    engine = with_model()
    server.replies += [judged(durable=False, kind="chatter"), reply, judged()]
    engine.store("he uses yarn for every install")
    run = engine.consolidate()
    assert [f.outcome for f in run.facts] == ["stored"] and [m.content for m in engine.list().memories] == ["Uses yarn for every install"]


def test_a_reply_of_the_wrong_shape_is_a_failed_run_and_removes_nothing(with_model, server):
    engine = with_model()
    server.replies += [judged(durable=False, kind="chatter")] * 3 + ['{"facts": {"a": 1}}']
    for n in range(3):
        engine.store(f"hm, attempt {n} it is")
    run = engine.consolidate()
    assert run.run == "" and "failed" in run.note and engine.stats().episodes == {"pending": 3, "total": 3}


def test_a_fact_that_nobody_said_is_refused_with_the_reason(with_model, server):
    engine = with_model()
    server.replies += [judged(durable=False, kind="chatter"), '{"facts":["Uses yarn 9 on port 4711"]}']
    engine.store("he uses yarn for every install")
    run = engine.consolidate()
    assert run.facts[0].outcome == "refused" and "4711" in run.facts[0].reason and engine.list().total == 0


@pytest.mark.parametrize("fault", [404, 500, "garbage", "not an object"])
def test_a_failing_model_falls_back_to_the_rule_and_the_reply_says_so(with_model, server, fault):
    engine = with_model()
    server.fault = fault
    result = engine.store(FACT)
    assert result.outcome == "stored" and result.note.startswith("judged by rule: ")
    assert any(c.name == "llm" and c.status == "fail" for c in engine.health().checks) or fault == "not an object"


@pytest.mark.parametrize("reply", ["no json at all", '{"durable": tru', "[]", '{"durable": "maybe", "affect": 7, "sectors": []}'])
def test_a_reply_that_cannot_be_read_leaves_the_rule_in_charge_without_a_storm(with_model, server, reply):
    engine = with_model()
    server.replies += [reply, reply, reply]
    assert engine.store(FACT).outcome == "stored" and len(chats(server)) <= 2


def test_a_model_that_is_off_costs_a_probe_and_is_named(open_engine):
    engine = open_engine(llm=OllamaLLM("qwen3:8b", "127.0.0.1:9"))
    assert "nothing answers at 127.0.0.1:9" in engine.store(FACT).note
    assert next(c for c in engine.health().checks if c.name == "llm").status == "fail"


def test_a_silent_model_is_left_at_the_deadline(server):
    server.fault = "silent"
    with pytest.raises(LLMUnavailable, match="did not answer within"):
        OllamaLLM("qwen3:8b", server.url).ask("question", {}, deadline_s=0.05)


def test_an_openai_compatible_server_judges_as_well_and_its_key_is_never_shown(open_engine):
    with serving(FakeOpenAI(key="right")) as fake:
        fake.replies.append(judged(durable=False, kind="chatter"))
        assert open_engine(llm=OpenAILLM("any", fake.url + "/v1", "right")).store(FACT).outcome == "not_news"
        wrong = open_engine(llm=OpenAILLM("any", fake.url + "/v1", "wrong-key-1")).store(FACT)
        assert wrong.outcome == "stored" and "status 401" in wrong.note and "wrong-key-1" not in wrong.note


def test_the_longest_object_of_a_reply_is_read():
    assert json_object('<think>{"a": 1}</think> {"b": 2} and {"c": {"d": 3}}') == {"c": {"d": 3}} and json_object("none {") is None


def test_secrets_in_a_reply_never_reach_the_store(with_model, server):
    engine = with_model()
    secret = "AKIA" + "Q3EGRJ7KLMNP2XYZ"
    server.replies += [judged(durable=False, kind="chatter"), json.dumps({"facts": [f"he uses {secret} for every install"]})]
    engine.store("he uses yarn for every install")
    engine.consolidate()
    assert all(secret not in m.content for m in engine.list().memories)
