"""The built-in model and its tokenizer, and the two kinds of server in every condition they are met in."""
import hashlib
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest

from mnemos_mcp.blas import single_thread

single_thread()  # before numpy
import numpy as np  # noqa: E402
from fakes import FakeOllama, FakeOpenAI, serving  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from mnemos_mcp.errors import EmbedderUnavailable  # noqa: E402
from mnemos_mcp.providers.embed import BuiltinEmbedder, OllamaEmbedder, OpenAIEmbedder  # noqa: E402
from mnemos_mcp.providers.minilm.wordpiece import UNKNOWN, WordPiece  # noqa: E402
from mnemos_mcp.providers.service import base_url  # noqa: E402

FOLDER = Path(__file__).parents[1] / "mnemos_mcp" / "providers" / "minilm"
WORDS = WordPiece(FOLDER / "vocab.txt")
NAMES = {number: piece for piece, number in WORDS.ids.items()}
TEXTS = ["which database did we choose", "We picked SQLite WAL over Postgres because shipping a server was too heavy", "ok"]


@pytest.fixture(scope="module")
def builtin():
    return BuiltinEmbedder()


def pieces(text):
    return [NAMES[number] for number in WORDS.encode(text, 254)]


@pytest.mark.parametrize(("name", "digest"), [
    ("minilm-l6-v2.q8", "5dfcd969a692ff59e12b4157eeeeb39d5e4e50813538c8ca98eaa3d7bff97960"),
    ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
])
def test_the_model_file_is_the_one_that_the_build_script_makes(name, digest):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(("text", "first"), [
    (TEXTS[0], [0.02504, -0.06684, -0.06592, 0.02637]), (TEXTS[1], [-0.02114, -0.08626, 0.0097, 0.02378]),
    (TEXTS[2], [-0.04679, -0.05869, -0.02309, 0.01693]),
])
def test_known_texts_have_known_vectors(builtin, text, first):
    vector = builtin.embed([text])[0]
    assert vector.dtype == np.float32 and vector.shape == (builtin.dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert vector[:4] == pytest.approx(first, abs=1e-4)


def test_a_question_is_nearer_to_its_answer_than_to_anything_else(builtin):
    others = ["The deploy script needs the VPN to be up", "Use tabs in Makefiles, spaces everywhere else", "Alice owns the billing service",
              "The flaky login test waits for an animation", "We choose a new office plant every spring"]
    question, answer, *rest = builtin.embed([TEXTS[0], TEXTS[1], *others])
    assert question @ answer > max(question @ other for other in rest)


def test_a_batch_gives_the_vectors_of_single_texts_in_its_order(builtin):
    texts = [*TEXTS, "word " * 300, "", "日本語のテキスト", *[f"{n} " * n for n in range(1, 30, 4)]]
    for text, vector in zip(texts, builtin.embed(texts), strict=True):
        assert np.abs(vector - builtin.embed([text])[0]).max() < 1e-5


def test_no_texts_are_no_vectors(builtin):
    assert builtin.embed([]) == []


def test_threads_that_meet_an_unloaded_model_all_get_the_same_vector():
    fresh, found = BuiltinEmbedder(), []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed([TEXTS[1]])[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(vector, found[0]) for vector in found)


def test_a_token_limit_cuts_the_text_that_is_embedded(builtin):
    long = "alpha beta gamma " * 60
    short = BuiltinEmbedder(token_limit=64).embed([long])[0]
    assert short == pytest.approx(builtin.embed([" ".join(long.split()[:62])])[0], abs=1e-5)


def test_a_deadline_ends_a_bulk_between_two_passes():
    ticks = iter(range(100))
    with pytest.raises(EmbedderUnavailable, match="of 9 texts"):
        BuiltinEmbedder(clock=lambda: next(ticks)).embed(["word " * 200] * 9, deadline_s=0.5)


def test_a_missing_or_foreign_model_file_is_unavailable_with_the_reason(tmp_path):
    broken = BuiltinEmbedder(tmp_path)
    assert "is missing" in broken.probe()
    with pytest.raises(EmbedderUnavailable, match="vocabulary"):
        broken.embed(["x"])
    (tmp_path / "vocab.txt").write_bytes((FOLDER / "vocab.txt").read_bytes())
    (tmp_path / "minilm-l6-v2.q8").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(EmbedderUnavailable, match="not a mnemos model"):
        broken.embed(["x"])


def test_one_blas_thread_is_asked_for_before_numpy_loads():
    code = ("import os, sys\nfrom mnemos_mcp.providers.embed import BuiltinEmbedder\nassert 'numpy' not in sys.modules\n"
            "BuiltinEmbedder().embed(['x'])\nassert os.environ['OPENBLAS_NUM_THREADS'] == '1'")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parents[2])


