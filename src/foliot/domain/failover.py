"""Failovers: what can fail in a cluster, what Foliot does about it, and how users want to be told.

An *occurrence* is one failure from its beginning to its end. Each type has one action, which the protocol fixes: runs
of a dead worker go back whatever a policy says. A policy says when an occurrence needs a person: when it lasts longer
than `timeout`, or when its action was needed more often than `attempts`. Then it is escalated under the policy's level
and channel.

    InvalidInput
    ├── FixedPolicy       FOL-1175   the protocol fixes this part of a policy
    ├── PolicyTooTight    FOL-1176   a timeout that is over before the failure can be seen
    └── BadPolicyValue    FOL-1177   a value that a policy cannot have
    NotFound
    └── FailoverNotFound  FOL-2021   no failover has this id
    Conflict
    └── PolicyChanged     FOL-3055   somebody else changed the policy meanwhile
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from foliot.domain.errors import Conflict, InvalidInput, NotFound
from foliot.domain.instants import DAY, MINUTE, SECOND, Instant, Micros
from foliot.domain.texts import is_key

NAMES_MAX: Final = 20
"""Names of one kind that an occurrence keeps."""
RUNS_MAX: Final = 500
"""Ids of runs that an occurrence keeps; more of them are only counted."""
ATTEMPTS_MAX: Final = 10_000
CHANNEL_BYTES_MAX: Final = 100
NOBODY: Final = "-"
"""The channel that a user names to have none."""


class FailoverType(StrEnum):
    """What failed."""

    NETWORK_PARTITION = "network_partition"
    SERVER_CRASH = "server_crash"
    WORKER_CRASH = "worker_crash"
    RUN_TIMEOUT = "run_timeout"
    LOCK_DEADLOCK = "lock_deadlock"
    RESOURCE_EXHAUSTION = "resource_exhaustion"
    STORE_UNREACHABLE = "store_unreachable"
    COORDINATION_UNREACHABLE = "coordination_unreachable"
    CLOCK_STEP = "clock_step"


COMES_AGAIN: Final = frozenset(
    {
        FailoverType.RUN_TIMEOUT,
        FailoverType.RESOURCE_EXHAUSTION,
        FailoverType.STORE_UNREACHABLE,
        FailoverType.COORDINATION_UNREACHABLE,
        FailoverType.CLOCK_STEP,
    }
)
"""The same thing can fail again. While its row is open, what is seen again is added; a closed row gives its key up.

A session dies once, and a claim on a lock is broken once: seen again, they change nothing.
"""


class FailoverAction(StrEnum):
    """What Foliot does about it."""

    IMMEDIATE_FAILOVER = "immediate_failover"  # other nodes do the work
    PROMOTE_STANDBY = "promote_standby"  # a standby became active in the place of a server
    KILL_AND_RETRY = "kill_and_retry"
    RELEASE_AND_RETRY = "release_and_retry"
    REBALANCE = "rebalance"  # the node gets less work
    CATCH_UP = "catch_up"  # nothing is decided meanwhile; then every instant of the gap is
    ELECT_ON_STORE = "elect_on_store"
    GO_BY_STORE = "go_by_store"  # a node's clock decides nothing: every right goes by store time
    HOLD_FIRING = "hold_firing"  # what is due goes by the time that most servers believe in


class Urgency(StrEnum):
    """How urgent an escalation is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class FailoverOutcome(StrEnum):
    """How an occurrence ended."""

    RECOVERED = "recovered"  # nothing was lost
    LOSSES = "losses"  # some runs ended without success because of it


class FailoverNotFound(NotFound):
    """No failover has this id."""

    code = "FOL-2021"

    def __init__(self, failover_id: int) -> None:
        super().__init__(
            f"No failover {failover_id}; old ones are forgotten.",
            id=failover_id,
        )


class FixedPolicy(InvalidInput):
    """A part of a policy that the protocol fixes."""

    code = "FOL-1175"

    def __init__(self, type_: FailoverType, setting: str, *, settings: Sequence[str]) -> None:
        super().__init__(
            f"The protocol fixes {setting} of {type_}.",
            hint=f"what can be set: {', '.join(settings)}",
            type=str(type_),
            setting=setting,
            settings=", ".join(settings),
        )


class PolicyTooTight(InvalidInput):
    """A timeout that is over before the failure can be seen and handled."""

    code = "FOL-1176"

    def __init__(self, type_: FailoverType, *, timeout_us: Micros, least_us: Micros) -> None:
        super().__init__(
            f"A timeout of {timeout_us / SECOND:g} s is too short for {type_}: "
            f"the servers need up to {least_us / SECOND:g} s to see and handle it.",
            hint=f"choose {least_us / SECOND:g}s or more",
            type=str(type_),
            timeout_s=f"{timeout_us / SECOND:g}",
            least_s=f"{least_us / SECOND:g}",
        )


