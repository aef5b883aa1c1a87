"""Affect: what a text feels like, read from its words; marks alone must not decide it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.affect import AffectiveRouter
from mnemos_mcp.model import Affect

ROUTER = AffectiveRouter()
anything = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("not bad at all", "bad"),
        ("the login is no longer broken", "the login is broken"),
        ("everything works today", "nothing works today"),
        ("never been happier with a release", "never been so disappointed by a release"),
        ("the crash is fixed", "the crash is back"),
        ("the fix finally works, what a relief", "the fix did not work"),
        ("without any errors", "with many errors"),
        ("we beat the deadline", "we missed the deadline"),
        ("das funktioniert gut", "das funktioniert nicht"),
        ("ça marche bien", "ça ne marche pas"),
        ("me encanta este diseño", "odio este diseño"),
        ("运行很稳定", "运行不稳定"),
    ],
)
def test_valence_follows_meaning_and_negation(higher, lower):
    assert ROUTER.feel(higher).valence > ROUTER.feel(lower).valence


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("production database is unreachable, customers cannot pay", "please rename the variable when you find time!!"),
        ("we are losing orders every minute", "the readme has a typo!"),
        ("this is so exciting I could not sleep", "I am a bit tired"),
        ("need this fixed right now", "no rush, whenever you get to it!"),
        ("I'm furious about this regression", "I'm slightly disappointed by this regression"),
        ("la prod est en panne", "la doc est à jour!"),
        ("todo está caído, los clientes no pueden entrar", "el logo es azul!"),
        ("der Zahlungsdienst ist ausgefallen", "die Doku wird irgendwann überarbeitet!"),
        ("线上故障，用户无法支付", "文档以后慢慢改"),
    ],
)
def test_arousal_hears_calmly_worded_urgency_and_is_not_fooled_by_marks(higher, lower):
    assert ROUTER.feel(higher).arousal > ROUTER.feel(lower).arousal


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("Because the replica lags under load, reads may be stale unless we pin the session to the primary", "Use tabs"),
        ("Depending on the isolation level, the transaction may retry", "tests pass, all of them, again and again, and I'm happy"),
        ("we considered Kafka but chose NATS since ops is simpler, whereas throughput hardly matters", "ok thanks, that looks very nice to me today"),
    ],
)
def test_complexity_hears_reasoning_and_not_length_alone(higher, lower):
    assert ROUTER.feel(higher).complexity > ROUTER.feel(lower).complexity


def test_marks_and_capitals_weigh_a_little():
    assert ROUTER.feel("the build broke").arousal < ROUTER.feel("the build broke!!").arousal < ROUTER.feel("the whole production is down").arousal + 0.2


def test_crisis_recalls_crisis_and_design_recalls_design():
    crisis, design = (
        ROUTER.feel("Outage: checkout was down, customers could not pay"),
        ROUTER.feel("We keep the ledger append-only because audits need history, although reads get slower"),
    )
    now = ROUTER.feel("urgent: production is down again, payments fail")
    assert ROUTER.match(now, crisis) > ROUTER.match(now, design)
    thinking = ROUTER.feel("Which trade-off decides between event sourcing and snapshots if consistency matters?")
    assert ROUTER.match(thinking, design) > ROUTER.match(thinking, crisis)


CRISES = [
    "INCIDENT: checkout failed for 40 minutes on Saturday, 312 orders lost",
    "PROD DOWN: payment API returns 502",
    "OUTAGE: the login service crashed twice, customers could not sign in",
    "Störung: der Zahlungsdienst ist seit 20 Minuten weg",
    "customers get a 500, payment fails, help!!",
]
DESIGNS = [
    "Failure design of checkout: when payment or stock is down the API answers 503, keeps the order row and retries later",
    "Offline design: when the network is lost the app queues writes and replays them in order",
    "Webhook failure handling, by design: a failed delivery is retried five times with backoff, then goes to the dead letter table",
    "If the replica dies, the proxy fails over to the next one and the session resumes",
]


@pytest.mark.parametrize("crisis", CRISES)
@pytest.mark.parametrize("design", DESIGNS)
def test_to_tell_of_a_failure_is_a_crisis_and_to_plan_for_it_is_calm(crisis, design):
    hot, cool = ROUTER.feel(crisis), ROUTER.feel(design)
    assert hot.arousal > cool.arousal + 0.3 and hot.valence < cool.valence - 0.2


def test_match_is_the_formula_of_the_contract():
    a, b = Affect(1.0, 0.2, 0.5), Affect(-1.0, 0.8, 0.1)
    assert ROUTER.match(a, b) == pytest.approx(1 - math.sqrt(1 + 0.36 + 0.16) / math.sqrt(3))
    assert ROUTER.match(a, a) == 1.0 and ROUTER.match(Affect(-1, 0, 0), Affect(1, 1, 1)) == 0.0


@given(st.text(max_size=300))
def test_any_text_has_a_state_in_range(text):
    state = ROUTER.feel(text)
    assert -1 <= state.valence <= 1 and 0 <= state.arousal <= 1 and 0 <= state.complexity <= 1


@given(*[anything] * 6)
def test_match_stays_between_0_and_1_and_is_symmetric(a, b, c, d, e, f):
    x, y = Affect(a, b, c), Affect(d, e, f)
    assert 0.0 <= ROUTER.match(x, y) == ROUTER.match(y, x) <= 1.0


def test_a_models_reply_is_read_leniently_and_clipped():
    assert ROUTER.read({"affect": {"valence": "-0.5", "arousal": 7, "complexity": 0.2}}) == Affect(-0.5, 1.0, 0.2)
    assert ROUTER.read({"valence": 0, "arousal": 0.5, "complexity": 1}) == Affect(0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"affect": 3},
        {"valence": 1, "arousal": 1},
        {"valence": "high", "arousal": 0, "complexity": 0},
        {"valence": math.nan, "arousal": 0, "complexity": 0},
        None,
        [],
        "calm",
    ],
)
def test_a_reply_of_the_wrong_shape_is_none(reply):
    assert ROUTER.read(reply) is None


def test_the_question_to_a_model_can_stand_without_the_text():
    assert "some text" in ROUTER.prompt("some text") and "Text to judge" not in ROUTER.prompt()
    assert set(ROUTER.schema()["affect"]["properties"]) == {"valence", "arousal", "complexity"}
