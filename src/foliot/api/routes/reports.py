"""`/reports` and `/report-schedules`: how the runs of a day or a week went, and who is told of it when."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query

from foliot.api.models.reports import (
    FORMS,
    KINDS,
    ReportOut,
    ReportScheduleIn,
    ReportScheduleOut,
    ReportSchedulesOut,
    ReportSentOut,
    SendReport,
)
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    Reader,
    Services,
    Speaks,
    Writer,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.errors import BadField
from foliot.domain.reports.period import ReportKind
from foliot.domain.texts import NAME_BYTES_MAX, REASON_BYTES_MAX
from foliot.operations import reports as operations
from foliot.ports.store.reports import KeptSchedule

router: Final = APIRouter(prefix=PREFIX, tags=["reports"], route_class=FoliotRoute)

TZ_MAX: Final = 100
KindOfReport = Annotated[str, Path(max_length=20, description="`daily` or `weekly`.", examples=["daily"])]
ScheduleName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
About = Annotated[
    str | None,
    Query(max_length=NAME_BYTES_MAX, description="What its reports are about; the token's own, or the whole cluster."),
]


@router.get("/reports/{kind}", responses=READS, summary="How the runs of a day or a week went")
async def get_report(
    services: Services,
    who: Reader,
    language: Speaks,
    kind: KindOfReport,
    namespace: EveryNamespace = None,
    date: Annotated[
        str | None,
        Query(
            max_length=20, description="A day of the period; left out: the last that is over.", examples=["2026-03-29"]
        ),
    ] = None,
    tz: Annotated[
        str, Query(max_length=TZ_MAX, description="Whose days they are.", examples=["Europe/Berlin"])
    ] = "UTC",
    format: Annotated[  # noqa: A002  as clients say
        str, Query(max_length=20, description="json, text, markdown or html: the last three fill `written`.")
    ] = "json",
) -> ReportOut:
    """Counts, success, the jobs that fail most, take longest, start late and grow, crowding, skips, alerts, anomalies
    and nodes, beside the period before. A week is from Monday to Sunday.
    """
    (form,) = read_words(format, "format", FORMS) or ("json",)
    found = await operations.report(services, who, read_kind(kind), namespace=namespace, date=date, timezone=tz)
    return ReportOut.of(found, language, form)


def read_kind(written: str) -> ReportKind:
    """The kind of a report; `BadField` when there is none of this name."""
    if written not in KINDS:
        raise BadField("kind", f'"{written}" is no kind of report', hint=f"known are: {', '.join(KINDS)}")
    return ReportKind(written)


@router.get("/report-schedules", responses=READS, summary="List schedules of reports")
async def list_report_schedules(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> ReportSchedulesOut:
    """Those of the whole cluster and of namespaces, with when each is due next."""
    found = await operations.list_schedules(services, who, namespace=namespace)
    page, more = page_of(found, _key, limit=limit, cursor=cursor)
    return ReportSchedulesOut(items=[ReportScheduleOut.of(one, language) for one in page], next_cursor=more)


def _key(kept: KeptSchedule) -> str:
    return f"{kept.schedule.namespace or ''}/{kept.schedule.name}"


@router.get("/report-schedules/{name}", responses=READS, summary="Read a schedule of reports")
async def get_report_schedule(
    services: Services, who: Reader, language: Speaks, name: ScheduleName, namespace: About = None
) -> ReportScheduleOut:
    """Which report is sent when, and to whom."""
    return ReportScheduleOut.of(await operations.find_schedule(services, who, name, namespace=namespace), language)


@router.put("/report-schedules/{name}", responses=WRITES, summary="Save a schedule of reports")
async def put_report_schedule(
    services: Services,
    who: Writer,
    language: Speaks,
    name: ScheduleName,
    body: ReportScheduleIn,
    namespace: About = None,
) -> ReportScheduleOut:
    """A new one, or in the place of the one that has this name. One of the whole cluster needs an admin."""
    kept, warnings = await operations.save_schedule(
        services, who, name, body.schedule, namespace=namespace, reason=body.reason
    )
    return ReportScheduleOut.of(kept, language, warnings)


@router.post("/report-schedules/{name}:send", responses=WRITES, summary="Send a report now")
async def send_report_schedule(
    services: Services, who: Writer, name: ScheduleName, body: SendReport, namespace: About = None
) -> ReportSentOut:
    """The report of the last day or week that is over, besides those that are sent when they are due."""
    kept, period = await operations.send_schedule(services, who, name, namespace=namespace, reason=body.reason)
    schedule = kept.schedule
    return ReportSentOut(name=schedule.name, kind=str(schedule.kind), date=period.date, to=list(schedule.to))


@router.delete("/report-schedules/{name}", responses=WRITES, status_code=204, summary="Take a schedule of reports away")
async def delete_report_schedule(
    services: Services,
    who: Writer,
    name: ScheduleName,
    namespace: About = None,
    reason: Annotated[str, Query(max_length=REASON_BYTES_MAX)] = "",
) -> None:
    """A report that waits to be sent is sent all the same. One of the whole cluster needs an admin."""
    await operations.remove_schedule(services, who, name, namespace=namespace, reason=reason)
