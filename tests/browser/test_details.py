"""What a person trips over: a lost project, a lost focus, a text without end, names on top of each other."""
from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.browser


def test_the_project_stands_in_the_address_and_survives_reload_back_and_a_walk_through_the_views(served, browse):
    served.mnemos("store", "The mobile app ships on Thursdays.", "--project", "mobile", "--force")
    page = browse(served)
    page.select_option("#project", label="mobile")
    page.wait_for_selector(".row .content:has-text('ships on Thursdays')")
    page.reload()
    page.wait_for_selector(".row .content:has-text('ships on Thursdays')")
    page.click("nav a[data-view=why]")
    page.wait_for_selector("main.view-why")
    assert page.evaluate("document.querySelector('#project').selectedOptions[0].textContent") == "mobile"
    page.go_back()
    page.wait_for_selector(".row .content:has-text('ships on Thursdays')")
    page.go_back()
    page.wait_for_selector(".row .content:has-text('The mobile team reads the ledger')")


def test_the_keyboard_stays_on_a_filter_that_was_changed(served, browse):
    page = browse(served)
    page.wait_for_selector(".row")
    page.focus(".filters label:has-text('Status') select")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => location.hash.includes('status=archived')")
    page.wait_for_selector(".row.archived")
    assert page.evaluate("document.activeElement.closest('label')?.firstElementChild.textContent") == "Status"


def test_an_edit_that_changes_nothing_writes_nothing(served, browse):
    page = browse(served)
    row = page.locator(".row", has_text="OpenTelemetry")
    row.focus()
    page.keyboard.press("e")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator(".toast").count() == 0
    assert served.mnemos("timeline", "--id", row.get_attribute("data-id"))["chain"][-1].get("valid_to") is None


def test_of_a_very_long_memory_the_beginning_is_shown_and_what_can_be_done_is_in_reach(served, browse):
    served.mnemos("store", "\n".join(f"Step {n} of the runbook checks table t{n}." for n in range(200)), "--key", "runbook", "--force")
    page = browse(served)
    page.locator(".row", has_text="Step 0 of the runbook").click()
    page.wait_for_selector("#panel .text button:has-text('show all')")
    assert page.locator("#panel button:has-text('Archive')").bounding_box()["y"] < 860
    page.click("#panel .text button")
    page.wait_for_selector("#panel .text:has-text('Step 199 of the runbook')")


def test_what_a_hook_put_down_is_not_shown_as_let_go_before_it_was_read(served, browse):
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": served.env["HOME"], "prompt": "From now on always use ruff in this repository."}
    subprocess.run([sys.executable, "-m", "mnemos_mcp", "hook", "UserPromptSubmit"], env=served.env, cwd=served.env["HOME"], input=json.dumps(prompt), text=True, check=True)
    page = browse(served, "sleep")
    page.wait_for_selector("li:has-text('always use ruff') .chip:has-text('not read yet')")
    assert page.locator("li[data-episode]:has-text('always use ruff')").count() == 0


def test_names_in_the_graph_do_not_lie_on_each_other(served, browse):
    page = browse(served, "graph", width=380)
    page.wait_for_selector(".node text")
    boxes = page.evaluate("[...document.querySelectorAll('.node text')].map(t => { const b = t.getBoundingClientRect(); return [b.left, b.top + 2, b.right, b.bottom - 2] })")
    assert len(boxes) > 1
    assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]


def test_a_tie_that_a_question_lit_names_both_its_ends(served, browse):
    page = browse(served, "graph?q=what happens to failed jobs")
    ties = page.locator(".plainlist li", has_text="recalled together")
    ties.first.wait_for()
    assert all(tie.locator("button.link").count() == 2 for tie in ties.all())
    assert len(set(ties.all_inner_texts())) == ties.count()


def test_states_of_one_day_are_told_apart_by_the_hour(served, browse):
    for limit in (100, 250):
        served.mnemos("store", f"The API limit is {limit} requests per minute.", "--key", "api/limit")
    page = browse(served, "timeline?key=api/limit")
    page.wait_for_selector(".turn >> nth=1")
    assert all(":" in text for text in page.locator(".turn .when time").all_inner_texts())
