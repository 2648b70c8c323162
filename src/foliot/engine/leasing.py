"""Leasing: parked polls of workers get due runs, one transaction for all of them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import structlog

from foliot.domain.clocks import STEP_US, ClockDoubt
from foliot.domain.errors import ClusterTrouble, InvalidInput
from foliot.domain.health import USUAL_RULES, Health, HealthRules
from foliot.domain.instants import SECOND
from foliot.domain.step_gap import StepGap
from foliot.engine.lane_book import LaneBook
from foliot.engine.pulse import Tide
from foliot.ports.clock import Clock
from foliot.ports.store.assignment import AskRoute
from foliot.ports.store.errors import OutcomeUnknown
from foliot.ports.store.firing import Pulse
from foliot.ports.store.runs import Granted, Poll, Reckon, RunStore
from foliot.ports.worker_link import Hello, Leased, LeasePoll

BATCH_MAX: Final = 1000
REST_MAX_S: Final = 1.0
POLL_MAX_S: Final = 30.0
GRACE_S: Final = 1.0
"""A poll whose time is over is answered by the duty itself; when the duty is late, the server answers after this."""
LEASE_WITHIN_S: Final = 6.0  # the store gives a transaction up before that
CALL_EVERY_S: Final = 1.0
FORGET_EVERY_S: Final = 60.0
GAP_MAX_S: Final = 0.039
"""Runs that become ready within so long are leased together: the first of them waits for the others.

A lease and the end that follows it cost more than a fire, and a start may be later than a decision.
"""
ALONE_FOR_S: Final = 0.2
"""For so long after a lease of one run the next may be the lease of the run that waits behind it."""
MANY_RUNS: Final = 200
"""A lease of so many is no thin one: what it cost was the work."""
LOOKS_MAX: Final = 64  # of one step: finding a bad poll among a thousand takes twenty

log = structlog.get_logger("foliot.leasing")


class PollRefused(InvalidInput):
    """A worker's poll that cannot be served; the others are."""

    code = "FOL-1041"

    def __init__(self) -> None:
        super().__init__(
            "This poll for runs cannot be served: looking for its runs fails.",
            hint="the server's log tells more: poll.refused; worker and server versions may differ",
        )


class ServerStops(ClusterTrouble):
    """A worker polls a server that is stopping."""

    code = "FOL-5040"

    def __init__(self) -> None:
        super().__init__("This server stops and hands out no more runs.", hint="ask another server of the cluster")


class ServerStandsBy(ClusterTrouble):
    """A worker polls a standby."""

    code = "FOL-5055"

    def __init__(self) -> None:
        super().__init__(
            "This server is a standby and hands out no runs.",
            hint="ask an active server of the cluster: foliot node list",
        )


class ServerDrained(ClusterTrouble):
    """A user drained this server; the worker looks for another one."""

    code = "FOL-5080"

    def __init__(self) -> None:
        super().__init__(
            "This server is drained and hands out no runs.",
            hint="ask another server of the cluster: foliot node list",
        )


@dataclass(slots=True)
class _Parked:
    poll: LeasePoll
    answer: asyncio.Future[Leased]
    until: float
    is_looked_for: bool = False  # the server tried a lease for it: a poll that does not wait has had its chance
    is_in_doubt: bool = False  # the server does not know whether that lease was committed


class _Looked(NamedTuple):
    """What a look for the parked polls found."""

    is_more: bool  # the batch was full
    is_full: bool  # some poll got all that it asked for, or all together got many: more may wait for them
    runs: int  # that were leased


