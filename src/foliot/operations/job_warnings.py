"""What is to be looked at again in the schedule of a saved job."""

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant
from foliot.domain.schedule.errors import UnknownCalendar
from foliot.operations.calendars import names_newest, read_definition
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow
from foliot.words.language import Language
from foliot.words.schedules.warnings import ScheduleWarning, warnings_of


async def schedule_warnings(
    services: Services, job: JobRow, *, now: Instant, language: Language
) -> tuple[ScheduleWarning, ...]:
    """Return them, as a look at this definition does. None of one with a calendar that is gone, or that only a newer
    Foliot can read.

    They look a year ahead, and calendars may be large: they are found once a day, then remembered. A definition names
    the version of each calendar, so an edit of one of these is another definition.
    """
    found = services.warnings.known(job.hash, language, now)
    if found is None:
        try:
            schedule = (await read_definition(services, job.document, job=job.name, is_saved=True)).schedule
        except (InvalidInput, UnknownCalendar):
            return ()
        found = () if schedule is None else warnings_of(schedule, now=now, language=language)
        if not names_newest(job.document):
            services.warnings.keep(job.hash, language, now, found)
    return found