class BadPolicyValue(InvalidInput):
    """A value that a policy cannot have."""

    code = "FOL-1177"

    def __init__(self, setting: str, value: object, *, allowed: str) -> None:
        super().__init__(
            f'"{str(value)[:100]}" is no {setting} of a policy.',
            hint=f"allowed: {allowed}",
            setting=setting,
            value=str(value)[:100],
            allowed=allowed,
        )


class PolicyChanged(Conflict):
    """Somebody else changed the policy meanwhile."""

    code = "FOL-3055"

    def __init__(self, type_: FailoverType, *, version: int) -> None:
        super().__init__(
            f"The policy of {type_} has version {version} by now.",
            type=str(type_),
            version=version,
        )


# ------------------------------------------------------------------------------------------------------- occurrences


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """What a failure touched. Counts are whole; of names and ids only some are kept."""

    runs: int = 0
    run_ids: Sequence[int] = ()
    jobs: Sequence[str] = ()
    nodes: Sequence[str] = ()
    locks: Sequence[str] = ()

    def with_more(self, more: "Affected") -> "Affected":
        """Both together."""
        return Affected(
            runs=self.runs + more.runs,
            run_ids=_some([*self.run_ids, *more.run_ids], RUNS_MAX),
            jobs=_some([*self.jobs, *more.jobs], NAMES_MAX),
            nodes=_some([*self.nodes, *more.nodes], NAMES_MAX),
            locks=_some([*self.locks, *more.locks], NAMES_MAX),
        )


