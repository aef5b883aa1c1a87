"""A year of an invented project, told to the engine as its days went by: what the page is shown on in tests and pictures."""
from __future__ import annotations

from typing import Any

from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.runtime import open_for_python

DAY = 86400.0
MARKUP = "<svg onload=alert(1)><script>alert(2)</script> [x](javascript:alert(3)) is what the ticket form echoes; escape it."
# (days ago, text, more)
TOLD: tuple[tuple[float, str, dict[str, Any]], ...] = (
    (340, "We decided to keep the ledger in PostgreSQL 14 because row-level security separates the tenants.", {"key": "ledger/database", "tags": ["database"]}),
    (338, "Money is stored as integer cents, never as floating point.", {"importance": "high", "tags": ["money"]}),
    (335, "I prefer small pull requests: one topic, at most 300 lines.", {"scope": "global", "tags": ["review"]}),
    (320, "The staging server is heron.example.net.", {"key": "staging-server", "tags": ["deploy"]}),
    (310, "CI runs on four cores; the integration suite takes nine minutes.", {"importance": "low", "tags": ["ci"]}),
    (300, "Deploys run on Monday and Wednesday, never on a Friday.", {"key": "deploy/days", "tags": ["deploy"]}),
    (288, "Fixed the flaky checkout test: its clock was not frozen, so it failed around midnight UTC. Freezing time in the fixture solved it.", {"tags": ["tests"]}),
    (270, "Retry policy of the payment client: exponential backoff from 200 ms, give up after five tries.", {"tags": ["payments"]}),
    (262, "Always write migrations so that the previous release still runs on the new schema.", {"tags": ["database"]}),
    (250, "The nightly export to the tax office is a CSV with semicolons and a decimal comma.", {"importance": "low", "tags": ["export"]}),
    (240, "The staging server is ibis.example.net.", {"key": "staging-server", "tags": ["deploy"]}),
    (221, "PROD DOWN on 12 April: the connection pool was exhausted because a worker never closed its cursor. Pool raised to 40, cursor closed in finally.",
     {"tags": ["incident", "database"]}),
    (205, "The ledger moved from PostgreSQL 14 to PostgreSQL 16 because logical replication got faster.", {"key": "ledger/database", "tags": ["database"]}),
    (190, "Use uv for Python environments, not pip, in this repository.", {"tags": ["tooling"]}),
    (176, "Invoices are numbered per tenant and year, without gaps: the auditor checks it.", {"tags": ["money"]}),
    (160, "Webhooks of the payment provider arrive twice now and then; we make them idempotent by event id.", {"tags": ["payments"]}),
    (141, "The search page is slow above 50,000 invoices; a covering index on (tenant, issued_at) brought it to 80 ms.", {"tags": ["database"]}),
    (122, "Deploys run on Tuesday and Thursday, never on a Friday.", {"key": "deploy/days", "tags": ["deploy"]}),
    (110, "Feature flags live in the table app_flag and are cached for 30 seconds.", {"importance": "low", "tags": ["tooling"]}),
    (96, "Never log card numbers or IBANs, not even masked ones.", {"importance": "high", "pinned": True, "tags": ["payments"]}),
    (81, "The team agreed that the payments module gets a second reviewer.", {"tags": ["review", "payments"]}),
    (64, "The staging server is kestrel.example.net.", {"key": "staging-server", "tags": ["deploy"]}),
    (52, "Rounding of VAT happens per invoice line, half up, as the tax office wants it.", {"tags": ["money"]}),
    (40, "The worker queue is Redis streams; a job that fails three times goes to the dead-letter stream.", {"tags": ["queue"]}),
    (33, "A dead job is replayed with `make replay JOB=id`; it keeps its idempotency key.", {"tags": ["queue"]}),
    (21, MARKUP, {"tags": ["<b>markup</b>"], "force": True}),
    (14, "Currency rates come from the central bank once a day at 16:00 CET and are kept for ever.", {"tags": ["money"]}),
    (9, "The mobile team reads the ledger through the read replica only; it lags by up to two seconds.", {"tags": ["database"]}),
    (4, "We chose OpenTelemetry for traces; the collector runs beside each worker.", {"tags": ["tooling"]}),
    (1.2, "The release of 30 November waits for the VAT change to be signed off by Petra.", {"tags": ["deploy"]}),
)
CHATTER = ("ok thanks, looks good", "can you run the tests again?", "yes", "let's continue with the next file", "hm, what about the other branch?")
SAID = ("We moved the currency rates from the central bank to the ECB feed at 17:00 CET.", "I think the replica lags more under load, somebody should measure it.")
ASKED = ("which database do we use and why", "when may I deploy", "what happens to failed jobs", "how is VAT rounded", "staging server", "retry of payments")


def tell(path: str, now: float, *, embedder: Any = "builtin", project: str = "ledger") -> None:
    """Write the year into a file whose present is `now`."""
    moment = [now]
    engine = open_for_python(MnemosConfig(store=path), embedder=embedder, clock=lambda: moment[0], project=project)
    for ago, text, more in TOLD:
        moment[0] = now - ago * DAY
        engine.store(text, session=f"day-{int(ago)}", **more)
    for at, text in enumerate(CHATTER):
        moment[0] = now - (12 - at) * DAY / 2
        engine.store(text, session="talk")
    moment[0] = now - 7 * DAY
    engine.store("The demo tenant is called Aalto Oy.", session="demo")
    engine.consolidate()
    for day, question in enumerate(ASKED):
        moment[0] = now - (6 - day) * DAY
        for step in range(3):
            moment[0] += 120.0 * step
            engine.retrieve(question)
    moment[0] = now - 0.4 * DAY
    for memory in engine.retrieve("retry policy of the payment client", reconsolidate=False).memories[:1]:
        engine.reinforce(memory.id, signal="helpful", note="it explained the outage")
    for text in SAID:
        engine.mind.store.apply([_episode(engine, text)])
        moment[0] += 60
    _hooks(engine, now)
    engine.close()


def _hooks(engine: Any, now: float) -> None:
    """Two sessions began: what hooks put before them, and how long they took."""
    from mnemos_mcp.writes import AddReceipt, MarkUsed, TimeHook
    given = tuple(m.id for m in engine.list(limit=5, sort="salience").memories)
    project = str(engine.place().identity)
    engine.mind.store.apply([
        AddReceipt(now - 2 * DAY, project, "s-1", "SessionStart", 1840, given), AddReceipt(now - 0.2 * DAY, project, "s-2", "UserPromptSubmit", 610, given[:2]),
        MarkUsed("s-2", given[:1]), *(TimeHook(now - 60 * n, event, ms) for n, (event, ms) in enumerate(
            (("SessionStart", 88.0), ("UserPromptSubmit", 61.0), ("UserPromptSubmit", 74.0), ("UserPromptSubmit", 58.0), ("PostToolUse", 31.0), ("PostToolUse", 29.0))))])


def _episode(engine: Any, text: str) -> Any:
    """Something said that no store call brought: it waits for sleep."""
    from mnemos_mcp.model import Episode
    from mnemos_mcp.writes import AddEpisode
    found = engine.mind.config.surprisal.classify(text)
    return AddEpisode(Episode(engine.mind.new_id(), engine.mind.config.firewall.screen(text).text, str(engine.place().identity), "talk", "user", "user",
                              engine.mind.clock(), found.kind, found.durable, 0.62))
