"""Pictures of each view, light, dark and narrow, for people to look at: MNEMOS_TEST_SHOTS names their folder."""
from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
VIEWS = {"memories": "memories", "search": "memories?q=staging server", "why": "why?q=which server is staging", "timeline": "timeline", "health": "health",
         "forgetting": "forgetting", "sleep": "sleep", "talk": "talk", "graph": "graph"}
KINDS = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390, "height": 844}}


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_is_pictured_and_nothing_reaches_over_the_edge(served, browse, shot, kind):
    page = browse(served, **KINDS[kind])
    for name, view in VIEWS.items():
        page.goto(f"{served.origin}/#{view}")
        page.wait_for_selector(f"main.view-{view.partition('?')[0]} :is(.row, .weighed, .turn, .verdict, .curves, .runs, .ask, .net)")
        if name == "why":
            page.locator(".weighed summary").first.click()
            page.wait_for_selector(".apart")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        shot(page, f"{name}-{kind}")
