"""The kind `sql` as a specimen: it has a connection to an empty SQLite file, which goes with the process."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from foliot.worker.handlers.sql import SqlHandlers
from foliot.worker.handlers.sql.settings import SqlConnection, SqlSettings

_FOLDER = TemporaryDirectory(prefix="foliot-sql-")
FILE = Path(_FOLDER.name) / "shop.db"
URL = f"sqlite:///{FILE}"

with closing(sqlite3.connect(FILE)) as _file:
    _file.execute("CREATE TABLE notes (id INTEGER)")

SLOW = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopSettings(SqlSettings):
    """Settings that name a connection unless told otherwise."""

    connections: Mapping[str, SqlConnection] = field(default_factory=lambda: {"shop": SqlConnection(url=URL)})


class SqlOfShop(SqlHandlers):
    """The kind with that connection."""

    def __init__(self) -> None:
        super().__init__()
        self.settings = ShopSettings()
