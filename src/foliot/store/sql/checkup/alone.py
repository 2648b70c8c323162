"""A store that is looked at without a server: what can be read of it, whatever state it is in. Nothing is written."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

from foliot.domain.checkup.facts import Reading
from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.kernel.database import Database
from foliot.store.sql.kernel.schema import SchemaStatus
from foliot.store.sql.store import SqlStore


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAlone:
    """What a store says without a server."""

    store: SqlStore | None = None  # None: its tables are not there, or not those that this Foliot knows
    readings: Mapping[str, Reading] = field(default_factory=dict)
    unreachable: str | None = None


@asynccontextmanager
async def look_alone(url: str, *, clock: Clock, chance: Chance) -> AsyncIterator[StoreAlone]:
    """Open a store for a look. One that does not answer, or is damaged, is an answer, too."""
    try:
        database = open_database(url, clock=clock, chance=chance, create=False)
    except StoreUnavailable as away:  # a file that is not there
        yield StoreAlone(unreachable=why_away(away))
        return
    try:
        yield await _looked_at(database)
    finally:
        await database.close()


async def _looked_at(database: Database) -> StoreAlone:
    """What was read before a damaged file gave no more answers counts."""
    readings: dict[str, Reading] = {}
    store = SqlStore(database)
    database.runner.greet = None  # a server says on each connection that it is there; who only looks does not
    try:
        status = await schema.status(database)
        readings["integrity"] = await store.checkup.integrity()
        readings |= {**await store.checkup.readings(), "schema": _schema(status)}
    except (StoreUnavailable, StoreBusy) as away:
        return StoreAlone(readings=readings, unreachable=why_away(away))
    except sa.exc.DBAPIError as error:  # most often a right that is missing
        why = str(error.orig).strip().partition("\n")[0]
        return StoreAlone(readings=readings, unreachable=why.rstrip("."))
    return StoreAlone(store=store if status.is_usable else None, readings=readings)


def why_away(trouble: FoliotError) -> str:
    """Why a store gave no answer, without the words that the finding says by itself."""
    return trouble.sentence.removeprefix("The store does not answer: ").rstrip(".")


def _schema(status: SchemaStatus) -> Reading:
    return Reading(rows=[{"state": status.state.value, "revision": status.revision, "head": status.head}])
