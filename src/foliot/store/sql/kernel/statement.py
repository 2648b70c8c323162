"""Statements written once and rendered per dialect: named values, named pieces, and sets of rows as one value.

    TAKE = Statement("SELECT ... FROM cursors WHERE next_at <= {now} ... {skip_locked}")
    MOVE = Statement("UPDATE cursors SET next_at = d.next_at FROM {d} WHERE cursors.job_id = d.job_id AND ...",
                     RowSet("d", job_id=BIGINT, next_at=BIGINT))

`:name` is a bound value, `{name}` a piece of the dialect or a row set. A row set travels as arrays (PostgreSQL) or one
JSON text (SQLite, MariaDB), so a batch of a thousand rows is still one statement with a fixed text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Protocol, TypeVar, get_args, get_type_hints

T = TypeVar("T")

_NAME: Final = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_PIECE: Final = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


class ColumnType(Enum):
    """Types a row set may carry."""

    BIGINT = "bigint"
    TEXT = "text"


BIGINT: Final = ColumnType.BIGINT
TEXT: Final = ColumnType.TEXT


class RowSet:
    """A set of rows bound as one value and joined like a table."""

    __slots__ = ("bound_names", "columns", "name")

    def __init__(self, name: str, /, **columns: ColumnType) -> None:
        self.name = name
        self.columns = tuple(columns.items())
        self.bound_names = tuple(f"{name}__{column}" for column in columns)  # where each column is a value of its own

    @classmethod
    def of(cls, name: str, row: type[tuple[Any, ...]], /) -> "RowSet":
        """A set of named tuples: their fields are its columns."""
        columns: dict[str, ColumnType] = {}
        for field, kind in get_type_hints(row).items():
            is_number = int in (kind, *get_args(kind))
            columns[field] = BIGINT if is_number else TEXT
        return cls(name, **columns)


def keys(values: Iterable[T]) -> list[tuple[T]]:
    """The rows of a set with one column."""
    return [(value,) for value in values]


class Rendering(Protocol):
    """What a dialect contributes to rendering."""

    name: str
    pieces: Mapping[str, str]

    def adapted(self, text: str) -> str: ...

    def render_rows(self, rows: RowSet) -> str: ...

    def bind_rows(self, rows: RowSet, values: Sequence[Sequence[Any]]) -> Mapping[str, Any]: ...

    def render_names(self, text: str, names: Sequence[str]) -> str: ...

    def bind_names(self, names: Sequence[str], values: Mapping[str, Any]) -> Any: ...


class Rendered:
    """A statement in one dialect's own text."""

    __slots__ = ("_dialect", "_names", "_sets", "text")

    def __init__(self, text: str, sets: Sequence[RowSet], dialect: Rendering) -> None:
        by_name = {rows.name: rows for rows in sets}

        def piece(found: re.Match[str]) -> str:
            rows = by_name.get(found[1])
            return dialect.render_rows(rows) if rows else dialect.pieces[found[1]]

        text = dialect.adapted(text)
        while _PIECE.search(text):  # pieces may contain pieces
            text = _PIECE.sub(piece, text)
        self._names = tuple(dict.fromkeys(_NAME.findall(text)))
        self._sets = tuple(sets)
        self._dialect = dialect
        self.text = dialect.render_names(text, self._names)

    def bind(self, values: Mapping[str, Any], sets: Mapping[str, Sequence[Sequence[Any]]]) -> Any:
        """The parameters as the driver wants them."""
        bound: dict[str, Any] = dict(values)
        for rows in self._sets:
            bound.update(self._dialect.bind_rows(rows, sets[rows.name]))
        return self._dialect.bind_names(self._names, bound)


class Statement:
    """One statement of the store, rendered on first use.

    `variants`: by a dialect's name, its own text, where the same question must be asked in another way.
    """

    __slots__ = ("_rendered", "_sets", "_text", "_variants")

    def __init__(self, text: str, *sets: RowSet, **variants: str) -> None:
        self._text = text
        self._sets = sets
        self._variants = variants
        self._rendered: dict[type, Rendered] = {}

    def text_for(self, dialect: str) -> str:
        """The text as it is written for a dialect, before anything is put into it."""
        return self._variants.get(dialect, self._text)

    def rendered(self, dialect: Rendering) -> Rendered:
        found = self._rendered.get(type(dialect))
        if found is None:
            found = self._rendered[type(dialect)] = Rendered(self.text_for(dialect.name), self._sets, dialect)
        return found


def replace_names(text: str, placeholder: Mapping[str, str]) -> str:
    """Put each name's placeholder in its place."""
    return _NAME.sub(lambda found: placeholder[found[1]], text)
