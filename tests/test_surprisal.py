"""The gate: what is said, not how new it is, decides whether it can be kept; then surprise decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.lasting import lasting
from mnemos_mcp.mechanisms.surprisal import KINDS, ROUTINES, Durability, SurprisalConfig, SurprisalGate

GATE = SurprisalGate()
NEW, KNOWN = [0.0, 1.0], [[1.0, 0.0]]

CHATTER = [
    "ok, now rename fooBar to foo_bar in utils.py please",
    "great, the build is green again, moving on",
    "let me run the tests first",
    "yes please go ahead with pnpm",
    "let's do the push thing next",
    "great, the deploy looks fine now, thanks!",
    "thanks, that worked",
    "what does this function do?",
    "don't commit yet",
    "hier ist die Fehlermeldung",
    "mach bitte weiter",
    "warum schlägt der Test fehl",
    "renomme la variable dans utils.py",
    "je regarde ça tout de suite",
    "renombra la variable en utils.py",
    "por qué falla el test en CI",
    "把 utils.py 里的变量重命名一下",
    "我先跑一下测试",
    "好的",
    "",
    "   ",
    "👍",
]
LASTING = [
    ("no, tabs", "correction"),
    ("no, use uv", "correction"),
    ("nein, der Port ist 5433", "correction"),
    ("by the way we never deploy on fridays", "instruction"),
    ("could you please always use uv", "instruction"),
    ("great, but from now on use tabs", "instruction"),
    ("Use ripgrep, not grep, when searching", "instruction"),
    ("Never push directly to main", "instruction"),
    ("Keep pull requests under 400 lines", "instruction"),
    ("ab jetzt nur noch squash-merges", "instruction"),
    ("提交信息一律用英文", "instruction"),
    ("I prefer early returns over nested ifs", "preference"),
    ("Je préfère les retours anticipés", "preference"),
    ("My name is Priya and I work on the billing team", "identity"),
    ("we decided to go with Kafka for the event bus", "decision"),
    ("I'm migrating from Python to Rust", "decision"),
    ("flaky login test was caused by a hard-coded timezone", "fix"),
    ("PROD DOWN: payment API returns 502", "outcome"),
    ("Redis listens on port 6390 in dev", "fact"),
    ("prod is on pg 15", "fact"),
    ("MARKER-QX-4417", "fact"),
    ("Ran a throwaway Postgres container on port 5544 to try a query", "note"),
    ("When we add a migration we let Alembic autogenerate it instead of writing SQL files, because hand-written ones drifted", "decision"),
    ("Adding the migration for invoice.currency on 19 March locked the table for six minutes", "fact"),
    ("Raised the public API limit to 300 requests per minute per key and moved enforcement from nginx into a Redis middleware", "fact"),
    ("Tester builds go out through TestFlight and the internal Play track, submitted by hand with eas submit.", "fact"),
]


@pytest.mark.parametrize("text", CHATTER)
def test_chatter_is_not_durable(text):
    assert not GATE.classify(text).durable


@pytest.mark.parametrize(("text", "kind"), LASTING)
def test_what_holds_beyond_the_moment_is_durable_and_named(text, kind):
    assert (GATE.classify(text).durable, GATE.classify(text).kind) == (True, kind)


@pytest.mark.parametrize(
    "text", ["La base de données écoute sur 6390", "I log vengono conservati per 14 giorni", "Логи хранятся 14 дней на сервере", "ログは14日間保存されます"]
)
def test_an_unknown_language_is_judged_by_its_form(text):
    assert GATE.classify(text).durable
    assert not GATE.classify(text + "?").durable


@pytest.mark.parametrize("text", ["Keep it in the memory.", "Please remember that!", "Can you save this for later?", "Merk dir das bitte.", "Speichere das im Gedächtnis.",
                                  "Retiens ça.", "Garde-le en mémoire, s'il te plaît.", "Guárdalo en la memoria.", "No lo olvides.", "Guarde isso na memória.", "Ricordalo.",
                                  "请记住这个。", "把它保存到记忆里。", "これを覚えておいてください。"])
def test_a_request_to_keep_it_has_nothing_in_it_that_could_be_kept(text):
    assert not GATE.classify(text).durable
    assert lasting(f"We use yarn, not npm. {text}", lambda part: GATE.classify(part).durable) == "We use yarn, not npm."


@pytest.mark.parametrize("text", ["Remember that we use yarn.", "Remember this: we deploy with Nomad.", "Keep it under 200 lines.", "Never store it in memory.",
                                  "Merk dir: wir nutzen yarn.", "记住：我们用 yarn。", "Retiens que nous utilisons yarn, pas npm."])
def test_what_is_to_be_kept_and_is_said_with_the_request_is_kept(text):
    assert GATE.classify(text).durable


def test_about_a_question_the_gate_is_not_asked():
    asked = []
    assert lasting("Which port does it use? We use yarn, not npm.", lambda part: not asked.append(part)) == "We use yarn, not npm."
    assert lasting("Which port does it use?", lambda part: not asked.append(part)) == "" and asked == ["We use yarn, not npm."]


@pytest.mark.parametrize("text", ["The linter is now ruff", "The linter changed to ruff", "the queue is SQS", "Editor config is in .editorconfig", "reviews are done by carol",
                                  "the office server is in berlin", "Der Bundler ist jetzt vite"])
def test_a_thing_told_with_its_name_or_place_is_durable(text):
    assert GATE.classify(text).durable


@pytest.mark.parametrize("text", ["the bug is in parser.py", "the failing test is test_login", "the next step is Docker", "the queue is full",
                                  "is the queue SQS?", "the queue might be SQS", "le bug est dans app.py"])
def test_what_work_of_the_hour_is_about_is_not_durable_for_its_names(text):
    assert not GATE.classify(text).durable


def test_one_lasting_sentence_in_a_long_talk_is_enough():
    talk = "Let me look at that first. Still waiting for the build to finish. Now the tests are running again. " * 6
    assert not GATE.classify(talk).durable
    assert GATE.classify(talk + "From now on always use uv and never pip. " + talk).durable


def test_the_reason_names_the_act_and_how_likely_it_is():
    assert GATE.classify("what does this function do?").reason.startswith("question, ")
    assert "likely to matter later" in GATE.classify("Redis listens on port 6390 in dev").reason


def test_tool_output_is_never_a_statement_but_pasted_code_of_a_user_is_kept():
    assert not GATE.classify("Redis listens on port 6390", role="tool").durable
    assert GATE.classify("```\nx = 1\n```").durable


def test_what_was_predicted_is_not_kept_and_what_was_not_is():
    fact = "Redis listens on port 6390 in dev"
    assert GATE.judge(fact, NEW, KNOWN).kept
    assert not GATE.judge(fact, KNOWN[0], KNOWN).kept


def test_corrections_and_standing_instructions_are_kept_whatever_their_surprisal():
    assert GATE.judge("no, use uv", KNOWN[0], KNOWN).kept
    assert GATE.judge("Never push directly to main", KNOWN[0], KNOWN).kept


def test_novel_chatter_is_not_kept():
    verdict = GATE.judge("ok, now rename fooBar to foo_bar in utils.py please", NEW, KNOWN)
    assert (verdict.kept, verdict.surprisal) == (False, 1.0)


def test_the_threshold_decides():
    fact, near = "Redis listens on port 6390 in dev", [0.75, 0.6614378]
    assert not SurprisalGate(threshold=0.3).judge(fact, near, KNOWN).kept
    assert SurprisalGate(threshold=0.2).judge(fact, near, KNOWN).kept


def test_surprisal_counts_the_best_prediction_and_is_whole_without_any():
    assert GATE.surprisal(NEW, [*KNOWN, NEW]) == pytest.approx(0.0)
    assert GATE.surprisal(NEW, []) == GATE.surprisal(None, KNOWN) == 1.0
    assert GATE.surprisal([1.0, 0.0, 0.0], KNOWN) == 1.0  # of another embedder


@given(st.sampled_from([*KINDS, ""]), st.floats(allow_nan=False))
def test_auto_importance_never_reaches_protection_by_itself(kind, surprisal):
    assert 0.0 <= GATE.importance(Durability(kind, bool(kind), False, ""), surprisal) < 0.8


def test_importance_follows_the_kind_and_is_raised_by_surprise():
    ranked = [GATE.importance(Durability(kind, True, False, ""), 0.3) for kind in ("instruction", "decision", "fix", "outcome", "fact", "note")]
    assert ranked == sorted(ranked, reverse=True) and len(set(ranked)) == 6
    fact = Durability("fact", True, False, "")
    assert GATE.importance(fact, 1.0) > GATE.importance(fact, 0.3)


def test_routine_utterances_are_few_and_chatter_themselves():
    assert len(ROUTINES) <= 100
    assert [phrase for phrase in ROUTINES if GATE.classify(phrase).durable] == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"durable": True, "kind": "fact"}, ("fact", True)),
        ({"durable": "true", "kind": " Instruction "}, ("instruction", True)),
        ({"durable": False, "kind": "fact"}, ("", False)),
        ({"kind": "decision"}, ("decision", True)),
        ({"kind": "chatter"}, ("", False)),
        ({"durable": True, "kind": "poem"}, ("fact", True)),
    ],
)
def test_a_models_reply_is_read_leniently(reply, expected):
    read = GATE.read(reply)
    assert (read.kind, read.durable) == expected


@pytest.mark.parametrize("reply", [{}, {"durable": []}, {"kind": 3}, "yes", None, []])
def test_a_reply_of_the_wrong_shape_is_none(reply):
    assert GATE.read(reply) is None
    assert GATE.read_prediction(reply) is None


def test_a_models_judgement_replaces_the_rule_and_its_prediction_and_importance_are_read():
    judged = GATE.read({"durable": True, "kind": "instruction"})
    assert GATE.judge("ok", KNOWN[0], KNOWN, durability=judged).kept
    assert GATE.read_prediction({"prediction": " run it again "}) == "run it again"
    assert [GATE.read_importance({"importance": value}) for value in ("0.7", 3, -1, "x", None, float("nan"))] == [0.7, 1.0, 0.0, None, None, None]
    assert "rename it" in GATE.prediction_prompt(["rename it"]) and "text!" in GATE.prompt("text!", "before")
    assert set(GATE.schema()) == {"durable", "kind", "importance"}


@given(st.text(max_size=400))
def test_any_text_gets_a_consistent_judgement(text):
    judged = GATE.classify(text)
    assert judged.durable == (judged.kind in KINDS)
    assert not judged.override or judged.kind in ("correction", "instruction")


@given(st.lists(st.floats(width=32), max_size=4), st.lists(st.lists(st.floats(width=32), max_size=4), max_size=3))
def test_surprisal_stays_between_0_and_1_for_any_vectors(observed, predictions):
    assert 0.0 <= GATE.surprisal(observed, predictions) <= 1.0


@given(
    st.dictionaries(
        st.sampled_from(["durable", "kind", "importance", "prediction"]),
        st.none() | st.booleans() | st.floats() | st.text() | st.lists(st.integers(), max_size=2),
    )
)
def test_no_reply_raises(reply):
    GATE.read(reply), GATE.read_prediction(reply), GATE.read_importance(reply)


def test_the_old_name_is_an_alias():
    assert SurprisalConfig is SurprisalGate
