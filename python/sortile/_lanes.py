"""The lanes of host arrays along an axis, and the columns that decide where elements are more than one number.

`_core` takes plain NumPy arrays of elements that the library orders by themselves, and sorts complex ones. Structures
become columns here; results go into the caller's `out`.
"""

from __future__ import annotations

from typing import Any, Sequence, SupportsIndex

import numpy as np

from ._arrays import Array, Columns, flag, leaves, need_axis, no_order
from ._backend import core
from ._progress import Tell


def checked(function: Any, *arguments: Any) -> Any:
    """What `_core` does, or the error that says that the elements have no order."""
    result = function(*arguments)
    if result is NotImplemented:
        raise no_order(arguments[0].dtype)
    return result


def in_columns(a: Array, order: str | Sequence[str] | None) -> bool:
    return a.dtype.names is not None or a.dtype.kind == "c" or order is not None


class Lanes:
    """The lanes of an array along an axis, one after another; None: all elements as one."""

    def __init__(self, a: Array, axis: Any) -> None:
        if axis is None:
            a, axis = a.reshape(-1), 0
        need_axis(axis, a.ndim)
        self.axis = axis
        self.array = np.moveaxis(a, axis, -1)
        self.length = self.array.shape[-1]
        self.count = self.array.size // self.length if self.length else 0

    def back(self, flat: Array) -> Array:
        return np.moveaxis(flat.reshape(self.array.shape), -1, self.axis)

    def starts(self) -> Array:
        """For each element, where its lane begins."""
        return np.repeat(np.arange(self.count, dtype=np.int64) * self.length, self.length)

    def positions(
        self, descending: bool, order: str | Sequence[str] | None, nan: str, threads: SupportsIndex | None, tell: Tell | None
    ) -> Array:
        """The order of all elements, lane by lane, counted from the first element of all."""
        columns, descending = Columns(), flag("descending", descending)
        if self.count > 1:
            columns.append(np.repeat(np.arange(self.count, dtype=np.uint64), self.length), False)
        for leaf in leaves(self.array, order):
            columns.append_leaf(leaf, descending, nan)
        return rows_in_order(columns, np.int64, nan, threads, tell)


def rows_in_order(columns: Columns, dtype: Any, nan: str, threads: SupportsIndex | None, tell: Tell | None) -> Array:
    result = core.argsort_rows(columns.arrays, columns.descending, dtype, False, nan, threads, tell)
    if result is NotImplemented:
        raise TypeError(f"sortile: a column has no order here: {', '.join(str(a.dtype) for a in columns.arrays)}")
    ordered: Array = result
    return ordered


def stored(result: Array, out: Array | None) -> Array:
    """The result, or `out` with the result in it."""
    if out is None:
        return result
    if out.dtype != result.dtype:
        raise TypeError(f"sortile: out holds {out.dtype}; needed is {result.dtype}")
    if out.shape != result.shape:
        raise ValueError(f"sortile: out has shape {out.shape}; needed is {result.shape}")
    if not out.flags.writeable:
        raise ValueError("sortile: out is read-only")
    out[...] = result
    return out
