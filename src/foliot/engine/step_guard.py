"""The step guard: a store clock that jumps ahead must not fire the hours in between (R7).

At each pulse store time is compared with the machine's own time since boot. A forward step without an outage holds this
server's firing for one beat and is reported; when most servers saw it, the store flags its clock as suspect, and due is
judged by the time they believe in: store time less the step. It ends when the clock steps back, or a person trusts it.
A step back only delays; deadlines from the future are clamped by the leader's next tick.

Over an outage the boot-time clock alone says nothing, because a paused machine's stands still: a step is believed while
the wall clock of this machine has seen it too. Otherwise wall clocks are compared, shown and warned of; when the median
of three sessions or more is far from store time, the clock is suspect as well, but due stays what the servers reckon.
"""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

import structlog

from foliot.domain.clocks import APART_US, STEP_US, ClockDoubt, Offset, is_apart
from foliot.domain.instants import SECOND, Instant, Micros, to_instant
from foliot.engine.presence import OwnSession
from foliot.ports.clock import Clock
from foliot.ports.store.firing import Pulse
from foliot.ports.store.nodes import NodeStore

OUTAGE_S: Final = 3.0
"""Between two pulses; a step over a longer gap needs a second witness."""
REGULAR_S: Final = 2.0
BEATS_AFTER_OUTAGE: Final = 3
"""How long firing is held when pulses had stopped: the other servers come back one by one, and must report first."""
SEEN_LATE_US: Final[Micros] = 10 * SECOND
"""A jump that others saw was flagged at most so much later, about."""
REST_S: Final = 5.0
LOOK_EVERY_S: Final = 15.0
"""How often the leader looks at the clocks of all servers while no server reports a wrong one."""

log = structlog.get_logger("foliot.engine")


class _Reading(NamedTuple):
    """Three clocks at one moment."""

    store: Instant
    boot_s: float
    wall: Instant

    @property
    def lead_us(self) -> Micros:
        """Of store time over the wall clock."""
        return self.store - self.wall


class _Jump(NamedTuple):
    """A jump ahead: a store time between what was written before it and since, and where the clock came out."""

    good_until: Instant
    landed: Instant


