"""The calls as type checkers know them: results are of the kind of what is given."""

from __future__ import annotations

from typing import Any, Callable, Concatenate, Iterable, ParamSpec, Protocol, TypeVar, cast, overload

from numpy.typing import ArrayLike

from ._arrays import Array

Rest = ParamSpec("Rest")


class Tensor(Protocol):
    """An array of a framework of its own, as a type checker knows it."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, int]: ...


_Tensor = TypeVar("_Tensor", bound=Tensor)


class KeepsKind(Protocol[Rest]):
    """A call whose result is of the kind of its array."""

    @overload
    def __call__(self, x: Array, /, *rest: Rest.args, **named: Rest.kwargs) -> Array: ...
    @overload
    def __call__(self, x: _Tensor, /, *rest: Rest.args, **named: Rest.kwargs) -> _Tensor: ...
    @overload
    def __call__(self, x: ArrayLike, /, *rest: Rest.args, **named: Rest.kwargs) -> Array: ...


def keeps_kind(function: Callable[Concatenate[ArrayLike, Rest], Any]) -> KeepsKind[Rest]:
    """The function, for type checkers one whose result is of the kind of its array."""
    return cast(KeepsKind[Rest], function)


class OrdersColumns(Protocol[Rest]):
    """A call whose result is of the kind of its columns."""

    @overload
    def __call__(self, columns: Iterable[Array], /, *rest: Rest.args, **named: Rest.kwargs) -> Array: ...
    @overload
    def __call__(self, columns: Iterable[_Tensor], /, *rest: Rest.args, **named: Rest.kwargs) -> _Tensor: ...
    @overload
    def __call__(self, columns: Iterable[ArrayLike], /, *rest: Rest.args, **named: Rest.kwargs) -> Array: ...


def orders_columns(function: Callable[Concatenate[Iterable[ArrayLike], Rest], Any]) -> OrdersColumns[Rest]:
    """The function, for type checkers one whose result is of the kind of its columns."""
    return cast(OrdersColumns[Rest], function)


class MovesValues(Protocol[Rest]):
    """A call whose results are of the kinds of its keys and values, which are one array or a tuple of them."""

    @overload
    def __call__(
        self, keys: Array, values: tuple[ArrayLike, ...], /, *rest: Rest.args, **named: Rest.kwargs
    ) -> tuple[Array, tuple[Array, ...]]: ...
    @overload
    def __call__(self, keys: Array, values: Array, /, *rest: Rest.args, **named: Rest.kwargs) -> tuple[Array, Array]: ...
    @overload
    def __call__(
        self, keys: _Tensor, values: tuple[_Tensor, ...], /, *rest: Rest.args, **named: Rest.kwargs
    ) -> tuple[_Tensor, tuple[_Tensor, ...]]: ...
    @overload
    def __call__(
        self, keys: _Tensor, values: _Tensor, /, *rest: Rest.args, **named: Rest.kwargs
    ) -> tuple[_Tensor, _Tensor]: ...
    @overload
    def __call__(
        self, keys: ArrayLike, values: tuple[ArrayLike, ...], /, *rest: Rest.args, **named: Rest.kwargs
    ) -> tuple[Array, tuple[Array, ...]]: ...
    @overload
    def __call__(
        self, keys: ArrayLike, values: ArrayLike, /, *rest: Rest.args, **named: Rest.kwargs
    ) -> tuple[Array, Array]: ...


def moves_values(
    function: Callable[Concatenate[ArrayLike, ArrayLike | tuple[ArrayLike, ...], Rest], Any]
) -> MovesValues[Rest]:
    """The function, for type checkers one whose results are of the kinds of its keys and values."""
    return cast(MovesValues[Rest], function)
