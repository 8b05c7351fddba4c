"""An array `k`: how many elements a top-k finds of each lane or segment, as the host reads it."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._arrays import Array, as_array, need_no_mask, whole


def is_for_each(k: Any) -> bool:
    """Whether k is a list or an array, with a number for each lane or segment."""
    if isinstance(k, int):  # as torch.compile knows its numbers
        return False
    dimensions = getattr(k, "ndim", None)
    if dimensions is None:
        return hasattr(k, "__array__") or (isinstance(k, Sequence) and not isinstance(k, (str, bytes)))
    return bool(dimensions > 0)


def counts_given(k: Any) -> Array:
    """A k for each as an array; of whole numbers that no type of NumPy's holds together, their objects."""
    need_no_mask(k)
    taken = as_array(k, "k")
    if taken.dtype.kind in "fO" and taken.size > 0:
        exact = np.array(k, object)
        if _are_whole(exact):
            return exact
    return taken


def same_for_each(k: Any, shape: Any) -> Array:
    """One k as an array that has it for each."""
    number = whole("k", k)
    return np.full(shape, number, np.int64 if -(2**63) <= number < 2**63 else object)


def _are_whole(objects: Array) -> bool:
    return all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in objects.flat)


def are_counts(counts: Array) -> bool:
    """Whether these are whole numbers."""
    return counts.size == 0 or counts.dtype.kind in "iu" or (counts.dtype.kind == "O" and _are_whole(counts))


def as_unsigned(counts: Array) -> Array:
    """Whole numbers from 0 up, none as an array of its own; those above 64 bits are the largest of these."""
    if counts.size == 0:
        return np.zeros(counts.shape, np.uint64)
    return np.asarray(np.minimum(counts, 2**64 - 1) if counts.dtype.kind == "O" else counts).astype(np.uint64)
