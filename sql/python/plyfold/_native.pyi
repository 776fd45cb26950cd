from typing import Any

__version__: str

class QueryError(ValueError):
    """A query or a statement has a mistake."""

def open(library: str, *, tables: list[Any] = ..., syzygy: list[Any] = ..., threads: int | None = ...) -> NativeLibrary: ...

class NativeLibrary:
    games: int
    address: str
    def sql(self, statement: str) -> NativeRows: ...

class NativeRows:
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def count(self) -> int: ...
