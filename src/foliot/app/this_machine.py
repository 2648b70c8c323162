"""Access for the user who started `foliot up`: a token for programs of this user, and a login code for a person."""

from dataclasses import dataclass
from typing import Final

import structlog

from foliot.domain.access import INTERNAL, Grant, Scope
from foliot.domain.errors import FoliotError
from foliot.operations.services import Services
from foliot.operations.tokens import end_for_this_machine, issue_for_this_machine, make_login_code

log = structlog.get_logger("foliot.http")

THIS_MACHINE: Final = "this-machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What `foliot up` hands out."""

    local_token: str
    login_code: str


async def let_in(services: Services) -> Access:
    """A token and a login code; the tokens of processes before this one are over."""
    await end_for_this_machine(services, THIS_MACHINE)
    grant = Grant(scopes=frozenset({Scope.ADMIN, Scope.WORKER}))
    token = await issue_for_this_machine(services, THIS_MACHINE, grant)
    code, _ = await make_login_code(services, INTERNAL)
    return Access(local_token=token, login_code=code)


async def let_out(services: Services) -> None:
    """The token ends with the process. When the store is in trouble, the next process on it does this."""
    try:
        await end_for_this_machine(services, THIS_MACHINE)
    except FoliotError as error:
        log.warning("this_machine.not_ended", error=error.sentence)
