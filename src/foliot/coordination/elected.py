"""A coordinator on a service beside the store: only the server that the service chose bids for the next term.

A task keeps this server's place in the service's line of candidates, and with it a local view: who is chosen, and when
the service answered last. The duty that campaigns asks that view and never waits for the service.

The service is never needed. Every server bids when it has been silent for a term, or when the store's row has been free
for two terms because the chosen server does not bid.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

import structlog

from foliot.coordination.backend import Backend
from foliot.coordination.reasons import reason
from foliot.coordination.store import StoreCoordinator
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import MISSED, PendingWakeups
from foliot.ports.coordinator import ELECTION, CoordinatorHealth, ElectionParts, LeaderRow
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.nodes import Term

BEATS_PER_TERM: Final = 4
ANSWERS_PER_TERM: Final = 3
"""An answer that takes longer than this part of a term is none."""
TERMS_ASIDE: Final = 2
IDLE_REST_S: Final = 3600.0
LEAVE_WITHIN_S: Final = 1.0
"""How long a server that ends waits for each of its goodbyes: tasks, place and connection."""
CANCELS_MAX: Final = 3
"""A client's library may swallow a cancel: the next one ends its task."""

log = structlog.get_logger("foliot.coordination")


class ElectedCoordinator(StoreCoordinator):
    """`ports.coordinator.Coordinator` on any `Backend`. The term is the store's (R16)."""

    def __init__(self, parts: ElectionParts, backend: Backend, *, name: str) -> None:
        """`name`: what people call the service."""
        super().__init__(parts)
        self._backend = backend
        self._name = name
        self._clock = parts.clock
        self._chance = parts.chance
        self._term_s = parts.times.term_us / SECOND
        self._woken: Callable[[str], None] = _nobody
        self._keeping: list[asyncio.Task[None]] = []
        self._hearing: set[asyncio.Task[None]] = set()
        # this server, as its duties say
        self._session = ""
        self._former: list[str] = []  # sessions whose places are to be given up
        self._may_be_first = False
        self._free_since: float | None = None  # when this server first saw that nobody holds the row
        self._handed_at: float | None = None  # when this server was given a term by the leader before it
        self._aside_until = 0.0
        # the service, as this server sees it
        self._look = asyncio.Event()
        self._chosen: str | None = None
        self._idle: str | None = None  # a chosen server that does not lead
        self._wanted: str | None = None  # a server that the service does not know yet that it is to choose
        self._heard_at = self._clock.monotonic()
        self._latency_s: float | None = None
        self._failures = 0  # since it answered last
        self._is_away = False
        self._told: set[str] = set()  # why it is away, as far as the log says
        self._outages = 0
        # wake-ups, where the database has none
        self._pending = PendingWakeups()
        self._something = asyncio.Event()

    # -- who bids -------------------------------------------------------------------------------------------------

    def may_bid(self, session: str, row: LeaderRow | None) -> bool:
        self._stand_as(session)
        is_free = super().may_bid(session, row)
        self._may_be_first = is_free
        if not is_free:
            self._free_since = None
            return False
        now = self._clock.monotonic()
        if row is not None and row.session == session and row.until >= row.now:
            self._handed_at = now  # the leader before gave it: it is to be renewed
            return True
        if self._free_since is None:
            self._free_since = now
        if self._chosen == session or self._is_silent or self._is_idle:
            return True
        is_overdue = now - self._free_since > 2 * self._term_s
        if is_overdue:
            self._idle = self._chosen
        return is_overdue

    def heir(self, session: str) -> str | None:
        """The server that the service chose, while this one leads: it won when the service was away."""
        self._stand_as(session)
        self._may_be_first = True
        self._free_since = None
        if self._is_silent or self._is_idle or self._chosen == session:
            return None
        was_just_handed = self._handed_at is not None and self._clock.monotonic() - self._handed_at < self._term_s
        return None if was_just_handed else self._chosen

    def health(self) -> CoordinatorHealth | None:
        return CoordinatorHealth(
            is_up=not self._is_silent,
            is_chosen=self._chosen == self._session and not self._is_silent,
            latency_s=self._latency_s,
            outages=self._outages,
            silent_s=self._clock.monotonic() - self._heard_at,
        )

    async def campaign(self, session: str) -> Term | None:
        self._stand_as(session)
        try:
            return await super().campaign(session)
        except StoreUnavailable:
            self._stand_aside()  # another server may still reach the store
            raise

    async def transfer(self, heir: str, *, session: str, term: int) -> int | None:
        handed = await super().transfer(heir, session=session, term=term)
        if handed is None:
            self._idle = heir if heir == self._chosen else None
        elif heir != self._chosen:
            self._wanted = heir
            self._look.set()
        return handed

    async def resign(self, session: str, *, term: int) -> None:
        await super().resign(session, term=term)
        self._stand_aside()

    def withdraw(self) -> None:
        """Leave the line of candidates."""
        if self._session:
            self._former.append(self._session)
            self._session = ""
            self._look.set()

    @property
    def _is_silent(self) -> bool:
        return self._clock.monotonic() - self._heard_at > self._term_s

    @property
    def _is_idle(self) -> bool:
        """Whether the chosen server is known not to lead."""
        return self._idle is not None and self._idle == self._chosen

    def _stand_as(self, session: str) -> None:
        if session == self._session:
            return
        if self._session:
            self._former.append(self._session)
        self._session = session
        self._look.set()

    def _stand_aside(self) -> None:
        """Go to the end of the line: this server cannot lead, or does not want to."""
        self._aside_until = self._clock.monotonic() + TERMS_ASIDE * self._term_s
        if self._session not in self._former:  # the service may be away for many campaigns
            self._former.append(self._session)
        self._look.set()

    # -- life -----------------------------------------------------------------------------------------------------

    async def listen(self, woken: Callable[[str], None]) -> None:
        assert not self._keeping, "it listens already"
        await super().listen(woken)
        self._woken = woken
        self._heard_at = self._clock.monotonic()
        self._keeping = [asyncio.create_task(self._keep_place(), name="candidacy")]
        if self._wakeups is None:
            self._keeping.append(asyncio.create_task(self._keep_sending(), name="wake-ups"))
        self._hear_anew()

    async def close(self) -> None:
        await super().close()
        await self._end_tasks()
        within_s = min(LEAVE_WITHIN_S, self._term_s / ANSWERS_PER_TERM)
        if self._session and not self._is_silent:
            await self._tried(self._backend.leave(self._session), within_s=within_s)
        await self._tried(self._backend.close(), within_s=LEAVE_WITHIN_S)

    async def _end_tasks(self) -> None:
        tasks = {*self._keeping, *self._hearing}
        self._keeping = []
        for _ in range(CANCELS_MAX):
            if not tasks:
                return
            for task in tasks:
                task.cancel()
            _, tasks = await asyncio.wait(tasks, timeout=LEAVE_WITHIN_S / CANCELS_MAX)

    async def _keep_place(self) -> None:
        while True:
            self._look.clear()
            if self._session or self._former:
                await self._beat()
            await self._clock.wait(self._look, for_s=self._term_s / BEATS_PER_TERM)

    async def _beat(self) -> None:
        """Keep the place in the line, and look who is chosen."""
        began = self._clock.monotonic()
        session = self._session
        try:
            async with asyncio.timeout(self._term_s / ANSWERS_PER_TERM):
                await self._say_what_changed()
                if not session:  # a standby is no candidate
                    return
                may_be_first = self._may_be_first and began >= self._aside_until
                chosen = await self._backend.stand(session, may_be_first=may_be_first)
        except Exception as error:  # noqa: BLE001  whatever the service or its client does, the next beat may work
            self._failed(error)
            return
        self._learn(session, chosen, began)

    async def _say_what_changed(self) -> None:
        while self._former:
            await self._backend.leave(self._former[0])
            del self._former[0]
        if self._wanted is not None:
            await self._backend.prefer(self._wanted, session=self._session)
            self._wanted = None

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        if not self._is_silent:
            return
        why = reason(error)
        if why not in self._told:  # once each: an outage that lasts does not fill the log
            self._told.add(why)
            log.warning("coordinator.away", backend=self._name, why=why)
        if not self._is_away:
            self._is_away = True
            self._outages += 1
            self._woken(ELECTION)

    def _learn(self, session: str, chosen: str | None, began: float) -> None:
        self._latency_s = self._clock.monotonic() - began
        self._heard_at = began
        is_change = chosen != self._chosen
        self._chosen = chosen
        if is_change:
            self._idle = None
        if self._failures:
            self._failures = 0
            self._hear_anew()  # a connection that waits for wake-ups may hang where the service was
        if self._is_away:
            self._is_away = False
            self._told.clear()
            log.info("coordinator.back", backend=self._name)
            self._woken(ELECTION)
        elif is_change and chosen == session:
            self._woken(ELECTION)

    # -- wake-ups -------------------------------------------------------------------------------------------------

    def send(self, topic: str) -> None:
        if self._wakeups is not None:
            self._wakeups.send(topic)
        elif self._pending.add(topic):
            self._something.set()

    async def _keep_sending(self) -> None:
        while True:
            rest_s = self._pending.rest_s(self._clock.monotonic())
            if rest_s == 0:
                await self._publish(self._pending.take(self._clock.monotonic()))
                continue
            await self._clock.wait(self._something, for_s=IDLE_REST_S if rest_s is None else rest_s)
            self._something.clear()

    async def _publish(self, topics: Sequence[str]) -> None:
        """Send one message. When that fails, the next one says so: what was in this one is not kept."""
        if not await self._tried(self._backend.publish(topics), within_s=self._term_s / ANSWERS_PER_TERM):
            self._pending.add(MISSED)
            await self._clock.wait(asyncio.Event(), for_s=self._term_s / BEATS_PER_TERM)

    def _hear_anew(self) -> None:
        for former in self._hearing:
            former.cancel()
        task = asyncio.create_task(self._keep_hearing(), name="hearing")
        # A client may swallow the cancel of a task: it is kept until it has ended, so that `close` can repeat that.
        self._hearing.add(task)
        task.add_done_callback(self._hearing.discard)

    async def _keep_hearing(self) -> None:
        while True:
            with contextlib.suppress(Exception):  # a wake-up that is lost is not missed: servers poll
                await self._backend.hear(self._heard)
            rest_s = self._term_s / BEATS_PER_TERM * (0.5 + self._chance.fraction())
            await self._clock.wait(asyncio.Event(), for_s=rest_s)

    def _heard(self, topic: str) -> None:
        if topic == ELECTION:
            self._look.set()
        elif self._wakeups is None:
            self._woken(topic)

    async def _tried(self, call: Coroutine[Any, Any, None], *, within_s: float) -> bool:
        """Wait for a call that is not needed, and not for long; return whether it worked."""
        try:
            async with asyncio.timeout(within_s):
                await call
        except Exception:  # noqa: BLE001  whatever the service or its client does
            return False
        return True


def _nobody(topic: str) -> None:
    del topic
