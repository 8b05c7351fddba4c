"""Sorts of arrays on a GPU by their addresses: what PyTorch's and CuPy's have in common.

The work is queued on the framework's current stream, with workspace from its allocator, and nothing waits for it.
"""

from __future__ import annotations

from math import prod
from typing import Any, Callable, Sequence

import numpy as np

from ._backend import core
from ._device import counted_top_k, segment_count, segmented
from ._frameworks import Framework, Where
from ._places import CHOOSE, METHODS, places_chosen
from ._route import route_shapes

# As `key_type` of the library numbers them.
KEY_TYPES = {
    "bool": 0,
    "uint8": 0,
    "uint16": 1,
    "uint32": 2,
    "uint64": 3,
    "int8": 5,
    "int16": 6,
    "int32": 7,
    "int64": 8,
    "float16": 10,
    "bfloat16": 11,
    "float32": 12,
    "float64": 13,
}
KEYS, POSITIONS, KEYS_AND_POSITIONS, KEYS_AND_VALUES, FIRST_POSITIONS = range(5)
SORTED_BY_PARTITION = 2**17  # keys of a row, whose sort takes no longer than a selection, fewer launches
GROUP_OUTPUTS = ("first", "counts", "offsets", "order", "inverse")  # in the order of the library's request

Allocate = Callable[[int], "tuple[int, Any]"]


def need_gpu_engine(x: Any) -> None:
    """An array on a GPU, and a package without the engine for it: refused by name."""
    if not core.has_gpu_engine:
        library = type(x).__module__.partition(".")[0]
        raise TypeError(
            f"sortile: this {library}.{type(x).__name__} lies on a GPU, and this package has the CPU engine alone; "
            "pip install sortile-cu13 adds the engine for GPUs"
        )


