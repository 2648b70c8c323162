"""The schema of a store: which one it has, whether this Foliot can use it, and how it is brought up to date."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from foliot.domain.errors import StorageTrouble
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import Statement

_SCRIPTS: Final = "foliot.store.sql.kernel:migrations"
VERSION_TABLE: Final = "foliot_version"  # not Alembic's usual name: another program may use Alembic beside us
_LOCK: Final = Statement("{schema_lock}")
_UNLOCK: Final = Statement("{schema_unlock}")
_AT_ONCE: Final = "-- Each change commits by itself here: an upgrade that is cut off goes on when it is run again.\n"
_NAMES: Final = Statement("{relations}")
_MADE: Final = re.compile(r"^CREATE (?:UNIQUE )?(TABLE|INDEX) (\w+)", re.MULTILINE)
_READABLE_FROM: Final = Statement("SELECT readable_from FROM store_meta WHERE id = 1")


class SchemaState(StrEnum):
    """How a store's schema relates to this Foliot."""

    EMPTY = "empty"  # no Foliot tables yet
    CURRENT = "current"
    BEHIND = "behind"  # `foliot db upgrade` brings it up
    AHEAD = "ahead"  # made by a newer Foliot, and this one may still use it (R19)
    TOO_NEW = "too_new"  # made by a newer Foliot that gave up what this one needs
    UNKNOWN = "unknown"  # not a schema of Foliot's history


class ForeignTables(StorageTrouble):
    """Another program has tables in the store's database under names that Foliot needs."""

    code = "FOL-7012"

    def __init__(self, names: Sequence[str]) -> None:
        named = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        super().__init__(
            f"The database has {len(names)} names that Foliot needs and did not make: {named}. Nothing was changed.",
            hint="give Foliot a database of its own; on PostgreSQL a schema will do: write ?schema=NAME behind the URL",
            count=len(names),
            names=list(names),
        )


class UpgradeRefused(StorageTrouble):
    """The database refuses to make or change tables."""

    code = "FOL-7014"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The database refused a change of the schema: {why}.",
            hint="the user in the store's URL must own its database, or its schema",
            why=why,
        )


class SchemaNotReady(StorageTrouble):
    """The store has a schema that this Foliot cannot use."""

    code = "FOL-7001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the schema's history."""

    revision: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaStatus:
    """Where a store's schema stands."""

    state: SchemaState
    revision: str | None  # of the store
    head: str  # the newest this Foliot knows
    pending: tuple[Step, ...] = ()
    foreign: tuple[str, ...] = ()  # names that the pending steps need, and that another program has

    @property
    def is_usable(self) -> bool:
        """Whether this Foliot can run on it as it is."""
        return self.state in (SchemaState.CURRENT, SchemaState.AHEAD)


async def status(database: Database) -> SchemaStatus:
    """Look at the store's schema; nothing changes."""
    return await database.read(_status, pool=Pool.CONTROL)


async def check(database: Database) -> SchemaStatus:
    """The schema's status, or `SchemaNotReady` with the next step."""
    found = await status(database)
    if not found.is_usable:
        raise _refusal(found)
    return found


def _refuse_foreign(found: SchemaStatus) -> None:
    if found.foreign:
        raise ForeignTables(found.foreign)


async def upgrade(database: Database) -> Sequence[Step]:
    """Bring the schema up to date in one transaction; the steps taken. Several at once wait for one another.

    On MariaDB and MySQL each change commits by itself; what is there already is passed over when it is run again.
    """

    def work(tx: Tx) -> Sequence[Step]:
        tx.rows(_LOCK)
        try:
            _make_own_schema(tx)
            before = _status(tx)
            if before.state in (SchemaState.TOO_NEW, SchemaState.UNKNOWN):
                raise _refusal(before)
            _refuse_foreign(before)
            config = _config()
            config.attributes["connection"] = tx.connection
            command.upgrade(config, "head")
            if tx.dialect.commits_schema:
                tx.connection.commit()  # before the lock, which is the session's there, is given up
            return before.pending
        finally:
            if tx.dialect.commits_schema:
                tx.rows(_UNLOCK)

    try:
        return await database.transact(work)
    except sa.exc.DBAPIError as error:  # what is neither a conflict nor an outage: most often a missing right
        said = getattr(error.orig, "__cause__", None) or error.orig
        raise UpgradeRefused(str(said).strip().rstrip(".")) from error


def _make_own_schema(tx: Tx) -> None:
    """Make the schema that the store's URL names, if it does. A user who may not make one may use one that is there."""
    own = tx.dialect.own_schema
    if own is not None and tx.connection.exec_driver_sql("SELECT current_schema()").scalar() is None:
        tx.connection.exec_driver_sql(f"CREATE SCHEMA {own}")


