"""Gauges: what the leader reads of the whole cluster for its metrics, in a few bounded statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from foliot.domain.instants import Micros
from foliot.ports.store.limits import NamedLimit


class GroupQueue(NamedTuple):
    """The runs of a group that are due and wait for a worker."""

    group: str
    ready: int
    oldest_us: Micros  # how long the first of them waits


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterGauges:
    """What metrics show of the cluster."""

    jobs: Mapping[str, int]  # by the state of their schedule
    queues: Sequence[GroupQueue]
    limits: Sequence[NamedLimit]
    claims_held: int
    claims_waiting: int
    newest_event: int  # of the journal
    alerts: Mapping[str, int] = field(default_factory=dict)  # that fire and are not silent, by level
    notices_waiting: int = 0  # in the outbox; counted to a bound
    notice_oldest_us: Micros = 0  # how long the oldest of them waits
    checks: int = 0  # of jobs outside of Foliot
    checks_down: int = 0


class GaugeStore(Protocol):
    """Reads, and decides nothing."""

    async def jobs(self) -> Mapping[str, int]:
        """How many jobs there are, by the state of their schedule. It looks at every job: ask rarely."""
        ...

    async def read(self, jobs: Mapping[str, int], *, kinds: int, limits: int) -> ClusterGauges:
        """Everything else, beside these jobs.

        `kinds`: lanes and priorities that are looked at; 0: no queue is. `limits`: named limits.
        """
        ...

    async def names(self, job_ids: Sequence[int]) -> Mapping[int, tuple[str, str]]:
        """The namespace and the name of these jobs; one statement."""
        ...
