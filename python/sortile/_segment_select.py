"""The first k elements of each segment, and partitions, in one call. `_segment_quantiles` has medians and quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ._arrays import Array, Nan, flag, given, is_ordered, not_taken, of_fields, positions_back, whole
from ._backend import core
from ._call_types import keeps_kind
from ._counts import are_counts, as_unsigned, counts_given, is_for_each, same_for_each
from ._device import segment_count
from ._filling import elements, filler
from ._frameworks import Framework, held_beside, refuse_host_options
from ._progress import Progress, Tell, telling
from ._segments import Offsets, by_framework, need_one_axis, on_host
from ._select import TopK

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_MOST = 2**59  # results, which memory can address


def segment_top_k(
    x: ArrayLike,
    k: int | ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    largest: bool = True,
    nan: Nan = "last",
    most: int | None = None,
    fill: Any = 0,
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> TopK:
    """The k largest (or smallest) elements of each segment, in order, and where in the segment they are.

    Parameters
    ----------
    x : array
        Of one axis, and of elements that the library orders by themselves, as `top_k` takes them: NumPy's, or one of
        PyTorch, CuPy and JAX, in host memory or on a GPU.
    k : int or array of ints
        At least 0; a segment may be shorter. An array has a k for each segment. The host reads it, but not one that a
        framework keeps on a GPU, which lies on the device of `x`, or traces; such a number without axes counts for each
        segment where `most` is given.
    offsets : array of integers, or a tuple of two
        Where the segments are, as in `segment_sort`.
    largest, nan
        As in `top_k`.
    most : int, optional
        The number of columns of the result: a segment has no more. The largest k unless given; needed where the host does
        not read k.
    fill : scalar
        What `values` has where a segment has no more elements, or a k of its own: a number that an element can be, and
        that the host knows. `indices` have -1 there. Among dates 0 is 1970-01-01; ``fill=np.datetime64("NaT", "D")`` is none.
    threads, progress
        As in `sort`.

    Returns
    -------
    TopK
        `values`, of the type of `x`, and `indices` (int64; int32 in JAX without 64-bit types), both of the shape (number
        of segments, k): row i is segment i's. Its first min(k, length of the segment) columns are the ones that a stable
        sort of the segment begins with, so of equal elements those with the lowest indices come first. Indices count from
        the segment's beginning.

    Raises
    ------
    ValueError
        A k below 0; an array of them that has not one for each segment; an array of several axes; what `segment_sort`
        refuses of offsets. Where the host does not read k, one below 0 counts as 0, and one above `most` as `most`.
    TypeError
        Elements that `top_k` does not take, a k that is no whole number, and offsets that are no integers along one axis.
    MemoryError
        No memory for the result, or more than there could be.

    Notes
    -----
    One call for any number of segments, of any mix of lengths. Long segments are read about once, and what is chosen is
    sorted; short ones are sorted. In host memory `segment_argsort` and a gather are faster where segments have some ten
    elements (this call takes 1.2 times as long). Floats on a GPU, the largest with NaN last: where the array has fewer than
    128 elements for each segment (its length divided by their number), or k is above 8192 (4096 for float64), a copy with
    all signs turned round is made first.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> found = sortile.segment_top_k(np.array([3, 1, 2, 9, 8]), 2, [0, 3, 3, 5])
    >>> found.values
    array([[3, 2],
           [0, 0],
           [9, 8]])
    >>> found.indices
    array([[ 0,  2],
           [-1, -1],
           [ 0,  1]])
    >>> sortile.segment_top_k(np.array([3, 1, 2, 9, 8]), [1, 2], [0, 3, 5], largest=False, fill=-1).values
    array([[ 1, -1],
           [ 8,  9]])
    """
    if type(x) is np.ndarray and most is None and type(fill) is int and fill == 0 and progress is None:
        found = core.segment_top_k(x, k, None, None, offsets, largest, nan, threads, None)
        if found is not NotImplemented:
            return of_fields(TopK, found)
    largest = flag("largest", largest)
    framework, x = held_beside("segment_top_k", x, ("k", k), ("offsets", offsets))
    if framework is not None:
        refuse_host_options(None, progress)
        return _of_held(framework, x, k, offsets, largest, nan, most, fill)
    a, back = given(x)
    need_one_axis("segment_top_k", a)
    where = on_host("segment_top_k", offsets)
    columns, counts = _wanted(k, most, segment_count(where if isinstance(where, tuple) else (where, None)))
    if not is_ordered(a.dtype):
        raise not_taken("segment_top_k", a.dtype)
    element = elements("segment_top_k", a.dtype, fill)
    with telling(progress) as tell:
        values, indices = host_segment_top_k(a, columns, counts, element, where, largest, nan, threads, tell)
    return TopK(back(values), positions_back(x, back)(indices))


def _wanted(k: Any, most: Any, segments: int) -> tuple[int, Array | None]:
    """The columns of the result, and the numbers of each segment, where it has one of its own, of what the host reads."""
    if not is_for_each(k):
        if most is None:
            return need_columns("k", whole("k", k), segments), None
        k = same_for_each(k, segments)
    counts = counts_given(k)
    need_counts(tuple(counts.shape), segments, are_counts(counts), counts.dtype)
    if counts.size > 0 and counts.min() < 0:
        raise ValueError(f"sortile.segment_top_k: k = {counts.min()}; allowed are 0 and more")
    name, number = ("k", int(counts.max()) if counts.size > 0 else 0) if most is None else ("most", whole("most", most))
    return need_columns(name, number, segments), as_unsigned(counts)


def need_columns(name: str, number: int, segments: int) -> int:
    if number < 0:
        raise ValueError(f"sortile.segment_top_k: {name} = {number}; allowed are 0 and more")
    if number * max(1, segments) >= _MOST:
        raise MemoryError(
            f"sortile.segment_top_k: {name} = {number} for {segments} segments; that many results have no room in any memory"
        )
    return number


def need_counts(shape: tuple[int, ...], segments: int, are_whole: bool, kind: Any) -> None:
    if shape != (segments,):
        raise ValueError(
            f"sortile.segment_top_k: k has the shape {shape}; an array that has a k for each segment is of shape "
            f"({segments},) here"
        )
    if not are_whole:
        raise TypeError(f"sortile.segment_top_k: k has elements of type {kind}; allowed are whole numbers")


def held_counts(f: Framework, x: Any, counts: Any, segments: int) -> Any:
    """A k for each segment, an array of the framework's, as it is read on the device of x."""
    need_counts(tuple(counts.shape), segments, f.is_integer(counts), counts.dtype)
    f.need_beside("segment_top_k", "k", counts, x)
    return f.counts(counts)


