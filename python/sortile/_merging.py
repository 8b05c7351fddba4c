"""merge: sorted arrays into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

import numpy as np

from ._arrays import Array, Nan, flag, given, target_of
from ._backend import core
from ._call_types import Tensor
from ._frameworks import held_together, refuse_host_options
from ._lanes import stored
from ._progress import Progress, Tell, telling
from ._sorting import sort

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_Tensor = TypeVar("_Tensor", bound=Tensor)


@overload
def merge(
    *runs: Array, descending: bool = ..., out: Array | None = ..., nan: Nan = ..., threads: SupportsIndex | None = ...,
    progress: Progress = ...,
) -> NDArray[Any]: ...
@overload
def merge(
    *runs: _Tensor, descending: bool = ..., out: _Tensor | None = ..., nan: Nan = ..., threads: SupportsIndex | None = ...,
    progress: Progress = ...,
) -> _Tensor: ...
@overload
def merge(
    *runs: ArrayLike, descending: bool = ..., out: Array | None = ..., nan: Nan = ..., threads: SupportsIndex | None = ...,
    progress: Progress = ...,
) -> NDArray[Any]: ...
def merge(
    *runs: Any,
    descending: bool = False,
    out: Any = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """One sorted array of several sorted ones.

    Parameters
    ----------
    *runs : arrays
        Of one axis and one type, each in the order that `descending` and `nan` name, which is not checked.
    descending, nan, threads, progress
        As in `sort`.
    out : array, optional
        Where the result goes: as long as all runs together. Beside one that shares memory with a run, or has gaps,
        memory for the result is used.

    Returns
    -------
    array
        Of equal elements those of earlier runs come first.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; also for runs of different types.

    Notes
    -----
    Runs of plain elements in host memory are read and written once, those on a GPU (PyTorch's and CuPy's, and JAX's of up
    to 1 MiB that are ready) once for each eight-fold number of runs. Structures, complex numbers, runs in another byte
    order, tensors of which a gradient is wanted, and JAX's other arrays are sorted anew, behind each other.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.merge(np.array([1, 4]), np.array([2, 3]))
    array([1, 2, 3, 4])
    """
    if not runs:
        raise ValueError("sortile.merge: no run is given; at least one is needed")
    if progress is None and type(runs[0]) is np.ndarray:  # what torch.compile traces never comes there
        result: Any = core.merge(runs, descending, out, nan, threads, None)
        if result is not NotImplemented:
            return result
    framework, several = held_together("merge", runs)
    if framework is not None:
        refuse_host_options(None, progress)
        return framework.merge(several, flag("descending", descending), out, nan)
    taken = [given(r) for r in runs]
    arrays = [a for a, _ in taken]
    target = target_of("merge", out)
    with telling(progress) as tell:
        apart = target is None or (target.flags.carray and not any(np.may_share_memory(a, target) for a in arrays))
        result = core.merge(tuple(arrays), descending, target if apart else None, nan, threads, tell)
        if result is NotImplemented:
            result = _by_sort(arrays, descending, target, nan, threads, tell)
        elif not apart:
            stored(result, target)
    return out if out is not None else taken[0][1](result)


def _by_sort(
    arrays: list[Array], descending: bool, out: Any, nan: Nan, threads: SupportsIndex | None, tell: Tell | None
) -> Array:
    """A stable sort of the runs behind each other gives what a stable merge of them does."""
    for number, a in enumerate(arrays):
        if a.ndim != 1:
            raise ValueError(f"sortile.merge: run {number} has shape {a.shape}; runs have one axis")
        if a.dtype.newbyteorder("=") != arrays[0].dtype.newbyteorder("="):
            raise TypeError(
                f"sortile.merge: run {number} holds {a.dtype}, run 0 holds {arrays[0].dtype}; all runs must be of one "
                "type"
            )
    result = sort(np.concatenate(arrays), descending=descending, nan=nan, threads=threads, progress=tell)
    return stored(result.astype(arrays[0].dtype, copy=False), out)