@pytest.mark.parametrize(("text", "expected"), [
    ("Café NAÏVE Ångström", ["cafe", "naive", "ang", "##strom"]),
    ("don't stop...", ["don", "'", "t", "stop", ".", ".", "."]),
    ("東京 tower", ["東", "京", "tower"]),
    ("embeddings", ["em", "##bed", "##ding", "##s"]),
    ("a\tb\r\nc\u00a0d\u2003e", ["a", "b", "c", "d", "e"]),
    ("zero\x00wi\u200bdth", ["zero", "##wi", "##dt", "##h"]),
    ("x=f(y)_z", ["x", "=", "f", "(", "y", ")", "_", "z"]),
    ("ΣΑΣ", ["σ", "##α", "##σ"]),
    ("\U0001f980", ["[UNK]"]),
    ("a" * 101, ["[UNK]"]),
    ("", []),
])
def test_texts_are_cut_into_pieces_as_bert_does(text, expected):
    assert pieces(text) == expected


def test_a_long_text_is_cut_into_windows_that_the_model_reads_whole(builtin):
    text = "\n\n".join(f"Paragraph {n}. The café's naïve cache, written {n} times, held 日本語 text; it was evicted too early! " * 4 for n in range(30))
    windows = builtin.windows(text)
    assert len(windows) > 5 and all(WORDS.count(window) <= 254 for window in windows)
    assert " ".join(windows).split() == text.split()
    assert all(window.endswith(("!", ".")) for window in windows)


def test_a_short_text_is_its_own_window(builtin):
    assert builtin.windows(" short\n") == [" short\n"]


@pytest.mark.parametrize("text", ["x" * 90_000, "東" * 9_000, "a-" * 9_000, "é" * 9_000, "ab " * 30_000, "\x85" * 9_000, "각" * 5_000],
                         ids=["unbroken", "ideographs", "punctuated", "accents", "short words", "controls", "jamo"])
def test_texts_without_good_places_to_cut_lose_nothing(builtin, text):
    windows = builtin.windows(text)
    assert all(WORDS.count(window) <= 254 for window in windows)
    assert "".join(windows).replace(" ", "") == text.replace(" ", "")


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=1500))
def test_windows_of_any_text_fit_and_keep_its_letters(text):
    windows = WORDS.windows(text, 100)
    assert all(WORDS.count(window) <= 100 for window in windows)
    kept = [c for c in text if unicodedata.category(c)[0] not in "CZ"]
    assert [c for c in "".join(windows) if unicodedata.category(c)[0] not in "CZ"] == kept
    assert all(0 <= number <= 30_521 for number in WORDS.encode(text, 254)) and WORDS.ids["[UNK]"] == UNKNOWN


@pytest.mark.parametrize(("address", "url"), [
    ("0.0.0.0:11434", "http://127.0.0.1:11434"), ("127.0.0.1", "http://127.0.0.1:11434"), ("localhost:11434", "http://localhost:11434"),
    ("http://127.0.0.1:11434/", "http://127.0.0.1:11434"), (":4000", "http://127.0.0.1:4000"), ("[::]:11434", "http://[::1]:11434"),
    ("::1", "http://[::1]:11434"), ("https://gpu.lan/ollama/", "https://gpu.lan/ollama"), (" gpu.lan ", "http://gpu.lan:11434"),
    ("http://0.0.0.0:80", "http://127.0.0.1:80"), ("", "http://127.0.0.1:11434"),
])
def test_every_form_of_an_ollama_host_is_dialled_right(address, url):
    assert base_url(address, 11434) == url


