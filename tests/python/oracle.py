"""What NumPy, or a few lines of it, say that a sort gives: for arrays of one axis."""

import ml_dtypes
import numpy as np


def comparable(x):
    """An array with the order of x that NumPy can sort."""
    return x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x


def is_missing(x):
    x = comparable(x)
    if x.dtype.kind in "Mm":
        return np.isnat(x)
    return np.isnan(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)


def positions(x, descending=False, nan="last"):
    """The stable order of x: by ranks, so that descending is stable too."""
    lacks = is_missing(x)
    if not descending:
        return np.argsort(comparable(x), kind="stable")
    found = np.flatnonzero(~lacks)
    ranks = np.unique(comparable(x)[found], return_inverse=True)[1]
    order = found[np.argsort(-ranks.astype(np.int64), kind="stable")]
    missing = np.flatnonzero(lacks)
    return np.concatenate([order, missing] if nan == "last" else [missing, order])


def lanes(x, axis, function):
    """function(lane) for every lane along the axis, put together in the shape of x."""
    moved = np.moveaxis(x, axis, -1)
    results = [function(lane) for lane in moved.reshape(-1, moved.shape[-1])] if x.size else []
    flat = np.array(results).reshape(moved.shape) if results else np.zeros(moved.shape, np.int64)
    return np.moveaxis(flat, -1, axis)


def same_bits(a, b):
    """Equal in type, shape and every bit: −0 is not +0, and a NaN is itself alone."""
    return a.dtype == b.dtype and a.shape == b.shape and np.ascontiguousarray(a).tobytes() == b.tobytes()
