"""The file of a SQLite store."""

import stat
from pathlib import Path

from foliot.app.system import SystemChance, SystemClock
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import open_database


async def test_a_new_store_is_not_for_every_reader_of_its_folder(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}/foliot.db", clock=SystemClock(), chance=SystemChance())
    try:
        await schema.upgrade(database)
    finally:
        await database.close()
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes["foliot.db"] == 0o600
    assert set(modes.values()) == {0o600}
