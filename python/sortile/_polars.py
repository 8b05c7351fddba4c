"""Tables and columns of Polars."""

from __future__ import annotations

from typing import Any, SupportsIndex

import polars

from ._arrays import Array, Columns
from ._tables import TableLibrary


class _Polars(TableLibrary):
    def names(self, table: Any) -> list[Any]:
        return list(table.columns)

    def column(self, table: Any, name: Any) -> Any:
        return table.get_column(name, default=None) if isinstance(name, str) else None

    def append(
        self, call: str, columns: Columns, column: Any, descending: bool, nulls_first: bool, nan: str
    ) -> None:
        dtype = column.dtype
        if isinstance(dtype, polars.Enum):  # in the order of the categories, as Polars has it
            column = column.to_physical()
        elif dtype == polars.Object:  # whose addresses Polars would hand out
            raise TypeError(f"sortile.{call}: column {column.name!r} of type {dtype} has no order here")
        columns.append_stream(column.__arrow_c_stream__(), descending)

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        return table[rows]

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        return column[rows]


LIBRARY = _Polars()
