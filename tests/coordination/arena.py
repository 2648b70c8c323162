"""Servers that want to lead, without the rest of a server, and the coordination service between them."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from foliot.app.plugins import load
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.instants import SECOND, Micros
from foliot.domain.verdict import judge
from foliot.engine.leadership import Leadership, Leading
from foliot.engine.loop import DutyLoop
from foliot.engine.presence import OwnSession
from foliot.engine.pulse import Pulsing, Tide
from foliot.ports.coordinator import ELECTION, Coordinator, CoordinatorHealth, ElectionParts, ElectionTimes
from foliot.ports.store import Store
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.wakeups import Wakeups
from foliot.ports.worker_link import Hello, Leaving

CLOCK, CHANCE = SystemClock(), SystemChance()


class Service(Protocol):
    """A coordination service under test."""

    @property
    def term_us(self) -> Micros:
        """How long a term lasts there: as short as the service bears."""
        ...

    @property
    def is_beside_the_store(self) -> bool: ...

    def url(self) -> str: ...

    def stop(self) -> None:
        """It answers nobody any more."""
        ...

    def start(self) -> None:
        """It is back, with what it kept."""
        ...


@dataclass
class Spell:
    """A time during which one server trusted one term, on the monotonic clock of this machine."""

    term: int
    session: str
    began: float
    ended: float


class Bid(NamedTuple):
    """A campaign of a server that did not lead, and how it saw the service then."""

    session: str
    health: CoordinatorHealth | None

    @property
    def is_right(self) -> bool:
        """The service chose it, or was silent, or there is none."""
        return self.health is None or self.health.is_chosen or not self.health.is_up


@dataclass
class History:
    """Who led when, and who bid."""

    spells: list[Spell] = field(default_factory=list)
    bids: list[Bid] = field(default_factory=list)

    def check(self) -> None:
        """Terms rise, each has one server, and no two are trusted at once (I10)."""
        spells = sorted(self.spells, key=lambda spell: spell.began)
        terms = [spell.term for spell in spells]
        assert terms == sorted(terms), spells
        servers = {(spell.term, spell.session) for spell in spells}
        assert len(servers) == len({term for term, _ in servers}), "two servers in one term"
        for one, other in itertools.pairwise(spells):
            assert one.ended <= other.began, (one, other)


class WatchedLeadership(Leadership):
    """Leadership that writes down how long each term was trusted."""

    def __init__(self, session: OwnSession, history: History) -> None:
        super().__init__(CLOCK)
        self._own = session
        self._history = history
        self._spell: Spell | None = None

    def won(self, number: int, *, trusted_until: float) -> None:
        if self.term != number or self._spell is None:
            self._spell = Spell(number, self._own.id, CLOCK.monotonic(), trusted_until)
            self._history.spells.append(self._spell)
        self._spell.ended = trusted_until
        super().won(number, trusted_until=trusted_until)

    def lost(self) -> None:
        if self._spell is not None:
            self._spell.ended = min(self._spell.ended, CLOCK.monotonic())
        self._spell = None
        super().lost()


class Candidate:
    """A server as far as elections go: pulse, leadership and its own coordinator."""

    def __init__(self, store: Store, service: Service, history: History, *, wakeups: Wakeups | None = None) -> None:
        self.session = OwnSession(CHANCE)
        self.leadership = WatchedLeadership(self.session, history)
        self.heard: list[str] = []
        self.stands_by = False  # or is drained: it never bids, and gives up what it has
        self._store = store
        self._history = history
        times = ElectionTimes(term_us=service.term_us, session_us=SESSION_TTL_US)
        parts = ElectionParts(terms=store.nodes, times=times, wakeups=wakeups, clock=CLOCK, chance=CHANCE)
        url = service.url()
        self.coordinator: Coordinator = load("foliot.coordinators", url.partition(":")[0])(parts, url=url)
        tide = Tide(CLOCK)
        self._pulsing = Pulsing(store.firing, tide, clock=CLOCK, every_s=service.term_us / SECOND / 10)
        self.leading = Leading(
            self._counted(self.coordinator),
            self.leadership,
            tide,
            session=self.session,
            ttl_us=service.term_us,
            margin_us=service.term_us // 5,
            clock=CLOCK,
            on_change=lambda _term: None,
            rests=lambda: self.stands_by,
        )
        self._pulsing.on_pulse(self.leading.heard)
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def leads(self) -> bool:
        return self.leadership.term is not None

    @property
    def is_chosen(self) -> bool:
        health = self.coordinator.health()
        return health is not None and health.is_chosen

    async def start(self) -> None:
        hello = Hello(session=self.session.id, name=self.session.id[:8], group="", slots=0, handlers=())
        await self._store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
        await self.coordinator.listen(self._woken)
        duties = DutyLoop([self._pulsing, self.leading], clock=CLOCK, chance=CHANCE)
        self._task = asyncio.create_task(duties.run(self._stop))

    def take_part(self) -> None:
        """It stands by no more."""
        self.stands_by = False
        self.leading.wake.set()

    async def leave(self) -> None:
        """End in order, as a server does."""
        await self._end()
        await self.leading.resign()
        await self._store.nodes.leave(Leaving(session=self.session.id), judge)
        await self.coordinator.close()

    async def _end(self) -> None:
        self._stop.set()
        if self._task is not None:
            await self._task
            self._task = None

    async def aclose(self) -> None:
        if self._task is not None:
            await self._end()
            self.leadership.lost()
            await self.coordinator.close()

    def _woken(self, topic: str) -> None:
        self.heard.append(topic)
        if topic == ELECTION:
            self._pulsing.wake.set()
            self.leading.wake.set()

    def _counted(self, coordinator: Coordinator) -> Coordinator:
        """The coordinator, with every bid of a server that does not lead written down."""
        campaign = coordinator.campaign

        async def counted(session: str) -> object:
            if not self.leads:
                self._history.bids.append(Bid(session, coordinator.health()))
            return await campaign(session)

        coordinator.campaign = counted  # type: ignore[method-assign,assignment]
        return coordinator


class Arena:
    """Candidates on one store and one service."""

    def __init__(self, store: Store, service: Service) -> None:
        self.service = service
        self.history = History()
        self.candidates: list[Candidate] = []
        self._store = store

    async def join(self, *, wakeups: Wakeups | None = None, stands_by: bool = False) -> Candidate:
        candidate = Candidate(self._store, self.service, self.history, wakeups=wakeups)
        candidate.stands_by = stands_by
        self.candidates.append(candidate)
        await candidate.start()
        return candidate

    async def wish(self, heir: Candidate) -> None:
        """Say that this one is to lead, as `foliot cluster step-down --to` does."""
        await self._store.nodes.wish(heir.session.id, ttl_us=2 * SECOND)

    def leader(self) -> Candidate | None:
        """The one that leads, if there is one and, beside the store, the service chose it."""
        leaders = [one for one in self.candidates if one.leads]
        if len(leaders) != 1:
            return None
        is_settled = leaders[0].is_chosen or not self.service.is_beside_the_store
        return leaders[0] if is_settled else None

    def leads_for_good(self, *candidates: Candidate) -> Callable[[], Candidate | None]:
        """One that has led in one term for longer than a term lasts: it was renewed, and nobody wants it back."""
        seen: list[tuple[Candidate, int, float]] = []

        def has_led() -> Candidate | None:
            leader = self.leader()
            if leader is None or leader not in candidates:
                seen.clear()
                return None
            number = leader.leadership.number
            if seen and seen[0][:2] != (leader, number):
                seen.clear()
            seen.append((leader, number, CLOCK.monotonic()))
            has_lasted = seen[-1][2] - seen[0][2] > 1.2 * self.service.term_us / SECOND
            return leader if has_lasted else None

        return has_led


@asynccontextmanager
async def arena_of(store: Store, service: Service) -> AsyncIterator[Arena]:
    """An arena that ends in order; its history must be right whatever happened in it."""
    arena = Arena(store, service)
    try:
        yield arena
    finally:
        for candidate in arena.candidates:
            await candidate.aclose()
    arena.history.check()
