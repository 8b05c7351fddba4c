"""inclusive_scan, exclusive_scan, digit_histogram: two steps that sorts are made of, as calls of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np

from ._arrays import flag, given, native, not_taken, positions_back, whole
from ._backend import core
from ._frameworks import held_by
from ._lanes import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Operator = Literal["sum", "maximum"]
SCANNED = ("int32", "int64", "uint32", "uint64")


def inclusive_scan(
    x: ArrayLike,
    /,
    *,
    op: Operator = "sum",
    axis: SupportsIndex | None = -1,
    initial: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
) -> NDArray[Any]:
    """Running sums or maxima of integers: each element with all before it.

    Parameters
    ----------
    x : array of int32, int64, uint32 or uint64
        NumPy's of any shape, strides and byte order, or an array of PyTorch and CuPy, in host memory or on a GPU, or one
        of JAX in host memory.
    op : {"sum", "maximum"}
        Sums wrap around at the type's width; other integers are given as ``x.astype(np.int64)``.
    axis : int or None
        Along which axis, lane by lane; None: all elements as one lane.
    initial : int or None
        A number of the type, which stands before the first element of each lane. None: 0, or the type's lowest.
    threads : int or None
        As in `sort`.

    Returns
    -------
    array
        Of the kind, type and shape of `x`; with ``axis=None`` of one axis.

    Raises
    ------
    TypeError
        Elements of another type, floats among them, and arrays that a framework traces.
    ValueError
        An operator that is none, an initial number that the type does not hold, an axis that is not there.

    Notes
    -----
    On a GPU one read and one write of the array, and nothing waits; on several threads two reads. Source: Merrill and
    Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.inclusive_scan(np.array([3, 0, 4, 1]))
    array([3, 3, 7, 8])
    >>> sortile.inclusive_scan(np.array([-5, 2, -9, 7]), op="maximum")
    array([-5,  2,  2,  7])
    """
    return _scan("inclusive_scan", x, True, op, axis, initial, threads)


def exclusive_scan(
    x: ArrayLike,
    /,
    *,
    op: Operator = "sum",
    axis: SupportsIndex | None = -1,
    initial: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
) -> NDArray[Any]:
    """Running sums or maxima of integers: of each element those before it, itself left out. So lengths become offsets.

    Parameters
    ----------
    x, op, axis, initial, threads
        As in `inclusive_scan`.

    Returns
    -------
    array
        As of `inclusive_scan`; each lane begins with `initial`.

    Raises
    ------
    TypeError, ValueError
        As `inclusive_scan`.

    Notes
    -----
    As `inclusive_scan`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.exclusive_scan(np.array([3, 0, 4, 1]))
    array([0, 3, 3, 7])
    """
    return _scan("exclusive_scan", x, False, op, axis, initial, threads)


def digit_histogram(
    x: ArrayLike, /, *, descending: bool = False, threads: SupportsIndex | None = None
) -> NDArray[np.int64]:
    """How often each value of each 8-bit digit occurs: the sizes of a radix sort's buckets, digit by digit.

    Parameters
    ----------
    x : array
        As in `sort`, of plain elements; all of them are counted.
    descending : bool
        As in `sort`: digits are those by which it goes.
    threads : int or None
        As in `sort`.

    Returns
    -------
    array of int64
        Of shape (bytes of an element, 256): ``[d, v]`` elements have the value v in digit d, the lowest being 0. Digits
        are those of the unsigned number that sorts as the element does: of unsigned integers themselves, of signed ones
        with the sign bit inverted, of negative floats with all bits inverted, of others with the sign bit inverted.

    Raises
    ------
    TypeError
        Elements without such a number: complex ones, structures, objects; and arrays that a framework traces.

    Notes
    -----
    One read of the array.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> counts = sortile.digit_histogram(np.array([0x0102, 0x0103, 0x0202], "u2"))
    >>> counts.shape, counts[0, 2], counts[1, 1]
    ((2, 256), np.int64(2), np.int64(2))
    """
    descending = flag("descending", descending)
    if (framework := held_by(x)) is not None:
        return framework.digit_histogram(x, descending)
    a, back = given(x)
    result = core.digit_histogram(native(a), descending, threads)
    if result is NotImplemented:
        raise not_taken("digit_histogram", a.dtype)
    counts: NDArray[np.int64] = positions_back(x, back)(result)
    return counts


def _scan(function: str, x: Any, inclusive: bool, op: Any, axis: Any, initial: Any, threads: Any) -> Any:
    if not isinstance(op, str) or op not in ("sum", "maximum"):
        raise ValueError(f'sortile.{function}: op is {op!r}; allowed are "sum" and "maximum"')
    if (framework := held_by(x)) is not None:
        bits = _bits(function, initial, str(x.dtype).rpartition(".")[2])
        return framework.scan(function, x, axis, inclusive, op == "maximum", bits)
    a, back = given(x)
    bits = _bits(function, initial, a.dtype.name)
    return back(checked(core.scan, a, axis, inclusive, op == "maximum", bits, threads))


def _bits(function: str, initial: Any, name: str) -> int | None:
    """The number as the library takes it; also whether the type is one that is scanned."""
    if name not in SCANNED:
        raise TypeError(
            f"sortile.{function}: elements of type {name}; this call takes {', '.join(SCANNED)}, which sums do not round"
        )
    if initial is None:
        return None
    number, limits = whole("initial", initial), np.iinfo(name)
    if not limits.min <= number <= limits.max:
        raise ValueError(f"sortile.{function}: initial = {number} is no number of {name}: {limits.min} to {limits.max}")
    return number % 2**64
