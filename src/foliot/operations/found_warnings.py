"""What schedules were found to warn of, remembered: small, whatever the calendars weigh that were read for it."""

from typing import Final

from foliot.domain.instants import DAY, Instant
from foliot.words.language import Language
from foliot.words.schedules.warnings import ScheduleWarning

REMEMBERED_MAX: Final = 1000


class FoundWarnings:
    """By the hash of a definition, which names the versions of its calendars, by language and by day."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Language, Instant], tuple[ScheduleWarning, ...]] = {}

    def known(self, definition: str, language: Language, now: Instant) -> tuple[ScheduleWarning, ...] | None:
        """What was found today; None: nobody has looked yet."""
        return self._found.get((definition, language, now // DAY))

    def keep(self, definition: str, language: Language, now: Instant, found: tuple[ScheduleWarning, ...]) -> None:
        """Remember what was found."""
        if len(self._found) >= REMEMBERED_MAX:
            self._found.clear()
        self._found[definition, language, now // DAY] = found
