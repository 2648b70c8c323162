"""`/alerts` and `/silences`: what deserves a person's attention, and what nobody is told of."""

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query, Response

from foliot.api.models.alerts import (
    LEVELS,
    STATES,
    AckAlert,
    AlertOut,
    ResolveAlert,
    SilenceIn,
    SilenceOut,
    SilencesOut,
)
from foliot.api.models.common import Page, located
from foliot.api.pages import AnyLimit, number_of_cursor, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    Limit,
    NameFilter,
    Reader,
    Runner,
    Services,
    Speaks,
    When,
    read_duration,
    read_moment,
    read_since,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.operations import alerts as operations
from foliot.operations import silences as silencing
from foliot.operations.silences import SilenceWish
from foliot.ports.store.alerts import AlertFilter

router: Final = APIRouter(prefix=PREFIX, tags=["alerts"], route_class=FoliotRoute)

Number = Annotated[int, Path(ge=1, lt=2**63)]
MaybeAckAlert = Annotated[AckAlert, Body(default_factory=AckAlert)]
MaybeResolveAlert = Annotated[ResolveAlert, Body(default_factory=ResolveAlert)]


@router.get("/alerts", responses=READS, summary="List alerts")
async def list_alerts(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    state: Annotated[
        str | None,
        Query(max_length=100, description="Left out: what fires and what is acknowledged.", examples=["resolved"]),
    ] = None,
    level: Annotated[str | None, Query(max_length=50, examples=["critical,warning"])] = None,
    rule: NameFilter = None,
    job: NameFilter = None,
    node: NameFilter = None,
    since: Annotated[When, Query(description="Those that were not over by then.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[AlertOut]:
    """Newest first."""
    wanted = AlertFilter(
        levels=frozenset(AlertLevel(word) for word in read_words(level, "level", LEVELS)),
        rule=rule,
        job=job,
        node=node,
        since=read_since(since),
        states=_states(state),
    )
    page = await operations.list_alerts(
        services,
        who,
        wanted,
        namespace=namespace,
        limit=limit,
        before_id=number_of_cursor(cursor, digits_max=18),
    )
    next_cursor = None if page.next_before_id is None else str(page.next_before_id)
    return Page(items=[AlertOut.of(one, language) for one in page.items], next_cursor=next_cursor)


def _states(written: str | None) -> frozenset[AlertState]:
    words = read_words(written, "state", STATES)
    return frozenset(AlertState(word) for word in words) or AlertFilter().states


@router.get("/alerts/{number}", responses=READS, summary="Read an alert")
async def get_alert(services: Services, who: Reader, language: Speaks, number: Number) -> AlertOut:
    """What it is, since when, whom it told, and what it touches."""
    found = await operations.find_alert(services, who, number)
    return AlertOut.of(found, language)


@router.post("/alerts/{number}:ack", responses=WRITES, summary="Say that a person looks after an alert")
async def ack_alert(services: Services, who: Runner, language: Speaks, number: Number, body: MaybeAckAlert) -> AlertOut:
    """Nobody is reminded, and nothing is escalated."""
    after = await operations.acknowledge(services, who, number, note=body.note)
    return AlertOut.of(after, language)


@router.post("/alerts/{number}:resolve", responses=WRITES, summary="Say that an alert is over")
async def resolve_alert(
    services: Services, who: Runner, language: Speaks, number: Number, body: MaybeResolveAlert
) -> AlertOut:
    """Its channels are told so. When the trouble is seen again, that is another alert."""
    after = await operations.resolve(services, who, number, reason=body.reason)
    return AlertOut.of(after, language)


@router.get("/silences", responses=READS, summary="List silences")
async def list_silences(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    ended: Annotated[bool, Query(description="With those that are over.")] = False,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> SilencesOut:
    """Those of a namespace and of the whole cluster, newest first."""
    found, now = await silencing.list_silences(services, who, namespace=namespace, with_ended=ended)
    page, more = page_of(found, lambda one: str(one.id), limit=limit, cursor=cursor)
    return SilencesOut(items=[SilenceOut.of_silence(one, now) for one in page], next_cursor=more)


@router.post("/silences", responses=WRITES, status_code=201, summary="Let nobody be told of some alerts for some time")
async def make_silence(services: Services, who: Runner, body: SilenceIn, response: Response) -> SilenceOut:
    """Alerts stand in the list all the same. What goes on when the silence ends is told then."""
    wish = SilenceWish(
        of=body.of.written(),
        rule=body.rule,
        alert_id=body.alert,
        namespace=body.namespace,
        everywhere=body.everywhere,
        everything=body.everything,
        from_at=read_moment(body.from_, "from"),
        until=read_moment(body.until, "until"),
        lasts_us=read_duration(body.for_, "for"),
        reason=body.reason,
    )
    made = await silencing.silence(services, who, wish)
    response.headers["Location"] = located("silences", str(made.id))
    return SilenceOut.of_silence(made, await services.store.lookups.now())


@router.get("/silences/{number}", responses=READS, summary="Read a silence")
async def get_silence(services: Services, who: Reader, number: Number) -> SilenceOut:
    """What is silent, until when, and why."""
    found, now = await silencing.find_silence(services, who, number)
    return SilenceOut.of_silence(found, now)


@router.delete("/silences/{number}", responses=WRITES, summary="End a silence")
async def end_silence(services: Services, who: Runner, number: Number) -> SilenceOut:
    """Before its time: what goes on is told again."""
    ended = await silencing.end_silence(services, who, number)
    return SilenceOut.of_silence(ended, await services.store.lookups.now())
