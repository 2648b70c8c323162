"""`foliot cluster doctor` without a server: which store is looked at, and what is said of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from foliot.cli.server_access import User
from foliot.domain.errors import FoliotError

Command = TypeVar("Command", bound=Callable[..., Any])


def store_options(command: Command) -> Command:
    """Add `--db` and `--db-file` to a command, which gets what was written as `db` and `db_file`."""
    for option in (
        click.option(
            "--db-file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A file with the store's URL, so that a password stands in no command line.",
        ),
        click.option("--db", envvar="FOLIOT_DB", metavar="URL", help="Look at this store alone, and ask no server."),
    ):
        command = option(command)
    return command


def wanted_store(db: str | None, db_file: Path | None) -> str | None:
    """The store that the user named with this very command."""
    from foliot.client.endpoint import read_secret

    if db_file is not None:
        return read_secret(db_file)
    source = click.get_current_context().get_parameter_source("db")
    return db if source is ParameterSource.COMMANDLINE else None


def known_store(db: str | None) -> str | None:
    """The store that is there when no server answers: of FOLIOT_DB, or of the `foliot up` of this folder."""
    from foliot.app.data_folder import FOLDER, DataFolder

    local = DataFolder(FOLDER)
    return db or (None if local.is_new else local.store_url)


def look_at_store(user: User, url: str, *, instead_of: FoliotError | None = None) -> dict[str, Any]:
    """What the checks find in a store, as a server would answer. `instead_of`: why no server did."""
    from foliot.api.models.checkup import CheckupOut
    from foliot.app.run_loop import run
    from foliot.app.store_checkup import check_up_store
    from foliot.app.system import SystemChance, SystemClock
    from foliot.store.sql.kernel.connect import redacted
    from foliot.words import errors

    store = redacted(url)
    why = None if instead_of is None else str(errors.tell(instead_of, user.lang)[0])
    if why is None:
        user.out.talk("doctor_alone_wanted", mark="note", store=store)
    else:
        user.out.talk("doctor_alone", mark="warn", why=why, store=store)
    found = run(check_up_store(url, clock=SystemClock(), chance=SystemChance()))
    answer = CheckupOut.of(found, user.lang).model_dump(mode="json")
    return {**answer, "store": store, "no_server": why}
