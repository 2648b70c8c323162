"""Roles: what this server does, what rests while it is a standby or drained, and the look that promotes standbys."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from foliot.domain.instants import SECOND, Micros
from foliot.domain.roles import Role, role_of
from foliot.engine.loop import Duty
from foliot.ports.store.nodes import NodeStore

REST_S: Final = 1.0
LOOKS_IN_A_ROW: Final = 2
"""Looks that must miss an active server before a standby is promoted.

When the store comes back after an outage, every session has run out until its server beats again. Servers do that
within two seconds, and two looks are a beat apart.
"""

BEATS_WITHOUT_STANDBY: Final = 12
"""The leader looks less often while there is nobody to promote: a new standby looks by itself."""

log = structlog.get_logger("foliot.engine")


class OwnRole:
    """The role of this server and whether a user drained it, as its last beat said."""

    def __init__(self, starts_as: Role) -> None:
        self.current = starts_as
        self.is_drained = False
        self.on_change: list[Callable[[], None]] = []

    @property
    def is_standby(self) -> bool:
        return self.current is Role.STANDBY

    @property
    def rests(self) -> bool:
        """It fires, leases and leads nothing."""
        return self.is_drained or self.is_standby

    def learn(self, kept: str | None, *, is_drained: bool) -> None:
        """Take in what the store keeps."""
        role = role_of(kept)
        if (role, is_drained) == (self.current, self.is_drained):
            return
        self.current = role
        self.is_drained = is_drained
        log.info("server.role_changed", role=str(role), drained=is_drained)
        for listener in self.on_change:
            listener()


class WhileActive:
    """A duty that rests while this server is a standby or drained."""

    def __init__(self, duty: Duty, role: OwnRole) -> None:
        self.name = duty.name
        self.wake = duty.wake
        self._duty = duty
        self._role = role
        self.is_busy = False  # a step is under way

    async def step(self) -> float:
        if self._role.rests:
            return REST_S
        self.is_busy = True
        try:
            return await self._duty.step()
        finally:
            self.is_busy = False


class Promoting:
    """Promotes a standby when too few servers are active.

    Standbys and the leader look once a beat: as long as a standby lives, somebody looks. Other servers ask nothing.
    """

    name = "promoting"

    def __init__(
        self,
        store: NodeStore,
        role: OwnRole,
        *,
        leads: Callable[[], bool],
        every_us: Micros,
        on_promoted: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_promoted`: called so that the promoted server learns of it soon."""
        self.wake = asyncio.Event()
        self._store = store
        self._role = role
        self._leads = leads
        self._every_s = every_us / SECOND
        self._on_promoted = on_promoted
        self._missed = 0  # looks in a row that saw too few active servers, and a standby

    async def step(self) -> float:
        if not self._role.is_standby and not self._leads():
            self._missed = 0
            return self._every_s
        seen = await self._store.servers()
        if not seen.standbys:
            self._missed = 0
            return self._every_s * BEATS_WITHOUT_STANDBY
        self._missed = 0 if seen.next_active is None else self._missed + 1
        if self._missed < LOOKS_IN_A_ROW:
            return self._every_s
        self._missed = 0
        promoted = await self._store.promote()
        if promoted is None:  # another server was quicker
            return self._every_s
        log.warning("server.promoted", node=promoted.name, instead_of=promoted.instead_of)
        self._on_promoted()
        return 0  # there may be one more to promote
