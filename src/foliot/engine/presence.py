"""Presence: this server's own session, so that others see it and its death is noticed."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import structlog

from foliot.domain.drills import NodeDrills
from foliot.domain.errors import ClusterTrouble
from foliot.domain.health import BEATS_PER_TTL, USUAL_RULES, HealthRules
from foliot.domain.instants import SECOND, Micros
from foliot.domain.roles import Role
from foliot.domain.verdict import Judge
from foliot.engine.roles import OwnRole
from foliot.ports.chance import Chance
from foliot.ports.store.actor import Actor
from foliot.ports.store.nodes import NodeStore
from foliot.ports.worker_link import Beat, Hello, Leaving, drill_fields

READY_SOON_S: Final = 0.5
DRAINED: Final = "drained"
"""In the load of a server's beat: 1, it was drained and nothing is left; 0, something is."""
DRAINED_BEFORE: Final = "it was drained before its session began anew"

log = structlog.get_logger("foliot.engine")


class OwnSession:
    """The session id of this process; a new one after the cluster gave the old one up."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.id = chance.token()

    def begin_anew(self) -> None:
        self.id = self._chance.token()


class Presence:
    """Registers this server and beats for it."""

    name = "presence"

    def __init__(
        self,
        store: NodeStore,
        session: OwnSession,
        hello: Callable[[str], Hello],
        judge: Judge,
        *,
        ttl_us: Micros,
        clock_offset: Callable[[], Micros | None],
        load: Callable[[], Mapping[str, float]] = dict,
        health: HealthRules = USUAL_RULES,
        is_ready: Callable[[], bool] = lambda: True,
        drills: NodeDrills | None = None,
        role: OwnRole | None = None,
    ) -> None:
        """`clock_offset`: of this machine's wall clock (C2). `is_ready`: the server decides and serves.

        `drills`: in which it takes part; None: in none.
        """
        self.wake = asyncio.Event()
        self._store = store
        self._session = session
        self._hello = hello
        self._judge = judge
        self._ttl_us = ttl_us
        self._clock_offset = clock_offset
        self._load = load
        self._health = health
        self._is_ready = is_ready
        self._drills = drills
        self._role = OwnRole(Role.ACTIVE) if role is None else role
        self._beats = 0
        self._registered = False
        self._advertises = False
        self.addresses: tuple[str, ...] = ()
        """Of live servers, for workers; read once in the time of a session. Empty: this one advertises none."""

    async def step(self) -> float:
        if not self._registered:
            await self._register()
            return READY_SOON_S  # the first beat says that it is ready
        self._beats += 1
        load = self._load()
        note = None if self._drills is None else self._drills.note(self._clock_offset())
        beat = Beat(
            session=self._session.id,
            beat_no=self._beats,
            settled=0,
            held=(),
            load=load,
            clock_offset_us=self._clock_offset(),
            syncing=not self._is_ready(),
            **drill_fields(note),
        )
        answer = await self._store.beat(beat, ttl_us=self._ttl_us, judge=self._judge, health=self._health)
        if not answer.alive:  # paused or cut off for long: the others gave us up, which harmed nothing
            log.warning("server.was_declared_dead", session=self._session.id)
            self._registered = False
            self._session.begin_anew()
            return 0
        was_drained = self._role.is_drained
        self._role.learn(answer.role, is_drained=answer.draining)
        is_time_to_look = self._beats % BEATS_PER_TTL == 1 or self._role.is_drained is not was_drained
        if self._advertises and is_time_to_look:
            with suppress(ClusterTrouble):  # the beat counts, and the old addresses are still good
                self.addresses = tuple(await self._store.addresses())
        if self._drills is not None and self._drills.heard(answer.drill, begin=answer.drill_begin, said=note):
            return 0
        if self._role.is_drained and not load.get(DRAINED):
            return READY_SOON_S  # the user who drained it waits for a beat that says that nothing is left
        return self._ttl_us / SECOND / 3

    async def _register(self) -> None:
        hello = self._hello(self._session.id)
        # A session that begins anew keeps the role that this process was given, by a user or by a promotion.
        await self._store.register(hello, kind="server", ttl_us=self._ttl_us, role=self._role.current)
        if self._role.is_drained:  # the cluster gave its last session up: the user's wish goes on
            await self._store.drain(self._session.id, by=Actor(name=hello.name, reason=DRAINED_BEFORE))
        self._registered = True
        self._advertises = bool(hello.address)
        self._beats = 0

    async def leave(self) -> None:
        if self._registered:
            await self._store.leave(Leaving(session=self._session.id), self._judge)
