"""What a caller's object is to this package: an array, and the way back to the caller's own kind."""

from __future__ import annotations

import operator
import sys
from contextlib import suppress
from typing import Any, Callable, Iterator, Literal, Sequence

import numpy as np
from numpy.exceptions import AxisError
from numpy.typing import NDArray

Array = NDArray[Any]
Back = Callable[[Array], Any]
Nan = Literal["last", "largest"]

_ORDERED = (
    "booleans, integers and floats up to 64 bits, ml_dtypes.bfloat16, complex numbers, datetime64, timedelta64, and "
    "structures of these"
)
_PLAIN = "booleans, integers and floats up to 64 bits, ml_dtypes.bfloat16, datetime64 and timedelta64"


of_fields = tuple.__new__
"""A named tuple's class and its fields as a tuple: the tuple. Calling the class takes three times as long."""


def no_order(dtype: np.dtype[Any]) -> TypeError:
    return TypeError(f"sortile: elements of type {dtype} have no order here; those that have: {_ORDERED}")


def not_taken(function: str, dtype: np.dtype[Any], taken: str = _PLAIN) -> TypeError:
    """Of a call that takes fewer types than sorts do."""
    return TypeError(f"sortile.{function}: elements of type {dtype} are given; this call takes {taken}")


def flag(name: str, value: Any) -> bool:
    """True or False; 1, 0 and NumPy's booleans too. A word or a list, true because it is not empty, is a mistake."""
    if value is True or value is False:
        return value
    if isinstance(value, (int, np.bool_)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"sortile: {name} is {value!r}; allowed are True and False")


def need_kind(kind: Any) -> None:
    """NumPy's kinds of sort, all of which a stable sort is."""
    if kind not in ("quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(
            f"sortile: kind is {kind!r}; allowed are NumPy's: None, 'quicksort', 'mergesort', 'heapsort' and 'stable'"
        )


def whole(name: str, value: Any, allowed: str = "whole numbers") -> int:
    if type(value) is int:  # where PyTorch compiles it may stand for any, and index() would ask for this one
        return value
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"sortile: {name} is {value!r}; allowed are {allowed}")


def lane_shape(dimensions: int, axis: int) -> tuple[int, ...]:
    """Of the numbers of the places along an axis, beside an array of so many dimensions."""
    return tuple(-1 if number == axis % dimensions else 1 for number in range(dimensions))


def shown(value: Any) -> str:
    """As an error quotes it: of a number of thousands of digits, which Python does not write, how long it is."""
    try:
        return repr(value)
    except ValueError:
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"of type {type(value).__name__}"


AXES = "whole numbers and None"


def is_only_axis(axis: Any) -> bool:
    """Of an array that has one."""
    return type(axis) is int and axis in (0, -1)


def need_axis(axis: int, dimensions: int) -> None:
    axis = whole("axis", axis, AXES)
    if dimensions == 0:
        raise AxisError(
            "sortile: an array without dimensions has no axis to sort along; axis=None takes it for one of one element"
        )
    if not -dimensions <= axis < dimensions:
        raise AxisError(
            f"sortile: axis {shown(axis)} of an array with {dimensions} dimensions; allowed are {-dimensions} to "
            f"{dimensions - 1}"
        )


def need_nan(nan: str) -> None:
    if not isinstance(nan, str) or nan not in ("last", "largest"):
        raise ValueError(
            'sortile: nan must be "last" (behind all numbers in both directions) or "largest" (larger than all numbers)'
        )


def position_type(dtype: Any) -> np.dtype[Any]:
    """The type of positions in host memory."""
    try:
        wanted = np.dtype(np.int64 if dtype is None else dtype)
    except TypeError:
        raise TypeError(f"sortile: dtype is {dtype!r}; of positions it is int64 or uint32") from None
    if wanted not in (np.dtype(np.int64), np.dtype(np.uint32)):
        raise TypeError(f"sortile: positions of dtype {wanted} asked for; allowed are int64 and uint32")
    return wanted


def _same(result: Array) -> Array:
    return result


def need_no_mask(x: Any) -> None:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("sortile: a masked array would lose its mask; give x.compressed(), or x.filled(value)")


def given(x: Any, comes_back: bool = True) -> tuple[Array, Back]:
    """An ndarray of what the caller gave, without a copy where there is one to be had, and the way back for results,
    which has to be there only where some `comes_back`."""
    if type(x) is np.ndarray:
        return x, _same
    need_no_mask(x)
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray), x.__array_wrap__
    if hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__"):
        raise TypeError(
            f"sortile: {type(x).__name__} is a column or a table, which sort_table() sorts; to_numpy() gives the array "
            "that a column holds"
        )
    if hasattr(x, "__dlpack__"):
        return _from_dlpack(x, comes_back)
    return as_array(x), _same


