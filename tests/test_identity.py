"""Which project a folder is, on real repositories."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mnemos_mcp import identity, repository
from mnemos_mcp.errors import BadInput
from mnemos_mcp.identity import identify, resolve, workspaces_of

ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
WHO = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]


def git(folder: Path, *words: str) -> str:
    run = subprocess.run(["git", *WHO, *words], cwd=folder, env={**ENV, "HOME": str(folder)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def make(folder: Path, remote: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    commit(folder)
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def commit(folder: Path, *more: str) -> None:
    git(folder, "commit", "-q", "--allow-empty", "-m", f"made in {folder}", *more)


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / "home").mkdir()
    return str(tmp_path / "home")


@pytest.fixture
def of(home):
    """Identity in the fast path, as a hook sees it."""
    return lambda folder, **more: identify(str(folder), home=home, **more).identity


@pytest.fixture
def no_git(monkeypatch):
    monkeypatch.setattr(repository, "ask_git", lambda *_: pytest.fail("git was started"))


@pytest.mark.parametrize("remote", ["", "git@git.example.com:team/shop.git"])
def test_worktrees_share_one_project_and_none_is_stranded(tmp_path, of, no_git, remote):
    shop = make(tmp_path / "shop", remote)
    git(shop, "worktree", "add", "-q", "../shop-hotfix")
    git(shop, "worktree", "add", "-q", ".agent/worktrees/fix-1")
    places = [shop, tmp_path / "shop-hotfix", shop / ".agent/worktrees/fix-1"]
    assert len({of(place) for place in places}) == 1
    assert {identify(str(place), home=str(tmp_path / "home")).name for place in places} == {"shop"}
    before = of(shop)
    shutil.rmtree(shop / ".agent/worktrees/fix-1")
    assert of(shop) == of(shop / ".agent/worktrees/fix-1") == before  # a session may still run in the deleted one


def test_same_folder_name_is_not_the_same_project(tmp_path, of):
    assert of(make(tmp_path / "clients/portal")) != of(make(tmp_path / "hobby/portal"))
    assert of(make(tmp_path / "a/site", "https://h.example/a/site")) != of(make(tmp_path / "b/site", "https://h.example/b/site"))


@pytest.mark.parametrize("remote", ["", "https://git.example.com/team/mono"])
def test_a_subfolder_is_its_repository(tmp_path, of, remote):
    mono = make(tmp_path / "mono", remote)
    (mono / "services/billing").mkdir(parents=True)
    (mono / "services/billing/package.json").write_text("{}")
    assert of(mono) == of(mono / "services/billing") == of(mono / ".git") == of(mono / ".git/hooks") == of(mono / "not/there")


def test_a_plain_folder_belongs_to_the_nearest_marker_else_to_itself(tmp_path, of):
    notes = tmp_path / "notes"
    (notes / "2026/may").mkdir(parents=True)
    assert of(notes / "2026") != of(notes)
    (notes / ".mnemos").mkdir()
    assert of(notes / "2026/may") == of(notes / "2026") == of(notes)


def test_moves_and_renames_change_nothing(tmp_path, of):
    for name, remote in (("bare", ""), ("remote", "https://h.example/a/b")):
        before = of(make(tmp_path / name, remote))
        (tmp_path / name).rename(tmp_path / f"{name} renamed")
        assert of(tmp_path / f"{name} renamed") == before


def test_clones_share_and_forks_do_not(tmp_path, of, home):
    shop = make(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "shop", "clone")
    git(tmp_path, "clone", "-q", f"file://{tmp_path}/clone", "clone of clone")
    assert of(shop) == of(tmp_path / "clone") == of(tmp_path / "clone of clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", "https://h.example/fork/shop")
    assert of(tmp_path / "clone") == "git:h.example/fork/shop" != of(shop)
    git(tmp_path / "clone", "remote", "add", "aaa", "https://h.example/team/shop")
    assert of(tmp_path / "clone") == "git:h.example/fork/shop"  # origin leads
    git(tmp_path / "clone", "remote", "rename", "origin", "zzz")
    assert of(tmp_path / "clone") != of(shop)


def test_bare_hubs_join_their_clones_and_part_forks(tmp_path, of):
    make(tmp_path / "shop")
    for hub in ("hub.git", "fork.git"):
        git(tmp_path, "clone", "-q", "--bare", "shop", hub)
    for hub, clone in (("hub.git", "one"), ("hub.git", "two"), ("fork.git", "three")):
        git(tmp_path, "clone", "-q", hub, clone)
    assert of(tmp_path / "one") == of(tmp_path / "two") != of(tmp_path / "three")
    before = of(tmp_path / "one")
    (tmp_path / "hub.git").rename(tmp_path / "unmounted")
    assert of(tmp_path / "one") == before


def test_a_bare_repository_with_worktrees_is_one_project(tmp_path, of, home):
    make(tmp_path / "shop")
    (tmp_path / "proj").mkdir()
    git(tmp_path, "clone", "-q", "--bare", "shop", "proj/.bare")
    git(tmp_path / "proj/.bare", "remote", "set-url", "origin", "https://h.example/team/shop")
    (tmp_path / "proj/.git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "proj", "worktree", "add", "-q", "main")
    assert of(tmp_path / "proj") == of(tmp_path / "proj/main") == of(tmp_path / "proj/.bare") == "git:h.example/team/shop"


def test_a_submodule_is_its_own_project(tmp_path, of):
    lib, app = make(tmp_path / "lib"), make(tmp_path / "app")
    git(app, "submodule", "add", "-q", str(lib), "vendor/lib")
    assert of(app / "vendor/lib") == of(lib) != of(app)
    git(app / "vendor/lib", "remote", "set-url", "origin", "https://h.example/x/lib")
    (app / "vendor/lib/src").mkdir()
    assert of(app / "vendor/lib/src") == "git:h.example/x/lib"


def test_a_token_in_the_remote_is_nowhere(tmp_path, home):
    with_token = make(tmp_path / "one", "https://x-access-token:TOKEN123456789@git.example.com/team/app.git")
    without = make(tmp_path / "two", "git@git.example.com:team/app")
    found = identify(str(with_token), home=home, allow_git=True)
    assert "TOKEN" not in repr(found)
    assert (found.identity, found.name) == ("git:git.example.com/team/app", "app")
    assert identify(str(without), home=home).identity == found.identity


def test_the_first_commit_without_git_with_git_and_remembered(tmp_path, home, of):
    shop = make(tmp_path / "shop")
    first = git(shop, "rev-list", "--max-parents=0", "HEAD")
    commit(shop)
    assert of(shop) == of(shop, allow_git=True) == f"root:{first}"
    shutil.rmtree(shop / ".git/logs")
    hook = identify(str(shop), home=home)
    assert hook.how == "folder" and hook.provisional
    asked = identify(str(shop), home=home, allow_git=True)
    assert asked.identity == f"root:{first}" and not asked.provisional and hook.identity in asked.former
    memory = {asked.key: asked.identity}
    assert of(shop, cached=memory.get) == f"root:{first}"
    git(shop, "gc", "-q")  # now in a pack
    assert of(shop, cached=memory.get) == f"root:{first}"


def test_what_is_remembered_for_a_place_does_not_pass_to_its_next_tenant(tmp_path, home, of):
    shop = make(tmp_path / "shop")
    asked = identify(str(shop), home=home, allow_git=True)
    shutil.rmtree(shop)
    make(tmp_path / "another").rename(shop)
    assert of(shop, cached={asked.key: asked.identity}.get) != asked.identity


def test_an_amended_first_commit_reads_the_same_from_log_and_git(tmp_path, of):
    shop = make(tmp_path / "shop")
    commit(shop, "--amend", "-m", "better")
    assert of(shop) == of(shop, allow_git=True)


def test_shallow_clones_and_empty_repositories_are_folders(tmp_path, home, of):
    shop = make(tmp_path / "shop")
    commit(shop)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{shop}", "shallow")
    git(tmp_path / "shallow", "remote", "remove", "origin")
    found = identify(str(tmp_path / "shallow"), home=home, allow_git=True)
    assert found.how == "folder" and not found.provisional
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    early = identify(str(tmp_path / "empty"), home=home, allow_git=True)
    assert early.how == "folder" and early.provisional
    commit(tmp_path / "empty")
    grown = identify(str(tmp_path / "empty"), home=home)
    assert grown.how == "root-commit" and early.identity in grown.former
    git(tmp_path / "empty", "remote", "add", "origin", "https://h.example/a/b")
    public = identify(str(tmp_path / "empty"), home=home)
    assert {early.identity, grown.identity} <= set(public.former)


def test_home_and_root_are_no_project_whatever_stands_there(tmp_path, home):
    git(Path(home), "init", "-q")  # dotfiles
    commit(Path(home))
    (Path(home) / "package.json").write_text("{}")
    (Path(home) / "notes/2026").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(home)
    for place in (home, "/", str(link), home + "/.", home + "/.git", "C:\\", "C:/"):
        assert identify(place, home=home) is None, place
        assert identity.root_of(place, home=home) == ""
    assert identify(home + "/notes", home=home).root == home + "/notes"
    assert resolve("", cwd=home, home=home) is None
    assert resolve("shop", cwd=home, home=home).identity == "name:shop"


def test_unicode_spaces_and_links_lead_to_the_same_project(tmp_path, of):
    shop = make(tmp_path / "Größe 空 'n \"quotes\"")
    (tmp_path / "link").symlink_to(shop)
    (shop / "sub").mkdir()
    assert of(shop) == of(tmp_path / "link") == of(tmp_path / "link/sub") == of(f"{shop}/")


def test_git_configuration_as_people_write_it(tmp_path, of):
    shop = make(tmp_path / "shop")
    for text in ('[Remote "origin"] ; mine\n\tURL = "https://h.example/a/b"  # note\n', '[remote.origin]\r\nurl=https://h.example/a/b\r\n',
                 '[remote "x"]\nurl = https://h.example/x/x\n[remote "origin"]\n  url = https://h.exam\\\nple/a/b\n  url = https://h.example/second/one\n',
                 '[remote "origin"]\npushurl = https://h.example/p/p\nfetch = url = z\nurl = https://h.example/a/b\n[branch "url"]\nurl = no\n',
                 '[remote "origin"]\nurl =\n[remote "b"]\nurl = https://h.example/a/b\n', '\ufeff[remote "origin"]\nurl = https://h.example/a/b'):
        (shop / ".git/config").write_text(text, newline="")
        assert of(shop) == "git:h.example/a/b", text
    for bad in (b"\xff\xfe\0[", b"", b'[remote "', b"[remote \"origin\"]\nurl"):
        (shop / ".git/config").write_bytes(bad)
        assert of(shop).startswith("root:")


def test_dangling_and_nonsense_git_files_do_not_raise(tmp_path, of):
    for number, text in enumerate(["gitdir: /nowhere/.git/worktrees/x", "gitdir:", "nonsense", "", "gitdir: \0"]):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        (folder / ".git").write_text(text)
        assert of(folder).startswith("dir:")
    os.mkfifo(tmp_path / "d0/fifo")
    (tmp_path / "d0/.git").unlink()
    (tmp_path / "d0/.git").symlink_to("fifo")
    assert of(tmp_path / "d0").startswith("dir:")


def test_a_loop_of_local_remotes_ends(tmp_path, of):
    one, two = make(tmp_path / "one", str(tmp_path / "two")), make(tmp_path / "two", str(tmp_path / "one"))
    assert of(one) and of(two)
    git(one, "remote", "set-url", "origin", str(one))
    assert of(one).startswith("root:")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
@example("\0")
@example("a\0b")
@example("\ud800")
@example("x" * 5000)
@example("//server/share/x")
@example("\\\\server\\share\\x")
@example("C:\\Users\\Ann\\app")
@example("~nobody/x")
@example("git:")
def test_odd_paths_and_parameters_never_raise(home, text):
    found = identify(text, home=home)
    if found:
        found.identity.encode()
        found.name.encode()
    try:
        named = resolve(text, cwd=home, home=home)
    except BadInput:
        return
    if named:
        named.identity.encode()


def test_windows_paths_do_not_fall_to_the_working_folder(tmp_path, home, monkeypatch):
    monkeypatch.chdir(make(tmp_path / "shop"))
    one = resolve("C:\\Users\\Ann\\app", cwd=str(tmp_path / "shop"), home=home)
    assert one.how == "folder" and one.name == "app"
    assert one.identity == resolve("c:/users/ann/app/", cwd="/", home=home).identity != identify(".", home=home).identity


def test_a_parameter_is_a_folder_a_name_an_identity_or_a_remote(tmp_path, home):
    shop = make(tmp_path / "work/shop", "https://h.example/team/shop")
    names = {"shop": ["git:h.example/team/shop"], "portal": ["root:aa", "root:bb"]}

    def meant(text: str, cwd: Path = tmp_path) -> str:
        return resolve(text, cwd=str(cwd), home=home, known=lambda name: names.get(name, [])).identity

    for text in (str(shop), "work/shop", "./work/shop", "shop", "git:h.example/team/shop", "git@h.example:team/shop.git", "git://h.example/team/shop",
                 "https://u:TOKEN123@h.example/team/shop", f"file://{shop}", str(shop / "gone")):
        assert meant(text) == "git:h.example/team/shop", text
    assert meant(".", shop) == meant("", shop) == "git:h.example/team/shop"
    assert meant("Other  Thing") == "name:other thing" == meant("name:Other Thing")
    with pytest.raises(BadInput, match="root:aa, root:bb"):
        meant("portal")


def test_the_file_gives_a_display_name_and_no_identity(tmp_path, home):
    shop = make(tmp_path / "shop")
    named = identify(str(shop), home=home, name=" The\nShop ")
    assert named.name == "TheShop" or named.name == "The Shop"
    assert named.identity == identify(str(shop), home=home).identity


def test_workspaces(tmp_path, home):
    shop, other = make(tmp_path / "work/shop", "https://h.example/team/shop"), make(tmp_path / "other", "https://h.example/x/y")
    clone = make(tmp_path / "elsewhere/shop", "git@h.example:team/shop")
    listed = {"by identity": ("git:h.example/team/shop",), "by url": ("https://h.example/team/shop.git",), "by folder": (str(tmp_path / "work"),),
              "by clone": (str(clone),), "not": ("git:h.example/z/z", "~", "shop")}

    def found(folder: Path, chosen: str = "") -> tuple[str, ...]:
        return workspaces_of(identify(str(folder), home=home), listed, home=home, chosen=chosen)

    assert set(found(shop)) == {"by identity", "by url", "by folder", "by clone"}
    assert set(found(clone)) == {"by identity", "by url", "by clone"}
    assert found(other) == () and found(other, "not") == () and found(other, "free") == ("free",)
    assert found(shop, "by url")[0] == "by url"
    assert workspaces_of(None, listed, home=home, chosen="free") == ()


def test_the_fast_path_imports_little():
    heavy = "{'argparse', 'subprocess', 'tomllib', 'urllib.parse', 'difflib', 'numpy', 'pydantic', 'pwd', 'hashlib'}"
    code = f"import sys; before = set(sys.modules); import mnemos_mcp.settings, mnemos_mcp.private; print(({heavy} & set(sys.modules)) - before)"
    run = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(Path(__file__).parent.parent)!r}); {code}"],
                         capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
