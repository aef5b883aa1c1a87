"""The built-in model by onnxruntime: the same vectors as by numpy, and numpy where it is missing or broken."""
import subprocess
import sys
import types
from pathlib import Path

import pytest

from mnemos_mcp.blas import single_thread

single_thread()  # before numpy
import numpy as np  # noqa: E402

from mnemos_mcp.errors import EmbedderUnavailable  # noqa: E402
from mnemos_mcp.providers.embed import BuiltinEmbedder, installed  # noqa: E402
from mnemos_mcp.providers.minilm.onnx_graph import rectangles, varint  # noqa: E402

ROOT = Path(__file__).parents[1]
needs_onnxruntime = pytest.mark.skipif(not installed("onnxruntime"), reason="onnxruntime is not installed (extra `onnx`)")
TEXTS = [
    "which database did we choose", "We picked SQLite WAL over Postgres because shipping a server was too heavy", "ok", "", " ",
    "The deploy script needs the VPN to be up", "Use tabs in Makefiles, spaces everywhere else", "Alice owns the billing service",
    "def embed(self, texts: list[str]) -> list[np.ndarray]: ...", "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction",
    "日本語のテキスト", "Größe, naïve café, Ångström", "\U0001f980\U0001f980\U0001f980", "x" * 150, "a-" * 60, "0x7f3b 2026-11-30T13:51:44Z",
    "The flaky login test waits for an animation. " * 4, "word " * 100, "We decided. Then we changed our mind! Why? " * 20, "alpha beta gamma " * 200,
]


@pytest.fixture(scope="module")
def both():
    """(by onnxruntime, by numpy)."""
    onnx, plain = BuiltinEmbedder(runtime="onnxruntime"), BuiltinEmbedder(runtime="numpy")
    assert onnx.embed(["load"]) and plain.embed(["load"])
    assert (onnx.runtime, onnx.fallback, plain.runtime, plain.fallback) == ("onnxruntime", "", "numpy", "")
    return onnx, plain


@needs_onnxruntime
def test_both_runtimes_give_the_same_unit_vectors(both):
    onnx, plain = both
    for one, other in zip(onnx.embed(TEXTS), plain.embed(TEXTS), strict=True):
        assert one.dtype == np.float32 and one.shape == (384,)
        assert np.linalg.norm(one) == pytest.approx(1, abs=1e-5) and one @ other > 0.9999
    assert onnx.identity == plain.identity


@needs_onnxruntime
def test_a_padded_batch_gives_the_vectors_of_single_texts_in_its_order(both):
    for text, vector in zip(TEXTS, both[0].embed(TEXTS), strict=True):
        assert np.abs(vector - both[0].embed([text])[0]).max() < 1e-5


@needs_onnxruntime
def test_onnxruntime_is_taken_by_itself_but_imported_with_the_first_text_only():
    code = ("import sys\nfrom mnemos_mcp.providers.embed import BuiltinEmbedder\nauto, plain = BuiltinEmbedder(), BuiltinEmbedder(runtime='numpy')\n"
            "assert (auto.runtime, plain.runtime) == ('onnxruntime', 'numpy')\nauto.windows('x')\nplain.embed(['x'])\n"
            "assert 'onnxruntime' not in sys.modules\nauto.embed(['x'])\nassert 'onnxruntime' in sys.modules and not auto.fallback")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@needs_onnxruntime
def test_no_telemetry_is_written(tmp_path, monkeypatch):
    for name in ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"):  # each of the first two would stop it without us
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    code = "from mnemos_mcp.providers.embed import BuiltinEmbedder\nwith_onnx = BuiltinEmbedder()\nwith_onnx.embed(['x'])\nprint(with_onnx.runtime)"
    done = subprocess.run([sys.executable, "-B", "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "onnxruntime\n" and done.stderr == "" and list(tmp_path.rglob("*")) == []


def broken_session():
    """A module like onnxruntime whose sessions cannot be made."""
    def session(*_, **__):
        raise RuntimeError("[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED\nmore lines")
    module = types.ModuleType("onnxruntime")
    module.SessionOptions, module.GraphOptimizationLevel = types.SimpleNamespace, types.SimpleNamespace(ORT_DISABLE_ALL=0)
    module.InferenceSession = session
    return module


@pytest.mark.parametrize(("module", "asked", "reason"), [
    (broken_session(), "auto", "onnxruntime does not work here: RuntimeError: [ONNXRuntimeError] : 9 : NOT_IMPLEMENTED"),
    (types.ModuleType("onnxruntime"), "onnxruntime", "onnxruntime does not work here: AttributeError: "),
    (None, "onnxruntime", "onnxruntime is not installed"),
    (None, "auto", ""),
], ids=["no session", "an empty module", "missing though asked for", "missing"])
def test_numpy_takes_over_and_says_why(monkeypatch, module, asked, reason):
    monkeypatch.setitem(sys.modules, "onnxruntime", module)
    embedder = BuiltinEmbedder(runtime=asked)
    vector = embedder.embed([TEXTS[0]])[0]
    assert vector[:4] == pytest.approx([0.02504, -0.06684, -0.06592, 0.02637], abs=1e-4)
    assert embedder.runtime == "numpy" and embedder.fallback.startswith(reason) and bool(embedder.fallback) == bool(reason)
    assert "\n" not in embedder.fallback


@pytest.mark.parametrize(("lengths", "batches"), [
    ([5, 5, 5], [3]), ([2, 200], [1, 1]), ([200, 2], [1, 1]), ([18, 18, 19], [3]), ([8, 9, 10], [2, 1]), ([10, 10, 20, 20, 21], [2, 3]), ([], []),
])
def test_texts_of_like_length_share_a_rectangle(lengths, batches):
    assert [len(batch) for batch in rectangles([[7] * length for length in lengths])] == batches


@pytest.mark.parametrize(("number", "encoded"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (-1, "ff" * 9 + "01")])
def test_integers_are_encoded_as_protobuf_does(number, encoded):
    assert varint(number).hex() == encoded


def test_a_bad_model_file_is_no_fault_of_onnxruntime(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnxruntime", broken_session())
    (tmp_path / "vocab.txt").write_bytes((ROOT / "mnemos_mcp/providers/minilm/vocab.txt").read_bytes())
    (tmp_path / "minilm-l6-v2.q8").write_bytes(b"something else")
    embedder = BuiltinEmbedder(tmp_path, runtime="onnxruntime")
    with pytest.raises(EmbedderUnavailable, match="not a mnemos model"):
        embedder.embed(["x"])
    assert embedder.runtime == "onnxruntime" and embedder.fallback == ""
