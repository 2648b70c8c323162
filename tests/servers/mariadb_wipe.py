"""A used database of MariaDB as new: what holds rows is emptied, which is quicker than a new database."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Shape = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Wiper:
    """Knows what a database was like when it was new."""

    template: str
    folder: Path
    shape: Shape
    counters: dict[str, int]
    filled: frozenset[str]

    def wipe(self, cursor: Any) -> bool:
        """Empty what is not as it was; whether that was possible. A changed table, view or trigger stays changed."""
        if _shape_of(self.folder) != self.shape:
            return False
        used = {table for table, counter in _counters(cursor).items() if counter != self.counters[table]}
        cursor.execute("SET foreign_key_checks = 0")
        for table in sorted(used | _filled(cursor, self.counters) | self.filled):
            cursor.execute(f"TRUNCATE `{table}`")
            if table in self.filled:
                cursor.execute(f"INSERT INTO `{table}` SELECT * FROM {self.template}.`{table}`")
        return True


def wiper_of(cursor: Any, template: str, folder: Path) -> Wiper:
    """For the current database, which is new; `folder`: where the server keeps it."""
    counters = _counters(cursor)
    filled = frozenset(_filled(cursor, counters))
    return Wiper(template, folder, _shape_of(folder), counters, filled)


def _shape_of(folder: Path) -> Shape:
    """Every change of a table, view or trigger writes its file anew. Rows are in the files left out."""
    return dict(_definitions(folder))


def _definitions(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for file in os.scandir(folder):
        if not file.name.endswith(".ibd"):
            known = file.stat()
            yield file.name, (known.st_size, known.st_mtime_ns)


def _counters(cursor: Any) -> dict[str, int]:
    """The tables, each with the next number it would give."""
    cursor.execute(
        "SELECT table_name, coalesce(auto_increment, 0) FROM information_schema.tables"
        " WHERE table_schema = database() AND table_type = 'BASE TABLE'"
    )
    return dict(cursor.fetchall())


def _filled(cursor: Any, tables: dict[str, int]) -> set[str]:
    """The tables that hold rows."""
    cursor.execute(" UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM `{table}`)" for table in tables))
    return {table for (table,) in cursor.fetchall()}
