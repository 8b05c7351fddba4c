"""What `progress=` may be: nothing, a callable, or True for a bar."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Iterator, Union

Tell = Callable[[float], Any]
Progress = Union[None, bool, Tell]


_NOBODY: ContextManager[Tell | None] = nullcontext()


def telling(progress: Any) -> ContextManager[Tell | None]:
    """The callable that the call is to tell, for as long as it runs."""
    if progress is None or progress is False:
        return _NOBODY
    if progress is True:
        return _bar()
    if callable(progress):
        return nullcontext(progress)
    raise TypeError("sortile: progress must be None, True or a callable that takes the fraction done")


@contextmanager
def _bar() -> Iterator[Tell]:
    """tqdm's bar where it is installed, else a line of our own, on standard error."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _line
        sys.stderr.write("\n")
        return
    with tqdm(total=100, desc="sortile", unit="%") as bar:

        def tell(done: float) -> None:
            bar.update(round(100 * done) - bar.n)

        yield tell


def _line(done: float) -> None:
    filled = round(40 * done)
    sys.stderr.write(f"\rsortile [{'#' * filled}{' ' * (40 - filled)}] {100 * done:3.0f} %")
    sys.stderr.flush()
