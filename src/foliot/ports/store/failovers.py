"""Failovers as the store keeps them: one row an occurrence, and the policies that users changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from foliot.domain.failover import (
    Affected,
    Detected,
    FailoverAction,
    FailoverEnd,
    FailoverOutcome,
    FailoverPolicy,
    FailoverType,
    Urgency,
)
from foliot.domain.instants import Instant, Micros
from foliot.domain.roles import ServerRules
from foliot.ports.store.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    """One occurrence, from its beginning to its end."""

    id: int
    key: str
    type: FailoverType
    subject: str
    namespace: str | None
    began_at: Instant
    detected_at: Instant
    last_at: Instant  # when something was last added
    evidence: Mapping[str, Any]
    affected: Affected
    action: FailoverAction
    attempts: int
    session: str  # of the server that saw it; empty: a leader did
    term: int | None  # of that leader
    outcome: FailoverOutcome | None = None  # None: it is open
    done: Mapping[str, Any]
    ended_at: Instant | None = None
    escalated_at: Instant | None = None
    level: Urgency | None = None  # these two: of the escalation
    channel: str = ""

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    def lasted_us(self, now: Instant) -> Micros:
        """From its beginning to its end, or until now. A clock that was put back makes no negative time."""
        return max(0, (now if self.ended_at is None else self.ended_at) - self.began_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailoverFilter:
    """Which occurrences to list. `namespace`: those of it alone, nothing of the cluster."""

    types: frozenset[FailoverType] = frozenset()
    since: Instant | None = None  # those that were not over before
    only_open: bool = False
    namespace: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailoverPage:
    """Some occurrences, newest first, and where to go on; None: there are no more."""

    items: Sequence[Failover]
    next_before_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """An occurrence that needs a person, by its policy."""

    id: int
    level: Urgency
    channel: str


class FailoverStore(Protocol):
    """Keeps occurrences and policies."""

    async def detect(self, seen: Sequence[Detected], *, term: int | None = None) -> int:
        """Open a row for each failure that has none; how many.

        Of types that come again (`COMES_AGAIN`) what is seen is added to the row that is open.
        """
        ...

    async def end(self, ends: Sequence[FailoverEnd], *, term: int | None = None) -> int:
        """Close occurrences; how many were open."""
        ...

    async def escalate(self, escalations: Sequence[Escalation], *, term: int | None = None) -> int:
        """Note once that these occurrences need a person; how many were not escalated before."""
        ...

    async def deaths(self, *, term: int) -> int:
        """Open an occurrence for each session that was declared dead lately, and close those without running runs.

        Reaping does both. This is for what a leader left undone when it died itself. How many were opened or closed.
        """
        ...

    async def came_back(self, session: str, *, owner: str) -> bool:
        """A session that was declared dead is heard of again: it was cut off, not gone. Whether that is news.

        `owner`: of the token that speaks for it; another's is not believed.
        """
        ...

    async def timed_out(self, run_ids: Sequence[int], *, session: str) -> int:
        """These runs overran their time: one open occurrence a job. How many are new. `session`: of the server."""
        ...

    async def open(self, *, limit: int, within_us: Micros = 0) -> Sequence[Failover]:
        """Occurrences that are not over, or not for longer than `within_us`; oldest first."""
        ...

    async def list(self, wanted: FailoverFilter, *, limit: int, before_id: int | None = None) -> FailoverPage:
        """The newest occurrences; looks at a bounded number of rows, so fewer may come than there are."""
        ...

    async def find(self, failover_id: int) -> Failover | None: ...

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        """Delete occurrences that ended before an instant; how many."""
        ...

    async def policies(self) -> Mapping[FailoverType, FailoverPolicy]:
        """The policy of every type."""
        ...

    async def set_policy(self, policy: FailoverPolicy, *, by: Actor) -> FailoverPolicy:
        """Keep a policy as its next version. `PolicyChanged` when its version is not the present one any more."""
        ...

    async def server_rules(self) -> ServerRules:
        """How many servers the cluster is to have."""
        ...

    async def set_server_rules(self, rules: ServerRules, *, by: Actor) -> ServerRules:
        """Keep them as their next version. `RulesChanged` when their version is not the present one any more."""
        ...
