"""What can be wrong with a schedule as a user wrote it.

    InvalidInput
    ├── BadCron              FOL-1001   an expression that cannot be read
    ├── AmbiguousWeekday     FOL-1002   a weekday number that means different days in different dialects
    ├── UnknownZone          FOL-1004   a time zone that does not exist
    ├── BadTime              FOL-1031   an instant, a date or a time of day that cannot be read
    ├── BadCalendar          FOL-1032   a calendar that cannot be read
    ├── NotConvertible       FOL-1033   an expression that another dialect cannot say
    └── BadSchedule          FOL-1038   a schedule whose parts do not fit together
    NotFound
    └── UnknownCalendar      FOL-2010   no calendar has this name

FOL-1003, FOL-1005, FOL-1034 to FOL-1037, FOL-1039 and FOL-1042 are warnings: the schedule works, but perhaps not as
meant (see `warnings`).
"""

from typing import Any, Final

from foliot.domain.errors import InvalidInput, NotFound

_ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th")


class BadCron(InvalidInput):
    """A cron expression that cannot be read."""

    code = "FOL-1001"

    def __init__(
        self,
        text: str,
        problem: str,
        *,
        field: str = "",
        value: str = "",
        place: int | None = None,
        suggestion: str | None = None,
        advice: str = "",
        bounds: str = "",
    ) -> None:
        where = f" ({_ORDINALS[place]} field)" if place is not None else ""
        meant = f"did you mean {suggestion}?" if suggestion else advice
        super().__init__(
            shown(f'"{text}": {problem}{where}.'),
            hint=shown(meant) or None,
            text=text,
            field=field,
            value=value,
            place=place,
            suggestion=suggestion,
            bounds=bounds,
        )
        self._problem, self._advice = problem, advice

    def without_suggestion(self) -> "BadCron":
        """The same, for a reader who could not write what it suggests."""
        told = {key: self.data[key] for key in ("field", "value", "place", "bounds")}
        advice = self._advice or "name the weekday: MON"
        return BadCron(self.data["text"], self._problem, advice=advice, **told)


class AmbiguousWeekday(InvalidInput):
    """A weekday number that means one day in Quartz and another in Spring and Unix."""

    code = "FOL-1002"

    def __init__(self, text: str, value: str, *, quartz: tuple[str, str], spring: tuple[str, str]) -> None:
        super().__init__(
            shown(f'"{text}": {value} is {quartz[0]} in Quartz, {spring[0]} in Spring and Unix.'),
            hint=f"write {quartz[1]} or {spring[1]}, or set dialect: quartz",
            text=text,
            field="weekday",
            value=value,
            place=5,
            suggestion=quartz[1],
            quartz=quartz[1],
            spring=spring[1],
        )


class UnknownZone(InvalidInput):
    """A time zone that does not exist."""

    code = "FOL-1004"

    def __init__(self, name: str, *, nearest: str | None) -> None:
        hint = f"use {nearest}" if nearest else "use a name such as UTC, Asia/Shanghai or Europe/Berlin"
        super().__init__(shown(f'Time zone "{name}" does not exist.'), hint=hint, name=name, suggestion=nearest)


class BadSchedule(InvalidInput):
    """A schedule whose parts do not fit together."""

    code = "FOL-1038"

    def __init__(self, sentence: str, *, hint: str, **data: Any) -> None:
        super().__init__(shown(sentence), hint=shown(hint), **data)


class BadTime(InvalidInput):
    """An instant, a date or a time of day that cannot be read."""

    code = "FOL-1031"

    def __init__(self, written: object, *, what: str, hint: str) -> None:
        super().__init__(shown(f'"{written}" is not {what}.'), hint=hint, written=str(written))


class BadCalendar(InvalidInput):
    """A calendar that cannot be read."""

    code = "FOL-1032"

    def __init__(self, sentence: str, *, hint: str, **data: Any) -> None:
        super().__init__(shown(sentence), hint=shown(hint), **data)


class NotConvertible(InvalidInput):
    """An expression that another dialect cannot say."""

    code = "FOL-1033"


class UnknownCalendar(NotFound):
    """No calendar has this name."""

    code = "FOL-2010"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        hint = f"did you mean {nearest}?" if nearest else "define it, or use a built-in such as weekdays or cn-workdays"
        super().__init__(shown(f'No calendar "{name}".'), hint=hint, name=name, nearest=nearest)


def shown(text: str) -> str:
    """Text for one line of a message: nothing that moves the cursor, and no more than a person reads."""
    kept = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:1000])
    return kept if len(text) <= 1000 else f"{kept}…"
