"""The same model by onnxruntime, where that is installed (extra `onnx`): our weights, written as an ONNX graph when the session starts.

ONNX is a protobuf message; the few fields needed here are encoded by hand, so that the package `onnx` is not.
Field numbers: onnx.proto of the ONNX project (IR version 8). Operators: set 20, none of onnxruntime's own.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .model import EPSILON

if TYPE_CHECKING:
    import numpy as np

    from .weights import Weights

Part = bytes | memoryview
IR_VERSION, OPERATORS = 8, 20  # read by onnxruntime 1.17 and later
ELEMENT_TYPES = {"f4": 1, "i1": 3, "i8": 7}  # TensorProto.DataType by numpy's name
FLOAT, INT64 = 1, 7
PADDING = 1.06  # a batch may compute this many times its tokens; together they gain a tenth to a fifth
MASKED = -1e9  # added to a score: its weight becomes exactly 0


class OnnxMiniLM:
    """MiniLM of model.py run by onnxruntime: other kernels, vectors within 4e-5 of its own (cosine 0.9999996)."""

    def __init__(self, weights: Weights):
        """Copies the weights. ImportError or onnxruntime's own errors when it does not work here."""
        without_telemetry()
        import onnxruntime

        # For a process that had loaded onnxruntime before us, where the variable comes too late.
        getattr(onnxruntime, "disable_telemetry_events", lambda: None)()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # the others start and run no faster
        options.log_severity_level = 3  # errors; warnings would fill the client's log
        self.session = onnxruntime.InferenceSession(graph_bytes(weights), options, providers=["CPUExecutionProvider"])
        self.embed([[101, 102]])  # a session that cannot run tells now, while numpy can still take its place

    def embed(self, texts: Sequence[Sequence[int]]) -> np.ndarray:
        """(n, 384) float32 unit rows for n lists of 1..256 ids. Texts of like length cost least next to each other."""
        import numpy

        found: list[np.ndarray] = []
        for batch in rectangles(texts):
            ids = numpy.zeros((len(batch), max(map(len, batch))), "i8")
            mask = numpy.zeros_like(ids)
            for row, text in enumerate(batch):
                ids[row, : len(text)], mask[row, : len(text)] = text, 1
            found += self.session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})
        return numpy.concatenate(found)


def without_telemetry() -> None:
    """Builds since 1.29 write a device id and a queue of events into the cache folder, from the import on, to be sent, unless this is set.

    `putenv`, as the library reads the C environment; nothing is read here, so settings.py stays the only reader.
    """
    os.putenv("ORT_DISABLE_TELEMETRY", "1")


