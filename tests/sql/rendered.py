"""Writes the SQL that really runs: every statement of the store in each dialect's own text, one file per dialect.

python -m tests.sql.rendered          write the files (make sql)
python -m tests.sql.rendered --check  exit 1 when one is not current
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

from foliot.store.sql.kernel.dialects import Dialect
from foliot.store.sql.kernel.dialects.mariadb import MariaDB
from foliot.store.sql.kernel.dialects.postgresql import PostgreSQL
from foliot.store.sql.kernel.dialects.sqlite import SQLite
from tests.sql.statements import Named, statements

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "sql"
DIALECTS: dict[str, Dialect] = {"postgresql": PostgreSQL(), "sqlite": SQLite(), "mariadb": MariaDB()}
HEAD = "-- Every statement of the store as {} gets it. Written by `make sql`: change the code, then run it.\n"


def page(name: str) -> str:
    """The file of one dialect."""
    dialect = DIALECTS[name]
    parts = [HEAD.format(name)]
    parts += [_shown(named, text) for named in statements() if (text := named.text_in(dialect)) is not None]
    return "\n".join(parts)


def outdated() -> list[str]:
    """Files that are missing or not what the code says."""
    return [name for name in DIALECTS if not _file(name).exists() or _file(name).read_text() != page(name)]


def main(arguments: Sequence[str]) -> int:
    if "--check" in arguments:
        for name in outdated():
            print(f"{_file(name).name} is not current: run make sql")
        return int(bool(outdated()))
    FOLDER.mkdir(exist_ok=True)
    for name in DIALECTS:
        _file(name).write_text(page(name))
    return 0


def _file(name: str) -> Path:
    return FOLDER / f"{name}.sql"


def _shown(named: Named, text: str) -> str:
    """Empty lines come from pieces put together, and say nothing."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return f"-- {named.file} {named.constant}\n{dedent(chr(10).join(lines))};\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
