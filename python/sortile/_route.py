"""Routing of token–expert pairs, as layers with a mixture of experts need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from ._arrays import Array, given, native, numpy_type, of_fields, positions_back, whole
from ._backend import core
from ._frameworks import Framework, held_by

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_EXPERTS_MOST, _ROWS_MOST = 4096, 2**32 - 2  # route_experts_most of the library, and its 2^32 - 1 is "none"
_NUMBERS = {"int64": 2**63, "int32": 2**31}


class Routing(NamedTuple):
    """What `route` gives: arrays of one type, of which only `inverse` may have more than one axis."""

    offsets: NDArray[Any]
    counts: NDArray[Any]
    order: NDArray[Any]
    inverse: NDArray[Any]
    block_experts: NDArray[Any]
    dropped: NDArray[Any]


def route(
    experts: ArrayLike,
    expert_count: int,
    /,
    *,
    block: int = 1,
    dtype: DTypeLike | None = None,
    threads: SupportsIndex | None = None,
) -> Routing:
    """The stable partition of token–expert pairs by expert, each expert's rows padded to whole blocks.

    Each expert's rows lie together, in the order of the pairs: what a grouped matrix product takes.

    Parameters
    ----------
    experts : array of integers
        Of each pair its expert's number. Of any shape, (tokens, experts per token) mostly, read row by row: pair i is
        its i-th element. NumPy's, or an array of PyTorch, CuPy and JAX, in host memory or on a GPU. A number outside of
        0 to expert_count - 1 (-1 marks experts that live elsewhere) is no error: the pair is dropped.
    expert_count : int
        E, from 1 to 4096.
    block : int
        Each expert's rows are padded to a multiple of it.
    dtype : type or None
        Of all results: int64 (None; int32 in JAX without 64-bit types), or int32, which takes half the memory.
    threads : int or None
        As in `sort`.

    Returns
    -------
    Routing
        n pairs have R rows, which follows from the shapes alone: ``(n + min(n, E) * (block - 1)) // block * block``.

        - `offsets`, of E + 1: where each expert's padded rows begin; behind the last: all rows in use.
        - `counts`, of E: pairs of each expert.
        - `order`, of R: the pair of each row; n in rows of padding and behind the last row in use.
        - `inverse`, of the shape of `experts`: the row of each pair; -1 where it is dropped.
        - `block_experts`, of R / block: the expert of each block of rows; -1 behind the last block in use.
        - `dropped`, without axes: pairs that are dropped.

        The same on every machine, GPU or not: pairs of one expert keep their order.

    Raises
    ------
    TypeError
        Experts that are no integers; a dtype that is neither int64 nor int32.
    ValueError
        An expert_count or block out of range, and pairs that may need more than 2**32 - 2 rows, of int32 2**31 - 1.
    MemoryError
        As `sort`.

    Notes
    -----
    The pairs are read twice, and each result is written once. On a GPU nothing waits, and up to 2**17 pairs of 1024
    experts are one launch. Where there are more groups than 4096, `group_by` and `argsort` do it.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> r = sortile.route(np.array([1, 0, 1, -1, 0]), 2)
    >>> r.order[: r.offsets[-1]], r.inverse, r.counts
    (array([1, 4, 0, 2]), array([ 2,  0,  3, -1,  1]), array([2, 2]))
    >>> sortile.route(np.array([1, 0, 1, -1, 0]), 2, block=4).order
    array([1, 4, 5, 5, 0, 2, 5, 5])
    """
    if type(experts) is np.ndarray:
        found = core.route(experts, expert_count, block, dtype, threads)
        if found is not NotImplemented:
            return of_fields(Routing, found)
    count, size = _sizes(expert_count, block)
    if (framework := held_by(experts)) is not None:
        return _by_framework(framework, experts, count, size, dtype)
    a, back = given(experts)
    if a.size == 0 and not hasattr(experts, "dtype"):
        a = a.astype(np.int64)  # an empty list
    name = _name(dtype, "int64", route_shapes(a.shape, count, size)[2][0])
    return Routing(*map(positions_back(experts, back), host_route(a, count, size, name, threads)))


def _sizes(expert_count: Any, block: Any) -> tuple[int, int]:
    """Both as numbers that are allowed."""
    count, size = whole("expert_count", expert_count), whole("block", block)
    if not 1 <= count <= _EXPERTS_MOST:
        raise ValueError(f"sortile.route: expert_count = {count}; allowed are 1 to {_EXPERTS_MOST}")
    if not 1 <= size <= _ROWS_MOST // count:
        raise ValueError(
            f"sortile.route: block = {size}; rows are padded to multiples of 1 to {_ROWS_MOST // count} for {count} "
            "experts"
        )
    return count, size


def _by_framework(f: Framework, experts: Any, count: int, block: int, dtype: Any) -> Routing:
    if not f.is_integer(experts):
        raise _no_numbers(experts.dtype)
    name = _name(dtype, f.positions, route_shapes(experts.shape, count, block)[2][0])
    return Routing(*f.route(experts, count, block, name))


def host_route(a: Array, count: int, block: int, name: str, threads: SupportsIndex | None) -> tuple[Array, ...]:
    """`route` of an array in host memory."""
    if a.dtype.kind not in "iu":
        raise _no_numbers(a.dtype)
    count, block, name = operands(a.shape, count, block, name)
    plain = np.require(native(a), requirements=["C", "A"])
    results: tuple[Array, ...] = core.route(plain, count, block, np.dtype(name), threads)
    return results


def operands(shape: Any, count: Any, block: Any, name: Any) -> tuple[int, int, str]:
    """What whoever calls an operator itself gave it, which may be anything: as it is allowed."""
    count, block = _sizes(count, block)
    return count, block, _name(name, "int64", route_shapes(shape, count, block)[2][0])


def route_shapes(shape: Any, count: int, block: int) -> tuple[tuple[int, ...], ...]:
    """The results' shapes, in their order."""
    n = 1
    for length in shape:  # PyTorch's may be known when the program runs
        n *= length
    rows = (n + min(n, count) * (block - 1)) // block * block
    return (count + 1,), (count,), (rows,), tuple(shape), (rows // block,), ()


def _no_numbers(dtype: Any) -> TypeError:
    return TypeError(f"sortile.route: experts of type {dtype}; they are numbered by integers of 8 to 64 bits")


def _no_results(dtype: str) -> TypeError:
    return TypeError(f"sortile.route: results of dtype {dtype} asked for; allowed are {', '.join(_NUMBERS)}")


def _name(dtype: Any, usual: str, rows: int) -> str:
    try:
        wanted = np.dtype(usual if dtype is None else numpy_type(dtype))
    except TypeError:
        raise _no_results(repr(dtype)) from None
    name = wanted.name
    if name not in _NUMBERS or not wanted.isnative:
        raise _no_results(str(wanted))
    most = min(_ROWS_MOST, _NUMBERS[name] - 1)
    if rows > most:
        raise ValueError(f"sortile.route: {rows} rows may be needed; results of {name} have {most} at most")
    return name
