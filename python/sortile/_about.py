"""explain, info, release_scratch: what would be done, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arrays import Array, flag, given, not_taken
from ._backend import core, module_name
from ._frameworks import held_by
from ._lanes import Lanes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def explain(
    x: ArrayLike,
    /,
    *,
    axis: int | None = -1,
    positions: bool = False,
    descending: bool = False,
    threads: int | None = None,
) -> str:
    """How a lane of an array would be sorted: engine, steps, the memory each moves, workspace.

    Parameters
    ----------
    x, axis, descending, threads
        As in `sort`. The elements are not looked at.
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
    """
    positions, descending = flag("positions", positions), flag("descending", descending)
    if (framework := held_by(x)) is not None:
        return framework.explain(x, axis, positions, descending)
    return explained(given(x)[0], axis, positions, descending, threads)


def explained(a: Array, axis: int | None, positions: bool, descending: bool, threads: int | None) -> str:
    """`explain` of an array in host memory."""
    text = core.explain(a, Lanes(a, axis).length, positions, descending, threads)
    if text is NotImplemented:
        raise not_taken("explain", a.dtype)
    return str(text)


def info() -> dict[str, Any]:
    """What this module can use here: version, threads, engines and why one of them cannot be used.

    ``module`` names the compiled module that sorts: ``sortile._core``, or ``sortile_cu13._core``, which has the GPU
    engine too.
    """
    return {**core.info(), "module": module_name}


def release_scratch() -> None:
    """Give back to the system the scratch memory (at most 1 GiB) that large sorts keep for the next one."""
    core.release_scratch()