def rectangles(texts: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Neighbours together as long as little of their rectangle is padding."""
    batch: list[Sequence[int]] = []
    tokens = longest = 0
    for text in texts:
        tokens, longest = tokens + len(text), max(longest, len(text))
        if batch and (len(batch) + 1) * longest > PADDING * tokens:
            yield batch
            batch, tokens, longest = [], len(text), len(text)
        batch.append(text)
    if batch:
        yield batch


def graph_bytes(weights: Weights) -> bytes:
    """The ModelProto: (batch, sequence) int64 `input_ids` and `attention_mask` -> (batch, 384) float32 `vectors`."""
    graph = Graph()
    last = layers(graph, weights, embeddings(graph, weights))
    graph.add("Reshape", last, "shape.tokens", name="tokens")
    graph.add("Unsqueeze", graph.add("Cast", "attention_mask", name="ones", to=FLOAT), graph.constant("axis.1", [1]), name="row")
    total = graph.add("Squeeze", graph.add("MatMul", "row", "tokens"), "axis.1")  # the mean's divisor goes with the length
    graph.add("LpNormalization", total, name="vectors", axis=-1, p=2)
    return graph.model()


def embeddings(graph: Graph, weights: Weights) -> str:
    """(batch * sequence, 384): word + position, normalised. Word rows stay int8: as float32 they would take 35 MB more."""
    width = weights.arrays["position"].shape[1]
    graph.weight("word.q", weights.word_rows)
    for name in ("word.scale", "position", "norm0.gain", "norm0.bias"):
        graph.weight(name, weights.arrays[name])
    size = graph.add("Shape", "input_ids")
    graph.add("Concat", size, graph.constant("width", [width]), name="shape.tokens", axis=0)
    graph.add("Concat", size, graph.constant("heads", [3, weights.heads, width // weights.heads]), name="shape.heads", axis=0)
    graph.constant("shape.rows", [-1, width])
    rows = graph.add("Cast", graph.add("Gather", "word.q", "input_ids"), to=FLOAT)
    words = graph.add("Mul", rows, graph.add("Gather", "word.scale", "input_ids"))
    length = graph.add("Shape", "input_ids", start=1)
    places = graph.add("Slice", "position", graph.constant("from.0", [0]), length, graph.constant("axis.0", [0]))
    flat = graph.add("Reshape", graph.add("Add", words, places), "shape.rows")
    return graph.add("LayerNormalization", flat, "norm0.gain", "norm0.bias", epsilon=EPSILON)


def layers(graph: Graph, weights: Weights, x: str) -> str:
    """The transformer over (batch * sequence, 384), as in MiniLM.embed but for the exact gelu."""
    for name, array in weights.arrays.items():
        if name.startswith("layer"):
            graph.weight(name, array)
    absent = graph.add("Sub", graph.constant("one", 1.0), graph.add("Cast", "attention_mask", to=FLOAT))
    hidden = graph.add("Mul", absent, graph.constant("masked", MASKED))
    graph.add("Unsqueeze", hidden, graph.constant("axes.heads", [1, 2]), name="mask")  # (batch, 1, 1, keys)
    for number in range(3):
        graph.constant(f"part.{number}", number)
    for layer in range(weights.layers):
        at = f"layer{layer}."
        x = graph.add("Add", attention(graph, at, x), x)
        x = graph.add("LayerNormalization", x, at + "norm1.gain", at + "norm1.bias", epsilon=EPSILON)
        inner = graph.add("Gelu", dense(graph, at + "up", x))
        x = graph.add("Add", dense(graph, at + "down", inner), x)
        x = graph.add("LayerNormalization", x, at + "norm2.gain", at + "norm2.bias", epsilon=EPSILON)
    return x


def attention(graph: Graph, at: str, x: str) -> str:
    """Each text attends to its own tokens; the query rows hold the 1/sqrt(32) already."""
    mixed = graph.add("Reshape", dense(graph, at + "qkv", x), "shape.heads")  # (batch, sequence, 3, heads, 32)
    query, key, value = (graph.add("Gather", mixed, f"part.{number}", axis=2) for number in range(3))
    query, value = (graph.add("Transpose", one, perm=[0, 2, 1, 3]) for one in (query, value))
    score = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 2, 3, 1]))
    share = graph.add("Softmax", graph.add("Add", score, "mask"), axis=-1)
    context = graph.add("Transpose", graph.add("MatMul", share, value), perm=[0, 2, 1, 3])
    return dense(graph, at + "out", graph.add("Reshape", context, "shape.rows"))


def dense(graph: Graph, name: str, x: str) -> str:
    """x times the transposed matrix, plus its bias: Gemm takes our (outputs, inputs) rows as they lie."""
    return graph.add("Gemm", x, name, name + ".bias", transB=1)


class Graph:
    """Collects nodes and weights; the bytes of the weights are copied once, in `model`."""

    def __init__(self) -> None:
        self.nodes: list[Part] = []
        self.weights: list[Part] = []

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: float | int | list[int]) -> str:
        """A node with one output; returns the output's name."""
        output = name or f"value{len(self.nodes)}"
        parts = [*(field(1, one) for one in inputs), field(2, output), field(4, operator)]
        parts += [field(5, attribute(key, value)) for key, value in attributes.items()]
        self.nodes.append(field(1, b"".join(parts)))
        return output

    def constant(self, name: str, value: float | list[int]) -> str:
        """int64 for an int or ints, float32 for a float."""
        import numpy

        return self.weight(name, numpy.array(value, "f4" if isinstance(value, float) else "i8"))

    def weight(self, name: str, array: np.ndarray) -> str:
        """An initialiser (TensorProto): dims, data_type, name, raw_data."""
        import numpy

        array = numpy.asarray(array, array.dtype.newbyteorder("<"), order="C")
        head = b"".join(field(1, size) for size in array.shape) + field(2, ELEMENT_TYPES[array.dtype.str[1:]]) + field(8, name)
        self.weights += message(5, [head, *message(9, [array.reshape(-1).view("u1").data])])
        return name

    def model(self) -> bytes:
        """ModelProto: ir_version, graph (nodes, name, initialisers, inputs, outputs), the operators' version."""
        ends = [field(11, tensor_type("input_ids", INT64, ["batch", "sequence"])),
                field(11, tensor_type("attention_mask", INT64, ["batch", "sequence"])), field(12, tensor_type("vectors", FLOAT, ["batch", 384]))]
        graph = message(7, [*self.nodes, field(2, "minilm"), *self.weights, *ends])
        return b"".join([field(1, IR_VERSION), *graph, field(8, field(1, "") + field(2, OPERATORS))])


def varint(number: int) -> bytes:
    """Protobuf's integer: seven bits a byte, lowest first; a negative one as 64 bits."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number: int, value: int | str | bytes) -> bytes:
    """One field: an int as varint (wire type 0), text, bytes and messages with their length (2)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(number: int, parts: list[Part]) -> list[Part]:
    """A field of many parts, not joined: the weights would be copied at each level."""
    return [varint(number << 3 | 2) + varint(sum(map(len, parts))), *parts]


def attribute(name: str, value: float | int | list[int]) -> bytes:
    """AttributeProto: name, the value, and which kind it is."""
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, one) for one in value) + field(20, 7)


def tensor_type(name: str, element: int, sizes: list[Any]) -> bytes:
    """ValueInfoProto of a tensor; a size is a number or the name of one."""
    shape = b"".join(field(1, field(1 if isinstance(size, int) else 2, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))
