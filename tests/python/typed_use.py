"""Calls as users write them, for mypy: `make test-python` checks the types that come out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sortile



class Tensor:
    """As the frameworks' arrays are typed."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def of_a_framework(t: Tensor) -> tuple[Tensor, Tensor]:
    sortile.sort(t, "rows")  # type: ignore[call-overload]
    halves: Tensor = sortile.segment_median(sortile.segment_partition(t, 1, [0, 3]), [0, 3])
    return sortile.sort(t, descending=True), sortile.segment_argsort(halves, [0, 3])


def of_several(t: Tensor) -> list[Tensor]:
    keys, value = sortile.sort_by_key(t, t, descending=True)
    again, (first, second) = sortile.sort_by_key(t, (t, t))
    return [
        keys, value, again, first, second, sortile.merge(t, t, nan="largest"), sortile.lexsort((t, t), axis=0),
        sortile.argsort_rows([t, t], descending=[True, False]), sortile.partition(t, 3),
    ]


def wrongly(t: Tensor) -> None:
    sortile.merge(t, t, stable=True)  # type: ignore[call-overload]
    sortile.lexsort((t, t), order="a")  # type: ignore[call-overload]
    sortile.sort_by_key(t, t, out=t)  # type: ignore[call-overload]
    sortile.top_k(x, {3})  # type: ignore[arg-type]
    sortile.segment_top_k(x, 3)  # type: ignore[call-arg]


x = np.arange(10.0)
moved: NDArray[Any] = sortile.sort_by_key(x, [1, 2])[1]
first: NDArray[Any] = sortile.top_k(x, 3).values
best: NDArray[np.int64] = sortile.segment_top_k(x, [3, 1], ([0, 5], [4, 9]), most=2, fill=0.5).indices
a: NDArray[Any] = sortile.sort(x, axis=None, descending=True, nan="largest", threads=2)
b: NDArray[Any] = sortile.argsort([3, 1, 2], dtype=np.uint32, progress=print)
keys, values = sortile.sort_by_key(x, (x, x))
c: NDArray[Any] = sortile.argsort_rows([x, x], descending=[True, False])
d: NDArray[Any] = sortile.lexsort((x, x))
e: NDArray[Any] = sortile.merge(x, x, descending=False, progress=True)
f: bool = sortile.is_sorted(x)
counted: NDArray[np.int64] = sortile.unique_counts(x).counts
g: str = sortile.explain(x)
routing = sortile.route(np.array([1, 0]), 2, block=16, dtype=np.int32)
order: NDArray[Any] = routing.order
h: dict[str, Any] = sortile.info()
version: str = sortile.__version__
sums: NDArray[Any] = sortile.exclusive_scan([3, 0, 4], op="maximum", axis=None, initial=np.int64(0), threads=1)
digits: NDArray[np.int64] = sortile.digit_histogram(x, descending=True)
i: NDArray[Any] = sortile.sort(x, axis=np.int64(0), threads=np.int32(1))
j: NDArray[Any] = sortile.partition(x, np.int64(1), axis=np.int8(0))
k: NDArray[Any] = sortile.argsort_rows([x, x], descending=np.array([True, False]))
m: NDArray[Any] = sortile.top_k(x, np.int64(3), axis=np.int64(0)).values
sortile.quantile(x, np.array([0.5])), sortile.quantile(x, np.float32(0.5)), sortile.quantile(x, [[0.1, 0.2]], axis=np.int64(0))
n: NDArray[Any] = sortile.segment_quantile(x, [0.1, 0.5], [0, 5], method="lower")
o: NDArray[Any] = sortile.segment_median([3, 1], ([0], [2]), threads=1)
p: NDArray[Any] = sortile.segment_partition(x, np.int64(1), np.array([0, 5]))
sortile.sort_table(x, by=["a", ("b", "descending")])
sortile.partition(x, 1.5)  # type: ignore[call-overload]
sortile.sort(x, nan="first")  # type: ignore[call-overload]
sortile.sort(x, axis="rows")  # type: ignore[call-overload]
