"""Alembic's operations, safe to repeat where the database commits each of them at once (MariaDB, MySQL).

There an upgrade that was cut off has made some of its tables and indexes but not noted the step; the next try finds
them and goes on. Elsewhere a step is one transaction and nothing of it is left over.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

COMMITS_AT_ONCE: Final = ("mysql", "mariadb")
_TABLE_OPTIONS: Final[dict[str, Any]] = {
    f"mysql_{option}": value
    for option, value in {
        "engine": "InnoDB",
        "charset": "utf8mb4",
        "collate": "utf8mb4_bin",
        "row_format": "DYNAMIC",
    }.items()
}


def create_table(name: str, *parts: Any, **options: Any) -> None:
    """Make a table unless an earlier try did."""
    if not _is_there(lambda look: look.has_table(name)):
        op.create_table(name, *parts, **_TABLE_OPTIONS, **options)


def create_index(name: str, table: str, columns: list[str], **options: Any) -> None:
    """Make an index unless an earlier try did."""
    if not _is_there(lambda look: any(index["name"] == name for index in look.get_indexes(table))):
        op.create_index(name, table, columns, **options)


def create_partial_index(
    name: str, table: str, columns: list[str], where: str, *, live: tuple[str, str, str] | None = None
) -> None:
    """An index over a part of a table. `live`, where a database has none such: a column (name, type, value) that is
    NULL outside the part and takes the place of the index's first one.
    """
    if dialect_name() not in COMMITS_AT_ONCE:
        op.create_index(name, table, columns, postgresql_where=sa.text(where), sqlite_where=sa.text(where))
        return
    assert live is not None, name
    column, type_, value = live
    create_live_column(table, column, type_, f"CASE WHEN {where} THEN {value} END")
    create_index(name, table, [column, *columns[1:]])


def create_live_column(table: str, column: str, type_: str, value: str) -> None:
    """A column that the database computes. Stored: indexes on virtual ones had their share of bugs."""
    if not _is_there(lambda look: any(known["name"] == column for known in look.get_columns(table))):
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {type_} GENERATED ALWAYS AS ({value}) STORED")


def add_column(table: str, column: sa.Column[Any], *, after: str = "") -> None:
    """Add a column unless an earlier try did. `after`: where a table has live columns at its end, it stands before."""
    if _is_there(lambda look: any(known["name"] == column.name for known in look.get_columns(table))):
        return
    if after and dialect_name() in COMMITS_AT_ONCE:
        type_ = column.type.compile(dialect=op.get_context().dialect)
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column.name} {type_} NULL AFTER {after}")
    else:
        op.add_column(table, column)


def execute(statement: str) -> None:
    """Run a statement that may be repeated, or that comes after the last table of its step."""
    op.execute(statement)


def dialect_name() -> str:
    """The database at hand."""
    return op.get_context().dialect.name


def _is_there(asked: Any) -> bool:
    if dialect_name() not in COMMITS_AT_ONCE or op.get_context().as_sql:
        return False
    return bool(asked(sa.inspect(op.get_bind())))
