"""Which arrays a framework keeps to itself: those on a GPU, and those that it traces or differentiates.

All others (NumPy's, lists, a framework's plain arrays in host memory) are read where they lie by `_arrays.given`. What
a framework has to offer so that `_device` can sort its arrays is a class here; PyTorch, CuPy and JAX have one each,
loaded when the first array of theirs is seen. None of them is imported before the caller has done so.
"""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from typing import Any, ContextManager, Iterable, Mapping, Sequence

from . import _device
from ._progress import Progress

Where = tuple[Any, Any]  # begins and ends of segments, or begins and None: each ends where the next one begins
_MODULES = {"torch": "_torch", "cupy": "_cupy", "jax": "_jax", "jaxlib": "_jax"}
_known: dict[type, Framework | None] = {}


def held_by(x: Any) -> Framework | None:
    """The framework that has to be asked for this array; None where it is read like NumPy's."""
    found = known(type(x))
    return found if found is not None and found.holds(x) else None


def held_beside(function: str, x: Any, *others: tuple[str, Any]) -> tuple[Framework | None, Any]:
    """The framework that has to be asked for x, or else for one of the others, which have names, and x as its own; None
    where all are read like NumPy's."""
    if (framework := held_by(x)) is not None:
        return framework, x
    for name, other in others:
        for side in other if isinstance(other, tuple) and len(other) == 2 else (other,):
            if (framework := held_by(side)) is None or not framework.takes_in(x, side):
                continue
            try:
                return framework, framework.adopted(function, 0, x)
            except TypeError as e:
                raise TypeError(
                    f"sortile.{function}: {name} is traced by {framework.name}, which does not take an array of type "
                    f"{type(x).__name__}: {e}"
                ) from e
    return None, x


def known(kind: type) -> Framework | None:
    """The framework whose arrays are of this class."""
    return _known[kind] if kind in _known else _look_up(kind)


def _look_up(kind: type) -> Framework | None:
    found: Framework | None = None
    for base in kind.__mro__:
        module = _MODULES.get(base.__module__.partition(".")[0])
        if module is not None:
            framework: Framework = importlib.import_module(f".{module}", __package__).FRAMEWORK
            if framework.is_array(kind):
                found = framework
                break
    _known[kind] = found
    return found


def held_together(function: str, arrays: Iterable[Any]) -> tuple[Framework | None, list[Any]]:
    """The framework that has to be asked for one of these arrays, and all of them as its own."""
    if hasattr(arrays, "__arrow_c_stream__"):  # a list of it would be of names, or of its columns
        raise TypeError(f"sortile.{function}: {type(arrays).__name__} is a table, which argsort_table() orders")
    if isinstance(arrays, Mapping):
        raise TypeError(
            f"sortile.{function}: a sequence of arrays is needed; of a {type(arrays).__name__} list(x.values()) gives one"
        )
    try:
        given = list(arrays)
    except (TypeError, NotImplementedError):  # the latter of a memoryview of several axes
        raise TypeError(f"sortile.{function}: a sequence of arrays is needed; {type(arrays).__name__} is none") from None
    for x in given:
        if (framework := held_by(x)) is not None:
            if any(_known.get(type(a)) is not framework for a in given):
                given = [framework.adopted(function, number, a) for number, a in enumerate(given)]
            return framework, given
    return None, given


def refuse_host_options(order: Any, progress: Progress) -> None:
    """What sorts of arrays on a GPU cannot be asked for: they return before their work is done."""
    if order is not None:
        raise ValueError("sortile: order names fields, which arrays on a GPU do not have")
    if progress is not None and progress is not False:
        raise ValueError(
            "sortile: progress cannot be told of an array that a framework keeps on a GPU, traces or differentiates: "
            "the call returns before the work is done"
        )


