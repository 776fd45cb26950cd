"""Search every position of every chess game, as Arrow tables.

>>> games = plyfold.open("games/*.plyfold")
>>> games.search("queens_off").to_arrow()

A result is computed when it is read. It has the Arrow C stream interface, so pyarrow, polars, pandas and DuckDB read it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from . import _native
from ._native import QueryError, __version__

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Library", "QueryError", "Result", "__version__", "open"]


def open(
    library: str | os.PathLike[str],
    *,
    tables: Iterable[str | os.PathLike[str]] = (),
    syzygy: Iterable[str | os.PathLike[str]] = (),
    files: Mapping[str, str | os.PathLike[str]] | None = None,
    threads: int | None = None,
) -> Library:
    """Open a corpus, or those of a folder or of a pattern such as ``"games/*.plyfold"`` as one library.

    A library can also be addresses of object storage, separated by blanks: ``"s3://bucket/games/*.plyfold"``.

    ``tables`` and ``syzygy`` are folders of endgame tables, which ``tb(fen)`` and conditions such as ``white tb win`` ask.
    ``files`` are files that statements may read beside the library, by name: ``{"players": "players.parquet"}`` is the table ``players``,
    and a corpus is a library such as in ``search('NAME', 'check')``.
    ``threads`` is how many parts of a statement run at the same time; by default one per core.

    Raises ``OSError`` if a file is missing, damaged or no corpus, or if a pattern matches nothing, and if object storage cannot be reached.
    """
    named = [(name, os.fspath(path)) for name, path in (files or {}).items()]
    return Library(_native.open(os.fspath(library), tables=list(tables), syzygy=list(syzygy), files=named, threads=threads))


def _text(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


class Library:
    """An open library. Its games are the table ``games`` of :meth:`sql`."""

    def __init__(self, native: _native.NativeLibrary) -> None:
        self._native = native

    def __len__(self) -> int:
        """The number of games."""
        return self._native.games

    def __repr__(self) -> str:
        return f"<plyfold.Library {self._native.address!r}: {len(self)} games>"

    def games(self) -> Result:
        """All games with their headers."""
        return self.sql("SELECT * FROM games")

    def search(self, query: str) -> Result:
        """The games that match a query, with their headers."""
        return self.sql(f"SELECT * FROM search({_text(query)})")

    def positions(self, query: str) -> Result:
        """The positions that match a query: game, ply, FEN, and the move that led there."""
        return self.sql(f"SELECT * FROM positions({_text(query)})")

    def next_moves(self, query: str) -> Result:
        """How games continued from the positions that match a query, the most frequent move first."""
        return self.sql(f"SELECT * FROM next_moves({_text(query)})")

    def counts(self, query: str, key: str) -> Result:
        """The positions that match a query and their games, by a key such as ``"eco"`` or ``"material"``."""
        return self.sql(f"SELECT * FROM counts({_text(query)}, {_text(key)})")

    def sql(self, statement: str) -> Result:
        """The rows of a statement, which is run when they are read.

        Raises :class:`QueryError` if the statement or a query in it has a mistake.
        """
        return Result(self._native.sql(statement))


class Result:
    """Rows that are computed whenever they are read."""

    def __init__(self, native: _native.NativeRows) -> None:
        self._native = native

    def __len__(self) -> int:
        """The number of rows."""
        return self._native.count()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows by the Arrow C stream interface."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """The types of the columns by the Arrow C schema interface."""
        return self._native.__arrow_c_schema__()

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self._native.collect())

    def to_batches(self) -> pyarrow.RecordBatchReader:
        """The rows as a ``pyarrow.RecordBatchReader``, which holds one batch in memory."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self._native.collect())

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a ``pandas.DataFrame``, with Arrow types."""
        import pandas

        return self.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)
