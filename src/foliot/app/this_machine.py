"""Access for the user who started `foliot up`: a token for programs of this user, and a login code for a person."""

import re
import socket
from dataclasses import dataclass
from typing import Final

import structlog

from foliot.domain.access import INTERNAL, Grant, Scope, TokenNotFound
from foliot.domain.errors import FoliotError
from foliot.domain.instants import Instant, Micros
from foliot.operations.services import Services
from foliot.operations.tokens import (
    SESSION_LIVES,
    IssuedToken,
    end_for_this_machine,
    issue_for_this_machine,
    make_login_code,
    renew_for_this_machine,
)
from foliot.ports.store.tokens import TokenRecord

log = structlog.get_logger("foliot.http")

LOOK_EVERY_S: Final = 5.0
RENEW_BEFORE_US: Final[Micros] = SESSION_LIVES // 2
HOST_MAX: Final = 60  # letters of a host's name in a token's
FORMER: Final = re.compile(r"this-machine-[0-9a-z]{8}")
"""What these tokens were called: one of an older Foliot that was killed ends, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What `foliot up` hands out."""

    local_token: str
    login_code: str


class LocalToken:
    """The one token of this machine. It is renewed in time, and made again when somebody ended it: `foliot up` and the
    user who started it are the same, and must not lock each other out.
    """

    def __init__(self, services: Services, issued: IssuedToken, name: str) -> None:
        self._services = services
        self._issued = issued
        self._name = name

    @classmethod
    async def issue(cls, services: Services, host: str | None = None) -> "LocalToken":
        """Make it; those of processes before this one are over."""
        name = token_name(host or socket.gethostname())
        await _end(services, name)
        return cls(services, await _issued(services, name), name)

    @property
    def secret(self) -> str:
        return self._issued.secret

    async def renew(self) -> bool:
        """Make another secret when this one ends soon, was revoked or has expired; return whether it did."""
        tokens = self._services.store.tokens
        record, now = await tokens.find(self._issued.record.hash)
        if record is not None and _ends_at(record) - now > RENEW_BEFORE_US:
            return False
        try:
            self._issued = await renew_for_this_machine(self._services, self._issued)
        except TokenNotFound:  # it is over, or so soon that there is no time of grace: make one anew
            await _end(self._services, self._name)
            self._issued = await _issued(self._services, self._name)
        return True

    async def end(self) -> None:
        """The token ends with the process. When the store is in trouble, the next process on it does this."""
        try:
            await _end(self._services, self._name)
        except FoliotError as error:
            log.warning("this_machine.not_ended", error=error.sentence)


def token_name(host: str) -> str:
    """The name of a machine's token, by which a person knows it: `foliot-up-on-my-laptop`."""
    written = re.sub(r"[^A-Za-z0-9_.-]+", "-", host)
    return f"foliot-up-on-{written[:HOST_MAX]}"


async def access_of(services: Services, token: LocalToken) -> Access:
    """The token, and a code for one login."""
    code, _ = await make_login_code(services, INTERNAL)
    return Access(local_token=token.secret, login_code=code)


async def _issued(services: Services, name: str) -> IssuedToken:
    grant = Grant(scopes=frozenset({Scope.ADMIN, Scope.WORKER}))
    return await issue_for_this_machine(services, name, grant)


def _ends_at(record: TokenRecord) -> Instant:
    """When a token ends: when it expires, or before that when a person revoked or rotated it."""
    if record.revoked_at is None:
        return record.expires_at
    return min(record.expires_at, record.revoked_at)


async def _end(services: Services, name: str) -> None:
    def is_mine(other: str) -> bool:
        base, _, number = other.rpartition("-")
        is_numbered = base == name and number.isdigit()
        return other == name or is_numbered or FORMER.fullmatch(other) is not None

    await end_for_this_machine(services, is_mine)