def _some(values: Sequence[Any], most: int) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))[:most]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """A failure that was seen. `key` says which one it is, so that all who see it write one row."""

    key: str
    type: FailoverType
    subject: str  # name of the node, lock, job or service
    namespace: str | None = None  # of a lock or a job
    began_at: Instant | None = None  # None: now
    detected_at: Instant | None = None  # None: now
    evidence: Mapping[str, Any]  # what was seen: numbers and names, no prose
    affected: Affected = Affected()
    attempts: int = 1
    session: str = ""  # of the server that saw it; empty: the leader wrote it down under its term
    action: FailoverAction | None = None  # what is done instead of the usual; None: that

    def with_more(self, more: "Detected") -> "Detected":
        """The same failure, seen twice."""
        begins = [at for at in (self.began_at, more.began_at) if at is not None]
        return replace(
            self,
            began_at=min(begins, default=None),
            evidence={**self.evidence, **more.evidence},
            affected=self.affected.with_more(more.affected),
            attempts=self.attempts + more.attempts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FailoverEnd:
    """The end of an occurrence. Only an open one ends."""

    id: int
    outcome: FailoverOutcome = FailoverOutcome.RECOVERED
    done: Mapping[str, Any]  # what was done: counts and names
    ended_at: Instant | None = None  # None: now
    action: FailoverAction | None = None  # what was done instead of the usual; None: that


# ---------------------------------------------------------------------------------------------------------- policies


@dataclass(frozen=True, slots=True, kw_only=True)
class FailoverPolicy:
    """What is done about one type of failure, and when a person is needed."""

    type: FailoverType
    action: FailoverAction
    timeout_us: Micros  # an occurrence that lasts longer is escalated
    level: Urgency
    attempts: int | None = None  # an occurrence that needs its action more often is escalated; None: not counted
    channel: str = ""  # a name that escalations show; empty: none. Nothing is sent to it yet
    version: int = 0  # 0: as Foliot brings it

    @property
    def settings(self) -> Sequence[str]:
        """What users can set."""
        counted = () if self.attempts is None else ("attempts",)
        return ("timeout", *counted, "level", "channel")

    def is_exceeded(self, *, lasted_us: Micros, attempts: int) -> bool:
        """Whether an occurrence needs a person."""
        return lasted_us > self.timeout_us or (self.attempts is not None and attempts > self.attempts)


_TYPE, _ACTION = FailoverType, FailoverAction

DEFAULTS: Final[Mapping[FailoverType, FailoverPolicy]] = {
    policy.type: policy
    for policy in (
        FailoverPolicy(
            type=_TYPE.NETWORK_PARTITION,
            action=_ACTION.IMMEDIATE_FAILOVER,
            timeout_us=MINUTE,
            level=Urgency.HIGH,
        ),
        FailoverPolicy(
            type=_TYPE.SERVER_CRASH,
            action=_ACTION.IMMEDIATE_FAILOVER,
            timeout_us=30 * SECOND,
            level=Urgency.CRITICAL,
        ),
        FailoverPolicy(
            type=_TYPE.WORKER_CRASH,
            action=_ACTION.IMMEDIATE_FAILOVER,
            timeout_us=30 * SECOND,
            level=Urgency.HIGH,
        ),
        FailoverPolicy(
            type=_TYPE.RUN_TIMEOUT,
            action=_ACTION.KILL_AND_RETRY,
            timeout_us=15 * MINUTE,
            attempts=20,
            level=Urgency.MEDIUM,
        ),
        FailoverPolicy(
            type=_TYPE.LOCK_DEADLOCK,
            action=_ACTION.RELEASE_AND_RETRY,
            timeout_us=30 * SECOND,
            level=Urgency.MEDIUM,
        ),
        FailoverPolicy(
            type=_TYPE.RESOURCE_EXHAUSTION,
            action=_ACTION.REBALANCE,
            timeout_us=3 * MINUTE,
            level=Urgency.LOW,
        ),
        FailoverPolicy(
            type=_TYPE.STORE_UNREACHABLE,
            action=_ACTION.CATCH_UP,
            timeout_us=30 * SECOND,
            level=Urgency.CRITICAL,
        ),
        FailoverPolicy(
            type=_TYPE.COORDINATION_UNREACHABLE,
            action=_ACTION.ELECT_ON_STORE,
            timeout_us=5 * MINUTE,
            level=Urgency.MEDIUM,
        ),
        FailoverPolicy(
            type=_TYPE.CLOCK_STEP,
            action=_ACTION.HOLD_FIRING,
            timeout_us=MINUTE,
            level=Urgency.CRITICAL,
        ),
    )
}
assert set(DEFAULTS) == set(FailoverType)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTimes:
    """The times of a cluster that its servers are started with, which policies must fit."""

    beat_every_us: Micros = 5 * SECOND
    session_ttl_us: Micros = 15 * SECOND
    grace_us: Micros = 2 * SECOND
    leader_ttl_us: Micros = 5 * SECOND
    lock_ttl_us: Micros = MINUTE  # of a lock whose owner says none

    @property
    def failure_threshold(self) -> int:
        """How many beats a node may miss before it is dead."""
        return self.session_ttl_us // self.beat_every_us

    @property
    def failover_us(self) -> Micros:
        """How long it takes at most until the runs of a dead node may run elsewhere."""
        return self.session_ttl_us + self.grace_us + 2 * SECOND

    @property
    def promotion_us(self) -> Micros:
        """How long it takes at most until a standby works in the place of a dead server.

        Its session runs out; two looks a beat apart miss it; the promoted server learns of it by its next beat.
        """
        return self.session_ttl_us + 3 * self.beat_every_us

    def least_timeout_us(self, type_: FailoverType, *, has_standbys: bool = False) -> Micros:
        """The shortest timeout that gives the servers time to see and handle a failure of this type."""
        match type_:
            case FailoverType.SERVER_CRASH if has_standbys:
                return max(self.failover_us, self.promotion_us)
            case FailoverType.SERVER_CRASH | FailoverType.WORKER_CRASH | FailoverType.NETWORK_PARTITION:
                return self.failover_us
            case FailoverType.COORDINATION_UNREACHABLE:
                return 2 * self.leader_ttl_us
            case FailoverType.RESOURCE_EXHAUSTION:
                return 3 * self.beat_every_us
            case _:
                return 2 * SECOND


USUAL_TIMES: Final = ClusterTimes()
POLICY_TIMEOUT_MAX: Final[Micros] = DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """What a user sets. None: as it is."""

    timeout_us: Micros | None = None
    attempts: int | None = None
    level: str | None = None
    channel: str | None = None


def changed_policy(
    policy: FailoverPolicy, change: PolicyChange, times: ClusterTimes, *, has_standbys: bool = False
) -> FailoverPolicy:
    """The policy as it is to be; an error when it cannot be so, or cannot work with the cluster's times."""
    if change.attempts is not None:
        if policy.attempts is None:
            raise FixedPolicy(policy.type, "attempts", settings=policy.settings)
        if not 1 <= change.attempts <= ATTEMPTS_MAX:
            raise BadPolicyValue("attempts", change.attempts, allowed=f"1 to {ATTEMPTS_MAX}")
        policy = replace(policy, attempts=change.attempts)
    if change.level is not None:
        if change.level not in list(Urgency):
            raise BadPolicyValue("level", change.level, allowed=", ".join(Urgency))
        policy = replace(policy, level=Urgency(change.level))
    if change.channel is not None:
        if not is_key(change.channel, CHANNEL_BYTES_MAX):
            raise BadPolicyValue("channel", change.channel, allowed=f"a name of 1 to {CHANNEL_BYTES_MAX} bytes, or -")
        policy = replace(policy, channel="" if change.channel == NOBODY else change.channel)
    if change.timeout_us is not None:
        policy = replace(policy, timeout_us=change.timeout_us)
        check_timeout(policy, times, has_standbys=has_standbys)
    return policy


def check_timeout(policy: FailoverPolicy, times: ClusterTimes, *, has_standbys: bool = False) -> None:
    """A timeout must leave the servers the time to see and handle the failure (C5)."""
    if policy.timeout_us > POLICY_TIMEOUT_MAX:
        raise BadPolicyValue("timeout", f"{policy.timeout_us / SECOND:g}s", allowed="up to 1d")
    least_us = times.least_timeout_us(policy.type, has_standbys=has_standbys)
    if policy.timeout_us < least_us:
        raise PolicyTooTight(policy.type, timeout_us=policy.timeout_us, least_us=least_us)