@pytest.fixture(params=["ollama", "openai"])
def service(request, monkeypatch):
    """(fake server, maker of its embedder), behind a proxy setting that leads nowhere."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    fake = FakeOllama() if request.param == "ollama" else FakeOpenAI(key="sk-secret")

    def make(**options):
        if request.param == "ollama":
            return OllamaEmbedder("qwen3-embedding:4b", fake.url, **options)
        return OpenAIEmbedder("small", f"{fake.url}/v1", **{"api_key": "sk-secret", **options})
    with serving(fake):
        yield fake, make


def test_a_service_gives_unit_vectors_in_order_past_any_proxy(service):
    fake, make = service
    embedder, texts = make(), [f"text number {n}" for n in range(70)]
    assert embedder.probe() is None
    vectors = embedder.embed(texts)
    for text, vector in zip(texts, vectors, strict=True):
        expected = np.array(fake.vector(text))
        assert vector.dtype == np.float32 and vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert len(fake.requests) == 3


def test_the_identity_of_a_service_holds_model_and_size(service):
    _, make = service
    embedder = make()
    assert embedder.identity in ("ollama:qwen3-embedding:4b/16", "openai:small/16") and embedder.dimensions == 16


@pytest.mark.parametrize("fault", ["garbage", "not an object", "few", "nan", "zero", "redirect", 500, 503])
def test_a_wrong_answer_of_a_service_is_unavailable_and_rests_it(service, fault):
    fake, make = service
    now = [0.0]
    embedder = make(clock=lambda: now[0])
    fake.fault = fault
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable, match=r"127\.0\.0\.1") as caught:
            embedder.embed(["a", "b"])
        assert "sk-secret" not in str(caught.value) and caught.value.__cause__ is None
    assert len([r for r in fake.requests if r[2]]) == 1 and "127.0.0.1" in embedder.probe()
    fake.fault, now[0] = None, 30.0
    assert embedder.probe() is None and len(embedder.embed(["a", "b"])) == 2


def test_a_service_that_changes_the_size_of_its_vectors_is_unavailable(service):
    fake, make = service
    embedder = make()
    embedder.embed(["a"])
    fake.fault = "short"
    with pytest.raises(EmbedderUnavailable, match="15 dimensions, 16 before"):
        embedder.embed(["a"])


def test_a_silent_service_costs_one_timeout(service):
    fake, make = service
    fake.fault = "silent"
    embedder = make(timeout_s=0.05)
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable, match=r"did not answer within 0\.05 s"):
            embedder.embed(["a"])
    assert len(fake.requests) <= 1  # a busy server may not even have read it


def test_a_deadline_is_shorter_than_the_timeout(service):
    fake, make = service
    fake.fault = "silent"
    with pytest.raises(EmbedderUnavailable, match=r"within 0\.0[0-5] s"):
        make().embed(["a"], deadline_s=0.05)


def test_a_text_that_is_refused_does_not_rest_the_service(service):
    fake, make = service
    embedder = make()
    fake.fault = 400
    with pytest.raises(EmbedderUnavailable, match="400"):
        embedder.embed(["far too long"])
    fake.fault = None
    assert len(embedder.embed(["fine"])) == 1


def test_a_service_that_is_off_is_named_without_importing_its_client():
    with serving(FakeOllama()) as fake:
        url = fake.url
    code = (f"import sys\nfrom mnemos_mcp.providers.embed import OllamaEmbedder\nfrom mnemos_mcp.errors import EmbedderUnavailable\n"
            f"try:\n    OllamaEmbedder('m', {url!r}).identity\nexcept EmbedderUnavailable as error:\n    print(error)\n"
            f"assert not {{'ollama', 'httpx', 'numpy'}} & set(sys.modules)")
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parents[2], capture_output=True, text=True)
    assert done.stdout.startswith("nothing answers at 127.0.0.1:")


def test_an_unknown_model_is_named():
    with serving(FakeOllama()) as fake, pytest.raises(EmbedderUnavailable, match="model 'nope' not found"):
        OllamaEmbedder("nope", fake.url).embed(["a"])


@pytest.mark.parametrize("key", ["sk-wrong", "sk-wrong\nInjected: yes", "schlüssel-日本"])
def test_a_wrong_key_is_never_repeated(key):
    with serving(FakeOpenAI(key="sk-right")) as fake, pytest.raises(EmbedderUnavailable) as caught:
        OpenAIEmbedder("small", f"{fake.url}/v1/", key).embed(["a"])
    assert key[:5] not in str(caught.value) and caught.value.__cause__ is None and caught.value.__suppress_context__


def test_no_key_sends_no_authorization():
    with serving(FakeOpenAI()) as fake:
        OpenAIEmbedder("small", f"{fake.url}/v1", "").embed(["a"])
        assert "authorization" not in fake.requests[0][1]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "http://host:port", "http://[::1"])
def test_a_wrong_address_is_told_when_it_is_used(address):
    embedder = OpenAIEmbedder("small", address)
    assert "no http address" in embedder.probe()
    with pytest.raises(EmbedderUnavailable, match="no http address"):
        embedder.embed(["a"])


def test_windows_for_a_service_are_cut_by_characters():
    text = "One sentence of some length, about nothing. " * 200 + "y" * 5000
    windows = OllamaEmbedder("m").windows(text)
    assert "".join(windows) == text and all(len(window) <= 1000 for window in windows) and windows[0].endswith(". ")
