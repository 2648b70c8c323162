"""What is to be looked at again in the schedule of a saved job."""

from typing import Final

from foliot.domain.instants import DAY, Instant
from foliot.operations.fires import schedule_of
from foliot.ports.store.lookups import JobRow
from foliot.words.language import Language
from foliot.words.schedules.warnings import ScheduleWarning, warnings_of

REMEMBERED_MAX: Final = 1000
_FOUND: Final[dict[tuple[str, str, Language, Instant], tuple[ScheduleWarning, ...]]] = {}


def schedule_warnings(job: JobRow, *, now: Instant, language: Language) -> tuple[ScheduleWarning, ...]:
    """Return them. They look a year ahead, which takes milliseconds: they are found once a day, then remembered."""
    key = (job.hash, job.name, language, now // DAY)
    found = _FOUND.get(key)
    if found is None:
        schedule = schedule_of(job.document, job.name)
        found = () if schedule is None else warnings_of(schedule, now=now, language=language)
        if len(_FOUND) >= REMEMBERED_MAX:
            _FOUND.clear()
        _FOUND[key] = found
    return found
