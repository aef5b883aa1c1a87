"""Failure memory alone: what is the same failure, and what is told of it."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.capture import told
from mnemos_mcp.episode import Failure
from mnemos_mcp.mechanisms import failures

MISSING = "Exit code 1\nTraceback (most recent call last):\n  File \"{}\", line {}, in <module>\nModuleNotFoundError: No module named '{}'"


def known(n=1, **more):
    values = {"fingerprint": "f", "command": "make", "error": "error: no rule", "session": "s0", "at": 0.0, "times": 1, "tried": (), "steps": (), "status": "left"}
    return Failure(n, **{**values, **more})


@pytest.mark.parametrize(("a", "b"), [
    (("python app.py", MISSING.format("/home/a/app.py", 3, "requests")), ("python   app.py", MISSING.format("/srv/b/app.py", 71, "requests"))),
    (("cd /home/a && make test", "Exit code 2\nerror: timed out after 3.1s"), ("cd /tmp/b && make test", "Exit code 2\nerror: timed out after 12s")),
    (("cargo build", "Exit code 101\nerror[E0433]: failed at 2026-01-02T10:11:12Z"), ("cargo build", "Exit code 101\nerror[E0433]: failed at 2026-03-04T01:01:01Z"))])
def test_paths_numbers_and_times_do_not_make_another_failure(a, b):
    assert failures.fingerprint(*a) == failures.fingerprint(*b)


@pytest.mark.parametrize(("a", "b"), [
    (("python app.py", MISSING.format("a.py", 3, "requests")), ("python app.py", MISSING.format("a.py", 3, "flask"))),
    (("npm test", "Exit code 1\nerror: x"), ("npm build", "Exit code 1\nerror: x")), (("npm test", "Exit code 1\nerror: x"), ("npm test", "Exit code 137\nerror: x"))])
def test_another_module_command_or_code_is_another_failure(a, b):
    assert failures.fingerprint(*a) != failures.fingerprint(*b)


def test_the_command_passes_alone_or_inside_a_longer_line():
    assert failures.runs("npm test", "npm test")
    assert failures.runs("cd web && npm test", "npm ci && npm test")
    assert not failures.runs("npm test", "npm test -- --watch")
    assert not failures.runs("npm test", "npm ci")


def test_the_exact_failure_comes_before_a_like_one_and_a_fixed_one_before_an_open_one():
    exact, fixed, like = known(1, fingerprint="x"), known(2, fingerprint="x", status="fixed", fix="`npm ci`"), known(3, at=9.0)
    assert failures.nearest([exact, like, fixed], "x", "whatever") is fixed
    assert failures.nearest([like], "x", "error: no rule to make it") is like
    assert failures.nearest([like], "x", "segmentation fault") is None


def test_what_is_told_is_commands_and_times_never_the_output():
    said = told(known(command="make", error="error: SECRET OUTPUT", status="fixed", fix="`apt install gcc`", tried=("make clean",)), 86400.0)
    assert "`make` failed like this 1 day ago. What fixed it: `apt install gcc`. Did not help: `make clean`." in said
    assert "SECRET" not in said
    assert told(known(), 0.0) == ""
    assert "It was not fixed then" in told(known(tried=("make clean",)), 0.0)


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_command_or_error_is_too_odd(command, error):
    assert len(failures.fingerprint(command, error)) == 16
    assert len(failures.telling(error)) <= failures.LONGEST_ERROR
    assert isinstance(failures.lesson(command, error, ""), str)