class StepGuard:
    """Watches the store's clock, and says up to when instants are due."""

    name = "step guard"

    def __init__(
        self,
        store: NodeStore,
        session: OwnSession,
        *,
        clock: Clock,
        boottime: Callable[[], float],
        hold_s: float,
    ) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._session = session
        self._clock = clock
        self._boottime = boottime
        self._hold_s = hold_s
        self.firing_held_until = 0.0  # firing decides nothing before this time of the monotonic clock
        self._last: _Reading | None = None
        self._held_until = 0.0
        self._ahead_us: Micros = 0  # store time's lead over our own reckoning; negative: it stepped back
        self._gap: tuple[Micros, Micros] | None = None  # a step over an outage, and the lead over the wall before it
        self._reported: tuple[str, Micros | None] | None = None
        self._is_hearsay = False  # the lead is from the store, this server did not see the step itself
        self._jump: _Jump | None = None  # the last one ahead; of no use while there is no lead
        self._is_leader = False
        self._told_us: Micros | None = None  # the lead that the store knows, at the last pulse
        self._knows = False  # this server watched the clock all along; otherwise it takes the lead that the store knows
        self._is_blind = False  # this server does not know how far the suspect clock is ahead, so not the time either
        self.is_suspect = False
        self.offset = Offset()  # of this machine's wall clock
        self.steps = 0  # forward ones seen

    def heard(self, pulse: Pulse) -> None:
        """A pulse came in."""
        now = _Reading(pulse.now, self._boottime(), to_instant(self._clock.now()))
        before = self._last
        self._last = now
        self._is_leader = pulse.leader == self._session.id
        self._mind_wall(now)
        lead_us = self._lead_us
        if before is None:
            self._knows = not pulse.clock_suspect
            self.wake.set()
        else:
            self._compare(before, now)
        if self.is_suspect and not pulse.clock_suspect:
            self._trusted(self._lead_us - lead_us)
        self._mind_gap(now)
        self._mind_flag(pulse)
        if self._is_blind:
            self._hold_firing(self._clock.monotonic() + self._hold_s)
        elif self._lead_us > 0 and not self.is_suspect and self._told != self._reported:
            self._hold_for(self._hold_s)  # other servers cannot confirm it before this server has reported it

    def due_until(self, store_now: Instant) -> Instant | None:
        """While the clock is suspect: instants after this one are not due, whatever the store's clock says."""
        return store_now - max(0, self._lead_us) if self.is_suspect else None

    def believed(self, store_now: Instant) -> Instant:
        """Store time less the lead that this server sees, whether or not the others do."""
        return store_now - max(0, self._lead_us)

    def doubt(self, store_now: Instant) -> ClockDoubt | None:
        """How to judge what is due while store time is ahead of the reckoning of this server; None: it is not."""
        if self._lead_us <= 0 or self._jump is None:
            return None
        return ClockDoubt(self.believed(store_now), *self._jump)

    async def step(self) -> float:
        """Report the lead, and forget it when no other server saw it."""
        if self._last is None or self._is_blind:
            return REST_S
        is_reported = self._told == self._reported
        is_hold_over = self._clock.monotonic() >= self._held_until
        if self._lead_us > 0 and not self.is_suspect and is_reported and is_hold_over:
            log.warning("clock.step_accepted", step_s=self._lead_us / SECOND)
            self._forget()
        told = self._told
        if told != self._reported or self._is_concerned:
            await self._store.report_clock(
                self._session.id, ahead_us=told[1], offset_us=self.offset.us, suspect=self.is_suspect
            )
            self._reported = told
        if self._lead_us > 0 or self.is_suspect:
            return min(REST_S, self._hold_s)
        if self._is_leader and not is_apart(self.offset.us or 0):
            return LOOK_EVERY_S
        return REST_S

    @property
    def _lead_us(self) -> Micros:
        return self._ahead_us + (self._gap[0] if self._gap else 0)

    @property
    def _told(self) -> tuple[str, Micros | None]:
        """Return what this server reports of the clock; None: it has its lead from others and saw nothing itself."""
        lead_us = None if self._is_hearsay else self._lead_us
        return self._session.id, lead_us

    @property
    def _is_concerned(self) -> bool:
        """Whether to look at the reports of all servers, though this server has nothing new. The leader always does."""
        return self.is_suspect or self._is_leader or is_apart(self.offset.us or 0)

    def _mind_wall(self, now: _Reading) -> None:
        if self.offset.learn(now.wall, now.store):
            tell = log.warning if self.offset.is_off else log.info
            tell("clock.off" if self.offset.is_off else "clock.right", ahead_of_store_s=-now.lead_us / SECOND)

    def _compare(self, before: _Reading, now: _Reading) -> None:
        elapsed_s = now.boot_s - before.boot_s
        step_us = now.store - before.store - int(elapsed_s * SECOND)
        if abs(step_us) <= STEP_US:
            return
        if step_us > 0:
            self._jump = _Jump(before.store + step_us // 2, before.store + step_us)
        hold_s = self._hold_s * (1 if elapsed_s <= REGULAR_S else BEATS_AFTER_OUTAGE)
        if elapsed_s <= OUTAGE_S or step_us < 0:
            if self._gap is None:
                self._ahead_us += step_us
            else:
                self._gap = (self._gap[0] + step_us, self._gap[1])
            self._stepped(step_us, hold_s)
        elif step_us > APART_US and _is_seen(step_us, before.lead_us, now):
            self._ahead_us, self._gap = self._lead_us, (step_us, before.lead_us)
            self._stepped(step_us, hold_s)
        else:
            self._knows = False  # was it the store's clock, or did this machine stand still?

    def _stepped(self, step_us: Micros, hold_s: float) -> None:
        self._is_hearsay = False
        if abs(self._lead_us) <= STEP_US:
            self._forget()  # put right again
        if step_us < 0:
            log.warning("clock.stepped_back", step_s=step_us / SECOND)
        elif self._lead_us <= 0:  # it only makes up for a step back
            log.warning("clock.stepped_forward", step_s=step_us / SECOND)
        else:
            self.steps += 1
            self._hold_for(hold_s)
            log.error("clock.stepped_forward", step_s=step_us / SECOND, held_s=hold_s)
        self.wake.set()

    def _mind_gap(self, now: _Reading) -> None:
        """Forget a step over an outage when the wall clock is put right: this machine was paused."""
        if self._gap is not None and not _is_seen(*self._gap, now):
            self._gap = None
            self.wake.set()

    def _mind_flag(self, pulse: Pulse) -> None:
        if pulse.clock_suspect and not self.is_suspect:
            ahead_s = (pulse.clock_ahead_us or 0) / SECOND
            log.error("clock.suspect", ahead_s=ahead_s, hint="foliot db trust-clock, if it is right")
            self._is_blind = not self._knows
        self.is_suspect = pulse.clock_suspect
        told_us, self._told_us = self._told_us, pulse.clock_ahead_us
        if self._told_us is None or not self.is_suspect:
            return
        self._is_blind = False
        if not self._knows and self._told_us > (told_us or 0) + STEP_US:
            self._ahead_us = self._told_us
            self._knows = self._is_hearsay = True
            good_until = pulse.clock_good_until or pulse.now - self._told_us
            self._jump = _Jump(good_until, good_until + self._told_us - SEEN_LATE_US)
            self.wake.set()

    def _trusted(self, step_us: Micros) -> None:
        """End the doubt. `step_us`: seen since the last pulse; if it did not put the clock right, it is a new step.

        The lead before it may have been put right meanwhile, or a user may have trusted it: the greater one is safe.
        """
        log.info("clock.trusted")
        remains_us = max(step_us, self._lead_us) if step_us and self._lead_us else 0
        self._forget()
        self._ahead_us = remains_us
        if remains_us > 0:
            self._hold_for(self._hold_s * BEATS_AFTER_OUTAGE)
        self._knows = True
        self.is_suspect = self._is_blind = False
        self.wake.set()

    def _hold_for(self, hold_s: float) -> None:
        self._held_until = self._clock.monotonic() + hold_s
        self._hold_firing(self._held_until)

    def _hold_firing(self, until: float) -> None:
        self.firing_held_until = max(self.firing_held_until, until)

    def _forget(self) -> None:
        self._ahead_us = 0
        self._gap = None
        self._is_hearsay = False


def _is_seen(step_us: Micros, lead_us: Micros, now: _Reading) -> bool:
    """Whether the wall clock saw most of a step too, going by store time's lead over it before."""
    return now.lead_us - lead_us > step_us // 2
