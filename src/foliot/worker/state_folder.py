"""Where Foliot keeps what must survive a process, unless a user says where: a folder of its user alone."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from foliot.domain.errors import InvalidInput


class NoStateFolder(InvalidInput):
    """The user of a worker has no folder of their own."""

    code = "FOL-1092"

    def __init__(self) -> None:
        super().__init__(
            "This user has no home folder, so results have no place to wait in.", hint="name one: --spool DIR"
        )


def spool_of(name: str, environment: Mapping[str, str]) -> Path:
    """The folder in which the results of the worker with this name wait for a server."""
    return state_folder(environment) / f"spool-{quote(name, safe='')[:200]}"


def state_folder(environment: Mapping[str, str]) -> Path:
    """That of the systemd unit, else that of the user."""
    of_unit = environment.get("STATE_DIRECTORY", "").partition(":")[0]
    if of_unit:
        return Path(of_unit)
    of_user = Path(environment.get("XDG_STATE_HOME", ""))
    if of_user.is_absolute():  # the standard says: others do not count
        return of_user / "foliot"
    try:
        return Path.home() / ".local" / "state" / "foliot"
    except RuntimeError:
        raise NoStateFolder from None
