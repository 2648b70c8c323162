"""Reports and their schedules as JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from foliot.api.models.alerts import AlertOut
from foliot.api.models.anomalies import AnomalyOut
from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Reason, Seconds, moment, one_of, seconds
from foliot.api.models.jobs import WarningOut
from foliot.domain.errors import FoliotError
from foliot.domain.reports.facts import CrowdedPoint, RunTally
from foliot.domain.reports.period import ReportKind
from foliot.domain.reports.report import JobLine, NodeLine, PeriodReport, ReportSpread
from foliot.domain.reports.schedule import written_schedule
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.reports import KeptSchedule
from foliot.words.language import Language
from foliot.words.report_forms import ReportForm, written
from foliot.words.report_sheets import sheet_of

KINDS = tuple(map(str, ReportKind))
FORMS = ("json", *map(str, ReportForm))


class TallyOut(ApiOutput):
    """How the runs that ended in a period went."""

    runs: int
    succeeded: int
    failed: int
    cancelled: int
    retries: int = Field(description="Attempts that failed and were followed by another.")
    success_rate: float | None = Field(description="Of those that succeeded or failed.")
    busy_s: Seconds = Field(description="The sum of their durations.")
    mean_s: Seconds | None = Field(description="The mean duration.")
    mean_wait_s: Seconds | None = Field(description="How long a run waited for its start.")
    longest_wait_s: Seconds

    @classmethod
    def of(cls, tally: RunTally) -> "TallyOut":
        return cls(
            runs=tally.runs,
            succeeded=tally.succeeded,
            failed=tally.failed,
            cancelled=tally.cancelled,
            retries=tally.retries,
            success_rate=tally.success_rate,
            busy_s=seconds(tally.took_us) or 0.0,
            mean_s=seconds(tally.mean_us),
            mean_wait_s=seconds(tally.mean_delay_us),
            longest_wait_s=seconds(tally.delay_max_us) or 0.0,
        )


class ReportSpreadOut(ApiOutput):
    """How a duration is spread, in seconds."""

    mean: Seconds
    p95: Seconds = Field(description="Right to 2 %.")
    max: Seconds

    @classmethod
    def of(cls, spread: ReportSpread | None) -> "ReportSpreadOut | None":
        if spread is None:
            return None
        parts = (spread.mean_us, spread.p95_us, spread.max_us)
        mean, p95, longest = (seconds(part) or 0.0 for part in parts)
        return cls(mean=mean, p95=p95, max=longest)


class JobLineOut(ApiOutput):
    """A job in one of the lists."""

    namespace: str
    job: str
    now: TallyOut
    before: TallyOut = Field(description="In the period before.")
    duration_s: ReportSpreadOut | None
    queue_delay_s: ReportSpreadOut | None
    failures: dict[str, int] = Field(description="By their kind.", examples=[{"timeout": 3}])

    @classmethod
    def of(cls, line: JobLine) -> "JobLineOut":
        return cls(
            namespace=line.namespace,
            job=line.job,
            now=TallyOut.of(line.now),
            before=TallyOut.of(line.before),
            duration_s=ReportSpreadOut.of(line.duration),
            queue_delay_s=ReportSpreadOut.of(line.delay),
            failures=dict(line.kinds),
        )


class CrowdedOut(ApiOutput):
    """A minute or an hour in which very many runs ended."""

    start: Moment
    runs: int
    jobs: int
    longest_wait_s: Seconds

    @classmethod
    def of(cls, point: CrowdedPoint) -> "CrowdedOut":
        wait = seconds(point.delay_max_us) or 0.0
        return cls(start=moment(point.start_at) or "", runs=point.runs, jobs=point.jobs, longest_wait_s=wait)


class ReportNodeOut(ApiOutput):
    """A node in a report. Load is shown to tokens that see the whole cluster."""

    node: str
    kind: str | None
    runs: int = Field(description="Shards count, each by itself.")
    failed: int
    busy_s: Seconds
    cpu: float | None = Field(description="The mean share in use.")
    cpu_max: float | None
    memory: float | None
    memory_max: float | None
    unwell: float | None = Field(description="The part of the time in which it was not ONLINE.")

    @classmethod
    def of(cls, line: NodeLine) -> "ReportNodeOut":
        return cls(
            node=line.node,
            kind=line.kind or None,
            runs=line.runs,
            failed=line.failed,
            busy_s=seconds(line.busy_us) or 0.0,
            cpu=line.cpu,
            cpu_max=line.cpu_max,
            memory=line.memory,
            memory_max=line.memory_max,
            unwell=line.unwell,
        )


class ReportOut(ApiOutput):
    """How the runs of a day or a week went."""

    kind: str = one_of(*KINDS)
    namespace: str | None = Field(description="null: of all that the token sees.")
    timezone: str
    date: str = Field(description="Its first day.", examples=["2026-03-29"])
    last_date: str
    from_at: Moment
    to_at: Moment
    made_at: Moment
    is_over: bool = Field(description="false: the period goes on, and nothing is compared.")
    is_exact: bool = Field(description="false: its edges are those of whole hours or days; nothing finer is kept.")
    title: str
    sentences: list[str] = Field(description="What matters most, in the language of the request.")
    now: TallyOut
    before: TallyOut | None = Field(description="null: there is nothing to compare with.")
    jobs: int = Field(description="That there are.")
    jobs_new: int = Field(description="Made in the period.")
    jobs_ran: int
    failing: list[JobLineOut] = Field(description="The jobs with most failures.")
    slowest: list[JobLineOut] = Field(description="By mean duration.")
    late: list[JobLineOut] = Field(description="By the mean wait for their start, from a second on.")
    growing: list[JobLineOut] = Field(description="Busy for a fifth longer than before, and a minute at least.")
    crowded: list[CrowdedOut]
    crowded_by: str = one_of(*(resolution.word for resolution in Resolution))
    skips: dict[str, int] = Field(description="Instants without a run, by reason.", examples=[{"overlap": 3}])
    alerts: dict[str, int] = Field(description="That fired, by level.", examples=[{"critical": 1}])
    alerts_open: int = Field(description="Of these, not over.")
    alert_list: list[AlertOut] = Field(description="The gravest of them.")
    anomalies: list[AnomalyOut]
    nodes: list[ReportNodeOut]
    written: str | None = Field(description="The whole report as text, Markdown or HTML, where `format` asks for it.")

    @classmethod
    def of(cls, report: PeriodReport, language: Language, form: str = "json") -> "ReportOut":
        sheet = sheet_of(report, language)
        return cls(
            kind=str(report.kind),
            namespace=report.namespace,
            timezone=report.timezone,
            date=report.date,
            last_date=report.last_date,
            from_at=moment(report.from_at) or "",
            to_at=moment(report.to_at) or "",
            made_at=moment(report.made_at) or "",
            is_over=report.is_over,
            is_exact=report.is_exact,
            title=sheet.title,
            sentences=list(sheet.sentences),
            now=TallyOut.of(report.now),
            before=None if report.before is None else TallyOut.of(report.before),
            jobs=report.jobs,
            jobs_new=report.jobs_new,
            jobs_ran=report.jobs_ran,
            failing=[JobLineOut.of(line) for line in report.failing],
            slowest=[JobLineOut.of(line) for line in report.slowest],
            late=[JobLineOut.of(line) for line in report.late],
            growing=[JobLineOut.of(line) for line in report.growing],
            crowded=[CrowdedOut.of(point) for point in report.crowded],
            crowded_by=report.crowded_by,
            skips=dict(report.skips),
            alerts={str(level): count for level, count in report.alerts.items()},
            alerts_open=report.alerts_open,
            alert_list=[AlertOut.of(one, language) for one in report.alert_list],
            anomalies=[AnomalyOut.of(one, language) for one in report.anomalies],
            nodes=[ReportNodeOut.of(line) for line in report.nodes],
            written=None if form == "json" else written(sheet, ReportForm(form), language),
        )


ScheduleDocument = Annotated[
    dict[str, Any],
    Field(
        description="The schedule: kind, at, weekday, timezone, to, language, on.",
        examples=[{"kind": "daily", "at": "08:00", "timezone": "Europe/Berlin", "to": ["mail"]}],
    ),
]


class ReportScheduleIn(ApiInput):
    """A schedule of reports as a whole."""

    schedule: ScheduleDocument
    reason: Reason = ""


class ReportScheduleOut(ApiOutput):
    """Which report is sent when, and to which channels."""

    name: str = Field(examples=["morning"])
    namespace: str | None = Field(description="What it is about; null: the whole cluster.")
    version: int
    kind: str = one_of(*KINDS)
    to: list[str] = Field(description="The channels that get it.", examples=[["mail"]])
    is_on: bool
    next_at: Moment | None = Field(description="When the next report is sent; null: it is off.")
    last_at: Moment | None = Field(description="When the last one was to be sent.")
    updated_at: Moment
    updated_by: str
    schedule: ScheduleDocument
    warnings: list[WarningOut] = Field(default_factory=list, description="In the answer to a save.")

    @classmethod
    def of(cls, kept: KeptSchedule, language: Language, warnings: Sequence[FoliotError] = ()) -> "ReportScheduleOut":
        schedule = kept.schedule
        return cls(
            name=schedule.name,
            namespace=schedule.namespace,
            version=schedule.version,
            kind=str(schedule.kind),
            to=list(schedule.to),
            is_on=schedule.is_on,
            next_at=moment(kept.next_at),
            last_at=moment(kept.last_at),
            updated_at=moment(kept.updated_at) or "",
            updated_by=kept.updated_by,
            schedule=written_schedule(schedule),
            warnings=[WarningOut.of(warning, language) for warning in warnings],
        )


class SendReport(ApiInput):
    """Why a report is sent now."""

    reason: Reason = ""


class ReportSentOut(ApiOutput):
    """A report that waits to be sent."""

    name: str = Field(examples=["morning"])
    kind: str = one_of(*KINDS)
    date: str = Field(description="The first day of what it is about.", examples=["2026-03-29"])
    to: list[str] = Field(description="The channels that get it.", examples=[["mail"]])


class ReportSchedulesOut(Listed):
    """Schedules of reports, by namespace and name."""

    items: list[ReportScheduleOut]