class GpuArrays(Framework):
    """A framework whose arrays are pieces of device memory with an address."""

    def type_name(self, x: Any) -> str:
        raise NotImplementedError

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        """On the device of `like`."""
        raise NotImplementedError

    def zeros(self, shape: tuple[int, ...], name: str, like: Any) -> Any:
        raise NotImplementedError

    def numbers(self, n: int, like: Any) -> Any:
        """0 to n - 1, as int64."""
        raise NotImplementedError

    def address(self, x: Any) -> int:
        raise NotImplementedError

    def queue(self, x: Any) -> tuple[int, int, Allocate]:
        """The number of the array's device, the current stream there, and what allocates on it: address and owner."""
        raise NotImplementedError

    def copied(self, x: Any) -> Any:
        raise NotImplementedError

    def fits(self, out: Any, keys: Any, n: int) -> bool:
        """Whether a result of n elements like `keys` can be written where `out` lies."""
        raise NotImplementedError

    def need_beside(self, function: str, name: str, side: Any, x: Any) -> None:
        if side.device != x.device:
            raise ValueError(f"sortile.{function}: {name} lies on {side.device}; beside an array on {x.device} it lies there, too")

    def key_type(self, x: Any) -> int:
        name = self.type_name(x)
        if name not in KEY_TYPES:
            raise TypeError(
                f"sortile: elements of type {name} have no order here; on a GPU those that have: {', '.join(KEY_TYPES)}"
            )
        return KEY_TYPES[name]

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        rows, n = keys.shape
        key_type = self.key_type(keys)
        direct = into is not None and self.fits(into, keys, n)
        result = into if direct else self.empty((rows, n), keys.dtype, keys)
        core.device_sort(
            KEYS, key_type, rows, n, self.address(keys), self.address(result), 0, 0, 0, descending, *self.queue(keys)
        )
        return result if direct or into is None else self.stored(result.reshape((n,)), into)

    def sort_lane(self, x: Any, descending: bool) -> Any:
        keys = self.contiguous(x)
        result = self.empty(keys.shape, keys.dtype, keys)
        core.device_sort(
            KEYS, self.key_type(keys), 1, keys.shape[0], self.address(keys), self.address(result), 0, 0, 0, descending,
            *self.queue(keys),
        )
        return result

    def merge_lanes(self, runs: Sequence[Any], descending: bool, flips: bool, into: Any = None) -> Any | None:
        queue = self.queue(runs[0])
        if any(self.queue(run)[0] != queue[0] for run in runs):
            return None  # of several devices: the framework's own words, where it puts them behind each other
        keys = [self.contiguous(run) for run in runs]
        lengths = [run.shape[0] for run in keys]
        n = sum(lengths)
        direct = into is not None and self.fits(into, keys[0], n) and not any(self._overlap(into, run) for run in keys)
        to = into if direct else self.empty((1, n), keys[0].dtype, keys[0]).reshape((n,))
        if not core.device_merge(
            self.key_type(keys[0]), [(self.address(run), length) for run, length in zip(keys, lengths)], self.address(to),
            descending, flips, *queue,
        ):
            return None
        return to if direct or into is None else self.stored(to, into)

    def _overlap(self, a: Any, b: Any) -> bool:
        """Of arrays without gaps, of one axis and one type."""
        return bool(
            abs(self.address(a) - self.address(b)) < (b if self.address(a) > self.address(b) else a).nbytes
            and a.shape[0] > 0
            and b.shape[0] > 0
        )

    def argsort_rows(self, keys: Any, descending: bool, positions: str) -> Any:
        rows, n = keys.shape
        key_type = self.key_type(keys)
        result = self.empty((rows, n), self.typed(positions), keys)
        width = 8 if positions == "int64" else 4
        core.device_sort(
            POSITIONS, key_type, rows, n, self.address(keys), 0, width, 0, self.address(result), descending,
            *self.queue(keys),
        )
        return result

    def sort_rows_with_positions(self, keys: Any, descending: bool, positions: str) -> tuple[Any, Any]:
        rows, n = keys.shape
        found = self.empty((rows, n), keys.dtype, keys)
        order = self.empty((rows, n), self.typed(positions), keys)
        width = 8 if positions == "int64" else 4
        core.device_sort(
            KEYS_AND_POSITIONS, self.key_type(keys), rows, n, self.address(keys), self.address(found), width, 0,
            self.address(order), descending, *self.queue(keys),
        )
        return found, order

    def sort_rows_by_key(self, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
        rows, n = keys.shape
        found = self.empty((rows, n), keys.dtype, keys)
        moved = self.empty(tuple(values.shape), values.dtype, keys)
        width = values.dtype.itemsize * prod(values.shape[2:])
        first, other = self.address(keys), self.address(values)
        if first < other + rows * n * width and other < first + rows * n * keys.dtype.itemsize:
            values = self.copied(values)  # the library wants keys and values apart
        core.device_sort(
            KEYS_AND_VALUES, self.key_type(keys), rows, n, self.address(keys), self.address(found), width,
            self.address(values), self.address(moved), descending, *self.queue(keys),
        )
        return found, moved

    def first_of_rows(self, keys: Any, k: int, descending: bool, flips: bool) -> tuple[Any, Any] | None:
        rows, n = keys.shape if keys.ndim == 2 else (1, keys.shape[0])
        key_type, shape = self.key_type(keys), (*keys.shape[:-1], k)
        found, order = self.empty(shape, keys.dtype, keys), self.empty(shape, self.typed("int64"), keys)
        to = self.address(found), 8, self.address(order), 0, 8
        queue = self.queue(keys)
        if core.device_top_k(key_type, rows, n, k, self.address(keys), *to, descending, flips, *queue):
            return found, order
        turned = self.flipped(keys)
        core.device_top_k(key_type, rows, n, k, self.address(turned), *to, False, False, *queue)
        return self.flipped(found), order

    def top_k_of_lanes(
        self, x: Any, k: int, counts: Any, axis: int | None, largest: bool, nan: str, fill: Any
    ) -> tuple[Any, Any]:
        if not self.is_on_gpu(x) or not self.is_on_gpu(counts):
            return super().top_k_of_lanes(x, k, counts, axis, largest, nan, fill)
        return counted_top_k(self, x, k, self.counts(counts), axis, largest, nan, fill)

    def counted_of_rows(
        self, keys: Any, k: int, counts: Any, descending: bool, flips: bool, fill: Any
    ) -> tuple[Any, Any]:
        rows, n = keys.shape
        key_type = self.key_type(keys)
        found = self.full((rows, k), keys.dtype, fill, keys)
        order = self.full((rows, k), self.typed("int64"), -1, keys)
        core.device_top_k(
            key_type, rows, n, k, self.address(keys), self.address(found), 8, self.address(order), self.address(counts),
            counts.dtype.itemsize, descending, flips, *self.queue(keys),
        )
        return found, order

    def rows_take_nan_last(self, keys: Any, k: int) -> bool:
        rows, n = keys.shape
        return core.device_takes_nan_last(self.key_type(keys), rows, n, k)

    def rows_are_in_order(self, keys: Any, descending: bool, flips: bool) -> bool | None:
        if not self.is_on_gpu(keys):
            return None
        rows, n = keys.shape
        return n < 2 or core.device_is_sorted(
            self.key_type(keys), rows, n, self.address(keys), descending, flips, *self.queue(keys)
        )

    def scan_rows(self, function: str, x: Any, inclusive: bool, maximum: bool, initial: int | None) -> Any:
        if not self.is_on_gpu(x):
            return super().scan_rows(function, x, inclusive, maximum, initial)
        rows, n = x.shape
        result = self.empty((rows, n), x.dtype, x)
        core.device_scan(
            self.key_type(x), rows, n, self.address(x), self.address(result), inclusive, maximum, initial, *self.queue(x)
        )
        return result

    def digit_histogram(self, x: Any, descending: bool) -> Any:
        if not self.is_on_gpu(x):
            return super().digit_histogram(x, descending)
        keys = self.contiguous(x.reshape((-1,)))
        counts = self.empty((keys.dtype.itemsize, 256), self.typed("int64"), keys)
        core.device_digit_histogram(
            self.key_type(keys), keys.shape[0], self.address(keys), self.address(counts), descending, *self.queue(keys)
        )
        return counts

    def rows_ordered(self, columns: Sequence[Any], descending: Sequence[bool], name: str, nan: str) -> Any:
        n = columns[0].shape[0]
        if n == 0 or not all(self.is_on_gpu(column) for column in columns):
            return super().rows_ordered(columns, descending, name, nan)
        pieces = [segmented(self, column, down, nan) for column, down in zip(columns, descending)]
        result = self.empty((n,), self.typed(name), columns[0])
        where = self.queue(columns[0])
        if any(self.queue(column)[0] != where[0] for column in columns[1:]):
            raise ValueError("sortile: the columns lie on different devices")
        core.device_lexsort(
            [(self.key_type(keys), self.address(keys), down) for keys, _, down in pieces], n, self.address(result),
            8 if name == "int64" else 4, *where,
        )
        return result

    def is_on_gpu(self, x: Any) -> bool:
        """Whether the array is one that can be sorted by its address."""
        return True

    def takes_partitions(self, x: Any) -> bool:
        return True

    def partition_rows(self, keys: Any, kth: int) -> Any:
        rows, n = keys.shape
        if rows != 1 or n <= SORTED_BY_PARTITION:
            return self.sort_rows(keys, False)
        key_type = self.key_type(keys)
        result = self.copied(keys)
        core.device_nth_element(key_type, n, kth, self.address(result), *self.queue(result))
        return result

    def takes_groups(self, x: Any) -> bool:
        return (x.shape[0] if x.ndim == 1 else prod(x.shape)) > 0

    def unique(self, x: Any, wanted: tuple[bool, bool, bool], equal_nan: bool) -> tuple[Any, list[Any]]:
        if not self.takes_groups(x) or (self.is_float(x) and not equal_nan):
            return super().unique(x, wanted, equal_nan)
        names = [name for name, asked in zip(("first", "inverse", "counts"), wanted) if asked]
        distinct, *rest = self._groups(x if x.ndim == 1 else x.reshape((-1,)), names)
        if wanted[1] and x.ndim != 1:
            rest[int(wanted[0])] = rest[int(wanted[0])].reshape(x.shape)
        return distinct, rest

    def group_by(self, x: Any) -> tuple[Any, Any, Any]:
        if x.ndim != 1 or not self.takes_groups(x):
            return super().group_by(x)
        distinct, offsets, order = self._groups(x, ["offsets", "order"])
        return distinct, offsets, order

    def _groups(self, x: Any, names: list[str]) -> list[Any]:
        """The distinct keys and these outputs of the library's call. Waits for the device, which alone knows how many
        groups there are."""
        keys = self.contiguous(x)
        n = keys.shape[0]
        key_type = self.key_type(keys)
        distinct = self.empty((n,), keys.dtype, keys)
        made = {name: self.empty((n + (name == "offsets"),), self.typed("int64"), keys) for name in names}
        groups = core.device_groups(
            key_type, n, self.address(keys), self.address(distinct),
            [self.address(made[name]) if name in made else 0 for name in GROUP_OUTPUTS], *self.queue(keys),
        )
        lengths = {"order": n, "inverse": n, "offsets": groups + 1}
        return [self._begin(distinct, groups), *(self._begin(made[m], lengths.get(m, groups)) for m in names)]

    def _begin(self, x: Any, length: int) -> Any:
        """The first elements; in memory of their own where the others would keep more than that."""
        room = x.shape[0]
        return x if length == room else x[:length] if 2 * length >= room else self.copied(x[:length])

    def takes_quantiles(self, x: Any) -> bool:
        return True

    def quantile_rows(self, keys: Any, probabilities: list[float], method: int) -> Any:
        """NaN is the largest, so the quantile of 1 tells whether there is one."""
        rows, n = keys.shape
        key_type, tells = self.key_type(keys), self.is_float(keys)
        if METHODS[method] in CHOOSE and not tells:
            result = self.empty((rows, len(probabilities)), keys.dtype, keys)
            ranks = places_chosen(np.array(probabilities), n, method).tolist()
            core.device_ranks(key_type, rows, n, ranks, self.address(keys), self.address(result), *self.queue(keys))
            return result
        wanted = [*probabilities, 1.0] if tells else probabilities
        result = self.empty((rows, len(wanted)), self.typed("float64"), keys)
        core.device_quantiles(
            key_type, rows, n, wanted, method, self.address(keys), self.address(result), 0, 8, *self.queue(keys)
        )
        result = result[:, :-1] if tells else result
        return self.cast(result, self.type_name(keys)) if METHODS[method] in CHOOSE else result  # exact: a float of up to 64 bits

    def route(self, experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
        given = self.contiguous(experts)
        shapes = route_shapes(experts.shape, count, block)
        results = tuple(self.empty(shape, self.typed(dtype), given) for shape in shapes)
        core.device_route(
            self.key_type(given), prod(experts.shape), self.address(given), count, block, 8 if dtype == "int64" else 4,
            [self.address(result) for result in results], *self.queue(given),
        )
        return results

    def sort_segments(self, keys: Any, where: Where, descending: bool) -> Any:
        result = self.empty(tuple(keys.shape), keys.dtype, keys)
        self._segments(KEYS, keys, result, 0, 0, 0, where, descending)
        return result

    def argsort_segments(self, keys: Any, where: Where, descending: bool, positions: str) -> Any:
        result = self.zeros(keys.shape, positions, keys)
        self._segments(POSITIONS, keys, None, result.dtype.itemsize, 0, self.address(result), where, descending)
        return result

    def sort_segments_with_order(self, keys: Any, where: Where, descending: bool) -> tuple[Any, Any]:
        found = self.empty(tuple(keys.shape), keys.dtype, keys)
        before = self.numbers(keys.shape[0], keys)
        order = self.empty(tuple(keys.shape), before.dtype, keys)
        self._segments(
            KEYS_AND_VALUES, keys, found, 8, self.address(before), self.address(order), where, descending
        )
        return found, order

    def _segments(
        self, what: int, keys: Any, found: Any, width: int, values_in: int, values_out: int, where: Where, down: bool
    ) -> None:
        """What lies in no segment is copied to the results."""
        begins, ends = where
        core.device_segments(
            what, self.key_type(keys), keys.shape[0], self.address(keys), 0 if found is None else self.address(found),
            width, values_in, values_out, self.address(begins), 0 if ends is None else self.address(ends),
            begins.dtype.itemsize, max(begins.shape[0] - (ends is None), 0), True, down, *self.queue(keys),
        )

    def first_of_segments(
        self, keys: Any, k: int, counts: Any, where: Where, descending: bool, flips: bool, fill: Any
    ) -> tuple[Any, Any]:
        (begins, ends), segments, key_type = where, segment_count(where), self.key_type(keys)
        found = self.full((segments, k), keys.dtype, fill, keys)
        order = self.full((segments, k), self.typed("int64"), -1, keys)
        core.device_segment_top_k(
            key_type, keys.shape[0], k, self.address(keys), self.address(found), 8, self.address(order), self.address(begins),
            0 if ends is None else self.address(ends), begins.dtype.itemsize, segments,
            0 if counts is None else self.address(counts), 8 if counts is None else counts.dtype.itemsize, descending, flips,
            *self.queue(keys),
        )
        return found, order

    def segments_take_nan_last(self, keys: Any, k: int, where: Where) -> bool:
        return core.device_segments_take_nan_last(self.key_type(keys), keys.shape[0], k, segment_count(where))

    def segment_quantile(self, x: Any, where: Where, wanted: Any, method: int) -> Any:
        chooses, last = METHODS[method] in CHOOSE, [1.0] if self.is_float(x) else []
        if chooses and not last:  # which integers these are, the library does not tell
            return super().segment_quantile(x, where, wanted, method)
        (begins, ends), segments, keys = where, segment_count(where), self.contiguous(x)
        result = self.empty((segments, wanted.size + len(last)), self.typed("float64"), keys)
        core.device_segment_quantiles(
            self.key_type(keys), keys.shape[0], [*wanted.reshape(-1).tolist(), *last], method, self.address(keys),
            self.address(result), self.address(begins), 0 if ends is None else self.address(ends), begins.dtype.itemsize,
            segments, *self.queue(keys),
        )
        result = self.moveaxis(result[:, : wanted.size], 0, 1).reshape((*wanted.shape, segments))
        return self.cast(result, self.type_name(keys)) if chooses else result

    def plan(self, x: Any, rows: int, n: int, positions: bool, descending: bool) -> str:
        what = POSITIONS if positions else KEYS
        return str(core.device_explain(what, self.key_type(x), rows, n, descending))
