"""Quantiles and medians of each segment, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ._arrays import given, not_taken
from ._backend import core
from ._call_types import keeps_kind
from ._frameworks import held_beside, refuse_host_options
from ._places import METHODS, no_method
from ._progress import Progress, telling
from ._quantiles import NUMBERS, wanted_of
from ._segments import by_framework, need_one_axis, on_host

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@keeps_kind
def segment_quantile(
    x: ArrayLike,
    q: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    method: str = "linear",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """Quantiles of each segment, as `quantile` gives them of an array, in one call.

    Parameters
    ----------
    x : array of booleans, integers or floats
        Of one axis: NumPy's, or one of PyTorch, CuPy and JAX, in host memory or on a GPU, traced or differentiated ones too.
    q : number or sequence of numbers from 0 to 1
        The same of every segment.
    offsets : array of integers, or a tuple of two
        Where the segments are, as in `segment_sort`.
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        As in `quantile`.
    threads, progress
        As in `sort`.

    Returns
    -------
    array
        Of the kind of `x`, of the axes of `q` and one for the segments behind them. By "lower", "higher" and "nearest" elements,
        of the type of `x`; by other methods float64, in JAX the type that ``float`` has there. NaN where a segment includes
        one, and where it has no elements; elements of integers are 0 there.

    Raises
    ------
    ValueError
        For a `q` outside of 0 to 1, a method that is not there, an array of several axes, and what `segment_sort` refuses of
        offsets.
    TypeError
        For elements that are no numbers, and offsets that are no integers along one axis.

    Notes
    -----
    In host memory a long segment is read about once, and short ones are sorted. By methods that choose elements, on a GPU
    and in JAX all segments are sorted, in a copy.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_quantile(np.array([3, 1, 2, 9, 8]), [0.25, 0.5], [0, 3, 5]).tolist()
    [[1.5, 8.25], [2.0, 8.5]]
    """
    if not isinstance(method, str) or method not in METHODS:
        raise no_method("segment_quantile", method)
    return _quantiles("segment_quantile", x, q, offsets, METHODS.index(method), threads, progress)


def _quantiles(
    function: str, x: Any, q: Any, offsets: Any, method: int, threads: SupportsIndex | None, progress: Progress
) -> Any:
    if type(x) is np.ndarray and progress is None:
        found = core.segment_quantiles(x, q, offsets, method, threads, None)
        if found is not NotImplemented:
            return found
    wanted = wanted_of(function, q)
    framework, x = held_beside(function, x, ("offsets", offsets))
    if framework is not None:
        refuse_host_options(None, progress)
        return framework.segment_quantile(x, by_framework(function, framework, x, offsets), wanted, method)
    a, back = given(x)
    need_one_axis(function, a)
    where = on_host(function, offsets)
    with telling(progress) as tell:
        found = core.segment_quantiles(a, wanted, where, method, threads, tell)
    if found is NotImplemented:
        raise not_taken(function, a.dtype, NUMBERS)
    return back(found)


@keeps_kind
def segment_median(
    x: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """The median of each segment: ``segment_quantile(x, 0.5, offsets)``.

    Parameters
    ----------
    x, offsets, threads, progress
        As in `segment_quantile`.

    Returns
    -------
    array
        Of the kind of `x`, an element for each segment: float64, in JAX of the type that ``float`` has there; NaN for one that
        includes a NaN or has no elements.

    Raises
    ------
    TypeError, ValueError
        As `segment_quantile`.

    Notes
    -----
    As `segment_quantile`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_median(np.array([3, 1, 2, 9, 8]), [0, 3, 5]).tolist()
    [2.0, 8.5]
    """
    return _quantiles("segment_median", x, 0.5, offsets, METHODS.index("linear"), threads, progress)
