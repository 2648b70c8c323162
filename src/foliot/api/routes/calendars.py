"""`/calendars`: the calendars people define."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.models.calendars import CalendarIn, CalendarOut, CalendarsOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import PREFIX, READS, WRITES, Cursor, Reader, Services, Writer
from foliot.api.route import FoliotRoute
from foliot.operations import calendars as operations

router: Final = APIRouter(prefix=PREFIX + "/calendars", tags=["calendars"], route_class=FoliotRoute)


@router.get("", responses=READS, summary="List calendars")
async def list_calendars(
    services: Services, who: Reader, limit: AnyLimit = None, cursor: Cursor = None
) -> CalendarsOut:
    """The newest version of each that was saved, then some of the built-in ones: every country and market has them."""
    found = await operations.list_calendars(services, who)
    page, more = page_of(found, lambda one: one.name, limit=limit, cursor=cursor)
    return CalendarsOut(items=[CalendarOut.of(one) for one in page], next_cursor=more)


@router.get("/{name}", responses=READS, summary="Read a calendar")
async def get_calendar(
    services: Services, who: Reader, name: str, version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None
) -> CalendarOut:
    """Its days, the next ones that stand out, and the jobs that use it with the version each is pinned to."""
    return CalendarOut.of(await operations.find_calendar(services, who, name, version))


@router.put("/{name}", responses=WRITES, summary="Save a calendar")
async def put_calendar(services: Services, who: Writer, name: str, body: CalendarIn) -> CalendarOut:
    """A new version; jobs that use it take it over from now on. What is past stays decided as it was."""
    row = await operations.save_calendar(services, who, name, body.calendar, reason=body.reason)
    return CalendarOut.of(await operations.find_calendar(services, who, row.name, row.version))


@router.delete("/{name}", responses=WRITES, status_code=204, summary="Take a calendar away")
async def delete_calendar(services: Services, who: Writer, name: str) -> None:
    """Refused while a job uses it."""
    await operations.delete_calendar(services, who, name)
