"""What is to be looked at again in the schedule of a saved job."""

from typing import Final

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import DAY, Instant
from foliot.domain.schedule import Schedule
from foliot.domain.schedule.errors import UnknownCalendar
from foliot.operations.calendars import read_definition
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow
from foliot.words.language import Language
from foliot.words.schedules.warnings import ScheduleWarning, warnings_of

REMEMBERED_MAX: Final = 1000
_FOUND: Final[dict[tuple[Schedule, Language, Instant], tuple[ScheduleWarning, ...]]] = {}


async def schedule_warnings(
    services: Services, job: JobRow, *, now: Instant, language: Language
) -> tuple[ScheduleWarning, ...]:
    """Return them, as a look at this definition does. None of one with a calendar that is gone, or that only a newer
    Foliot can read.

    They look a year ahead, which takes milliseconds: they are found once a day, then remembered. A schedule has its
    calendars in it, so an edit of one of these is seen.
    """
    try:
        schedule = (await read_definition(services, job.document, job=job.name, is_saved=True)).schedule
    except (InvalidInput, UnknownCalendar):
        return ()
    return () if schedule is None else _remembered(schedule, now, language)


def _remembered(schedule: Schedule, now: Instant, language: Language) -> tuple[ScheduleWarning, ...]:
    key = (schedule, language, now // DAY)
    found = _FOUND.get(key)
    if found is None:
        found = warnings_of(schedule, now=now, language=language)
        if len(_FOUND) >= REMEMBERED_MAX:
            _FOUND.clear()
        _FOUND[key] = found
    return found
