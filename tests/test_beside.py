"""The embedding of a first prompt in a process beside: the same vector, and never a recall that hangs or fails because of it."""
import os
import signal

import numpy as np
import pytest

from mnemos_mcp.errors import EmbedderUnavailable
from mnemos_mcp.providers.beside import FOLDER, Beside, possible
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.providers.minilm import MODEL_FILE
from mnemos_mcp.providers.minilm.model import MiniLM

pytestmark = pytest.mark.skipif(not possible(), reason="needs Linux and a second core")
TEXT = "How is the staging database reached?"


@pytest.fixture(scope="module")
def builtin():
    return BuiltinEmbedder(runtime="numpy")


def begun(text=TEXT):
    beside = Beside()
    beside.begin(text)
    return beside


def test_it_gives_the_vector_of_the_built_in_model_as_often_as_it_is_asked(builtin):
    beside = begun()
    assert beside.windows(TEXT) == [TEXT] and (beside.identity, beside.dimensions) == (builtin.identity, builtin.dimensions)
    for _ in range(2):
        assert np.array_equal(np.asarray(beside.embed([TEXT])[0]), builtin.embed([TEXT])[0])


def test_a_text_of_several_windows_is_read_as_far_as_the_first(builtin):
    long = "the harbour crane lifts " * 200
    assert np.array_equal(np.asarray(begun(long).embed([long])[0]), builtin.embed(builtin.windows(long)[:1])[0])


def test_another_text_is_embedded_here(builtin):
    beside = begun()
    assert np.array_equal(beside.embed(["Who owns the crane?"])[0], builtin.embed(["Who owns the crane?"])[0])
    assert len(beside.embed([TEXT, TEXT])) == 2 and beside.probe() is None


def test_when_the_other_process_is_killed_there_is_no_vector_and_the_model_is_not_loaded_here():
    beside = begun()
    os.kill(beside._pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="ended early"):
            beside.embed([TEXT])
    assert beside._here is None


def test_it_leaves_no_process_and_no_open_file_behind():
    before = len(os.listdir("/proc/self/fd"))
    beside = begun()
    pid = beside._pid
    beside.embed([TEXT])
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_process_that_is_asked_nothing_ends():
    beside = Beside()
    os.close(beside._asks)
    assert os.waitpid(beside._pid, 0)[1] == 0


def test_a_model_that_is_used_once_gives_the_same_vector_bit_for_bit():
    ids = [101, 2129, 2003, 1996, 102]
    assert np.array_equal(MiniLM(f"{FOLDER}/{MODEL_FILE}", once=True).embed([ids]), MiniLM(f"{FOLDER}/{MODEL_FILE}").embed([ids]))
