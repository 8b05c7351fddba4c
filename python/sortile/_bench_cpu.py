"""Rows of `sortile.bench` for arrays and tables in host memory, beside NumPy, pandas, Polars and PyArrow."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, Callable, Iterator

import numpy as np

import sortile

from ._bench_keys import keys
from .bench import Call, Contest, Options, Sides, Suite

SMALL = (10, 100, 1000, 10**4)
TYPES = ("uint32", "int64", "float32", "float64")
NARROW_TYPES = ("bool", "int8", "uint16", "float16", "datetime64[us]")


def usual(dtype: str) -> str:
    """The workload of the rows of this type."""
    return "normal" if dtype.startswith("float") else "uniform"


Inputs = Callable[[int], tuple[Any, ...]]  # of a seed


def between(ours: Call, theirs: Call, n: int, inputs: Inputs) -> Callable[[], Sides]:
    """Two functions of the same inputs of n elements, several where they are short."""

    def make() -> Sides:
        given = [inputs(seed) for seed in range(1, 1 + max(1, min(32, 10**5 // n)))]
        return Sides([partial(ours, *g) for g in given], [partial(theirs, *g) for g in given])

    return make


def lane(workload: str, n: int, dtype: str) -> Inputs:
    return lambda seed: (keys(workload, n, dtype, seed),)


def sorts(options: Options, below: int) -> Iterator[Contest]:
    for n in takewhile(below.__gt__, (*SMALL, 10**5, 10**6, 10**7)):
        for dtype in TYPES + (NARROW_TYPES if n in (*SMALL, 10**6) else ()):
            workload = usual(dtype)
            sides = between(partial(sortile.sort, **options), np.sort, n, lane(workload, n, dtype))
            target = 2.5 if n == 10**7 and dtype == "uint32" else 1
            yield Contest(f"sort {dtype}", n, workload, "np.sort", target, sides)


def argsorts(options: Options, below: int) -> Iterator[Contest]:
    for n in takewhile(below.__gt__, (*SMALL, 10**5, 10**6, 10**7)):
        for dtype in (TYPES if n != 10**6 else ()) + (NARROW_TYPES if n in (*SMALL, 10**6) else ()):
            workload = usual(dtype)
            theirs = partial(np.argsort, kind="stable")
            sides = between(partial(sortile.argsort, **options), theirs, n, lane(workload, n, dtype))
            yield Contest(f"argsort {dtype}", n, workload, "np.argsort stable", 8 if n == 10**7 else 1, sides)


def others(options: Options, below: int) -> Iterator[Contest]:
    """What is made of sorts, and beside it what NumPy has of that kind or is written with it."""
    for n in takewhile(below.__gt__, (*SMALL, 10**7)):
        aim = 8.0 if n == 10**7 else 1.0
        few = "range:100000"
        for name, asked in ("unique int64", {}), ("unique with inverse, int64", {"return_inverse": True}):
            ours, theirs = partial(sortile.unique, **asked, **options), partial(np.unique, **asked)
            target = aim if asked else 1.0
            yield Contest(name, n, few, "np.unique", target, between(ours, theirs, n, lane(few, n, "int64")))
        columns = partial(columns_to_order, n, few)
        sides = between(partial(sortile.lexsort, **options), np.lexsort, n, columns)
        yield Contest("lexsort uint32, float64", n, f"{few}, normal", "np.lexsort", aim, sides)
        sides = between(partial(sortile.merge, **options), merged, n, partial(two_runs, n))
        yield Contest("merge 2 runs, int64", n, "runs:2", "np.sort stable", 1, sides)
        sides = between(partial(sortile.sort_by_key, **options), taken_by_key, n, partial(pairs_of, n))
        yield Contest("sort_by_key uint32, int64", n, "uniform", "argsort and take", 1, sides)
        k = min(10, n // 2)
        sides = between(partial(largest, k, options), partial(largest_by_partition, k), n, lane("normal", n, "float32"))
        yield Contest(f"top_k {k} float32", n, "normal", "argpartition and sort", 1, sides)
        sides = between(partial(quantiles, options), quantiles_by_numpy, n, lane("normal", n, "float64"))
        yield Contest("quantile 0.5, 0.99 float64", n, "normal", "np.quantile", 1, sides)
        sides = between(partial(sortile.median, **options), np.median, n, lane(few, n, "int64"))
        yield Contest("median int64", n, few, "np.median", 1, sides)
        sides = between(partial(parted, sortile.partition, options), partial(parted, np.partition, {}), n,
                        lane("normal", n, "float64"))
        yield Contest("partition float64", n, "normal", "np.partition", 1, sides)
        bounds = np.linspace(0, n, 11).astype(np.int64)
        sides = between(partial(sorted_within, bounds, options), partial(sorted_parts, bounds), n, lane("normal", n, "float64"))
        yield Contest("ten segments float64", n, "normal", "np.sort of each", 1, sides)
        most = min(3, n // 10)
        sides = between(partial(first_within, bounds, most, options), partial(first_of_parts, bounds, most), n,
                        lane("normal", n, "float64"))
        yield Contest(f"top {most} of ten segments float64", n, "normal", "argpartition of each", 1, sides)
        sides = between(partial(grouped, options), grouped_by_numpy, n, lane(few, n, "int64"))
        yield Contest("group_by int64", n, few, "argsort and flatnonzero", 1, sides)


def columns_to_order(n: int, deciding: str, seed: int) -> tuple[Any, ...]:
    return ((keys("normal", n, "float64", seed), keys(deciding, n, "uint32", seed + 1)),)


def two_runs(n: int, seed: int) -> tuple[Any, ...]:
    return tuple(np.array_split(keys("runs:2", n, "int64", seed), 2))


def merged(*runs: Any) -> Any:
    return np.sort(np.concatenate(runs), kind="stable")


def pairs_of(n: int, seed: int) -> tuple[Any, ...]:
    return keys("uniform", n, "uint32", seed), np.arange(n)


def taken_by_key(x: Any, values: Any) -> Any:
    order = np.argsort(x, kind="stable")
    return x[order], values[order]


def largest(k: int, options: Options, x: Any) -> Any:
    return sortile.top_k(x, k, **options)


def largest_by_partition(k: int, x: Any) -> Any:
    chosen = np.argpartition(x, len(x) - k)[len(x) - k :]
    order = chosen[np.argsort(x[chosen])[::-1]]
    return x[order], order


def quantiles(options: Options, x: Any) -> Any:
    return sortile.quantile(x, (0.5, 0.99), **options)


def quantiles_by_numpy(x: Any) -> Any:
    return np.quantile(x, (0.5, 0.99))


def parted(partition: Any, options: Options, x: Any) -> Any:
    """The middle element, which is all of a partition that is the same by both."""
    return partition(x, len(x) // 2, **options)[len(x) // 2]


def sorted_within(bounds: Any, options: Options, x: Any) -> Any:
    return sortile.segment_sort(x, bounds, **options)


def sorted_parts(bounds: Any, x: Any) -> Any:
    result = x.copy()
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
        result[begin:end].sort()
    return result


def first_within(bounds: Any, k: int, options: Options, x: Any) -> Any:
    return sortile.segment_top_k(x, k, bounds, **options)


def first_of_parts(bounds: Any, k: int, x: Any) -> Any:
    """Of segments of k elements and more."""
    found = [largest_by_partition(k, x[begin:end]) for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist())]
    return np.array([values for values, _ in found]), np.array([order for _, order in found])


def grouped(options: Options, x: Any) -> Any:
    return sortile.group_by(x, **options)


def grouped_by_numpy(x: Any) -> Any:
    order = np.argsort(x, kind="stable")
    in_order = x[order]
    begins = np.flatnonzero(np.concatenate(([True], in_order[1:] != in_order[:-1])))
    return in_order[begins], np.append(begins, len(x)), order


def axes(options: Options, below: int) -> Iterator[Contest]:
    n = 10**7
    if n >= below:
        return

    def rows(seed: int) -> tuple[Any, ...]:
        return (keys("uniform", n, "uint32", seed).reshape(-1, 100),)

    for name, axis in ("sort 10^5 rows of 100", -1), ("sort 100 columns of 10^5", 0):
        sides = between(partial(sortile.sort, axis=axis, **options), partial(np.sort, axis=axis), n, rows)
        yield Contest(name, n, "uniform", "np.sort", 1, sides)


ORDERS = {"size, price": "range:1000, normal", "name": "range:5000"}  # by which columns, and what they hold


def columns_of(n: int) -> dict[str, Any]:
    """Three columns to order by, the last of text, and one more to be taken along."""
    return {
        "size": keys("range:1000", n, "int64", 1),
        "price": keys("normal", n, "float64", 2),
        "name": np.array([f"name {i}" for i in range(5000)])[keys("range:5000", n, "int64", 3)],
        "row": np.arange(n),
    }


def tables(options: Options, below: int) -> Iterator[Contest]:
    """Rows by two columns, with more to be taken along; against each library that is installed."""
    for library in filter(find_spec, ("pandas", "polars", "pyarrow")):
        for n in takewhile(below.__gt__, (*SMALL, 10**6)):
            for by, workload in ORDERS.items():
                title, rival, target = TABLES[library]
                make = partial(table_sides, library, n, by.split(", "), options)
                yield Contest(f"{title} by {by}", n, workload, rival, target if n == 10**6 else 1, make)


TABLES = {"pandas": ("pandas", "sort_values", 4), "polars": ("Polars", "sort", 1), "pyarrow": ("PyArrow", "sort_by", 1)}


def table_sides(library: str, n: int, by: list[str], options: Options) -> Sides:
    make_table = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    table = getattr(import_module(library), make_table)(columns_of(n))
    ours = partial(sortile.sort_table, table, by, **options)
    if library == "pandas":
        return Sides([ours], [partial(table.sort_values, by, kind="stable")])
    if library == "polars":
        return Sides([ours], [partial(table.sort, by, maintain_order=True)])
    return Sides([ours], [partial(table.sort_by, [(name, "ascending") for name in by])])


SUITES: tuple[Suite, ...] = (sorts, argsorts, others, axes, tables)
