"""`fill`: what the results of a top-k have behind those of a lane or a segment."""

from __future__ import annotations

import datetime
import math
import operator
from typing import Any

import numpy as np

from ._arrays import Array


def elements(function: str, dtype: np.dtype[Any], fill: Any) -> Array | None:
    """`fill` as an array of one element in this machine's byte order, as the compiled calls take it; None for zero."""
    if type(fill) is int and fill == 0:
        return None
    native = dtype if dtype.isnative else dtype.newbyteorder("=")
    return np.array([filler(function, dtype.name, fill)]).astype(native)


def filler(function: str, kind: str, fill: Any) -> Any:
    """`fill` as a scalar that elements of the type of this name hold as it is; floats may round it."""
    if isinstance(fill, np.ndarray) and fill.ndim == 0:
        fill = fill[()]
    is_date = isinstance(fill, (np.datetime64, np.timedelta64, datetime.date, datetime.timedelta))
    is_number = not is_date and getattr(fill, "ndim", 0) == 0
    is_number = is_number and not isinstance(fill, (str, bytes, bytearray, complex, np.complexfloating))
    if kind.startswith(("datetime64", "timedelta64")):
        if is_date:  # timedelta64 counts as an integer among NumPy's types, and no longer compares with one
            return _filling_date(function, kind, fill)
        if isinstance(fill, (int, np.integer)) and not isinstance(fill, bool) and fill == 0:
            return np.zeros((), kind)
    elif is_number:
        try:
            if kind.startswith(("float", "bfloat")):
                number = float(fill)
                if math.isfinite(number) and abs(number) > _largest(kind):
                    raise OverflowError
                return number
            number = int(fill) if isinstance(fill, np.bool_) else operator.index(fill)
            least, most = (0, 1) if kind == "bool" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
            if least <= number <= most:
                return bool(number) if kind == "bool" else number
            raise OverflowError
        except OverflowError:
            raise ValueError(f"sortile.{function}: fill = {fill!r} is beyond the elements of type {kind}") from None
        except (TypeError, ValueError):
            if type(fill) is int and fill == 0:  # as it is unless given: who orders no such elements says so
                return fill
    raise TypeError(f"sortile.{function}: fill = {fill!r} is no element of type {kind}")


def _largest(kind: str) -> float:
    return float(np.finfo(kind).max) if kind != "bfloat16" else (2 - 2**-7) * 2.0**127


def _filling_date(function: str, kind: str, fill: Any) -> Any:
    """The same date or time span in elements' units."""
    same = fill
    try:
        dtype = np.dtype(kind)
        if not isinstance(fill, np.generic):
            same = dtype.type(fill)
        if same.dtype.kind == dtype.kind:
            taken = same.astype(dtype)
            if taken == same or (np.isnat(taken) and np.isnat(same)):
                return taken
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"sortile.{function}: fill = {fill!r} is no element of type {kind}")