async def plan(database: Database) -> str:
    """The SQL an upgrade would run, without running it."""
    found = await status(database)
    if found.state in (SchemaState.TOO_NEW, SchemaState.UNKNOWN):
        raise _refusal(found)
    _refuse_foreign(found)
    if not found.pending:
        return ""
    first = _AT_ONCE if database.dialect.commits_schema else ""
    if (own := database.dialect.own_schema) is not None:
        first = f"CREATE SCHEMA IF NOT EXISTS {own};\nSET search_path TO {own};\n\n"
    return first + _sql(found.revision, database.dialect.name)


def _sql(revision: str | None, dialect: str) -> str:
    """The statements of every step behind a revision."""
    text = io.StringIO()
    config = _config(text)
    config.attributes["dialect"] = dialect
    command.upgrade(config, f"{revision or 'base'}:head", sql=True)
    return text.getvalue().strip() + "\n"


def _status(tx: Tx) -> SchemaStatus:
    scripts = ScriptDirectory.from_config(_config())
    head = scripts.get_current_head()
    assert head is not None, "the wheel holds no migrations"
    revision = MigrationContext.configure(tx.connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
    history = {script.revision: script for script in scripts.walk_revisions()}
    if revision == head:
        return SchemaStatus(state=SchemaState.CURRENT, revision=revision, head=head)
    if revision is None or revision in history:
        lower = revision or "base"
        steps = [
            Step(revision=script.revision, what=(script.doc or "").splitlines()[0])
            for script in scripts.iterate_revisions(head, lower)
        ]
        state = SchemaState.BEHIND if revision else SchemaState.EMPTY
        pending, foreign = tuple(reversed(steps)), _foreign(tx, revision)
        return SchemaStatus(state=state, revision=revision, head=head, pending=pending, foreign=foreign)
    return SchemaStatus(state=_beyond(tx, revision, head), revision=revision, head=head)


def _foreign(tx: Tx, revision: str | None) -> tuple[str, ...]:
    """The names among those that the next steps will make which are there already, and are not Foliot's."""
    made = {
        name
        for kind, name in _MADE.findall(_sql(revision, tx.dialect.name))
        if kind == "TABLE" or not tx.dialect.commits_schema  # there an index belongs to its table
    }
    there = {str(row[0]) for row in tx.rows(_NAMES)}
    return tuple(sorted((made & there) - {VERSION_TABLE}))


def _beyond(tx: Tx, revision: str, head: str) -> SchemaState:
    """A revision that is not in our history: newer, or somebody else's."""
    is_newer = revision.isdecimal() and int(revision) >= int(head)
    if not is_newer or not sa.inspect(tx.connection).has_table("store_meta"):
        return SchemaState.UNKNOWN
    return _newer(int(tx.value(_READABLE_FROM)), head)


def _newer(readable_from: int, head: str) -> SchemaState:
    return SchemaState.AHEAD if readable_from <= int(head) else SchemaState.TOO_NEW


@cache
def _history() -> Sequence[str]:
    """Every revision that this Foliot knows, the newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return [script.revision for script in scripts.walk_revisions()]


def newest() -> str:
    """The newest schema that this Foliot knows."""
    return _history()[0]


def seen_schema(revision: str, readable_from: int) -> dict[str, str]:
    """How the schema of a store that is in use relates to this Foliot. It may have changed since it was opened."""
    head = newest()
    state = SchemaState.CURRENT
    if revision != head:
        state = SchemaState.BEHIND if revision in _history() else _newer(readable_from, head)
    return {"state": state.value, "revision": revision, "head": head}


def _refusal(found: SchemaStatus) -> StorageTrouble:
    if found.foreign and found.state is SchemaState.EMPTY:
        return ForeignTables(found.foreign)
    facts = {"state": str(found.state), "revision": found.revision, "head": found.head}
    match found.state:
        case SchemaState.EMPTY:
            return SchemaNotReady(
                "The store is empty: it has no tables yet.",
                hint="run foliot db upgrade with the same --db or --db-file",
                **facts,
            )
        case SchemaState.BEHIND:
            return SchemaNotReady(
                f"The store's schema is {found.revision}, this Foliot needs {found.head}.",
                hint="run foliot db upgrade; foliot db upgrade --plan shows the steps first",
                **facts,
            )
        case SchemaState.TOO_NEW:
            return SchemaNotReady(
                f"The store's schema is {found.revision}, this Foliot knows up to {found.head} and is too old for it.",
                hint="install the Foliot that made it, or a newer one",
                **facts,
            )
        case _:
            return SchemaNotReady(
                f"The store's schema \"{found.revision}\" is not one of Foliot's.",
                hint="check the store's URL: this may be the database of another program",
                **facts,
            )


def _config(output: io.StringIO | None = None) -> Config:
    config = Config(output_buffer=output)
    config.set_main_option("script_location", _SCRIPTS)
    config.set_main_option("path_separator", "os")
    return config