def host_segment_top_k(
    a: Array, columns: int, counts: Array | None, element: Array | None, where: Offsets, largest: bool, nan: str,
    threads: SupportsIndex | None, tell: Tell | None,
) -> tuple[Array, Array]:
    """Of an array in host memory; `where`: as on_host() makes it, `counts`: uint64."""
    found = core.segment_top_k(a, columns, counts, element, where, largest, nan, threads, tell)
    if found is NotImplemented:
        raise not_taken("segment_top_k", a.dtype)
    values, indices = found
    return values, indices


@keeps_kind
def segment_partition(
    x: ArrayLike,
    kth: SupportsIndex,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    threads: SupportsIndex | None = None,
) -> Any:
    """A copy in which the element at place `kth` of each segment is the one that a sort of the segment would put there.

    No element of the segment before it is larger, none behind it smaller; NaN and NaT count as the largest values.

    Parameters
    ----------
    x, offsets, threads
        As in `segment_sort`.
    kth : int
        The place, counted from the beginning of each segment. One that is too short keeps its elements, in any order.

    Returns
    -------
    array
        Of the kind, length and type of `x`. What lies in no segment stays as it is.

    Raises
    ------
    ValueError
        For a place below 0, an array of several axes, and what `segment_sort` refuses of offsets.
    TypeError
        For elements that the library does not order by themselves, and offsets that are no integers along one axis.

    Notes
    -----
    Elements of long segments are parted, not ordered. Short segments are sorted, and so are all of arrays that a framework
    keeps on a GPU, traces or differentiates. Ctrl-C is heard when the call is done.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_partition(np.array([3, 1, 2, 9, 8]), 1, [0, 3, 5])[[1, 4]]
    array([2, 9])
    """
    if type(x) is np.ndarray:
        found = core.segment_partition(x, kth, offsets, threads)
        if found is not NotImplemented:
            return found
    if (place := whole("kth", kth)) < 0:
        raise ValueError(f"sortile.segment_partition: kth = {place}; it counts from the beginning of each segment")
    framework, x = held_beside("segment_partition", x, ("offsets", offsets))
    if framework is not None:
        return framework.segment_sort(x, by_framework("segment_partition", framework, x, offsets), False, "last")
    a, back = given(x)
    need_one_axis("segment_partition", a)
    where = on_host("segment_partition", offsets)
    found = core.segment_partition(a, min(place, a.size), where, threads)
    if found is NotImplemented:
        raise not_taken("segment_partition", a.dtype)
    return back(found)


def _of_held(
    framework: Framework, x: Any, k: Any, offsets: Any, largest: bool, nan: str, most: Any, fill: Any
) -> TopK:
    """Of an array that a framework holds; so may be k, which is not read then. In host memory k is read."""
    where = by_framework("segment_top_k", framework, x, offsets)
    segments = segment_count(where)
    if framework.is_array(type(k)) and framework.holds(k) and (k.ndim > 0 or most is not None):
        if most is None:
            raise ValueError(
                "sortile.segment_top_k: most is needed, the number of columns of the result: of an array that a framework "
                "keeps on a GPU, traces or differentiates the host does not read k"
            )
        k = k if k.ndim > 0 else framework.repeated(k, segments)
        counts = held_counts(framework, x, k, segments)
        columns = need_columns("most", whole("most", most), segments)
    else:
        columns, read = _wanted(k, most, segments)
        counts = None if read is None else framework.offsets(np.minimum(read, columns).astype(np.int64), x)
    element = filler("segment_top_k", str(x.dtype).rpartition(".")[2], fill)
    return TopK(*framework.segment_top_k(x, columns, counts, where, largest, nan, element))
