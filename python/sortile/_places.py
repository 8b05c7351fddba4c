"""Where quantiles lie among sorted elements, and what lies between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array

METHODS = ("linear", "lower", "higher", "nearest", "midpoint")
CHOOSE = ("lower", "higher", "nearest")  # an element, in place of computing what lies between two


def no_method(function: str, method: Any) -> ValueError:
    return ValueError(f"sortile.{function}: no method is called {method!r}; there are {', '.join(METHODS)}")


def neighbours(wanted: Array, n: int) -> tuple[Array, Array, Array]:
    """Where the quantiles of n sorted elements lie, and the places on both sides."""
    place = wanted * (n - 1)
    return place, np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)


def places_chosen(wanted: Array, n: int, method: int) -> Array:
    """The places of the elements that a method of CHOOSE takes."""
    place, low, high = neighbours(wanted, n)
    places: Array = chosen(np, low, high, place - low, METHODS[method])
    return places


def chosen(xp: Any, low: Any, high: Any, part: Any, method: str) -> Any:
    """The place on one side, by a method of CHOOSE. `xp`: NumPy, or what computes by its names."""
    if method != "nearest":
        return low if method == "lower" else high
    return xp.where((part > 0.5) | ((part == 0.5) & (low % 2 == 1)), high, low)  # of two as near, the one at an even place


def between(xp: Any, below: Any, above: Any, part: Any, method: str) -> Any:
    """What lies between two elements, by "linear" and "midpoint"."""
    if method == "midpoint":
        part = (part > 0) * 0.5
    length = above - below
    found = xp.where(part < 0.5, below + length * part, above - length * (1 - part))
    # Where one of them is infinite, so is what lies between.
    found = xp.where(length == float("inf"), below * (1 - part) + above * part, found)
    return xp.where(below == above, below, found)
