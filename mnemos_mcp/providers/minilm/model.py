"""The forward pass: ids -> unit vectors. Several texts go through the dense layers side by side, without padding.

Activations are (features, tokens), weights (outputs, inputs): in this order OpenBLAS multiplies 12 tokens in 10 ms, in the usual
one in 20 ms (one thread), and from 40 tokens on both cost the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...blas import single_thread
from .weights import Weights

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

EPSILON = 1e-12  # of the layer norm, from the model's config.json


class MiniLM:
    """all-MiniLM-L6-v2: 6 layers, 384 wide, 12 heads; mean of the tokens, length 1."""

    def __init__(self, path: str | Path, once: bool = False):
        """Loads about 45 MB, or next to nothing when it is used `once`. ValueError or OSError when the file is not readable as a model."""
        single_thread()
        weights = Weights(path, once)
        if not once:
            touch_buffer()
        self.weights, self.heads = weights, weights.heads
        arrays = weights.arrays
        self.layers = [{name: column(arrays[f"layer{number}.{name}"]) for name in LAYER_ARRAYS} for number in range(weights.layers)]
        self.first = {"gain": column(arrays["norm0.gain"]), "bias": column(arrays["norm0.bias"])}

    def embed(self, texts: Sequence[Sequence[int]]) -> np.ndarray:
        """(n, 384) float32 unit rows for n lists of 1..256 ids, start and end marks included."""
        import numpy

        spans, begin = [], 0
        for ids in texts:
            spans.append((begin, begin + len(ids)))
            begin += len(ids)
        x = self._tokens(texts)
        for layer in self.layers:
            x += self._attention(layer, x, spans)
            normalise(x, layer["norm1.gain"], layer["norm1.bias"])
            inner = layer["up"] @ x
            inner += layer["up.bias"]
            x += layer["down"] @ gelu(inner)
            x += layer["down.bias"]
            normalise(x, layer["norm2.gain"], layer["norm2.bias"])
        means: np.ndarray = numpy.stack([x[:, first:last].mean(axis=1) for first, last in spans])
        means /= numpy.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _tokens(self, texts: Sequence[Sequence[int]]) -> np.ndarray:
        """(384, tokens): word + position + type, normalised."""
        import numpy

        rows = self.weights.words(numpy.concatenate([numpy.asarray(ids, "i4") for ids in texts]))
        rows += self.weights.arrays["position"][numpy.concatenate([numpy.arange(len(ids)) for ids in texts])]
        return normalise(numpy.ascontiguousarray(rows.T), self.first["gain"], self.first["bias"])

    def _attention(self, layer: dict[str, np.ndarray], x: np.ndarray, spans: list[tuple[int, int]]) -> np.ndarray:
        """(384, tokens): each text attends to itself only."""
        import numpy

        mixed = layer["qkv"] @ x
        mixed += layer["qkv.bias"]
        context = numpy.empty_like(x)
        for first, last in spans:
            query, key, value = mixed[:, first:last].reshape(3, self.heads, -1, last - first)
            weight = key.transpose(0, 2, 1) @ query  # (heads, keys, queries)
            weight -= weight.max(axis=1, keepdims=True)
            numpy.exp(weight, out=weight)
            total = weight.sum(axis=1, keepdims=True)
            context[:, first:last] = ((value @ weight) / total).reshape(-1, last - first)
        out: np.ndarray = layer["out"] @ context
        out += layer["out.bias"]
        return out


LAYER_ARRAYS = ("qkv", "qkv.bias", "out", "out.bias", "norm1.gain", "norm1.bias", "up", "up.bias", "down", "down.bias", "norm2.gain", "norm2.bias")


def touch_buffer() -> None:
    """One multiplication (1 ms) that makes OpenBLAS touch more of its work buffer than our own shapes do.

    Without it 256 tokens took 450 ms instead of 220, for the life of the process: numpy 2.4.6, OpenBLAS 0.3.31, Zen under KVM.
    The effect is measured; the likely cause is prefetching into pages of the buffer that were never written.
    """
    import numpy

    numpy.ones((32, 768), "f4") @ numpy.ones((768, 384), "f4")


def column(array: Any) -> Any:
    """A vector as (n, 1), so that it meets activations of (n, tokens); a matrix as it is."""
    return array[:, None] if getattr(array, "ndim", 2) == 1 else array


def normalise(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Layer norm over the features, in place."""
    import numpy

    x -= x.mean(axis=0)
    deviation = numpy.einsum("ij,ij->j", x, x) / len(x)
    x *= 1 / numpy.sqrt(deviation + EPSILON)
    x *= gain
    x += bias
    return x


def gelu(x: np.ndarray) -> np.ndarray:
    """x * Phi(x), as x * sigmoid of an odd polynomial, within 2.6e-5 of the exact one: numpy has no erf, and tanh costs twice as much.

    Coefficients: own minimax fit over 0..6; x squared is capped there, beyond it the sigmoid is 0 or 1 anyway.
    """
    import numpy

    square = numpy.minimum(x * x, 36)
    u: np.ndarray = square * 7.03036954e-04
    u -= 7.40113025e-02
    u *= square
    u -= 1.59501576
    u *= x
    with numpy.errstate(over="ignore"):  # exp(88) and more: x / inf is the right 0
        numpy.exp(u, out=u)
    u += 1
    numpy.divide(x, u, out=u)
    return u
