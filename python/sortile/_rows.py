"""argsort_rows and lexsort: orders by several columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Sequence, SupportsIndex

import numpy as np

from ._arrays import Array, Back, Columns, Nan, flag, given, leaves, position_type, positions_back, positions_like, whole
from ._backend import core
from ._call_types import orders_columns
from ._frameworks import held_together, refuse_host_options
from ._lanes import Lanes, rows_in_order
from ._progress import Progress, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_ndarray = np.ndarray
_IN_A_ROW = (tuple, list)  # of whose arrays the compiled call is asked first; what torch.compile traces never comes there


@orders_columns
def argsort_rows(
    columns: Iterable[ArrayLike],
    /,
    *,
    descending: bool | Sequence[bool] | NDArray[np.bool_] = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Order of rows by several columns, the first deciding, ties by the next.

    Parameters
    ----------
    columns : sequence of arrays
        Of one axis and one length; each of a type of its own.
    descending : bool or sequence of bool
        For all columns, or for each.
    dtype, nan, threads, progress
        As in `argsort`.

    Returns
    -------
    array of int64 or uint32
        Row numbers in order, of the first column's kind. Rows that agree in all columns keep their order.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `argsort`; also for no columns, and columns of different lengths.

    Notes
    -----
    Rows are sorted by the first 64 bits of what their columns hold, and those that are equal in them by the next ones:
    columns behind the first few are often not read at all.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sizes, names = np.array([2, 1, 2]), np.array([7, 5, 6])
    >>> sortile.argsort_rows([sizes, names], descending=[True, False])
    array([2, 0, 1])
    """
    if progress is None and type(columns) in _IN_A_ROW and columns and type(columns[0]) is _ndarray:  # type: ignore[index]
        order = core.order_of_columns(columns, False, 0, descending, dtype, nan, threads)
        if order is not NotImplemented:
            return order
    framework, several = held_together("argsort_rows", columns)
    if not several:
        raise ValueError("sortile.argsort_rows: rows are to be ordered by no column; at least one is needed")
    directions = _directions(descending, len(several))
    if framework is not None:
        refuse_host_options(None, progress)
        return framework.rows_in_order(several, directions, dtype, nan)
    arrays, back = _given_together(several)
    dtype, signed = positions_like(several[0], dtype)
    prepared = Columns()
    for number, (a, down) in enumerate(zip(arrays, directions)):
        if a.ndim != 1 or len(a) != len(arrays[0]):
            raise ValueError(
                f"sortile.argsort_rows: column {number} has shape {a.shape}; columns have one axis and the length of "
                f"the first, {len(arrays[0]) if arrays[0].ndim else 0}"
            )
        for leaf in leaves(a, None):
            prepared.append_leaf(leaf, down, nan)
    with telling(progress) as tell:
        return back(signed(rows_in_order(prepared, dtype, nan, threads, tell)))


@orders_columns
def lexsort(
    keys: Iterable[ArrayLike],
    /,
    *,
    axis: SupportsIndex = -1,
    descending: bool | Sequence[bool] | NDArray[np.bool_] = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Order by several keys, the last deciding: ``np.lexsort``.

    `argsort_rows` is the same with the first column deciding. Keys of several axes are ordered along `axis`.

    Parameters
    ----------
    keys : sequence of arrays, or an array of which each row is a key
        Of one shape.
    axis : int
        The axis along which to order.
    descending, dtype, nan, threads, progress
        As in `argsort_rows`; `descending` has one entry a key, in the order of `keys`.

    Returns
    -------
    array of int64 or uint32
        Of the shape of a key. What agrees in all keys keeps its order.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `argsort`; also for no keys, and keys of different shapes.

    Notes
    -----
    As `argsort_rows`. Keys of several axes are ordered by one more column, the number of their lane.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.lexsort((np.array([7, 5, 6]), np.array([2, 1, 2])))
    array([1, 2, 0])
    """
    if progress is None and type(keys) in _IN_A_ROW and keys and type(keys[0]) is _ndarray:  # type: ignore[index]
        order = core.order_of_columns(keys, True, axis, descending, dtype, nan, threads)
        if order is not NotImplemented:
            return order
    framework, several = held_together("lexsort", keys)
    if not several:
        raise ValueError("sortile.lexsort: no key is given; at least one is needed")
    directions = _directions(descending, len(several))
    if framework is not None:
        refuse_host_options(None, progress)
        return framework.lexsort(several, axis, directions, dtype, nan)
    arrays, back = _given_together(several)
    dtype, signed = positions_like(several[0], dtype)
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError(f"sortile.lexsort: keys have shapes {', '.join(str(a.shape) for a in arrays)}; one is needed")
    if whole("axis", axis) in (0, -1) and arrays[0].ndim == 1:
        order = argsort_rows(
            arrays[::-1], descending=directions[::-1], dtype=dtype, nan=nan, threads=threads, progress=progress
        )
        return back(signed(order))
    wanted = position_type(dtype)
    lanes = [Lanes(a, axis) for a in arrays]
    columns = Columns()
    columns.append(lanes[0].starts(), False)
    for lane, down in zip(lanes[::-1], directions[::-1]):
        for leaf in leaves(lane.array, None):
            columns.append_leaf(leaf, down, nan)
    with telling(progress) as tell:
        positions = rows_in_order(columns, np.int64, nan, threads, tell) - lanes[0].starts()
    return back(signed(lanes[0].back(positions.astype(wanted, copy=False))))


def _given_together(several: Sequence[Any]) -> tuple[list[Array], Back]:
    """The arrays, and the way back for an order of them: what the first one is."""
    taken = [given(x) for x in several]
    return [a for a, _ in taken], positions_back(several[0], taken[0][1])


def _directions(descending: bool | Sequence[bool] | NDArray[np.bool_], n: int) -> list[bool]:
    if not isinstance(descending, (list, tuple, np.ndarray)) or getattr(descending, "ndim", 1) == 0:
        return [flag("descending", descending)] * n
    if len(descending) != n:
        raise ValueError(f"sortile: descending has {len(descending)} entries for {n} columns")
    return [flag("descending", d) for d in descending]
