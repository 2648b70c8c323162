"""`foliot db`: the store's schema. Works on the store itself, so no server need run."""

import json
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from foliot.app.run_loop import run
from foliot.app.system import SystemChance, SystemClock
from foliot.cli.groups import Group
from foliot.cli.language import say
from foliot.cli.refusal import refusals
from foliot.cli.restored import facts, sentences
from foliot.cli.table import pad, width_of
from foliot.cli.terminal import echo
from foliot.client.endpoint import read_secret
from foliot.domain.errors import InvalidInput
from foliot.store.sql.cluster import clock, restore
from foliot.store.sql.cluster.restore import Restored
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import PATIENT, open_database, redacted
from foliot.store.sql.kernel.database import Database
from foliot.store.sql.kernel.epoch import Origin, origin
from foliot.store.sql.kernel.schema import SchemaStatus

T = TypeVar("T")
_Command = TypeVar("_Command", bound=Callable[..., Any])

PENDING_EXIT: Final = 7
_STORE_HELP: Final = "The store: sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB."


@click.group(cls=Group)
def db() -> None:
    """The store's schema: where it stands, and bringing it up to date.

    \b
    Examples:
      foliot db status --db postgresql://foliot@db/foliot
      foliot db upgrade --db sqlite:///foliot.db --plan     the SQL, without running it
      foliot db upgrade --db-file /etc/foliot/db
      foliot db restored --db-file /etc/foliot/db           after a backup was put back
    """


def _on_a_store(command: _Command) -> _Command:
    for option in (
        click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True),
        click.option(
            "--db-file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A file with the store's URL, so that a password stands in no command line.",
        ),
        click.option("--db", "url", envvar="FOLIOT_DB", help=_STORE_HELP),
    ):
        command = option(command)
    return command


@db.command()
@_on_a_store
def status(url: str | None, db_file: Path | None, output: str) -> None:
    """Say which schema the store has, whether this Foliot can use it (exit 7: an upgrade is pending), and its epoch.

    "lossy" means that a failover of the database may forget what it acknowledged last.

    \b
    Examples:
      foliot db status --db sqlite:///.foliot/foliot.db
      FOLIOT_DB=postgresql://foliot@db/foliot foliot db status -o json
    """
    with refusals():
        store = _url(url, db_file)
        found, came_from = run(_with_database(store, _looked_at, create=False))
        _print_status(store, found, came_from, output)
    if found.pending:
        raise SystemExit(PENDING_EXIT)


@db.command()
@click.option("--plan", is_flag=True, help="Print the SQL and run none of it.")
@_on_a_store
def upgrade(plan: bool, url: str | None, db_file: Path | None, output: str) -> None:
    """Bring the store's schema up to date, in one transaction. Several at once wait for each other; repeats do nothing.

    \b
    Examples:
      foliot db upgrade --db postgresql://foliot@db/foliot --plan
      foliot db upgrade --db postgresql://foliot@db/foliot
    """
    with refusals():
        store = _url(url, db_file)
        if plan:
            _print_plan(run(_with_database(store, schema.plan)), output)
            return
        steps = run(_with_database(store, schema.upgrade))
        if output == "json":
            echo(json.dumps({"applied": [step.revision for step in steps]}))
        for step in steps if output == "text" else ():
            echo(f"{step.revision}  {step.what}")
        if output == "text":
            echo(say("db_upgraded", revision=steps[-1].revision) if steps else say("db_nothing_to_do"))


@db.command("trust-clock")
@_on_a_store
def trust_clock(url: str | None, db_file: Path | None, output: str) -> None:
    """Say that the store's clock is right, after servers saw it jump and judged due by their own reckoning.

    \b
    Examples:
      foliot db trust-clock --db postgresql://foliot@db/foliot
    """
    with refusals():
        was_suspect = run(_with_database(_url(url, db_file), _trusted, create=False))
    if output == "json":
        echo(json.dumps({"was_suspect": was_suspect}))
    else:
        echo(say("clock_trusted" if was_suspect else "clock_not_in_doubt"))


