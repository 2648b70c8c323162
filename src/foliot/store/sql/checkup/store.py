"""Checkups on SQL (`ports.store.checkup.CheckupStore`)."""

import asyncio
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from foliot.domain.checkup.facts import JobOutcomes, Reading
from foliot.domain.checkup.steadiness import SteadyGrade
from foliot.ports.store.checkup import KeptCheckup, WaitingLane
from foliot.ports.store.journal import Happening
from foliot.store.sql.checkup.grades import keep, kept
from foliot.store.sql.checkup.lane_waits import overdue, waiting_lanes
from foliot.store.sql.checkup.outcomes import outcomes
from foliot.store.sql.checkup.readings import FILE, QUESTIONS, Question
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.dialects import Trouble
from foliot.store.sql.kernel.dialects.mariadb import number_of

NOT_ALLOWED: Final = frozenset({"42501", 1044, 1142, 1143, 1227, 1370})
"""What PostgreSQL, and MariaDB and MySQL, say to a user who lacks a right."""
CHECKPOINT_WITHIN_S: Final = 2.0


class SqlCheckups:
    """Each question is a read of its own: one that is refused leaves the others as they are."""

    def __init__(self, database: Database, lanes: Lanes) -> None:
        self._database = database
        self._lanes = lanes

    async def readings(self) -> Mapping[str, Reading]:
        found = {question.name: await self._read(question) for question in QUESTIONS}
        return found | await self._of_file()

    async def overdue(self, *, limit: int) -> int:
        return await self._database.read(lambda tx: overdue(tx, limit=limit))

    async def lanes(self, *, limit: int) -> Sequence[WaitingLane]:
        return await self._database.read(lambda tx: waiting_lanes(tx, self._lanes, limit=limit))

    async def outcomes(self, *, limit: int) -> Sequence[JobOutcomes]:
        return await self._database.read(lambda tx: outcomes(tx, limit=limit))

    async def empty_log(self) -> int:
        path = await self._path()
        return 0 if path is None else await asyncio.to_thread(_checkpoint, path)

    async def keep(self, grades: Mapping[str, SteadyGrade], happenings: Sequence[Happening], *, term: int) -> bool:
        work = partial(keep, grades=grades, happenings=happenings, term=term)
        return await self._database.transact(work, pool=Pool.API)

    async def kept(self) -> KeptCheckup | None:
        return await self._database.read(kept)

    async def _read(self, question: Question) -> Reading:
        def work(tx: Tx) -> Reading:
            try:
                rows = tx.rows(question.statement)
            except sa.exc.DBAPIError as error:
                return _refused(tx, question, error)
            return Reading(rows=[_row(row) for row in rows])

        return await self._database.read(work)

    async def _path(self) -> Path | None:
        rows = await self._database.read(lambda tx: tx.rows(FILE))
        return Path(rows[0].path) if rows else None

    async def _of_file(self) -> dict[str, Reading]:
        """The disk and the write-ahead log of a store in a file."""
        path = await self._path()
        return {} if path is None else await asyncio.to_thread(_of_file, path)


def _refused(tx: Tx, question: Question, error: sa.exc.DBAPIError) -> Reading:
    """What stands for the answer that a database refused. A database that is away is not our subject.

    A question that takes too long is not asked again: it would be as slow, and the database is busy as it is.
    """
    if tx.dialect.trouble(error) not in (Trouble.BUG, Trouble.RETRY):
        raise error
    origin: Any = error.orig
    if NOT_ALLOWED & {getattr(origin, "sqlstate", None), number_of(origin)}:
        return Reading(grant=question.grant(tx.dialect.name))
    first_line = str(origin.args[-1] if origin.args else origin).strip().partition("\n")[0]
    return Reading(why=first_line.rstrip("."))


def _row(row: Any) -> Mapping[str, Any]:
    """A row by the names of its columns. SHOW has names of its own."""
    named = {str(name).lower(): value for name, value in row._mapping.items()}  # noqa: SLF001  it is public
    if "variable_name" in named:
        return {"name": named["variable_name"], "value": named["value"]}
    return named


def _of_file(path: Path) -> dict[str, Reading]:
    log = path.with_name(f"{path.name}-wal")
    disk = os.statvfs(path.parent)
    return {
        "disk": Reading(rows=[{"free": disk.f_bavail * disk.f_frsize, "total": disk.f_blocks * disk.f_frsize}]),
        "write_ahead_log": Reading(rows=[{"bytes": log.stat().st_size if log.exists() else 0}]),
    }


def _checkpoint(path: Path) -> int:
    """On a connection of its own: the store's are in transactions, and a checkpoint must not be."""
    with closing(sqlite3.connect(path, timeout=CHECKPOINT_WITHIN_S, isolation_level=None)) as connection:
        _, _, pages = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return max(0, int(pages))