def as_array(x: Any, name: str = "") -> Array:
    """As np.asarray takes lists, tuples and the like; of those that have no shape it says what they are."""
    try:
        taken = np.asarray(x)
        if taken.ndim > 1 and _holds_masks(x, taken.ndim - 1):
            raise TypeError("masked arrays in it would lose their masks")
        if not name and taken.ndim == 0 and taken.dtype.kind in "OUS" and not isinstance(x, np.ndarray):
            raise TypeError("it has no elements that NumPy sees; a list of them is one, and so is an array")
        if _lacks_elements(x):
            raise TypeError(
                "elements of it are missing, which would be lost; sort_table(pandas.Series(x)) sorts it with them, "
                "x.to_numpy(dtype, na_value=...) puts a value in their place"
            )
        return taken
    except (TypeError, ValueError, OverflowError) as e:  # of classes, too, that are not made of a text alone
        what = f"{name}, of type {type(x).__name__}," if name else f"this {type(x).__name__}"
        kind = next(kind for kind in (TypeError, ValueError, OverflowError) if isinstance(e, kind))
        raise kind(f"sortile: {what} cannot be taken as an array: {e}") from e


def _lacks_elements(x: Any) -> bool:
    """Whether this is one of pandas' arrays with a mask that hides some."""
    missing = getattr(getattr(x, "dtype", None), "na_value", None)
    return type(missing).__name__ == "NAType" and bool(x.isna().any())


def _holds_masks(x: Any, depth: int) -> bool:
    """Whether masked arrays lie in lists so deep."""
    if not isinstance(x, (list, tuple)) or depth == 0:
        return False
    return any(isinstance(part, np.ma.MaskedArray) or _lacks_elements(part) or _holds_masks(part, depth - 1) for part in x)


def target_of(function: str, out: Any) -> Array | None:
    """The array that takes the result; of anything else, a list say, NumPy would make a copy that takes it in vain."""
    if out is None:
        return None
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"sortile.{function}: out is a masked array, whose mask would stay as it is; give out.data")
    if isinstance(out, np.ndarray) or hasattr(out, "__dlpack__"):
        return given(out, comes_back=False)[0]
    raise TypeError(f"sortile.{function}: out is of type {type(out).__name__}; an array is needed")


def probabilities(function: str, q: Any) -> NDArray[np.float64]:
    need_no_mask(q)
    try:
        numbers = np.asarray(q)
        if numbers.dtype.kind == "O":
            return np.array([float(number) for number in numbers.flat]).reshape(numbers.shape)
        if numbers.dtype.kind in "iuf" or numbers.dtype.type.__name__ == "bfloat16":
            return numbers.astype(np.float64)
    except (TypeError, ValueError, OverflowError):  # sequences of several lengths
        pass
    raise TypeError(f"sortile.{function}: q is {q!r}; allowed are numbers from 0 to 1, and sequences of them")


def positions_back(x: Any, back: Back) -> Back:
    """The way back for numbers beside x: those of a subclass of NumPy's arrays are plain."""
    return _same if isinstance(x, np.ndarray) else back


_HOST_MEMORY = (1, 3, 11)  # of a DLDeviceType: the host's, and what CUDA and ROCm have pinned there


def _from_dlpack(x: Any, comes_back: bool) -> tuple[Array, Back]:
    """Arrays of other frameworks, in host memory, without a copy."""
    kind = type(x).__name__
    if not hasattr(x, "__dlpack_device__"):
        raise TypeError(
            f"sortile: this {kind} is traced, and this call reads its elements; docs/python-frameworks.md names those "
            "that are traced"
        )
    if hasattr(x, "resolve_neg") and x.requires_grad and _namespace(x).is_grad_enabled():  # PyTorch's
        raise TypeError("sortile: this call gives no gradient, which the tensor asks for; give it x.detach()")
    try:
        device = x.__dlpack_device__()[0]
    except (BufferError, RuntimeError, TypeError, ValueError) as e:  # of PyTorch's, those on "meta" hold no elements
        raise TypeError(f"sortile: this {kind} says of no memory that it lies there: {e}") from e
    if device not in _HOST_MEMORY:
        raise TypeError(
            f"sortile: this {kind} lies in the memory of a device; there sort(), argsort(), top_k() and other calls "
            "(docs/python-frameworks.md names them) take arrays of PyTorch, CuPy and JAX, which take those of others "
            "by their from_dlpack()"
        )
    namespace: Any = _namespace(x) if comes_back else None
    if hasattr(x, "resolve_neg"):  # some of PyTorch's stand for the negative or the conjugate of what is in memory
        x = x.detach().resolve_conj().resolve_neg()
        if str(x.dtype) == "torch.bfloat16":  # every one of its values is a float32
            return x.float().numpy(), lambda found: _narrowed(namespace.from_dlpack(found), x.dtype)
    elif str(getattr(x, "dtype", "")) == "bfloat16":  # NumPy knows it by ml_dtypes, and not by DLPack
        return np.asarray(x), getattr(namespace, "asarray", _same)
    try:
        return np.from_dlpack(x), getattr(namespace, "from_dlpack", _same)
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise TypeError(f"sortile: NumPy cannot take this {kind}: {e}") from e