class Framework:
    """What the sorts in `_device` ask of a framework. Keys are sorted as the rows of arrays of two axes, in one piece.

    `positions`: the name of the type that positions have where the caller does not choose; `computed`: of what is computed
    from elements; `xp`: the module that computes by NumPy's names.
    """

    name: str
    positions = "int64"
    computed = "float64"

    def is_array(self, kind: type) -> bool:
        """Whether objects of this class are arrays of the framework."""
        raise NotImplementedError

    def holds(self, x: Any) -> bool:
        """Whether the array cannot simply be read as one in host memory."""
        raise NotImplementedError

    def adopted(self, function: str, number: int, x: Any) -> Any:
        """An array that is to be sorted beside one that the framework holds."""
        if self.is_array(type(x)):
            return x
        raise TypeError(
            f"sortile.{function}: array {number} is of type {type(x).__name__}; beside it is one of {self.name}'s, and "
            "all must be"
        )

    def takes_in(self, x: Any, side: Any) -> bool:
        """Whether the framework is to be asked for x, which it does not hold, because of `side`, which it does."""
        return self.is_array(type(x))

    # Sorts of rows.

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        """Each row sorted; `into`, which may be `keys`, takes the result where the framework can write to arrays."""
        raise NotImplementedError

    def sort_lane(self, x: Any, descending: bool) -> Any:
        """The usual call, of an array of one axis, without what the others need around it."""
        return self.sort_rows(x.reshape((1, x.shape[0])), descending).reshape((x.shape[0],))

    def argsort_rows(self, keys: Any, descending: bool, positions: str) -> Any:
        """For each row its order, in positions of this type."""
        raise NotImplementedError

    def argsort_lane(self, x: Any, descending: bool, positions: str) -> Any:
        """As sort_lane()."""
        return self.argsort_rows(x.reshape((1, x.shape[0])), descending, positions).reshape((x.shape[0],))

    def sort_rows_with_positions(self, keys: Any, descending: bool, positions: str) -> tuple[Any, Any]:
        raise NotImplementedError

    def sort_rows_by_key(self, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
        """`values`: of the shape of the keys, or with further axes that move as one."""
        raise NotImplementedError

    def top_k_rows(self, keys: Any, k: int, descending: bool) -> Any:
        """The positions of the first k of each row."""
        raise NotImplementedError

    def first_of_rows(self, keys: Any, k: int, descending: bool, flips: bool) -> tuple[Any, Any] | None:
        """The first k of each row, or of keys of one axis, and their positions, where one call makes both. `flips`: of
        floats, NaN last in a descending order."""
        return None

    def rows_are_in_order(self, keys: Any, descending: bool, flips: bool) -> bool | None:
        """Whether each row is, where a call tells that; `flips` as above."""
        return None

    def takes_partitions(self, x: Any) -> bool:
        """Whether partition() takes this array; else it is read like NumPy's."""
        return False

    def partition_rows(self, keys: Any, kth: int) -> Any:
        """New rows in which the element at place kth is that of a sort, none before it larger, none behind it smaller."""
        raise NotImplementedError

    def takes_quantiles(self, x: Any) -> bool:
        """Whether quantile_rows is there for this array; else it is read like NumPy's."""
        return False

    def quantile_rows(self, keys: Any, probabilities: list[float], method: int) -> Any:
        """float64, by a method of _places.CHOOSE the type of the keys; NaN of rows that have one. `method`: its place in _places.METHODS."""
        raise NotImplementedError

    def scan_rows(self, function: str, x: Any, inclusive: bool, maximum: bool, initial: int | None) -> Any:
        """Each row scanned."""
        raise self._only_plain(function)

    def digit_histogram(self, x: Any, descending: bool) -> Any:
        """The results of `_scans.digit_histogram`."""
        raise self._only_plain("digit_histogram")

    def _only_plain(self, function: str) -> TypeError:
        return TypeError(
            f"sortile.{function}: this call takes arrays of NumPy's, of PyTorch and CuPy on a GPU, and others in host "
            f"memory; this one of {self.name}'s is none of these, or is traced"
        )

    def route(self, experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
        """The results of `_route.route`, of the type of this name."""
        raise NotImplementedError

    # Sorts within segments of keys of one axis. What lies in no segment stays as it is; its positions are 0.

    def sort_segments(self, keys: Any, where: Where, descending: bool) -> Any:
        raise NotImplementedError

    def argsort_segments(self, keys: Any, where: Where, descending: bool, positions: str) -> Any:
        raise NotImplementedError

    def sort_segments_with_order(self, keys: Any, where: Where, descending: bool) -> tuple[Any, Any]:
        """Sorted keys, and which of the given ones each of them was."""
        raise NotImplementedError

    def first_of_segments(
        self, keys: Any, k: int, counts: Any, where: Where, descending: bool, flips: bool, fill: Any
    ) -> tuple[Any, Any]:
        """The first k of each segment, and their positions in it, in rows; `counts`: None, or how many of k each has, as
        counts() makes them. Behind a segment's own stand `fill` and -1. `flips`: of floats, NaN last in a descending
        order, where segments_take_nan_last()."""
        raise NotImplementedError

    def segments_take_nan_last(self, keys: Any, k: int, where: Where) -> bool:
        raise NotImplementedError

    def counts(self, x: Any) -> Any:
        """Whole numbers as ones of 4 or 8 bytes that are right where they are read as unsigned; 0 for those below."""
        raise NotImplementedError

    def full(self, shape: tuple[int, ...], dtype: Any, fill: Any, like: Any) -> Any:
        """On the device of `like`."""
        raise NotImplementedError

    def repeated(self, x: Any, n: int) -> Any:
        """An array without axes as one of n equal elements."""
        raise NotImplementedError

    def offsets(self, x: Any, like: Any) -> Any:
        """Checked offsets, an array of NumPy's, where `like` lies."""
        raise NotImplementedError

    def is_integer(self, x: Any) -> bool:
        raise NotImplementedError

    # Arithmetic, by NumPy's names.

    xp: Any

    def in_64_bits(self) -> ContextManager[Any]:
        """Within it numbers of 64 bits are computed with, also where the framework is told to have none."""
        return nullcontext()

    def bits(self, x: Any) -> Any:
        """The array as one of a type that the framework compares for equality: itself mostly."""
        return x

    def typed(self, name: str) -> Any:
        """The framework's type of this name."""
        raise NotImplementedError

    def is_float(self, x: Any) -> bool:
        raise NotImplementedError

    def flipped(self, x: Any) -> Any:
        """Floats with their sign bits inverted."""
        raise NotImplementedError

    def contiguous(self, x: Any) -> Any:
        raise NotImplementedError

    def moveaxis(self, x: Any, source: int, destination: int) -> Any:
        raise NotImplementedError

    def single(self, like: Any, number: int) -> Any:
        """An array of one position, on the device of `like`."""
        raise NotImplementedError

    def cast(self, x: Any, name: str) -> Any:
        raise NotImplementedError

    def take(self, x: Any, positions: Any) -> Any:
        raise NotImplementedError

    def take_along_axis(self, x: Any, positions: Any, axis: int) -> Any:
        raise NotImplementedError

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        raise NotImplementedError

    def isnan(self, x: Any) -> Any:
        raise NotImplementedError

    def flatnonzero(self, x: Any) -> Any:
        raise NotImplementedError

    def cumsum(self, x: Any) -> Any:
        raise NotImplementedError

    def placed(self, positions: Any, values: Any) -> Any:
        """The array in which result[positions[i]] is values[i]."""
        raise NotImplementedError

    def need_beside(self, function: str, name: str, side: Any, x: Any) -> None:
        """An error where `side` lies on another device than `x`, and the framework would not say so itself."""

    def filled_behind(self, x: Any, counts: Any, axis: Any, fill: Any) -> Any:
        """x, with `fill` along the axis from place `counts` on, of which each lane has its own."""
        raise NotImplementedError

    def stored(self, result: Any, out: Any) -> Any:
        """`out` with the result in it."""
        raise NotImplementedError

    def plan(self, x: Any, rows: int, n: int, positions: bool, descending: bool) -> str:
        """How the rows would be sorted."""
        raise NotImplementedError

    # The calls; a framework that traces or differentiates puts its own in front.

    def sort(self, x: Any, axis: Any, descending: bool, out: Any, nan: str) -> Any:
        return _device.sort(self, x, axis, descending, out, nan)

    def argsort(self, x: Any, axis: Any, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
        return _device.argsort(self, x, axis, descending, dtype, out, nan)

    def sort_by_key(
        self, keys: Any, values: tuple[Any, ...], axis: Any, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        return _device.sort_by_key(self, keys, values, axis, descending, nan)

    def rows_in_order(self, columns: Sequence[Any], descending: Sequence[bool], dtype: Any, nan: str) -> Any:
        return _device.rows_in_order(self, columns, descending, dtype, nan)

    def rows_ordered(self, columns: Sequence[Any], descending: Sequence[bool], name: str, nan: str) -> Any:
        """Of columns of one length, in positions of the type of this name."""
        return _device.rows_ordered(self, columns, descending, name, nan)

    def lexsort(self, keys: Sequence[Any], axis: Any, descending: Sequence[bool], dtype: Any, nan: str) -> Any:
        return _device.lexsort(self, keys, axis, descending, dtype, nan)

    def merge_lanes(self, runs: Sequence[Any], descending: bool, flips: bool, into: Any = None) -> Any | None:
        """Sorted arrays of one axis and one type in one, where that is a call of its own; `into` as in sort_rows(),
        `flips` as in first_of_rows()."""
        return None

    def merge(self, runs: Sequence[Any], descending: bool, out: Any, nan: str) -> Any:
        return _device.merge(self, runs, descending, out, nan)

    def is_sorted(self, x: Any, axis: Any, descending: bool, nan: str) -> bool:
        return _device.is_sorted(self, x, axis, descending, nan)

    def scan(self, function: str, x: Any, axis: Any, inclusive: bool, maximum: bool, initial: int | None) -> Any:
        return _device.scan(self, function, x, axis, inclusive, maximum, initial)

    def unique(self, x: Any, wanted: tuple[bool, bool, bool], equal_nan: bool) -> tuple[Any, list[Any]]:
        return _device.unique(self, x, wanted, equal_nan)

    def explain(self, x: Any, axis: Any, positions: bool, descending: bool) -> str:
        return _device.explain(self, x, axis, positions, descending)

    def top_k(self, x: Any, k: int, axis: Any, largest: bool, nan: str) -> tuple[Any, Any]:
        return _device.top_k(self, x, k, axis, largest, nan)

    def top_k_of_lanes(
        self, x: Any, k: int, counts: Any, axis: Any, largest: bool, nan: str, fill: Any
    ) -> tuple[Any, Any]:
        """No more than `counts` of each lane: integers of any type, negative ones as 0."""
        values, indices = self.top_k(x, k, axis, largest, nan)
        along = 0 if axis is None else axis
        return self.filled_behind(values, counts, along, fill), self.filled_behind(indices, counts, along, -1)

    def partition(self, x: Any, kth: int, axis: Any) -> Any:
        return _device.partition(self, x, kth, axis)

    def quantile(self, x: Any, wanted: Any, axis: Any, method: int) -> Any:
        return _device.quantile(self, x, wanted, axis, method)

    def group_by(self, x: Any) -> tuple[Any, Any, Any]:
        return _device.group_by(self, x)

    def segment_sort(self, x: Any, where: Where, descending: bool, nan: str) -> Any:
        return _device.segment_sort(self, x, where, descending, nan)

    def segment_argsort(self, x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
        return _device.segment_argsort(self, x, where, descending, dtype, nan)

    def segment_top_k(
        self, x: Any, k: int, counts: Any, where: Where, largest: bool, nan: str, fill: Any
    ) -> tuple[Any, Any]:
        return _device.segment_top_k(self, x, k, counts, where, largest, nan, fill)

    def segment_quantile(self, x: Any, where: Where, wanted: Any, method: int) -> Any:
        """As quantile(), of segments: their axis is the last."""
        return _device.segment_quantile(self, x, where, wanted, method)

    def segment_sort_by_key(
        self, keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        return _device.segment_sort_by_key(self, keys, values, where, descending, nan)
