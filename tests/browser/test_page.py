"""The page as a person meets it: in a real Chromium, on a real process, with another process writing beside it."""
from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser
VIEWS = {"memories": "The mobile team reads the ledger", "why": "Ask something", "timeline": "kestrel.example.net", "health": "SQLite's check passes",
         "forgetting": "To the archive", "sleep": "Sleep now", "talk": "No model is configured", "graph": "In the middle"}


def contents(page: Any) -> list[str]:
    return page.locator(".row .content").all_inner_texts()


def search(page: Any, words: str) -> None:
    page.fill("main input[type=search]", words)
    page.wait_for_function("words => new URLSearchParams(location.hash.split('?')[1]).get('q') === words", arg=words)
    page.wait_for_selector(".summary:has-text('searched')")


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_loads_and_shows_what_it_is_about(served, browse, view):
    page = browse(served, view)
    page.wait_for_selector(f"main:has-text(\"{VIEWS[view]}\")")
    assert page.locator("nav [aria-current=page]").inner_text().strip().lower() == view
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_bars_of_why_sum_to_the_score_in_figures_and_in_pixels(served, browse):
    page = browse(served, "why?q=which server is staging")
    page.wait_for_selector(".weighed .stack")
    bars = page.evaluate("""[...document.querySelectorAll('.weighed .stack')].map(bar => {
        const parts = [...bar.children]
        return {score: +bar.dataset.score, sum: parts.reduce((t, p) => t + +p.dataset.share, 0), wide: parts.reduce((t, p) => t + p.getBoundingClientRect().width, 0)}})""")
    assert len(bars) > 5 and bars[0]["score"] > 0.2
    best = bars[0]
    for bar in bars:
        assert bar["sum"] == pytest.approx(bar["score"], abs=1e-9)
        assert bar["wide"] / bar["score"] == pytest.approx(best["wide"] / best["score"], rel=0.02)


def test_why_shows_what_the_floor_withheld_and_says_how_much_was_missing(served, browse):
    page = browse(served, "why?q=how long does bread rise")
    held = page.locator("li[data-gate=floor]")
    held.first.wait_for()
    assert re.search(r"evidence -?\d+\.\d+ of 1\.50", held.first.inner_text())
    assert page.locator("li[data-gate=recalled]").count() == 0 and "nothing stored answers this" in page.locator(".note").inner_text()


def test_packing_is_seen_at_work_when_little_is_asked_for(served, browse):
    page = browse(served, "why?q=payments, money and deploys in the ledger&limit=3&budget=300")
    page.wait_for_selector(".funnel")
    left = page.locator("li[data-gate=packing]")
    recalled = page.locator("li[data-gate=recalled]").count()
    assert recalled <= 3
    if left.count():
        assert left.first.locator(".reason").inner_text() in ("limit", "budget") or "like" in left.first.inner_text()


def test_the_as_of_slider_changes_the_answer(served, browse):
    page = browse(served, "why?q=which server is staging")
    best = page.locator("li[data-gate=recalled] .content").first
    best.wait_for()
    assert "kestrel" in best.inner_text()
    page.evaluate("""() => { const range = document.querySelector('#asof'); range.value = 60; range.dispatchEvent(new Event('input', {bubbles: true})) }""")
    page.wait_for_selector("li[data-gate=recalled] .content:has-text('heron')")
    assert "as it was on" in page.locator(".asof output").inner_text()


def test_edit_then_search_then_undo(served, browse):
    page = browse(served)
    search(page, "currency rates")
    page.wait_for_selector(".row .content:has-text('central bank')")
    page.locator(".row", has_text="central bank").first.focus()
    page.keyboard.press("e")
    page.fill("dialog textarea", "Currency rates come from the ECB feed at 17:00 CET and are kept for ever.")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".row .content:has-text('ECB feed')")
    assert not any("central bank" in text for text in contents(page)[:1])
    assert served.mnemos("retrieve", "currency rates")["memories"][0]["content"].startswith("Currency rates come from the ECB feed")
    page.click(".toast button:has-text('Undo')")
    page.wait_for_selector(".row .content:has-text('central bank')")
    page.wait_for_function("() => ![...document.querySelectorAll('.row .content')].some(x => x.textContent.includes('ECB feed'))")
    assert "central bank" in served.mnemos("retrieve", "currency rates")["memories"][0]["content"]


def test_what_another_process_stores_appears_by_itself(served, browse):
    page = browse(served)
    page.wait_for_selector(".live.up")
    served.mnemos("store", "The tax office accepts XML from January on.", "--tags", "export")
    page.wait_for_selector(".row .content:has-text('accepts XML')")
    assert page.locator(".row.fresh-row", has_text="accepts XML").count() == 1


def test_keys_walk_pin_archive_and_undo(served, browse):
    page = browse(served)
    page.wait_for_selector(".row")
    first, second = contents(page)[:2]
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert second in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("p")
    page.wait_for_selector(f".row:has-text({second!r}) .pinned")
    page.keyboard.press("a")
    page.wait_for_function("text => ![...document.querySelectorAll('.row .content')].some(x => x.textContent === text)", arg=second)
    page.keyboard.press("u")
    page.wait_for_selector(f".row .content:has-text({second!r})")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog:has-text('Keys')")
    assert first in contents(page)


