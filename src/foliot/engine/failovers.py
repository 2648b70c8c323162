"""Failovers: each server notes the failures that only it can see; the leader ends and escalates what is open."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import structlog

from foliot.domain.clocks import STEP_US
from foliot.domain.failover import Affected, Detected, FailoverAction, FailoverEnd, FailoverType
from foliot.domain.health import FellBy, Health
from foliot.domain.instants import MINUTE, SECOND, Instant, Micros
from foliot.engine.outages import Outage
from foliot.engine.presence import OwnSession
from foliot.engine.pulse import Tide
from foliot.ports.clock import Clock
from foliot.ports.store.failovers import Escalation, Failover, FailoverStore
from foliot.ports.store.firing import Pulse
from foliot.ports.store.node_row import NodeRow

REST_S: Final = 5.0
KEPT_MAX: Final = 1000
"""Runs that overran and are not yet noted; what comes above that before the next round is left out."""
OPEN_MAX: Final = 500
ENDED_LATELY_US: Final[Micros] = MINUTE
QUIET_ROUNDS: Final = 6
"""While no failover is open the leader looks only in each sixth round. What ended meanwhile ended lately."""
QUIET_US: Final = {FailoverType.RUN_TIMEOUT: MINUTE, FailoverType.STORE_UNREACHABLE: 10 * SECOND}
"""After this time without news an occurrence is over. It ended with its last news."""

NOTED_AT_ONCE: Final = 100
"""What is noted in one transaction: after a stall of the store many nodes are unwell at once."""
LatestNodes: TypeAlias = Callable[[], Awaitable[Sequence[NodeRow]]]
"""Every node, as the leader saw it a short time ago."""

SAID_BY_NODES: Final = frozenset({FailoverType.COORDINATION_UNREACHABLE, FailoverType.RESOURCE_EXHAUSTION})

LATE: Final = (FellBy.LATENESS, FellBy.BOTH)
"""A node whose beats come late, and whose load is not yet the cause, has exhausted nothing: the way to it may be slow,
or the store. The journal has its band with the cause. A node that stays away is noted as dead.
"""

NODE_CLOCK: Final = "clock:"
"""With it the key of a step of a node's clock begins. The store's own clock has another key."""

log = structlog.get_logger("foliot.engine")


class FailureNotes:
    """A duty of every server. It costs no statement unless something failed."""

    name = "failure notes"

    def __init__(self, store: FailoverStore, tide: Tide, *, session: OwnSession, node: str, clock: Clock) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._tide = tide
        self._session = session
        self._node = node
        self._clock = clock
        self._timed_out: list[int] = []
        self._heard_at: float | None = None  # when the store last answered
        self.is_away = False  # the last pulse did not reach the store
        self._away_s = 0.0  # how long the store was away, until it is noted
        self.last_outage: Outage | None = None
        self.answered: Callable[[], int] = lambda: 0  # how many requests the replica answered so far
        self._answered_before = 0

    def timed_out(self, run_ids: Iterable[int]) -> None:
        """Workers ended these runs, because they overran their time."""
        room = KEPT_MAX - len(self._timed_out)
        self._timed_out += list(run_ids)[:room]

    def missed(self) -> None:
        """The store could not be reached."""
        self.is_away = True

    def heard(self, pulse: Pulse) -> None:
        """The store answered."""
        now = self._clock.monotonic()
        if self.is_away and self._heard_at is not None:
            self._away_s = max(self._away_s, now - self._heard_at)
            self.last_outage = Outage(pulse.now - int((now - self._heard_at) * SECOND), pulse.now)
            self.wake.set()
        self.is_away = False
        self._heard_at = now

    async def step(self) -> float:
        """Write down what failed since the last round."""
        if self._away_s and not self.is_away:
            await self._store.detect([self._outage()])
            self._away_s = 0.0
            self._answered_before = self.answered()
        if self._timed_out:
            noted = list(self._timed_out)
            await self._store.timed_out(noted, session=self._session.id)
            del self._timed_out[: len(noted)]
        return REST_S

    def _outage(self) -> Detected:
        """The outage with the times of this server: the store could not write it down meanwhile."""
        away_us = int(self._away_s * SECOND)
        evidence = {"away_us": away_us}
        by_replica = self.answered() - self._answered_before
        if by_replica:
            evidence["by_replica"] = by_replica
        back_at = self._tide.store_now()
        return Detected(
            key="store",
            type=FailoverType.STORE_UNREACHABLE,
            subject="store",
            began_at=back_at - away_us,
            detected_at=back_at,
            evidence=evidence,
            affected=Affected(nodes=(self._node,)),
            session=self._session.id,
        )


class FailoverUpkeep:
    """What the leader does: it sees what nodes say of themselves, ends what is over, escalates what lasts."""

    def __init__(self, store: FailoverStore, nodes: LatestNodes, tide: Tide) -> None:
        self._store = store
        self._nodes = nodes
        self._tide = tide
        self._term: int | None = None
        self._noted: frozenset[tuple[str, str]] = frozenset()  # keys of what nodes said, and the sessions
        self._rounds = 0  # since the last look
        self._was_open = False  # a failover, at the last look
        self._offsets: dict[str, Micros] = {}  # of the nodes' wall clocks, by session, before they jumped
        self._jumped: frozenset[str] = frozenset()  # sessions whose clock jumped, as the last round saw

    async def keep(self, term: int) -> None:
        """No statement in most rounds while nothing failed: the pulse says whether a failover is open."""
        if self._tide.pulse is None:
            return
        if term != self._term:
            await self._store.deaths(term=term)  # what a leader left undone that died itself
            self._noted = frozenset()
            self._term = term
            self._rounds = QUIET_ROUNDS
        unwell = await self._look_at_nodes(term)
        self._rounds += 1
        if self._tide.pulse.failing or unwell or self._was_open or self._rounds >= QUIET_ROUNDS:
            await self._look_at_failovers(term, unwell)
            self._rounds = 0

    async def _look_at_failovers(self, term: int, unwell: frozenset[str]) -> None:
        found = await self._store.open(limit=OPEN_MAX, within_us=ENDED_LATELY_US)
        ends = [end for one in found if (end := self._end_of(one, unwell))]
        await self._store.end(ends, term=term)
        self._was_open = any(one.is_open for one in found)
        if any(one.is_open and one.key.startswith("session:") for one in found):
            await self._store.deaths(term=term)
        await self._escalate(found, term)

    async def _look_at_nodes(self, term: int) -> frozenset[str]:
        """Note what live nodes say of themselves; the keys of what is not well."""
        seen = self._seen(await self._nodes())
        self._noted &= seen.keys()
        fresh = {pair: one for pair, one in seen.items() if pair not in self._noted}
        by_key = _together(fresh.values())
        for begin in range(0, len(by_key), NOTED_AT_ONCE):
            keys = sorted(by_key)[begin : begin + NOTED_AT_ONCE]
            await self._store.detect([by_key[key] for key in keys], term=term)
            self._noted |= {pair for pair in fresh if pair[0] in keys}  # a later step that fails counts none again
        return frozenset(one.key for one in seen.values())

    def _seen(self, nodes: Sequence[NodeRow]) -> dict[tuple[str, str], Detected]:
        """What is not well with live nodes, by its key and the session that says so."""
        live = [node for node in nodes if node.state != "dead"]
        seen = {(one.key, node.session): one for node in live for one in _troubles(node)}
        for step in self._clock_steps(live):
            seen[step.key, ""] = step
        return seen

    def _clock_steps(self, nodes: Sequence[NodeRow]) -> list[Detected]:
        """Clocks that jumped, as two rounds saw. Each is over at once: no right goes by them.

        When most clocks jump against the store's, the store's own clock did. Beats come one after another, so the
        second round is needed to see that most of them did.
        """
        offsets = {node.session: node.clock_offset_us for node in nodes if node.clock_offset_us is not None}
        before = self._offsets
        steps = {session: now - before[session] for session, now in offsets.items() if session in before}
        jumped = {session for session, step_us in steps.items() if abs(step_us) >= STEP_US}
        if 2 * len(jumped) > len(offsets):
            self._offsets, self._jumped = offsets, frozenset()
            return []
        confirmed = jumped & self._jumped
        self._jumped = frozenset(jumped - confirmed)
        self._offsets = offsets | {session: before[session] for session in self._jumped}
        return [_clock_step(node, steps[node.session]) for node in nodes if node.session in confirmed]

    def _end_of(self, one: Failover, unwell: frozenset[str]) -> FailoverEnd | None:
        """The end of an open occurrence; None: it goes on, or another part ends it."""
        if not one.is_open:
            return None
        if one.type in SAID_BY_NODES:
            return None if one.key in unwell else FailoverEnd(id=one.id, done={})
        if one.key.startswith(NODE_CLOCK):
            return FailoverEnd(id=one.id, done={}, ended_at=one.detected_at)
        quiet_us = QUIET_US.get(one.type)
        if quiet_us is None or self._tide.store_now() - one.last_at < quiet_us:
            return None
        done = {"ended": one.attempts} if one.type is FailoverType.RUN_TIMEOUT else {}
        return FailoverEnd(id=one.id, done=done, ended_at=one.last_at)

    async def _escalate(self, found: Sequence[Failover], term: int) -> None:
        """Policies are read only when there is something that they can speak of."""
        fresh = [one for one in found if one.escalated_at is None]
        if not fresh:
            return
        policies = await self._store.policies()
        now: Instant = self._tide.store_now()
        needed = []
        for one in fresh:
            policy = policies[one.type]
            if policy.is_exceeded(lasted_us=one.lasted_us(now), attempts=one.attempts):
                needed.append(Escalation(id=one.id, level=policy.level, channel=policy.channel))
                log.warning("failover.escalated", failover=one.id, type=str(one.type), level=str(policy.level))
        if needed:
            await self._store.escalate(needed, term=term)


def _together(seen: Iterable[Detected]) -> dict[str, Detected]:
    """By its key what several nodes saw: two servers may miss the same service."""
    by_key: dict[str, Detected] = {}
    for one in seen:
        before = by_key.get(one.key)
        by_key[one.key] = one if before is None else before.with_more(one)
    return by_key


def _troubles(node: NodeRow) -> Iterator[Detected]:
    """What a live node's last beat says of itself."""
    if node.coordinator and not node.reaches_coordinator:
        yield _silence(node, node.coordinator)
    if node.band is Health.WARNING and node.fell_by not in LATE:
        yield Detected(
            key=f"load:{node.session}",
            type=FailoverType.RESOURCE_EXHAUSTION,
            subject=node.name,
            began_at=node.band_at,
            evidence={},
            affected=Affected(runs=node.running, nodes=(node.name,)),
        )


def _silence(node: NodeRow, service: str) -> Detected:
    """A server's coordination service fell silent, some time before the server's last beat."""
    silent_us = int(node.load.get("coordinator_silent_s", 0) * SECOND)
    return Detected(
        key=f"coordinator:{service}",
        type=FailoverType.COORDINATION_UNREACHABLE,
        subject=service,
        began_at=node.last_beat_at - silent_us,
        evidence={"silent_us": silent_us},
        affected=Affected(nodes=(node.name,)),
    )


def _clock_step(node: NodeRow, step_us: Micros) -> Detected:
    """The wall clock of a node jumped between two of its beats."""
    return Detected(
        key=f"{NODE_CLOCK}{node.session}:{node.last_beat_at}",
        type=FailoverType.CLOCK_STEP,
        subject=node.name,
        began_at=node.last_beat_at,
        detected_at=node.last_beat_at,
        evidence={"step_us": abs(step_us), "way": "ahead" if step_us > 0 else "back"},
        affected=Affected(nodes=(node.name,)),
        action=FailoverAction.GO_BY_STORE,
    )