@db.command()
@click.option("--plan", is_flag=True, help="Say what it would do, and do nothing.")
@click.option("--force", is_flag=True, help="Also while servers are live; each must be restarted then.")
@_on_a_store
def restored(plan: bool, force: bool, url: str | None, db_file: Path | None, output: str) -> None:
    """Say that the database was restored from a backup or a snapshot, by its own tools, before servers start again.

    Raises the epoch, takes every run from whoever had it before, ends sessions and terms, lets ids go on beyond those
    the backup does not know of, and tells how much will be decided again.

    \b
    Examples:
      foliot db restored --db postgresql://foliot@db/foliot --plan
      foliot db restored --db postgresql://foliot@db/foliot
    """
    with refusals():
        done = run(_with_database(_url(url, db_file), partial(_restored, plan=plan, force=force), create=False))
    if output == "json":
        echo(json.dumps(facts(done, plan=plan)))
    else:
        for line in sentences(done, plan=plan):
            echo(line)


async def _restored(database: Database, *, plan: bool, force: bool) -> Restored:
    await schema.check(database)
    return await restore.restored(database, plan=plan, force=force)


async def _trusted(database: Database) -> bool:
    await schema.check(database)
    return await database.transact(clock.trust)


def _url(url: str | None, db_file: Path | None) -> str:
    if db_file is not None:
        return read_secret(db_file)
    if url is None:
        raise InvalidInput("No store was given.", hint="--db URL, --db-file FILE, or FOLIOT_DB in the environment")
    return url


async def _with_database(url: str, act: Callable[[Database], Awaitable[T]], *, create: bool = True) -> T:
    database = open_database(url, clock=SystemClock(), chance=SystemChance(), limits=PATIENT, create=create)
    try:
        return await act(database)
    finally:
        await database.close()


async def _looked_at(database: Database) -> tuple[SchemaStatus, Origin | None]:
    found = await schema.status(database)
    return found, await origin(database) if found.is_usable else None


def _print_status(url: str, found: SchemaStatus, came_from: Origin | None, output: str) -> None:
    if output == "json":
        document: dict[str, Any] = {
            "store": redacted(url),
            "state": found.state.upper(),
            "revision": found.revision,
            "head": found.head,
            "usable": found.is_usable,
            "pending": [{"revision": step.revision, "what": step.what} for step in found.pending],
            "foreign": list(found.foreign),
        }
        if came_from is not None:
            document |= {
                "epoch": came_from.epoch,
                "fingerprint": came_from.fingerprint,
                "known": came_from.is_known,
                "lossy": bool(came_from.lossy),
                "lossy_because": came_from.lossy or None,
            }
        echo(json.dumps(document))
        return
    lines = list(_status_lines(url, found, came_from))
    width = max(width_of(name) for name in (say("db_pending"), *dict(lines)))  # the same with and without an upgrade
    for name, text in lines:
        echo(f"{pad(name, width)}  {text}")


def _status_lines(url: str, found: SchemaStatus, came_from: Origin | None) -> Iterator[tuple[str, str]]:
    revision = found.revision or say("none")
    yield say("db_store"), redacted(url)
    yield say("db_schema"), say(f"db_schema_{found.state}", revision=revision, head=found.head)
    if came_from is not None:
        yield say("db_epoch"), str(came_from.epoch)
        origin_key = "db_origin_known" if came_from.is_known else "db_origin_other"
        if came_from.is_new:
            origin_key = "db_origin_new"
        elif not came_from.is_known and came_from.fingerprint.startswith("sqlite"):
            origin_key = "db_origin_sqlite"
        yield say("db_origin"), say(origin_key, fingerprint=came_from.fingerprint)
        yield say("db_lossy"), say("db_lossy_because", why=came_from.lossy) if came_from.lossy else say("no")
    for step in found.pending:
        yield say("db_pending"), f"{step.revision}  {step.what}"
    if found.foreign:
        yield say("db_foreign"), say("db_foreign_names", names=", ".join(found.foreign))
        yield say("db_next"), say("db_next_own_place")
    elif found.pending:
        yield say("db_next"), say("db_next_step")


def _print_plan(sql: str, output: str) -> None:
    if output == "json":
        echo(json.dumps({"sql": sql}))
    else:
        echo(sql or f"-- {say('db_nothing_to_do')}", nl=not sql)
