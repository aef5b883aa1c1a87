"""Names of projects and who may see what."""
from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mnemos_mcp.errors import BadInput
from mnemos_mcp.mechanisms import scopes
from mnemos_mcp.mechanisms.scopes import Governance, remote_identity
from mnemos_mcp.model import GLOBAL, Scope

TOKEN = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~!$&'()*+,;=:%#?@/", min_size=12, max_size=40).map(
    lambda text: "Zq9" + text + "7Xw")
PART = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_.", min_size=1, max_size=12).filter(
    lambda text: text.strip(".") and not text.endswith(".git"))
HOST = st.from_regex(r"[a-z]{2,8}\.(com|org|example|internal)", fullmatch=True)


@pytest.mark.parametrize("url", [
    "https://git.example.com/team/app.git", "https://git.example.com/team/app", "https://git.example.com/team/app/",
    "https://GIT.Example.com:443/team/app.git/",
    "http://git.example.com:80/team/app", "https://x-access-token:TOKEN123456789@git.example.com/team/app.git",
    "https://TOKEN123456789@git.example.com/team/app",
    "git@git.example.com:team/app.git", "git.example.com:team/app", "ssh://git@git.example.com/team/app", "ssh://git@git.example.com:22/team/app.git",
    "git+ssh://git@git.example.com/team/app.git", "git://git.example.com:9418/team/app", "[git@git.example.com:22]:team/app.git",
    "git@git.example.com:/team/app.git",
    "https://git.example.com/team/app.git?access_token=TOKEN123456789", "https://git.example.com/team/app#TOKEN123456789",
    "  https://git.example.com./team//app.git\n",
    "https://user:TOK/EN123456789@git.example.com/team/app", "user:TOKEN123456789@git.example.com/team/app",
    "https://user:TOK@EN123456789@git.example.com/team/app.git"])
def test_one_repository_has_one_identity(url):
    assert remote_identity(url) == "git:git.example.com/team/app"


@pytest.mark.parametrize(("one", "other"), [
    ("https://github.com/Team/App", "git@github.com:team/app.git"), ("ssh://git@ssh.github.com:443/team/app.git", "https://github.com/team/app"),
    ("git@github.com-work:team/app.git", "https://github.com/team/app"), ("https://org@dev.azure.com/org/proj/_git/repo",
    "git@ssh.dev.azure.com:v3/org/proj/repo"),
    ("https://h.example/my%20repo", "git@h.example:my repo"), ("https://h.example/cafe\u0301", "https://h.example/caf\u00e9")])
def test_known_spellings_meet(one, other):
    assert remote_identity(one) == remote_identity(other) != ""


@pytest.mark.parametrize(("one", "other"), [
    ("https://github.com/a/app", "https://github.com/b/app"), ("https://h.example/Team/app", "https://h.example/team/app"),
    ("https://h.example:8443/a/b", "https://h.example:9443/a/b"), ("https://h.example/a/b", "https://other.example/a/b"), ("git@h.example:a/b",
    "git@h.example:a/c")])
def test_forks_and_other_hosts_stay_apart(one, other):
    assert remote_identity(one) != remote_identity(other)


@pytest.mark.parametrize("url", ["", "   ", "/srv/git/app.git", "../app", "./app", "~/app", "C:\\work\\app", "C:/work/app", "file:///srv/app.git",
    "https://", "https://host.example/",
                                 "@", ":", "://", "host:", "https://user:TOKEN@/x"])
def test_what_names_no_repository_on_a_host_has_no_remote_identity(url):
    assert remote_identity(url) == ""


@given(HOST, PART, PART, TOKEN, st.sampled_from(["https://u:{t}@{p}", "https://{t}@{p}", "ssh://u:{t}@{p}", "http://{t}:x@{p}", "https://{p}?token={t}",
    "https://{p}#{t}", "u:{t}@{p}"]))