class Leasing:
    """Keeps the parked polls and serves them in batches; `ports.lease_desk.LeaseDesk` for the worker service."""

    name = "leasing"

    def __init__(
        self,
        store: RunStore,
        lanes: LaneBook,
        tide: Tide,
        *,
        clock: Clock,
        on_granted: Callable[[Granted], None],
        doubt: Callable[[], ClockDoubt | None] = lambda: None,
        health: HealthRules = USUAL_RULES,
        rests: Callable[[], ClusterTrouble | None] = lambda: None,
        ask_route: AskRoute | None = None,
        on_assigned: Callable[[], None] = lambda: None,
    ) -> None:
        """`doubt`: what is thought of the store's clock at this moment; None: it is trusted.

        `rests`: why this server hands out no runs, so that its workers are to ask elsewhere; None: it does.
        `ask_route`: None: no route is asked. `on_assigned`: some runs are meant for workers that ask other servers.
        """
        self.wake = asyncio.Event()
        self.lanes = lanes
        self._store = store
        self._tide = tide
        self._clock = clock
        self._on_granted = on_granted
        self._doubt = doubt
        self._health = health
        self._rests = rests
        self._ask_route = ask_route
        self._on_assigned = on_assigned
        self._asks_again = False  # some run is assigned: perhaps to a worker that is gone
        self._parked: dict[str, _Parked] = {}
        self._beats_wanted = False
        self._called_at = -CALL_EVERY_S
        self._again_at_s: float | None = None  # when a rate that is used up lets the next run start
        self._forgot_at = clock.monotonic()
        self._stopping = False
        self._is_leasing = False  # a lease is under way for the parked polls
        self._has_news = False  # this server has just made runs ready
        self._gap = StepGap(GAP_MAX_S)
        self._alone_until = -ALONE_FOR_S  # the last runs that were leased were one run, not long ago

    @property
    def parked(self) -> int:
        """How many polls wait here."""
        return len(self._parked)

    def heard(self, pulse: Pulse) -> None:
        """A pulse came in: look if it says that something is ready, or that there are new lanes."""
        now = self._clock.monotonic()
        if now >= self._forgot_at + FORGET_EVERY_S:
            self._forgot_at = now
            self.lanes.forget_quiet(but=self._parked.keys())
        self._asks_again = pulse.assigned
        if self._parked and (pulse.ready or pulse.lanes > self.lanes.highest):
            self.wake.set()

    def hint(self) -> None:
        """Runs were created or came back: look at once."""
        self._tide.ready = True
        self._has_news = True
        if self._parked:
            self.wake.set()

    def call_for_beats(self) -> None:
        """A user asked runs to stop: answer the parked polls, so that their workers beat now and learn which runs."""
        self._beats_wanted = True
        self.wake.set()

    async def ask(self, poll: LeasePoll) -> Leased:
        """Park a poll until runs come up for it or its time is over.

        `ServerStops`, `ServerStandsBy`, `ServerDrained`: the worker is to ask elsewhere.
        """
        if self._stopping:
            raise ServerStops
        if (why := self._rests()) is not None:
            raise why
        wait_s = min(poll.wait_us / SECOND, POLL_MAX_S)
        answer: asyncio.Future[Leased] = asyncio.get_running_loop().create_future()
        self._release(poll.session)  # a session has one poll; the older one was given up by the worker
        parked = self._parked[poll.session] = _Parked(poll, answer, self._clock.monotonic() + wait_s)
        self._tide.ready = True
        self.wake.set()
        try:
            await asyncio.wait({answer}, timeout=wait_s + GRACE_S)
            if not answer.done() and parked.is_looked_for and self._is_leasing:
                # The store may be giving it runs at this moment. Nobody would execute them.
                await asyncio.wait({answer}, timeout=LEASE_WITHIN_S)
            return answer.result() if answer.done() else Leased(request_no=poll.request_no)
        finally:
            if self._parked.get(poll.session) is parked:
                del self._parked[poll.session]

    def introduce(self, hello: Hello) -> None:
        self.lanes.introduce(hello)

    def hello_of(self, session: str) -> Hello | None:
        return self.lanes.hello_of(session)

    def forget(self, session: str) -> None:
        """The session is over: it has no poll and offers nothing any more."""
        self._release(session)
        self.lanes.forget(session)

    def stop(self) -> None:
        """Answer every parked poll with nothing: the workers go to another server.

        While a lease is under way its polls wait for it: what the store has given them must not be lost on the way.
        """
        self._stopping = True
        self.send_away()

    def send_away(self) -> None:
        """Answer every parked poll with nothing, now or when the lease that is under way has ended."""
        if not self._is_leasing:
            self._release_all()

    async def step(self) -> float:
        if not self._parked:
            return REST_MAX_S
        self._pass_on_the_call()  # here, where no lease is under way for a poll that would be answered without it
        pulse = self._tide.pulse
        if pulse is not None and await self.lanes.refresh(pulse.lanes):
            self._tide.ready = True
        if self._again_at_s is not None and self._again_at_s <= self._clock.monotonic():
            self._tide.ready = True
        if not self._tide.ready:
            self._expire()
            return self._rest_s()
        has_news, self._has_news = self._has_news, False
        now = self._clock.monotonic()
        if not self._gap.is_over(now, has_news=has_news):
            self._expire()
            return self._gap.left_s(now)
        if not self._parked:
            return REST_MAX_S  # all were called to beat, or the server began to stop: the next poll wakes this duty
        self._tide.ready = False
        self._again_at_s = None
        polls = [self._as_seen(parked) for parked in self._parked.values()]
        self._is_leasing = True
        began_at = self._clock.monotonic()
        try:
            has_more_to_assign = await self._assign(polls)
            looked = await self._look(polls)
        finally:
            self._is_leasing = False
            if self._stopping or self._rests() is not None:
                self._release_all()
        self._expire()
        self._note_gap(looked, began_at, has_more_to_assign=has_more_to_assign)
        if looked.is_more or has_more_to_assign:
            self._tide.ready = True
            return 0
        return self._rest_s()

    def _note_gap(self, looked: "_Looked", began_at: float, *, has_more_to_assign: bool) -> None:
        """How long the next step waits for others to come up, by what this one found."""
        if looked.runs:
            self._alone_until = began_at + ALONE_FOR_S if looked.runs == 1 else began_at
        if looked.is_full or has_more_to_assign:
            self._gap.full()
        else:
            is_alone = began_at < self._alone_until  # a look between two leases of a line finds nothing
            self._gap.thin(began_at=began_at, ended_at=self._clock.monotonic(), is_alone=is_alone)

    async def _assign(self, polls: Sequence[Poll]) -> bool:
        """Let routes say for whom ready runs are, if workers ask that serve such lanes; True: there are more runs.

        Runs without a route do not wait for it: what fails here is tried again with a later lease. If the store is
        away, the lease itself says so.
        """
        if self._ask_route is None or not any(poll.is_routed for poll in polls):
            return False
        again, self._asks_again = self._asks_again, False
        try:
            assign = partial(self._store.assign, self._ask_route, lanes=self.lanes.routed, limit=BATCH_MAX)
            assigned = await assign(again=again, doubt=self._doubt(), health=self._health)
        except ClusterTrouble as trouble:
            log.warning("assigning.failed", error=type(trouble).__name__)
            self._asks_again = again or self._asks_again
            return False
        except Exception:
            log.exception("assigning.failed")
            self._asks_again = again or self._asks_again
            return False
        if not assigned.sessions <= self._parked.keys():
            self._on_assigned()
        self._asks_again |= assigned.again
        return assigned.more or assigned.again

    async def _look(self, polls: Sequence[Poll]) -> "_Looked":
        """Lease for these polls, all in one transaction.

        When that fails, and not because of the store, the server tries one half of the polls and then the other half,
        down to the poll that causes it: one worker must not keep the others from their runs. The worker of that poll
        gets an error. When every poll fails, no single one is the cause, and all stay parked.
        """
        left = [polls]
        looks = 0
        good = runs = 0
        is_more = is_full = False
        bad: list[tuple[Poll, Exception]] = []
        while left:
            some = left.pop()
            looks += 1
            try:
                granted = await self._store.lease(
                    some,
                    limit=BATCH_MAX,
                    not_after=self._not_after(),
                    doubt=self._doubt(),
                    health=self._health,
                )
            except OutcomeUnknown:
                self._doubt_outcome(some)
                raise
            except ClusterTrouble:
                raise
            except Exception as failure:
                if looks + len(left) >= LOOKS_MAX:
                    raise
                if len(some) > 1:
                    middle = len(some) // 2
                    left += [some[middle:], some[:middle]]
                else:
                    bad.append((some[0], failure))
                continue
            good += len(some)
            is_more |= granted.more
            self._learn(granted)
            self._on_granted(granted)
            count = 0
            for poll, leased in zip(some, granted.grants, strict=True):
                count += len(leased.runs)
                is_full |= 0 < poll.free <= len(leased.runs) or count >= MANY_RUNS
                self._serve(poll.session, leased)
            runs += count
            for session in granted.changed:
                self.forget(session)  # its worker asks again at once, and the store says what it offers now
        if bad and not good and len(bad) > 1:
            raise bad[0][1]
        for poll, why in bad:
            self._refuse(poll, why)
        return _Looked(is_more, is_full=is_more or is_full, runs=runs)

    def _learn(self, granted: Granted) -> None:
        """Whether, and when, there is more to lease than the next pulse or hint says."""
        if granted.is_beyond:
            self._tide.ready = True  # nothing was leased: the next pulse tells what to think of the clock
        if granted.again_at is not None:  # a rate is used up
            at_s = self._clock.monotonic() + (granted.again_at - granted.now) / SECOND
            self._again_at_s = at_s if self._again_at_s is None else min(self._again_at_s, at_s)

    def _not_after(self) -> Reckon | None:
        """Store time beyond this one has jumped since the last pulse, as far as this server can tell (R7)."""
        return self._tide.reckoning(and_us=STEP_US)

    def _doubt_outcome(self, polls: Sequence[Poll]) -> None:
        """The server does not know whether these polls got runs: look again, only for runs they have got (R5).

        The commit may still be on its way. A poll that has no run then gets an empty answer. Its worker polls again
        under another number, and runs that are committed late under this number are taken back (adopt).
        """
        self._tide.ready = True
        for poll in polls:
            parked = self._parked.get(poll.session)
            if parked is not None and parked.poll.request_no == poll.request_no:
                parked.is_in_doubt = True

    def _refuse(self, poll: Poll, why: Exception) -> None:
        log.error("poll.refused", session=poll.session, request_no=poll.request_no, exc_info=why)
        parked = self._parked.get(poll.session)
        if parked is None or parked.poll.request_no != poll.request_no:
            return  # the worker gave this poll up meanwhile
        del self._parked[poll.session]
        if not parked.answer.done():
            parked.answer.set_exception(PollRefused())

    def _pass_on_the_call(self) -> None:
        """Once a second at most: every worker beats then, and all their beats share one connection (R11)."""
        now = self._clock.monotonic()
        if not self._beats_wanted or now < self._called_at + CALL_EVERY_S:
            return
        called = [session for session, parked in self._parked.items() if parked.is_looked_for]
        self._beats_wanted = len(called) < len(self._parked)  # the others are called after a lease was tried for them
        if called:
            self._called_at = now
        for session in called:
            self._release(session, hurry=True)

    def _as_seen(self, parked: _Parked) -> Poll:
        parked.is_looked_for = True
        poll = parked.poll
        slots = self.lanes.slots_of(poll.session)
        free = min(poll.free, slots)
        taken = slots - free if poll.taken is None else poll.taken
        in_warning = self._health.slots_given(slots, Health.WARNING) - taken
        ahead = 0
        if poll.ahead and self.lanes.may_lease_ahead(poll.session):
            ahead = min(poll.ahead, BATCH_MAX)
        return Poll(
            session=poll.session,
            request_no=poll.request_no,
            free=0 if parked.is_in_doubt else free + ahead,
            free_in_warning=0 if parked.is_in_doubt else max(0, min(free, in_warning)),
            lanes=self.lanes.served_by(poll.session),
            repeat=poll.repeat or parked.is_in_doubt,
            namespace=self.lanes.namespace_of(poll.session),
            offer_hash=self.lanes.offer_hash_of(poll.session),
            is_routed=self.lanes.is_routed(poll.session),
        )

    def _serve(self, session: str, leased: Leased) -> None:
        parked = self._parked.get(session)
        if parked is None or parked.poll.request_no != leased.request_no:
            return  # the worker gave this poll up meanwhile: it will not start these runs, and adopt takes them back
        if not (leased.runs or leased.dead or leased.draining or parked.is_in_doubt):
            return
        del self._parked[session]
        if leased.dead:
            self.lanes.forget(session)
        if not parked.answer.done():
            parked.answer.set_result(leased)

    def _release(self, session: str, *, hurry: bool = False) -> None:
        parked = self._parked.pop(session, None)
        if parked is not None and not parked.answer.done():
            parked.answer.set_result(Leased(request_no=parked.poll.request_no, hurry=hurry))

    def _release_all(self) -> None:
        for session in list(self._parked):
            self._release(session)

    def _expire(self) -> None:
        now = self._clock.monotonic()
        over = [session for session, parked in self._parked.items() if parked.is_looked_for and parked.until <= now]
        for session in over:
            self._release(session)

    def _rest_s(self) -> float:
        if not self._parked:
            return REST_MAX_S
        nearest = min(parked.until for parked in self._parked.values())
        if self._again_at_s is not None:
            nearest = min(nearest, self._again_at_s)
        return min(REST_MAX_S, max(0.01, nearest - self._clock.monotonic()))
