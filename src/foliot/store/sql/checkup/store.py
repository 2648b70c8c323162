"""Checkups on SQL (`ports.store.checkup.CheckupStore`)."""

import asyncio
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from foliot.domain.checkup.facts import JobOutcomes, Reading
from foliot.domain.checkup.steadiness import SteadyGrade
from foliot.ports.store.checkup import KeptCheckup, WaitingLane
from foliot.ports.store.journal import Happening
from foliot.store.sql.checkup.grades import keep, kept
from foliot.store.sql.checkup.lane_waits import overdue, waiting_lanes
from foliot.store.sql.checkup.outcomes import outcomes
from foliot.store.sql.checkup.readings import FILE, NO_ANSWER, QUESTIONS, TOGETHER, Question
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.dialects import Trouble
from foliot.store.sql.kernel.dialects.mariadb import number_of

NOT_ALLOWED: Final = frozenset({"42501", 1044, 1142, 1143, 1227, 1370})
"""What PostgreSQL, and MariaDB and MySQL, say to a user who lacks a right."""
CHECKPOINT_WITHIN_S: Final = 2.0
WRONG_SHOWN: Final = 5


class SqlCheckups:
    """The database is asked as few times as it lets us."""

    def __init__(self, database: Database, lanes: Lanes) -> None:
        self._database = database
        self._lanes = lanes
        self._may_ask_together = TOGETHER.text_for(database.dialect.name) != NO_ANSWER

    async def readings(self) -> Mapping[str, Reading]:
        if self._may_ask_together:
            together = await self._database.read(_all_at_once)
            if together is not None:
                return together | {"schema": _of_schema(together["schema"])}
            # A right is missing, or all together take too long. By itself, each question shows which one it is.
            self._may_ask_together = False
        asked = [question for question in QUESTIONS if question.has_answer(self._database.dialect.name)]
        found = {question.name: await self._read(question) for question in asked}
        return found | {"schema": _of_schema(found["schema"])} | await self._of_file()

    async def overdue(self, *, limit: int) -> int:
        return await self._database.read(lambda tx: overdue(tx, limit=limit))

    async def lanes(self, *, limit: int) -> Sequence[WaitingLane]:
        return await self._database.read(lambda tx: waiting_lanes(tx, self._lanes, limit=limit))

    async def outcomes(self, *, limit: int) -> Sequence[JobOutcomes]:
        return await self._database.read(lambda tx: outcomes(tx, limit=limit))

    async def integrity(self) -> Reading:
        """What SQLite finds wrong in its own file; no rows for any other store. It reads the whole file."""
        path = await self._path()
        return Reading() if path is None else await asyncio.to_thread(_integrity, path)

    async def empty_log(self) -> int:
        path = await self._path()
        return 0 if path is None else await asyncio.to_thread(_checkpoint, path)

    async def keep(self, grades: Mapping[str, SteadyGrade], happenings: Sequence[Happening], *, term: int) -> bool:
        work = partial(keep, grades=grades, happenings=happenings, term=term)
        if not happenings:
            return await self._database.step(work, pool=Pool.API)  # one guarded write needs no transaction around it
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
        if FILE.text_for(self._database.dialect.name) == NO_ANSWER:
            return None
        rows = await self._database.read(lambda tx: tx.rows(FILE))
        return Path(rows[0].path)

    async def _of_file(self) -> dict[str, Reading]:
        """The disk and the write-ahead log of a store in a file."""
        path = await self._path()
        return {} if path is None else await asyncio.to_thread(_of_file, path)


def _of_schema(reading: Reading) -> Reading:
    """The store's schema beside the newest that this program knows."""
    rows = [schema.seen_schema(row["revision"], int(row["readable_from"])) for row in reading.rows]
    return replace(reading, rows=rows)


def _all_at_once(tx: Tx) -> dict[str, Reading] | None:
    """The answers to all questions, in one statement; None: the database refused it."""
    try:
        rows = tx.rows(TOGETHER)
    except sa.exc.DBAPIError as error:
        if tx.dialect.trouble(error) not in (Trouble.BUG, Trouble.RETRY):
            raise
        return None
    answers: Mapping[Any, Any] = rows[0]._mapping  # noqa: SLF001  it is public
    return {name: Reading(rows=msgspec.json.decode(answer or "[]")) for name, answer in answers.items()}


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


def _integrity(path: Path) -> Reading:
    """On a connection of its own that cannot write: the store's are wanted by others meanwhile."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            found = connection.execute(f"PRAGMA quick_check({WRONG_SHOWN})").fetchall()
        except sqlite3.DatabaseError as error:
            found = [(str(error),)]
    return Reading(rows=[{"said": str(said).rstrip(".")} for (said,) in found])


def _checkpoint(path: Path) -> int:
    """On a connection of its own: the store's are in transactions, and a checkpoint must not be."""
    with closing(sqlite3.connect(path, timeout=CHECKPOINT_WITHIN_S, isolation_level=None)) as connection:
        _, _, pages = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return max(0, int(pages))
