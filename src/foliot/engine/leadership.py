"""Leadership: keep or seek the term under which this server does the leader's duties (R16). Not needed for safety."""

import asyncio
from collections.abc import Callable

import structlog

from foliot.domain.instants import SECOND, Micros
from foliot.engine.presence import OwnSession
from foliot.engine.pulse import Tide
from foliot.ports.clock import Clock
from foliot.ports.coordinator import Coordinator, LeaderRow
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.firing import Pulse

log = structlog.get_logger("foliot.engine")


class Leadership:
    """Whether this server may act as leader now: a term, trusted on the monotonic clock from before the bid."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._number = 0
        self._trusted_until = 0.0

    @property
    def term(self) -> int | None:
        """The term to write under, or None: follower, or in doubt."""
        return self._number if self._clock.monotonic() < self._trusted_until else None

    @property
    def number(self) -> int:
        """Of the last term that was won."""
        return self._number

    def won(self, number: int, *, trusted_until: float) -> None:
        self._number = number
        self._trusted_until = trusted_until

    def lost(self) -> None:
        self._trusted_until = 0.0


class Leading:
    """The duty that campaigns, renews, and steps down in doubt."""

    name = "leading"

    def __init__(
        self,
        coordinator: Coordinator,
        leadership: Leadership,
        tide: Tide,
        *,
        session: OwnSession,
        ttl_us: Micros,
        margin_us: Micros,
        clock: Clock,
        on_change: Callable[[int | None], None],
        on_handed: Callable[[], None] = lambda: None,
        rests: Callable[[], bool] = lambda: False,
    ) -> None:
        """`on_handed`: called when another server leads now, so that it learns of it soon.

        `rests`: this server is a standby or drained: it never bids and gives up what it has.
        """
        self.wake = asyncio.Event()
        self._coordinator = coordinator
        self._leadership = leadership
        self._tide = tide
        self._session = session
        self._ttl_us = ttl_us
        self._margin_us = margin_us
        self._clock = clock
        self._on_change = on_change
        self._on_handed = on_handed
        self._rests = rests
        self._seen: int | None = None
        self._resigned = False
        self._heir: str | None = None

    async def step(self) -> float:
        if self._resigned:
            return self._ttl_us / SECOND
        if self._rests():
            await self._let_go()
            self._coordinator.withdraw()
            return self._ttl_us / SECOND / 5
        leading = self._leadership.term is not None
        heir = self._next_leader() if leading else None
        if heir is not None:
            await self._hand_over(heir)
            return self._ttl_us / SECOND / 5
        if not leading and not self._coordinator.may_bid(self._session.id, self._leader_row()):
            self._tell(None)
            return self._ttl_us / SECOND / 5
        sent_at = self._clock.monotonic()
        try:
            term = await self._coordinator.campaign(self._session.id)
        except StoreUnavailable:
            if self._leadership.term is None:
                self._tell(None)
            raise
        if term is None:
            self._leadership.lost()
            self._tell(None)
        else:
            trusted_until = sent_at + (self._ttl_us - self._margin_us) / SECOND
            self._leadership.won(term.number, trusted_until=trusted_until)
            self._tell(term.number)
        return self._ttl_us / SECOND / 3

    def heard(self, pulse: Pulse) -> None:
        """Wake the duty when another server is to lead, or when the term was handed to this server."""
        is_leader = self._leadership.term is not None
        self._heir = pulse.heir if pulse.heir != self._session.id else None
        must_hand_over = is_leader and self._heir is not None
        was_handed_to_us = not is_leader and pulse.leader == self._session.id
        if must_hand_over or was_handed_to_us:
            self.wake.set()

    def _next_leader(self) -> str | None:
        """Return the server that is to lead instead: one that a person asked for, or that the coordinator chose."""
        return self._heir or self._coordinator.heir(self._session.id)

    async def _hand_over(self, heir: str) -> None:
        """Hand the next term to another server. First this server stops trusting its own: they never overlap (I10)."""
        self._heir = None
        number = self._leadership.number
        self._leadership.lost()
        self._tell(None)
        handed = await self._coordinator.transfer(heir, session=self._session.id, term=number)
        if handed is None:  # the heir is gone, or another server won meanwhile: every server may campaign
            log.warning("leader.not_handed_over", term=number, heir=heir)
            return
        log.info("leader.handed_over", term=handed, heir=heir)
        self._on_handed()

    async def resign(self) -> None:
        """Hand over at once: the next campaign of another server wins."""
        self._resigned = True
        await self._let_go()

    async def _let_go(self) -> None:
        term = self._leadership.term
        self._leadership.lost()
        if term is not None:
            await self._coordinator.resign(self._session.id, term=term)
        self._tell(None)

    def _leader_row(self) -> LeaderRow | None:
        """Return the leader's row of the last pulse."""
        pulse = self._tide.pulse
        if pulse is None:
            return None
        return LeaderRow(session=pulse.leader, until=pulse.leader_until, now=self._tide.store_now())

    def _tell(self, term: int | None) -> None:
        if term != self._seen:
            self._seen = term
            log.info("leader.changed", term=term, leading=term is not None)
            self._on_change(term)