@example("ab.com", "team", "app", "Zq9%2F@:/?#secret7Xw", "https://u:{t}@{p}")
def test_a_token_never_survives(host, owner, name, token, form):
    if not form.endswith("//u:{t}@{p}"):  # elsewhere a bare "/" or "@" cannot be told from one of the path
        token = token.replace("/", "").replace("@", "")
    path = f"{host}/{owner}/{name}"
    found = remote_identity(form.format(t=token, p=path))
    for piece in filter(lambda part: len(part) > 5, token.replace("@", "/").replace("?", "/").replace("#", "/").replace(":", "/").split("/")):
        assert piece not in found and piece.lower() not in found
    assert found == remote_identity("https://" + path)


@given(st.text(max_size=200))
@example("\udcff://\udcff@/\udcff")
@example("https://[::1/x")
@example("a" * 5000 + "://")
def test_any_text_is_survived_and_the_result_is_stable(text):
    found = remote_identity(text)
    found.encode()
    assert "\n" not in found and (not found or scopes.given_identity(found) == found)
    scopes.display_name(found or "dir:00", text).encode()
    scopes.local_path(text)
    scopes.folder_identity(text).encode()
    scopes.is_no_project(text, text)


@given(HOST, PART, PART, st.integers(0, 2))
def test_ssh_and_https_agree(host, owner, name, form):
    spelled = [f"git@{host}:{owner}/{name}.git", f"ssh://git@{host}:22/{owner}/{name}/", f"HTTPS://{host.upper()}:443/{owner}/{name}"][form]
    assert remote_identity(spelled) == remote_identity(f"https://{host}/{owner}/{name}")


def test_given_identities_are_canonical_and_checked():
    assert scopes.given_identity("git:Example.com/team/app.git") == "git:example.com/team/app"
    assert scopes.given_identity("git:u:TOKEN123456@example.com/team/app") == "git:example.com/team/app"
    assert scopes.given_identity("name: My  Shop ") == "name:my shop"
    for wrong in ("git:", "git:host", "root:nope", "dir:", "name: "):
        with pytest.raises(BadInput):
            scopes.given_identity(wrong)


def test_display_names():
    assert scopes.display_name("git:github.com/team/app") == "app"
    assert scopes.display_name("root:abc", "/home/a/Größe 1") == "Größe 1"
    assert scopes.display_name("root:abc", "/srv/proj/.bare") == "proj"
    assert scopes.display_name("dir:abc", "C:\\work\\app\\") == "app"
    assert scopes.display_name("name:my shop") == "my shop"


def test_visible_scopes_are_those_asked_for_that_exist():
    mine = Scope("project", "git:h/a/b")
    assert scopes.visible(["git:h/a/b"], ["team"]) == (mine, Scope("workspace", "team"), GLOBAL)
    assert scopes.visible(["git:h/a/b"], ["team"], ["project"]) == (mine,)
    assert scopes.visible([]) == (GLOBAL,)
    assert scopes.visible([], asked=["project", "workspace"]) == ()
    with pytest.raises(BadInput, match="project, workspace, global"):
        scopes.visible(["x"], asked=["everything"])


@pytest.mark.parametrize("path", ["/", "/home/ann", "/home/ann/", "C:\\", "C:", "c:/", "", "\\"])
def test_home_and_roots_are_no_project(path):
    assert scopes.is_no_project(path, "/home/ann")


@pytest.mark.parametrize("path", ["/home/ann/x", "/home", "/home/anna", "C:\\x", "/srv"])
def test_other_folders_are(path):
    assert not scopes.is_no_project(path, "/home/ann") and not scopes.is_no_project(path, "")


def test_governance_admits_by_door_and_compares():
    assert Governance().admits("hook") and Governance().admits("manual")
    assert Governance("manual_only").admits("manual") and not Governance("manual_only").admits("hook")
    assert Governance("hooks_only").admits("hook") and not Governance("hooks_only").admits("manual")
    assert scopes.at_least_as_strict("manual_only", "all") and not scopes.at_least_as_strict("all", "manual_only")
    assert not scopes.at_least_as_strict("hooks_only", "manual_only")
