"""Sorting, several times as fast as NumPy's, on all cores.

Functions have the names and defaults of the array API standard, and take NumPy arrays of any shape, strides and byte
order. All sorts are stable. NaN and NaT come last in both directions, as NumPy has it; ``nan="largest"`` makes them the
largest values instead, so that they come first where the order is descending. -0.0 and 0.0 are equal and keep their
order. The interpreter's lock is released while an array is sorted, and Ctrl-C ends the call.

Arrays of PyTorch and JAX in host memory are read where they lie; with the package ``sortile-cu13`` those of PyTorch,
CuPy and JAX on a GPU are sorted there. Results are of the caller's kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._about import explain, info, release_scratch
from ._merging import merge
from ._quantiles import median, quantile
from ._route import route
from ._rows import argsort_rows, lexsort
from ._scans import digit_histogram, exclusive_scan, inclusive_scan
from ._segment_quantiles import segment_median, segment_quantile
from ._segment_select import segment_partition, segment_top_k
from ._segments import segment_argsort, segment_sort, segment_sort_by_key
from ._select import group_by, partition, top_k
from ._sorting import argsort, is_sorted, sort, sort_by_key
from ._tables import argsort_table, sort_table
from ._unique import unique, unique_all, unique_counts, unique_inverse, unique_values

__all__ = [
    "argsort",
    "argsort_rows",
    "argsort_table",
    "digit_histogram",
    "exclusive_scan",
    "explain",
    "group_by",
    "inclusive_scan",
    "info",
    "is_sorted",
    "lexsort",
    "median",
    "merge",
    "partition",
    "quantile",
    "release_scratch",
    "route",
    "segment_argsort",
    "segment_median",
    "segment_partition",
    "segment_quantile",
    "segment_sort",
    "segment_sort_by_key",
    "segment_top_k",
    "sort",
    "sort_by_key",
    "sort_table",
    "top_k",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

__version__: str = info()["version"]

if not TYPE_CHECKING:  # type checkers know all names, and would take any other for one

    def __getattr__(name):
        """Names of other packages are answered with what to call here."""
        from ._hints import absent

        raise absent(name)