def test_erasing_asks_first_and_is_proved(served, browse):
    page = browse(served)
    page.wait_for_selector(".row")
    row = page.locator(".row", has_text="OpenTelemetry")
    row.focus()
    page.keyboard.press("x")
    page.wait_for_selector("dialog:has-text('Erase for good')")
    page.keyboard.press("Escape")
    assert row.count() == 1
    row.focus()
    page.keyboard.press("x")
    page.click("dialog button.danger")
    page.wait_for_selector(".toast:has-text('0 bytes found afterwards')")
    page.wait_for_function("() => ![...document.querySelectorAll('.row .content')].some(x => x.textContent.includes('OpenTelemetry'))")


def test_markup_in_content_stays_text_in_every_view(served, browse):
    served.mnemos("store", "The widget <b onclick=alert(6)>shouts</b> in its own topic.", "--key", "<img src=x onerror=alert(4)>", "--tags", "<script>alert(5)</script>", "--force")
    served.mnemos("store", "Another project has a name in markup.", "--project", "<img src=x onerror=alert(7)>", "--force")
    page = browse(served)
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    search(page, "<svg onload=alert(1)> ticket form echoes")
    page.locator(".row", has_text="<svg onload=alert(1)>").first.click()
    page.wait_for_selector("#panel .text:has-text('<script>alert(2)</script>')")
    for view, shown in (("why?q=<script>alert(9)</script> ticket form", ".weighed"), ("timeline?key=<img src=x onerror=alert(4)>", ".turn"),
                        ("forgetting", ".curves"), ("sleep", ".runs"), ("talk", ".ask"), ("graph", ".net"), ("health", ".verdict")):
        page.goto(f"{served.origin}/#{view}")
        page.wait_for_selector(f"main {shown}")
    counts = page.evaluate("""({scripts: document.querySelectorAll('main script, main svg[onload], main img, #panel script').length,
                               links: document.querySelectorAll('a[href^=javascript]').length})""")
    assert counts == {"scripts": 0, "links": 0}


def test_a_kept_memory_of_the_gate_and_a_run_of_sleep_can_be_taken_back(served, browse):
    page = browse(served, "sleep")
    page.locator("li[data-episode]", has_text="hm, what about the other branch?").locator("text=Keep it after all").click()
    page.wait_for_selector(".toast:has-text('its own origin')")
    found = served.mnemos("list", "--limit", "1")["memories"][0]
    assert found["content"].startswith("hm, what about")
    page.click("text=Sleep now")
    page.wait_for_selector(".runs li[data-run] >> nth=1")
    page.locator(".runs li[data-run]").first.locator("text=Undo").click()
    page.wait_for_selector(".runs li[data-run] .chip:has-text('undone')")


def test_reinforcing_moves_the_curve(served, browse):
    page = browse(served, "forgetting")
    page.wait_for_selector(".curve.chosen")
    before = page.locator(".curve.chosen").get_attribute("d")
    page.locator(".picked li.on button:has-text('It helped')").click()
    page.wait_for_function("before => document.querySelector('.curve.chosen').getAttribute('d') !== before", arg=before)


def test_an_empty_store_teaches(empty, browse):
    page = browse(empty)
    page.wait_for_selector(".empty:has-text('Nothing is remembered here yet')")
    for view in ("why", "timeline", "forgetting", "graph"):
        page.goto(f"{empty.origin}/#{view}")
        page.wait_for_selector("main .empty")


def test_the_address_works_once_and_the_cookie_is_not_for_scripts(served, browse, chromium):
    page = browse(served)
    assert page.evaluate("document.cookie") == ""
    other = chromium.new_context().new_page()
    assert other.goto(served.address).status == 403 and "works once" in other.content()
    assert other.goto(f"{served.origin}/").status == 403
    other.context.close()


@pytest.mark.parametrize(("name", "value"), [("Host", "evil.example:80"), ("Origin", "https://evil.example")])
def test_a_foreign_host_or_origin_gets_403_even_with_the_cookie(served, browse, name, value):
    page = browse(served)
    answer = page.request.get(f"{served.origin}/api/stats", headers={name: value})
    assert answer.status == 403
    assert page.request.get(f"{served.origin}/api/stats").status == 200


def test_the_theme_switch_turns_dark_and_is_remembered(served, browse):
    page = browse(served)
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.click("#theme")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.reload()
    page.wait_for_selector(".row")
    assert light != dark == page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_text_has_the_contrast_of_wcag_aa(served, browse, scheme, view):
    page = browse(served, view if view != "why" else "why?q=which server is staging", dark=scheme == "dark")
    page.wait_for_selector(f"main:has-text(\"{VIEWS[view]}\")" if view != "why" else ".weighed")
    assert page.evaluate(CONTRAST) == []


# Every visible piece of text against the nearest opaque ground behind it: 4.5 to 1, large text 3 to 1.
CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true})
  const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data] }
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0)
  const ground = node => { for (; node; node = node.parentElement) { const c = rgba(getComputedStyle(node).backgroundColor); if (c[3] > 250) return c } return [255, 255, 255] }
  const bad = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement
    if (!walk.currentNode.textContent.trim()) continue
    if (!node.checkVisibility({opacityProperty: true, visibilityProperty: true}) || node.closest('svg, .unseen, .skip, option, noscript')) continue
    const style = getComputedStyle(node), [a, b] = [light(rgba(style.color)), light(ground(node))].sort((x, y) => y - x)
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && style.fontWeight >= 700)
    if ((a + .05) / (b + .05) < (large ? 3 : 4.5)) bad.push(`${((a + .05) / (b + .05)).toFixed(2)} ${node.className} ${walk.currentNode.textContent.trim().slice(0, 30)}`)
  }
  return bad
}"""
