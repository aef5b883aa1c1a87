"""What becomes of a known memory when a new text arrives: the same, retired, beside it, or untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.supersession import Differs, Known, New, Ruling, Same, Supersession, Updates
from mnemos_mcp.model import Memory, Scope

HERE = Scope("project", "p")
RULE = Supersession()


def known(content: str, cosine: float | None = 0.6, *, id: str = "old", key: str = "", sequence: int = 0) -> Known:
    return Known(Memory(id, content, HERE, key=key, sequence=sequence), cosine)


ONE_DIGIT = [("The code freeze starts on 3 May", "The code freeze starts on 4 May"), ("The API listens on port 8080", "The API listens on port 8081"),
             ("Pin numpy to 1.26.4", "Pin numpy to 1.26.5"), ("Retry after 5 minutes", "Retry after 5 hours"), ("Keep two replicas", "Keep three replicas")]
OTHERWISE_APART = [("We use npm here", "We do not use npm here"), ("Run `make build` first", "Run `make dist` first"), ("Logs go to var/log/a.txt", "Logs go to var/log/b.txt"),
                   ("Ask Maria about billing", "Ask Tobias about billing"), ("The cache flag is enabled", "The cache flag is disabled"), ("Deploy on Monday", "Deploy on Friday"),
                   ("The worker waits for the scheduler", "The scheduler waits for the worker"), ("Set MAX_RETRY in env", "Set MIN_RETRY in env"),
                   ("Never merge on Fridays", "Merge on Fridays"),
                   ("Bob reviews code of Alice before release", "Alice reviews code of Bob before release day"),
                   ("The primary waits for the mirror", "The mirror waits for the primary every night")]


@pytest.mark.parametrize(("old", "new"), ONE_DIGIT + OTHERWISE_APART)
def test_texts_that_look_alike_and_differ_in_a_fact_stay_two(old: str, new: str) -> None:
    assert RULE.relate(new, [known(old, 0.99)]) == Differs((("old", 0.99),))


@pytest.mark.parametrize("text", ["Redis  listens on port 6390 in dev ", "redis listens on port 6390 in dev", "Redis listens on port 6390 in dev."])
def test_the_same_text_in_other_spacing_and_capitals_is_the_same_without_vectors(text: str) -> None:
    assert RULE.relate(text, [known("Redis listens on port 6390 in dev", None)]) == Same("old")


def test_the_hash_is_blind_to_unicode_form_case_and_spacing_only() -> None:
    assert RULE.text_hash("Café  Öl") == RULE.text_hash("cafe\u0301 öl ") != RULE.text_hash("Café Öl.")


def test_the_fuller_wording_becomes_the_next_version_and_the_shorter_does_not() -> None:
    short, full = "Deploys go through the release job", "All deploys go through the nightly release job in the pipeline"
    assert RULE.relate(full, [known(short, 0.9)]) == Same("old", full)
    assert RULE.relate(short, [known(full, 0.9)]) == Same("old", None)


def test_a_wording_that_would_drop_a_word_is_not_the_same() -> None:
    assert isinstance(RULE.relate("Deploys need a reviewer", [known("Deploys need a green build", 0.95)]), Differs)


def test_named_ids_are_retired_whatever_the_words() -> None:
    assert RULE.relate("anything", [known("entirely other", 0.0)], supersedes=("old",)) == Updates(("old",), "named by the newer one")


def test_a_key_has_one_current_value() -> None:
    held = [known("npm", 0.2, key="Package-Manager")]
    assert isinstance(RULE.relate("yarn", held, key="package-manager"), Updates)
    assert RULE.relate("NPM", held, key="package-manager") == Same("old")
    assert RULE.relate("npm", held, key="release/manager") == New()


CHANGED = [
    ("We use npm in this repo", "We moved from npm to yarn in this repo"),
    ("Background jobs run on RabbitMQ", "RabbitMQ is gone: background jobs run on NATS"),
    ("The gateway request timeout is 30 seconds", "Raised the gateway request timeout to 90 seconds"),
    ("Session cookies last 14 days", "Session cookie lifetime cut to 2 days after the audit"),
    ("The image service talks to MySQL 5 through a proxy", "image service upgraded to MySQL 8"),
    ("Release notes are written by hand", "Release notes are no longer written by hand: the labels make them"),
    ("The admin panel is built with Angular", "We switched the admin panel to Vue"),
    ("The search API listens on port 8080", "The search API now listens on port 8081"),
    ("We use Redis for sessions", "We no longer use Redis"),
    ("The code freeze starts on 3 May", "The code freeze moved to 4 May"),
    ("Wir verwenden npm in diesem Projekt", "Wir haben von npm auf yarn umgestellt"),
    ("Wir verwenden Jenkins", "Wir verwenden Jenkins nicht mehr"),
    ("Nous utilisons npm", "Nous sommes passés de npm à yarn"),
    ("Usamos npm en este proyecto", "Ya no usamos npm"),
    ("我们在这个仓库使用 npm", "我们已从 npm 迁移到 yarn"),
    ("The release manager is Dora", "The release manager is now Emil"),
    ("Alerts go to Slack", "Alerts now go to PagerDuty"),
    ("Images are stored on the NFS share", "Images are now stored in S3"),
    ("The docs are built with Sphinx", "No, the docs are built with MkDocs, not Sphinx"),
    ("Releases happen on Fridays", "Releases happen on Tuesdays instead of Fridays"),
    ("I prefer tabs", "I prefer spaces over tabs"),
    ("The billing service is written in Ruby", "The billing service was rewritten in Go"),
    ("The wiki lives in Confluence", "The wiki was migrated to Notion"),
    ("The build server is called tern", "The build server was renamed to plover"),
    ("The design lead is Hana", "Ivo took over as design lead from Hana"),
    ("The default shell is bash", "zsh is the new default shell"),
    ("The minimum Python is 3.9", "Python 3.11 is the new minimum"),
    ("We deploy with Helm", "We stopped deploying with Helm; we deploy with Kustomize"),
    ("Builds run on the mac mini", "The mac mini is gone"),
    ("Die Doku liegt in Confluence", "Die Doku liegt jetzt in Notion"),
    ("Das Team heißt Falke", "Das Team wurde in Adler umbenannt"),
    ("Les sauvegardes vont sur S3", "Les sauvegardes vont maintenant sur GCS"),
    ("Formateamos con black", "No, formateamos con ruff, no con black"),
    ("The ledger moved from PostgreSQL 14 to 16.", "We moved the ledger from PostgreSQL 16 to 17."),
    ("The queue went from RabbitMQ 3.8 to 3.12.", "The queue went from RabbitMQ 3.12 to 4.0."),
    ("Deploys happen on Mondays.", "Deploys shifted from Mondays to Wednesdays."),
    ("Maria owns the billing service.", "Ownership of the billing service passed from Maria to Jonas."),
    ("The linter is ESLint.", "ESLint was dropped in favour of Biome."),
    ("Jest is our test runner.", "We ditched Jest in favor of Vitest."),
    ("The search index was moved from Solr to Elasticsearch in 2024.", "The search index now runs on OpenSearch."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_an_explicit_change_of_the_same_subject_retires_the_old(old: str, new: str) -> None:
    assert isinstance(RULE.relate(new, [known(old)]), Updates)


UNTOUCHED = [
    ("The ledger moved from PostgreSQL 14 to 16.", "We moved the reporting store from PostgreSQL 16 to 17."),
    ("Deploys happen on Mondays.", "The team lunch shifted from Mondays to Wednesdays."),
    ("Maria owns the billing service.", "Ownership of the search service passed from Maria to Jonas."),
    ("We keep ESLint for the legacy app.", "The new app dropped ESLint in favour of Biome."),
    ("Jest is our test runner.", "Prettier was dropped in favour of Biome for formatting."),
    ("The docs site was moved from Netlify to Vercel in 2024.", "The search index now runs on OpenSearch."),
    ("We use npm", "We moved the docs to docs/"),
    ("We use npm", "We moved the docs from npm to yarn"),
    ("Publish the SDK with npm publish", "We moved from npm to yarn"),
    ("Never use npm here", "We moved from npm to yarn"),
    ("The test timeout is 30 seconds", "Fixed the flaky test by raising the timeout"),
    ("The worker log size limit is 100 MiB", "Raised the worker memory limit to 1 GiB"),
    ("The upload timeout is 30 seconds", "Raised the timeout to 60 seconds"),
    ("API timeout for uploads is 60 s", "Raised the API timeout to 30 s"),
    ("The staging API timeout is 30 seconds", "Raised the production API timeout to 60 seconds"),
    ("Refresh tokens last 14 days", "Access token lifetime cut to 10 minutes"),
    ("We use Redis for sessions", "Removed Redis from the docs"),
    ("The billing build uses npm", "Switched the portal build from npm to pnpm"),
    ("The frontend is built with React", "The migration to Svelte was finished"),
    ("Changed the release pipeline: the build runs on arm64 runners", "Changed the release pipeline: images are signed"),
    ("We use npm", "Should we move from npm to yarn?"),
    ("We use npm", "If we move from npm to yarn, CI gets faster"),
    ("We use npm", "We decided not to move from npm to yarn"),
    ("We use npm", "We might have moved from npm to yarn by then"),
    ("The API listens on port 8080", "The API listens on port 8081"),
    ("We use npm in CI. The API listens on port 80. Logs are JSON lines", "We moved from npm to yarn"),
    ("The image budget is 200 kB", "The bundle budget was raised from 200 kB to 250 kB"),
    ("The partner API uses JWT for auth", "The public API no longer uses JWT for auth"),
    ("Staging runs on Heroku", "Production moved from Heroku to AWS"),
    ("foo_service listens on port 8080", "Renamed foo_service to bar_service"),
    ("Backups go to S3", "Backups also go to GCS now"),
    ("Backups go to S3", "Logs go to GCS now"),
    ("Alerts go to Slack", "Critical alerts now go to PagerDuty"),
    ("Alerts go to Slack", "Alerts go to PagerDuty in staging now"),
    ("The queue is SQS", "The queue is now full"),
    ("Tests run in Docker", "Tests now run in Frankfurt"),
    ("Carol is the reviewer", "Carol is now the release manager"),
    ("Reviews are done by Carol", "Reviews are now done on Mondays"),
    ("The docs are built with Sphinx", "The blog is built with MkDocs, not Sphinx"),
    ("I prefer tabs", "I prefer spaces over tabs in Python"),
    ("The wiki is written in English", "The wiki was migrated to Notion"),
    ("Logs are JSON", "Logs were moved to Loki"),
    ("The frontend is written in React", "The frontend will be rewritten in Svelte"),
    ("The release manager is Alice", "Bob is the new support manager"),
    ("The parser owner is Mia", "Noah took over the frontend from Mia"),
    ("Helm charts live in ops/charts", "We stopped deploying with Helm"),
    ("The Kong config is in git", "Kong was retired"),
    ("The site works in Chrome", "The site now works in Firefox"),
    ("El linter es pylint", "El formateador es ahora ruff"),
    ("Our API is REST", "Our API is now GraphQL too"),
    ("We review with two people", "We now review with Gerrit"),
    ("The app is on Kubernetes", "The app is now on TestFlight"),
    ("The linter is ruff", "The linter changed to ruff"),
    ("The team is in Berlin", "Das Team wurde in Adler umbenannt"),
    ("The report is sent to Mia", "The report is now sent at noon"),
]


@pytest.mark.parametrize(("old", "new"), UNTOUCHED)
def test_a_true_fact_is_never_hidden_by_a_change_of_something_else(old: str, new: str) -> None:
    assert not isinstance(RULE.relate(new, [known(old, 0.8)]), (Updates, Same))


def test_near_duplicates_of_the_retired_leave_with_it_and_fuller_memories_stay() -> None:
    field = [known("We use npm in this repo", 0.8), known("We use npm in this repo here", 0.79, id="twin"), known("Logs are JSON lines in this repo", 0.3, id="other")]
    relation = RULE.relate("We moved from npm to yarn in this repo", field)
    assert isinstance(relation, Updates) and set(relation.ids) == {"old", "twin"}


def test_the_judge_decides_where_it_spoke_and_never_joins_two_numbers() -> None:
    pair = [known("The suite takes long on CI", 0.75)]
    assert isinstance(RULE.relate("The suite is quick on CI", pair, judged={"old": "updates"}), Updates)
    assert isinstance(RULE.relate("The suite is quick on CI", pair, judged={"old": "differs"}), Differs)
    assert isinstance(RULE.relate("Port 81", [known("Port 80", 0.8)], judged={"old": "same"}), Differs)
    merged = Ruling("same", "The suite is quick, takes long on CI")
    assert RULE.relate("The suite is quick on CI", pair, judged={"old": merged}) == Same("old", merged.merged)


@pytest.mark.parametrize("reply", [{}, {"relations": "same"}, {"relations": [None, {"id": 3}, {"id": "made-up", "verdict": "updates"}, {"id": "old", "verdict": "perhaps"}]}])
def test_a_malformed_verdict_leaves_the_rule_in_charge(reply: dict) -> None:
    assert RULE.read(reply, [known("x y z", 0.8)]) == {}
    assert RULE.read({"relations": [{"id": "old", "verdict": "Updates"}]}, [known("x y z", 0.8)]) == {"old": Ruling("updates")}


def test_nothing_like_it_is_new_and_likeness_alone_is_only_reported() -> None:
    assert RULE.relate("The queue is FIFO", []) == New()
    assert RULE.relate("The queue is FIFO", [known("The queue keeps jobs for a week", 0.75)]) == Differs((("old", 0.75),))


def test_a_pasted_log_costs_no_time() -> None:
    assert RULE.relate("moved from a to b " * 6000, [known("is are was " * 9000, 0.8)]) is not None


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=6))
def test_a_chain_serves_exactly_one_value_now_and_at_every_moment_whatever_the_clock_said(starts: list[float]) -> None:
    chain: list[Memory] = []
    for place, start in enumerate(starts):
        ends = RULE.settle(chain, start)
        chain = [m._replace(valid_to=ends[m.id], status="superseded") for m in chain]
        chain.append(Memory(f"m{place}", "", HERE, valid_from=start, sequence=place))
    assert [m.id for m in chain if m.status == "active"] == [f"m{len(starts) - 1}"]
    for moment in (t for t in (*starts, 2e9) if t >= starts[0] or t >= min(starts)):
        served = [m for m in chain if m.valid_from <= moment and (m.valid_to is None or moment < m.valid_to)]
        assert len(served) == 1


@given(st.floats(-1e9, 1e12), st.floats(-1e9, 1e12))
def test_a_retired_memory_never_ends_before_it_began(began: float, newer: float) -> None:
    assert RULE.retire(Memory("m", "", HERE, valid_from=began), newer) == max(began, newer)


@given(st.text(max_size=60), st.text(max_size=60), st.floats(-1, 1))
def test_any_two_texts_have_one_relation_and_a_text_is_the_same_as_itself(a: str, b: str, cosine: float) -> None:
    assert isinstance(RULE.relate(a, [known(b, cosine)]), (Same, Updates, Differs, New))
    assert RULE.relate(a, [known(a, 1.0)]) == Same("old")


@pytest.mark.parametrize(("old", "new"), [
    ("Deploys of the shop happen on Fridays", "Deploys of the shop happen on Tuesdays instead of Fridays"),
    ("Deploys happen on Fridays", "Deploys happen on Tuesdays rather than Fridays"),
    ("Deployments laufen freitags um Mitternacht", "Deployments laufen dienstags statt freitags um Mitternacht"),
    ("Les déploiements ont lieu le vendredi", "Les déploiements ont lieu le mardi au lieu de vendredi"),
    ("Los despliegues son los viernes", "Los despliegues son los martes en lugar de los viernes")])
def test_what_is_said_to_hold_instead_retires_the_value_it_names(old: str, new: str) -> None:
    ruling = RULE.relate(new, [known(old, 0.95)])
    assert isinstance(ruling, Updates) and ruling.ids == ("old",)


@pytest.mark.parametrize(("old", "new", "same"), [
    ("Deploys happen on Fridays", "Deploys of the billing service happen on Tuesdays instead of Fridays", False),
    ("Deploys happen on Tuesdays", "Deploys happen on Tuesdays instead of Fridays", True)])
def test_instead_of_for_another_subject_stays_beside_and_with_the_known_value_is_more_detail(old: str, new: str, same: bool) -> None:
    assert isinstance(RULE.relate(new, [known(old, 0.95)]), Same if same else Differs)
