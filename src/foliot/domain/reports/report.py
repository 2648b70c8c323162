"""A report: facts of a period, chosen and compared with the period before. Words make sentences of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.anomalies.anomaly import Anomaly
from foliot.domain.health import Health
from foliot.domain.instants import MINUTE, SECOND, Instant, Micros
from foliot.domain.reports.facts import CrowdedPoint, JobTally, ReportFacts, RunTally
from foliot.domain.reports.period import Period, ReportKind
from foliot.domain.statistics.figures import RunFigures, Spell

TOP: Final = 10
"""Lines of each list."""
CROWDED_RUNS_MIN: Final = 2
LATE_MIN_US: Final[Micros] = SECOND
"""Jobs whose runs wait less for their start, on the mean, are in time."""
GROWTH_RATIO: Final = 1.2
GROWTH_MIN_US: Final[Micros] = MINUTE
"""A job grows when it is busy for so many times as long, and for so much longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSpread:
    """How a duration is spread. The percentile is right to 2 %."""

    mean_us: Micros
    p95_us: Micros
    max_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """A job in one of the lists."""

    namespace: str
    job: str
    now: RunTally
    before: RunTally
    duration: ReportSpread | None = None  # None: no run was started
    delay: ReportSpread | None = None
    kinds: Mapping[str, int]  # of its failures


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLine:
    """A node: what it ran, and how loaded it was where that is to be seen."""

    node: str
    kind: str = ""  # server, worker; empty: its load is not known
    runs: int = 0
    failed: int = 0
    busy_us: Micros = 0
    cpu: float | None = None  # shares of 1
    cpu_max: float | None = None
    memory: float | None = None
    memory_max: float | None = None
    unwell: float | None = None  # the part of the looks at it that found it not ONLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodReport:
    """All of it."""

    kind: ReportKind
    namespace: str | None  # None: the whole cluster
    timezone: str
    date: str  # the first day
    last_date: str
    from_at: Instant
    to_at: Instant
    made_at: Instant
    is_over: bool  # False: the period goes on, and nothing is compared
    is_exact: bool  # False: its edges were cut at whole hours or days, because nothing finer is kept
    now: RunTally
    before: RunTally | None  # None: nothing is known of the period before, or this one is not over
    jobs: int
    jobs_new: int
    jobs_ran: int
    failing: Sequence[JobLine]
    slowest: Sequence[JobLine]
    late: Sequence[JobLine]
    growing: Sequence[JobLine]
    crowded: Sequence[CrowdedPoint]
    crowded_by: str  # minute, hour
    skips: Mapping[str, int]
    alerts: Mapping[AlertLevel, int]
    alerts_open: int
    alert_list: Sequence[Alert]
    anomalies: Sequence[Anomaly]
    nodes: Sequence[NodeLine]

    @property
    def is_empty(self) -> bool:
        """Nothing ran, and nothing is to be told."""
        return not (self.now.runs or self.skips or self.alerts or self.anomalies)


def compose(period: Period, facts: ReportFacts, *, namespace: str | None, now: Instant, is_exact: bool) -> PeriodReport:
    """Choose and compare."""
    is_over = period.to_at <= now
    is_compared = is_over and facts.before.runs > 0
    leaders = facts.leaders
    return PeriodReport(
        kind=period.kind,
        namespace=namespace,
        timezone=period.timezone,
        date=period.date,
        last_date=period.last_date,
        from_at=period.from_at,
        to_at=period.to_at,
        made_at=now,
        is_over=is_over,
        is_exact=is_exact,
        now=facts.now,
        before=facts.before if is_compared else None,
        jobs=facts.jobs,
        jobs_new=facts.jobs_new,
        jobs_ran=facts.jobs_ran,
        failing=_top(leaders, facts.figures, _failed),
        slowest=_top(leaders, facts.figures, _mean),
        late=_top(leaders, facts.figures, _delay),
        growing=_top(leaders, facts.figures, _growth) if is_compared else (),
        crowded=[point for point in facts.crowded if point.runs >= CROWDED_RUNS_MIN],
        crowded_by=facts.crowded_by.word,
        skips=dict(sorted(facts.skips.items(), key=_most_first)),
        alerts=facts.alerts,
        alerts_open=facts.alerts_open,
        alert_list=facts.alert_list,
        anomalies=facts.anomalies,
        nodes=_nodes(facts),
    )


def _top(
    leaders: Sequence[JobTally], figures: Mapping[int, RunFigures], rank: Callable[[JobTally], int]
) -> Sequence[JobLine]:
    """The jobs with the highest rank; those of rank 0 are in no list."""
    ranked = [(rank(one), one) for one in leaders]
    ranked = sorted((pair for pair in ranked if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].job_id))
    return [_line(one, figures.get(one.job_id)) for _, one in ranked[:TOP]]


def _failed(one: JobTally) -> int:
    return one.now.failed


def _mean(one: JobTally) -> int:
    return one.now.mean_us or 0


def _delay(one: JobTally) -> int:
    delay_us = one.now.mean_delay_us or 0
    return delay_us if delay_us >= LATE_MIN_US else 0


def _growth(one: JobTally) -> int:
    """How much longer a job was busy, where that is worth a line. A job of its first period has not grown."""
    grown_us = one.now.took_us - one.before.took_us
    is_much = one.now.took_us >= GROWTH_RATIO * one.before.took_us and grown_us >= GROWTH_MIN_US
    return grown_us if is_much and one.before.runs else 0


def _line(one: JobTally, figures: RunFigures | None) -> JobLine:
    found = figures or RunFigures()
    return JobLine(
        namespace=one.namespace,
        job=one.name,
        now=one.now,
        before=one.before,
        duration=_spread(found.took),
        delay=_spread(found.delay),
        kinds=dict(found.kinds),
    )


def _spread(spell: Spell) -> ReportSpread | None:
    mean_us, p95_us = spell.mean_us, spell.at(0.95)
    if mean_us is None or p95_us is None:
        return None
    return ReportSpread(mean_us=mean_us, p95_us=p95_us, max_us=spell.longest_us)


def _nodes(facts: ReportFacts) -> Sequence[NodeLine]:
    """Every node that ran something or was looked at, the busiest first."""
    tallies = {one.node: one for one in facts.nodes}
    lines = []
    for name in {*tallies, *facts.loads} - {""}:
        tally, load = tallies.get(name), facts.loads.get(name)
        looks = load.samples if load else 0
        lines.append(
            NodeLine(
                node=name,
                kind=load.kind if load else "",
                runs=tally.runs if tally else 0,
                failed=tally.failed if tally else 0,
                busy_us=tally.took_us if tally else 0,
                cpu=load.mean("cpu") if load else None,
                cpu_max=load.most("cpu") if load else None,
                memory=load.mean("memory") if load else None,
                memory_max=load.most("memory") if load else None,
                unwell=1 - load.bands[Health.ONLINE] / looks if load and looks else None,
            )
        )
    return sorted(lines, key=lambda line: (-line.busy_us, -line.runs, line.node))[: 2 * TOP]


def _most_first(pair: tuple[str, int]) -> tuple[int, str]:
    reason, count = pair
    return -count, reason