def _narrowed(found: Any, dtype: Any) -> Any:
    """The result of a call that was given bfloat16 as float32."""
    return found.to(dtype) if str(found.dtype) == "torch.float32" else found


def numpy_type(dtype: Any) -> Any:
    """A type as NumPy takes it: PyTorch's by its name."""
    return np.dtype(str(dtype).rpartition(".")[2]) if type(dtype).__module__ == "torch" else dtype


def positions_like(x: Any, dtype: Any) -> tuple[Any, Back]:
    """The type of positions in an array in host memory, and the way to it. Of a framework's they may be int32, too, as
    they may where a device holds it: the bits of uint32."""
    wanted = numpy_type(dtype)
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or wanted is None:
        return wanted, _same
    with suppress(TypeError):
        if np.dtype(wanted) == np.int32:
            return np.uint32, _as_int32
    return wanted, _same


def _as_int32(positions: Array) -> Array:
    if positions.size > 2**31:
        raise ValueError(f"sortile: int32 cannot number {positions.size} elements")
    return positions.view(np.int32)


def _namespace(x: Any) -> Any:
    """The module whose from_dlpack makes arrays like x."""
    if hasattr(x, "__array_namespace__"):
        namespace = x.__array_namespace__()
        if hasattr(namespace, "from_dlpack"):
            return namespace
    name = type(x).__module__.partition(".")[0]
    module = sys.modules.get(name)
    if hasattr(module, "from_dlpack"):
        return module
    raise TypeError(f"sortile: {name}, whose this {type(x).__name__} is, has no from_dlpack() that would take a result back")


def native(a: Array) -> Array:
    """The array in this machine's byte order, itself where it is so already."""
    return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))


def in_order_of(a: Array) -> Back:
    """The way back from this machine's byte order to that of `a`."""
    return _same if a.dtype.isnative else lambda result: result.astype(a.dtype)


def is_ordered(dtype: np.dtype[Any]) -> bool:
    if dtype.isbuiltin == 2:  # a type that another package has registered
        return dtype.type.__name__ == "bfloat16"
    return dtype.kind in "biuMm" or (dtype.kind == "f" and dtype.itemsize <= 8)


def _named(order: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names that `order` gives."""
    if order is None:
        return ()
    try:
        names: tuple[Any, ...] = (order,) if isinstance(order, str) else tuple(order)
    except TypeError:
        names = (order,)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"sortile: order is {order!r}; allowed are a field's name, and a sequence of such names")
    if len(set(names)) < len(names):
        raise ValueError(f"sortile: order names a field twice: {', '.join(names)}")
    return names


def leaves(a: Array, order: str | Sequence[str] | None) -> Iterator[Array]:
    """The fields of a structured array, and their fields, as they decide its order; plain elements as they are.

    Fields that `order` does not name break ties, as they do in NumPy.
    """
    if not a.dtype.names:  # no structure, or one without fields
        if order is not None:
            raise ValueError(f"sortile: order names fields, but elements of type {a.dtype} have none")
        if a.dtype.kind != "c" and not is_ordered(a.dtype) or a.dtype.itemsize > 16:
            raise no_order(a.dtype)
        yield a
        return
    named = _named(order)
    for name in (*named, *(n for n in a.dtype.names if n not in named)):
        if name not in a.dtype.names:
            raise ValueError(f"sortile: no field is called {name!r}; the fields are {', '.join(a.dtype.names)}")
        field = a.dtype.fields[name][0]  # type: ignore[index]
        if field.subdtype is not None:
            raise TypeError(f"sortile: field {name!r} holds arrays, which have no order")
        yield from leaves(a[name], None)


class Columns:
    """Columns of one axis, each with its direction, as `_core.argsort_rows` takes them."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.descending: list[bool] = []

    def append(self, a: Array, descending: bool) -> None:
        self.arrays.append(native(a).reshape(-1))
        self.descending.append(descending)

    def append_stream(self, stream: Any, descending: bool) -> None:
        """A column of a table, as `_core` takes them."""
        self.arrays.append(stream)
        self.descending.append(descending)

    def append_leaf(self, a: Array, descending: bool, nan: str) -> None:
        """Complex numbers become columns of their parts, behind one that brings those with NaN to their end."""
        if a.dtype.kind != "c":
            self.append(a, descending)
            return
        lacks = np.isnan(a.real).astype(np.uint8) * np.uint8(2) + np.isnan(a.imag).astype(np.uint8)
        if lacks.any():
            self.append(lacks, descending and nan == "largest")
        self.append(a.real, descending)
        self.append(a.imag, descending)
