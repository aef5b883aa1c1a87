"""The page's door: who may enter, what is sent, and that it is the engine's own answer. A real process, asked over real HTTP."""
from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mnemos_mcp.errors import BadInput
from mnemos_mcp.web.app import assets
from mnemos_mcp.web.guard import POLICY
from mnemos_mcp.web.routes import body_of

ROOT = Path(__file__).resolve().parent.parent
MARKUP = "<svg onload=alert(1)><script>alert(2)</script> [x](javascript:alert(3))"


class Page:
    """One `mnemos ui` on an empty folder, and a browser's side of it."""

    def __init__(self, folder: Path):
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith("MNEMOS_")}, "HOME": str(folder), "PYTHONPATH": str(ROOT), "MNEMOS_PROJECT": "ledger",
                    "MNEMOS_SQLITE_PATH": str(folder / "data" / "mnemos.db"), "MNEMOS_EMBEDDING_PROVIDER": "none"}
        self.process = subprocess.Popen([sys.executable, "-m", "mnemos_mcp", "ui", "--no-open", "--json"], env=self.env, cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        assert self.process.stdout
        address = json.loads(self.process.stdout.readline())["address"]
        self.port = int(address.split(":")[2].split("/")[0])
        self.token = address.partition("token=")[2]
        self.cookie = ""

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers, body of one request, with the cookie unless another is given."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        own = {"cookie": self.cookie} if self.cookie else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        line.request(method, path, None if body is None else json.dumps(body), {**own, **given})
        answer = line.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        line.close()
        return found

    def enter(self) -> None:
        self.cookie = self.ask(f"/?token={self.token}")[1]["set-cookie"].partition(";")[0]

    def get(self, name: str, **params: str) -> Any:
        status, _, body = self.ask(f"/api/{name}?" + "&".join(f"{k}={quote(v)}" for k, v in params.items()))
        assert status == 200, body
        return json.loads(body)

    def post(self, name: str, **body: Any) -> tuple[int, Any]:
        status, _, raw = self.ask(f"/api/{name}", "POST", body, origin=f"http://127.0.0.1:{self.port}")
        return status, json.loads(raw)

    def mnemos(self, *words: str) -> Any:
        done = subprocess.run([sys.executable, "-m", "mnemos_mcp", *words, "--json"], env=self.env, capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page that nobody has entered yet."""
    page = Page(tmp_path_factory.mktemp("page"))
    yield page
    if page.process.poll() is None:
        page.process.kill()


@pytest.fixture(scope="module")
def page(outside: Page) -> Page:
    if not outside.cookie:
        outside.enter()
    return outside


def test_without_the_token_nothing_is_let_out(outside):
    for path in ("/", "/app.js", "/api/list", "/api/live", "/?token=", "/?token=wrong"):
        status, headers, body = outside.ask(path)
        assert status == 403 and b"mnemos ui" in body and "set-cookie" not in headers


def test_a_wrong_address_is_told_from_a_used_one_and_costs_the_right_one_nothing(tmp_path):
    page = Page(tmp_path)
    try:
        for wrong in ("wrong", page.token[:-1], page.token.lower(), "\u00e9"):
            status, _, body = page.ask(f"/?token={quote(wrong)}")
            assert status == 403 and b"not the address" in body and b"opened before" not in body
        assert "set-cookie" in page.ask(f"/?token={page.token}")[1]
        for given, said in ((page.token, b"opened before"), ("wrong", b"not the address")):
            status, _, body = page.ask(f"/?token={given}")
            assert status == 403 and said in body
    finally:
        page.process.kill()


def test_what_is_no_request_is_refused_and_the_terminal_stays_quiet(tmp_path):
    import socket
    page = Page(tmp_path)
    for raw in (b"\x16\x03\x01 a greeting of TLS\r\n\r\n", b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nno colon here\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", page.port), timeout=30) as line:
            line.sendall(raw)
            assert line.recv(100).startswith(b"HTTP/1.1 400")
    page.process.terminate()
    assert page.process.communicate(timeout=30) == ("", "")


def test_the_token_becomes_a_cookie_once_and_is_worth_nothing_afterwards(outside):
    status, headers, _ = outside.ask(f"/?token={outside.token}")
    assert (status, headers["location"], headers["cache-control"]) == (303, "/", "no-store")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and outside.token not in cookie
    status, headers, _ = outside.ask(f"/?token={outside.token}")
    assert status == 403 and "set-cookie" not in headers
    outside.cookie = cookie.partition(";")[0]
    assert outside.ask("/")[0] == 200
    assert outside.ask(f"/?token={outside.token}")[0] == 303, "whoever is in stays in"


@pytest.mark.parametrize(("headers", "expected"), [
    ({"host": "evil.example"}, 403), ({"host": "127.0.0.1:1"}, 403), ({"host": "[::1]"}, 403), ({"origin": "https://evil.example"}, 403), ({"origin": "null"}, 403),
    ({"origin": "http://127.0.0.1:1"}, 403), ({"sec_fetch_site": "cross-site"}, 403), ({"sec_fetch_site": "same-site"}, 403), ({"cookie": "mnemos_1=guess"}, 403),
    ({"sec_fetch_site": "same-origin"}, 200), ({}, 200)])
def test_a_foreign_host_origin_or_cookie_is_turned_away(page, headers, expected):
    assert page.ask("/api/stats", **headers)[0] == expected


def test_a_change_needs_the_origin_of_the_page(page):
    assert page.ask("/api/store", "POST", {"content": "Planted."})[0] == 403
    assert page.ask("/api/store", "POST", {"content": "Planted."}, origin="http://evil.example")[0] == 403
    assert page.ask("/api/store?content=Planted.")[0] in (404, 405)
    assert page.get("list")["total"] == 0 or all(m["content"] != "Planted." for m in page.get("list")["memories"])


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/stats", "/nothing"])
def test_every_answer_carries_the_policy(page, path):
    _, headers, _ = page.ask(path)
    assert headers["content-security-policy"] == POLICY and "unsafe" not in POLICY and "http" not in POLICY
    assert (headers["x-content-type-options"], headers["x-frame-options"], headers["referrer-policy"]) == ("nosniff", "DENY", "no-referrer")


@pytest.mark.parametrize("path", ["/../settings.py", "/..%2f..%2fsettings.py", "/%2e%2e/guard.py", "/assets/app.js", "/views/../../guard.py", "//etc/passwd", "/views",
                                  "/guard.py"])
def test_only_the_assets_can_be_asked_for(page, path):
    status, _, body = page.ask(path)
    assert status == 404 and b"import" not in body


def test_no_asset_is_inline_or_comes_from_elsewhere():
    texts = {name: body.decode() for name, (body, _) in assets().items()}
    assert {"/", "/app.js", "/views/why.js", "/base.css"} <= set(texts)
    for name, text in texts.items():
        if name.endswith(".html"):
            assert "style=" not in text and "onclick" not in text and "<script>" not in text
        if name.endswith(".js"):
            assert not any(word in text for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", '"style",'))
            assert len(text.splitlines()) <= 300
        assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/2000/svg"}, name


def test_markup_is_sent_as_the_text_it_is(page):
    status, stored = page.post("store", content=MARKUP, tags=[MARKUP], key="x/<b>", force=True)
    assert (status, stored["stored"]) == (200, True)
    row = next(m for m in page.get("list")["memories"] if m["id"] == stored["id"])
    assert (row["content"], row["tags"], row["key"], row["origin"]) == (MARKUP, [MARKUP], "x/<b>", "user")
    status, headers, body = page.ask("/api/why?query=" + quote(MARKUP))
    assert headers["content-type"] == "application/json" and MARKUP in json.loads(body)["candidates"][0]["content"]


def test_the_parts_of_a_score_sum_to_it_and_looking_leaves_no_trace(page):
    for text in ("The retry limit of the ledger is five.", "The cache of the ledger lives in Redis.", "Deploys of billing run on Monday."):
        page.post("store", content=text, force=True)
    found = page.get("why", query="retry limit of the ledger")
    assert found["candidates"][0]["gate"] == "recalled" and found["rows"] >= 3
    for candidate in found["candidates"]:
        assert sum(candidate["why"].values()) == pytest.approx(candidate["score"], abs=1e-9)
    assert page.get("stats")["recalls"] == 0
    assert [m["id"] for m in page.get("retrieve", query="retry limit of the ledger", reconsolidate="false")["memories"]] == found["recalled"]


def test_forget_restore_pin_and_erase_go_through_the_engine(page):
    one = page.post("store", content="The staging server is heron.", key="staging", force=True)[1]["id"]
    assert page.post("forget", id=one)[1]["outcome"] == "archived"
    assert page.post("reinforce", id=one, signal="restore")[0] == 200
    assert page.post("reinforce", id=one, signal="pin")[0] == 200
    assert page.get("inspect", id=one)["memory"]["pinned"]
    edited = page.post("store", content="The staging server is ibis.", key="staging", supersedes=[one], force=True)[1]
    assert edited["superseded"] == [one]
    assert [t["content"] for t in page.get("timeline", key="staging")["turns"]] == ["The staging server is heron.", "The staging server is ibis."]
    assert [t["key"] for t in page.get("topics")["topics"]] == ["staging"]
    status, proof = page.post("forget", id=edited["id"], erase=True)
    assert (status, proof["outcome"], proof["bytes_found"]) == (200, "erased", 0)


def test_what_the_gate_let_go_is_listed_and_can_be_kept_after_all(page):
    assert page.post("store", content="ok thanks, looks good")[1]["outcome"] == "not_news"
    episode = next(e for e in page.get("sleep")["episodes"] if e["content"] == "ok thanks, looks good")
    assert (episode["memory_id"], episode["origin"]) == ("", "user")
    kept = page.post("keep", id=episode["id"])[1]
    assert kept["stored"] and page.get("inspect", id=kept["id"])["memory"]["origin"] == "user"
    again = next(e for e in page.get("sleep")["episodes"] if e["id"] == episode["id"])
    assert (again["status"], again["memory_id"]) == ("consolidated", kept["id"])


def test_the_remaining_reads_answer(page):
    one = page.get("list", limit="1")["memories"][0]["id"]
    assert {"checks", "status"} <= set(page.get("health")) and page.get("sizes")["rows"]["memory"] > 0
    curve = page.get("forgetting", ids=one, days="90")["curves"][0]
    assert (curve["points"][0][1] == pytest.approx(1.0, abs=0.01) and curve["points"][-1][1] < curve["reinforced"][-1][1]) or curve["memory"]["pinned"]
    assert page.get("graph", id=one)["memories"][0]["id"] == one
    status, turn = page.post("talk", message="What is the retry limit?")
    assert status == 200 and turn["answer"] == "" and "No model is configured" in turn["note"] and turn["stored"] is None
    assert page.get("list", sector="semantic")["total"] <= page.get("list")["total"]


@pytest.mark.parametrize(("name", "params", "status"), [
    ("list", {"limit": "1000"}, 400), ("list", {"sector": "nowhere"}, 400), ("why", {}, 400), ("why", {"query": "x", "as_of": "once"}, 400), ("inspect", {"id": "nothing"}, 404),
    ("forgetting", {"days": "0"}, 400), ("list", {"nonsense": "1"}, 400)])
def test_a_wrong_question_is_answered_in_a_sentence(page, name, params, status):
    found, _, body = page.ask(f"/api/{name}?" + "&".join(f"{k}={v}" for k, v in params.items()))
    assert found == status and len(json.loads(body)["error"]["message"]) > 10 and b"Traceback" not in body


def test_a_body_that_is_no_object_or_too_large_is_refused(page):
    origin = {"origin": f"http://127.0.0.1:{page.port}"}
    assert page.ask("/api/store", "POST", [1], **origin)[0] == 400
    assert page.ask("/api/store", "POST", {"content": "x" * 2_000_000}, **origin)[0] == 400
    assert page.get("stats")
    with pytest.raises(BadInput, match="no JSON"):
        body_of(b"[" * 100_000)


def test_a_page_hears_what_another_process_commits(page):
    line = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    line.request("GET", "/api/live", headers={"cookie": page.cookie})
    answer = line.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")

    def event() -> bytes:
        while not (text := answer.readline()).startswith(b"event:"):
            assert text
        return text.split()[1]

    assert event() == b"hello"
    page.mnemos("store", "Another process says this.", "--force")
    assert event() == b"changed"
    page.post("store", content="So does the page itself.", force=True)
    assert event() == b"changed"
    line.close()


def test_reading_is_no_change(page):
    line = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    line.request("GET", "/api/live", headers={"cookie": page.cookie})
    answer = line.getresponse()
    first = [answer.readline() for _ in range(4)]
    for name in ("health", "stats", "sleep", "sizes", "list"):
        page.get(name)
    page.get("why", query="ledger")
    page.post("store", content="The one change of this test.", force=True)
    second = [answer.readline() for _ in range(3)]
    line.close()
    before, after = (int(next(part for part in said if part.startswith(b"data:")).split()[1]) for said in (first, second))
    assert after == before + 1


def test_only_loopback_listens_and_a_taken_port_is_said(page):
    listening = Path("/proc/net/tcp")
    if listening.exists():
        mine = [row.split()[1] for row in listening.read_text().splitlines()[1:] if row.split()[1].endswith(f":{page.port:04X}") and row.split()[3] == "0A"]
        assert mine == [f"0100007F:{page.port:04X}"]
    done = subprocess.run([sys.executable, "-m", "mnemos_mcp", "ui", "--no-open", "--port", str(page.port)], env=page.env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and str(page.port) in done.stderr and done.stdout == ""


def test_it_ends_on_a_signal_with_a_page_connected_and_has_said_nothing_but_the_address(page):
    line = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    line.request("GET", "/api/live", headers={"cookie": page.cookie})
    line.getresponse().readline()
    page.process.send_signal(signal.SIGTERM)
    out, err = page.process.communicate(timeout=20)
    line.close()
    assert (out, err) == ("", "")
