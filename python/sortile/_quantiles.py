"""Quantiles and medians: of the few elements beside them, which one read of the array finds."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Sequence, SupportsIndex

import numpy as np

from ._arrays import Array, given, not_taken, probabilities
from ._backend import core
from ._frameworks import held_by, refuse_host_options
from ._places import METHODS, no_method
from ._progress import Progress, telling
from ._select import along

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NUMBERS = "booleans, integers and floats up to 64 bits, and ml_dtypes.bfloat16"


def quantile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    method: str = "linear",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """Quantiles along an axis, as ``np.quantile`` gives them, several from one read of the array.

    Parameters
    ----------
    x : array of booleans, integers or floats
        NumPy's, or one of PyTorch, CuPy and JAX on a GPU, where the result is one of theirs and the call does not wait;
        in JAX a traced or differentiated one, too.
    q : number or sequence of numbers from 0 to 1
    axis : int or None
        The axis; None, the default, takes all elements as one.
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        What a quantile between two elements is.
    threads, progress
        As in `sort`.

    Returns
    -------
    A number, or an array of them with the axis of `q` first, of the kind of `x` (NumPy's subclasses: plain). By "lower", "higher" and "nearest" an
    element, as it is, of the type of `x`; by other methods float64, in JAX the type that ``float`` has there. NaN where the elements include one.

    Raises
    ------
    TypeError
        For elements that are no numbers.
    ValueError
        For a `q` outside of 0 to 1, a method that is not there, and an axis of no elements.

    Notes
    -----
    Time is that of about one read, and a little for each quantile; nothing is sorted. By "linear" and "midpoint" integers
    beyond 2**53 are rounded to float64. Beside infinity, and between two equal ones, the result is the element where its place is one, where
    NumPy's arithmetic makes NaN of it.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.quantile(np.array([7, 1, 3, 10]), [0.5, 0.75]).tolist()
    [5.0, 7.75]
    >>> sortile.quantile(np.array([2**53 + 1]), 0.5, method="lower").item() - 2**53
    1
    """
    if not isinstance(method, str) or method not in METHODS:
        raise no_method("quantile", method)
    return _quantiles("quantile", x, q, axis, METHODS.index(method), threads, progress)


def wanted_of(function: str, q: Any) -> Array:
    """The probabilities; not to be written to."""
    if type(q) is float:
        return _known(q) if 0 <= q <= 1 else _checked(function, q)
    if type(q) in (list, tuple) and len(q) <= 16 and all([type(p) is float and 0 <= p <= 1 for p in q]):
        return _known(tuple(q))
    return _checked(function, q)


def _checked(function: str, q: Any) -> Array:
    wanted = probabilities(function, q)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ValueError(f"sortile.{function}: q = {q}; allowed are numbers from 0 to 1")
    return wanted


@lru_cache(maxsize=256)
def _known(q: float | tuple[float, ...]) -> Array:
    """Of a few floats: mostly those of the call before. Read by all calls that have them, so nobody writes there."""
    wanted = probabilities("quantile", q)
    wanted.flags.writeable = False
    return wanted


def _quantiles(
    function: str, x: Any, q: Any, axis: Any, method: int, threads: SupportsIndex | None, progress: Progress
) -> Any:
    if type(x) is np.ndarray and progress is None:
        found = core.quantiles(x, q, axis, method, threads, None)
        if found is not NotImplemented:
            return found
    wanted = wanted_of(function, q)
    if (framework := held_by(x)) is not None and framework.takes_quantiles(x):
        refuse_host_options(None, progress)
        if wanted.size == 0:  # of no quantiles, the shape that one has
            one = framework.quantile(x, _known(0.5), axis, method)
            return one.reshape((1, *one.shape))[:0].reshape((*wanted.shape, *one.shape))
        return framework.quantile(x, wanted, axis, method)
    a, back = given(x)
    a, axis = along(a, axis)
    if a.shape[axis] == 0:
        raise ValueError(f"sortile.{function}: of no elements; at least one is needed")
    with telling(progress) as tell:
        found = core.quantiles(a, wanted, axis, method, threads, tell)
    if found is NotImplemented:
        raise not_taken(function, a.dtype, NUMBERS)
    return found if isinstance(x, (np.ndarray, np.generic)) or not hasattr(x, "__dlpack__") else back(np.asarray(found))


def median(
    x: ArrayLike, /, *, axis: SupportsIndex | None = None, threads: SupportsIndex | None = None, progress: Progress = None
) -> Any:
    """The middle element, or the mean of the two in the middle, as ``np.median`` gives it: ``quantile(x, 0.5)``.

    Parameters
    ----------
    x, axis, threads, progress
        As in `quantile`.

    Returns
    -------
    float64, or an array of them of the kind of `x` (NumPy's subclasses: plain)

    Raises
    ------
    TypeError, ValueError
        As `quantile`.

    Notes
    -----
    As `quantile`; NumPy's median and mean of two middle elements differ from it by rounding at most.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> float(sortile.median(np.array([7, 1, 3, 10])))
    5.0
    """
    return _quantiles("median", x, 0.5, axis, METHODS.index("linear"), threads, progress)
