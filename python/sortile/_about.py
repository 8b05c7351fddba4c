"""explain, info, release_scratch: what would be done, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ._arrays import Array, flag, given, leaves, not_taken
from ._backend import core, module_name
from ._frameworks import held_by
from ._lanes import Lanes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def explain(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = -1,
    positions: bool = False,
    descending: bool = False,
    threads: SupportsIndex | None = None,
) -> str:
    """How a lane of an array would be sorted: engine, steps, the memory each moves, workspace.

    Parameters
    ----------
    x, axis, descending, threads
        As in `sort`. The elements are not looked at. Of complex numbers and structures: how they are ordered by the first
        number of each, which most of the time goes to.
    positions : bool
        Explain `argsort` in place of `sort`.

    Returns
    -------
    str
        Several lines.

    Raises
    ------
    TypeError
        For elements that have no order here.

    Notes
    -----
    No element is read: the plan follows from the length, the type and the machine.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.explain(np.zeros(10)).splitlines()[-1]
    'result    in the output arrays'
    """
    positions, descending = flag("positions", positions), flag("descending", descending)
    if (framework := held_by(x)) is not None:
        return framework.explain(x, axis, positions, descending)
    return explained(given(x)[0], axis, positions, descending, threads)


def explained(a: Array, axis: Any, positions: bool, descending: bool, threads: SupportsIndex | None) -> str:
    """`explain` of an array in host memory."""
    if a.dtype.kind == "c" or a.dtype.names:
        return _of_columns(a, axis, positions, descending, threads)
    text = core.explain(a, Lanes(a, axis).length, positions, descending, threads)
    if text is NotImplemented:
        raise not_taken("explain", a.dtype)
    return str(text)


def _of_columns(a: Array, axis: Any, positions: bool, descending: bool, threads: SupportsIndex | None) -> str:
    """Of elements of several numbers: the plan of what finds positions by the first of them, between what else is done."""
    columns: list[Array] = []
    for leaf in leaves(a[:0] if a.ndim > 0 else a.reshape(1)[:0], None):
        columns += [leaf.real, leaf.imag] if leaf.dtype.kind == "c" else [leaf]
    if not columns:
        raise not_taken("explain", a.dtype)
    n = Lanes(a, axis).length
    plan = core.explain(np.empty(0, columns[0].dtype.newbyteorder("=")), n, True, descending, threads)
    engine, *steps = [line for line in plan.splitlines() if not line.startswith(("workspace", "result"))]
    count = len(columns)
    lines = [engine, f"columns   the {count} numbers of each element; by the first, of type {columns[0].dtype}:", *steps]
    if count > 1:
        lines.append(f"ties      elements whose first numbers are equal, by the {count - 1} others")
    if not positions:
        lines.append("gather    the elements, by position")
    return "\n".join(lines) + "\n"


def info() -> dict[str, Any]:
    """What this module can use here: version, threads, engines and why one of them cannot be used.

    ``module`` names the compiled module that sorts: ``sortile._core``, or ``sortile_cu13._core``, which has the GPU
    engine too.

    Returns
    -------
    dict
        ``version``, ``threads``, ``module``, and ``engines``: a list of dicts with ``name``, ``description``, ``usable`` and
        ``reason``, which says why one cannot be used.

    Examples
    --------
    >>> import sortile
    >>> [e["name"] for e in sortile.info()["engines"] if e["usable"] and e["name"] != "cuda"]
    ['cpu']
    """
    return {**core.info(), "module": module_name}


def release_scratch() -> None:
    """Give back to the system the scratch memory (at most 1 GiB) that large sorts keep for the next one.

    Notes
    -----
    The next large sort touches fresh memory, which costs about as much as the sort itself.

    Examples
    --------
    >>> import sortile
    >>> sortile.release_scratch()
    """
    core.release_scratch()
