"""The embedding of a first prompt in a process beside: the same vector, and never a recall that hangs or fails because of it."""
import os
import signal

import numpy as np
import pytest

from mnemos_mcp.providers.beside import Beside, possible
from mnemos_mcp.providers.embed import BuiltinEmbedder

pytestmark = pytest.mark.skipif(not possible(), reason="needs Linux and a second core")
TEXT = "How is the staging database reached?"


@pytest.fixture(scope="module")
def builtin():
    return BuiltinEmbedder(runtime="numpy")


def test_it_gives_the_vector_of_the_built_in_model_as_often_as_it_is_asked(builtin):
    beside = Beside(TEXT)
    assert beside.windows(TEXT) == [TEXT] and (beside.identity, beside.dimensions) == (builtin.identity, builtin.dimensions)
    for _ in range(2):
        assert np.array_equal(np.asarray(beside.embed([TEXT])[0]), builtin.embed([TEXT])[0])


def test_a_text_of_several_windows_is_read_as_far_as_the_first(builtin):
    long = "the harbour crane lifts " * 200
    assert np.array_equal(np.asarray(Beside(long).embed([long])[0]), builtin.embed(builtin.windows(long)[:1])[0])


def test_another_text_is_embedded_here(builtin):
    beside = Beside(TEXT)
    assert np.array_equal(beside.embed(["Who owns the crane?"])[0], builtin.embed(["Who owns the crane?"])[0])
    assert len(beside.embed([TEXT, TEXT])) == 2 and beside.probe() is None


def test_when_the_other_process_is_killed_the_text_is_embedded_here(builtin):
    beside = Beside(TEXT)
    os.kill(beside._pid, signal.SIGKILL)
    assert np.array_equal(np.asarray(beside.embed([TEXT])[0]), builtin.embed([TEXT])[0])


def test_it_leaves_no_process_and_no_open_file_behind():
    before = len(os.listdir("/proc/self/fd"))
    beside = Beside(TEXT)
    pid = beside._pid
    beside.embed([TEXT])
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
