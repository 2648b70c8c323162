"""Each folder of the store says which tables it writes and what it locks, and says the truth."""

import re
from importlib import import_module

import pytest

from foliot.store.sql.kernel.dialects.sqlite import SQLite
from foliot.store.sql.kernel.tables import metadata
from tests.sql.statements import statements

DOORS = {"job_store": "jobs", "firing_store": "firing", "node_store": "cluster"}
FOLDERS = (
    *("kernel", "jobs", "firing", "leasing", "ending", "cluster", "people", "locking", "checkup", "statistics"),
    "alerts",
)
LOCK_ORDER = (
    "store_meta",
    "cursors",
    "parent runs",
    "runs",
    "nodes",
    "limits",
    "locks",
    "lock_claims",
    "failovers",
    "alerts",
    "channels",
    "outbox",
)

WRITE = re.compile(r"(?:INSERT INTO|^\s*UPDATE|DELETE FROM)\s+([a-z_]+)", re.MULTILINE)


def said(folder: str, about: str) -> str:
    """The paragraph of the folder's docstring that begins with this word."""
    documented = import_module(f"foliot.store.sql.{folder}").__doc__ or ""
    return next(part for part in documented.split("\n\n") if part.startswith(about))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_names_the_tables_that_it_writes_and_no_other(folder: str) -> None:
    written = {
        table
        for named in statements()
        if DOORS.get(named.folder, named.folder) == folder
        for table in WRITE.findall(named.text_in(SQLite()) or "")
    }
    assert set(re.findall(r"`([a-z_]+)`", said(folder, "Writes"))) == written


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_names_what_it_locks_in_the_order_of_locks(folder: str) -> None:
    locks = said(folder, "Locks")
    if "in this order" in locks:
        places = [locks.find(table) for table in LOCK_ORDER if table in locks]
        assert len(places) > 1
        assert places == sorted(places)


def test_every_table_is_written_by_some_folder() -> None:
    named = {table for folder in FOLDERS for table in re.findall(r"`([a-z_]+)`", said(folder, "Writes"))}
    assert set(metadata.tables) - named == set()
