"""Keys of `sortile.bench`: workloads by the names that ``sortile gen --help`` lists, as NumPy makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array


def keys(workload: str, n: int, dtype: str, seed: int = 1) -> Array:
    """Always the same n keys of a name, a type and a seed."""
    name, _, parameter = workload.partition(":")
    rng = np.random.default_rng(seed)
    kind, width = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    if name == "uniform" and kind == "b":
        return rng.integers(0, 2, n, dtype="u1").astype(dtype)
    if name == "uniform" and kind in "iumM":
        return rng.integers(0, 2**64, -(-n * width // 8), dtype="u8").view(dtype)[:n]
    if name == "unit" and kind == "f":
        return rng.random(n, dtype="float64" if width == 8 else "float32").astype(dtype, copy=False)
    if name == "normal" and kind == "f":
        return rng.normal(size=n).astype(dtype, copy=False)
    if name == "range" and kind in "iu":
        return rng.integers(0, int(parameter), n, dtype=dtype)
    if name == "runs" and kind in "iu":
        return np.concatenate([np.sort(run) for run in np.array_split(keys("uniform", n, dtype, seed), int(parameter))])
    raise ValueError(f"sortile.bench: there are no keys {workload!r} of type {dtype}")
