"""Facts of a report: what the store knows of a period, in sums, before anything is chosen or compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.anomalies.anomaly import Anomaly
from foliot.domain.instants import Instant, Micros
from foliot.domain.statistics.figures import RunFigures
from foliot.domain.statistics.node_load import NodeLoad
from foliot.domain.statistics.resolution import Resolution


class RunTally(NamedTuple):
    """Sums over the runs that ended in a period."""

    runs: int = 0
    succeeded: int = 0
    failed: int = 0
    retries: int = 0
    took: int = 0  # runs that were started
    took_us: Micros = 0
    took_max_us: Micros = 0
    delays: int = 0
    delay_us: Micros = 0
    delay_max_us: Micros = 0

    @property
    def cancelled(self) -> int:
        """Runs that neither succeeded nor failed."""
        return self.runs - self.succeeded - self.failed

    @property
    def success_rate(self) -> float | None:
        """Of the runs that succeeded or failed; None: there are none."""
        judged = self.succeeded + self.failed
        return self.succeeded / judged if judged else None

    @property
    def mean_us(self) -> Micros | None:
        """The mean duration of a run; None: none was started."""
        return self.took_us // self.took if self.took else None

    @property
    def mean_delay_us(self) -> Micros | None:
        """How long a run waited for its start, on the mean; None: none was started."""
        return self.delay_us // self.delays if self.delays else None


NOTHING: Final = RunTally()


class JobTally(NamedTuple):
    """The sums of a job, in the period and in the one before."""

    job_id: int
    namespace: str
    name: str
    now: RunTally
    before: RunTally


class CrowdedPoint(NamedTuple):
    """A minute or an hour in which very many runs of the cluster ended, and what the report's jobs had of them."""

    start_at: Instant
    runs: int
    jobs: int
    delay_max_us: Micros


class NodeTally(NamedTuple):
    """Runs that a node had. Shards count here, each by itself."""

    node: str
    runs: int
    failed: int
    took_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts:
    """What the store knows. Sums are of all jobs; of the jobs themselves only those that lead one of the rankings."""

    now: RunTally = NOTHING
    before: RunTally = NOTHING
    jobs_ran: int = 0
    jobs_ran_before: int = 0
    jobs: int = 0  # that there are
    jobs_new: int = 0  # made in the period and not deleted
    leaders: Sequence[JobTally] = ()
    figures: Mapping[int, RunFigures] = field(default_factory=dict)  # of these jobs, with percentiles
    crowded: Sequence[CrowdedPoint] = ()
    crowded_by: Resolution = Resolution.MINUTE
    nodes: Sequence[NodeTally] = ()
    loads: Mapping[str, NodeLoad] = field(default_factory=dict)
    skips: Mapping[str, int] = field(default_factory=dict)  # by reason
    alerts: Mapping[AlertLevel, int] = field(default_factory=dict)  # that fired in the period
    alerts_open: int = 0  # of these, not over when the facts were read
    alert_list: Sequence[Alert] = ()  # some of them, the gravest first
    anomalies: Sequence[Anomaly] = ()
