"""Reading a cron expression: which dialect it is, then field by field."""

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from foliot.domain.schedule.cron.fields import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    QUARTZ_WEEKDAY,
    SECOND,
    SPRING_WEEKDAY,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    CronDialect,
    Expression,
    Field,
    Item,
    Kind,
    LastWeekday,
    NthWeekday,
    Span,
    weekdays_in,
)
from foliot.domain.schedule.cron.items import ItemProblem, read_field
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron

LENGTH_MAX: Final = 400
MACROS: Final = {
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
    "@MONTHLY": "0 0 1 * *",
    "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@HOURLY": "0 * * * *",
}
_UNIX: Final = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
_SPRING: Final = (SECOND, MINUTE, HOUR, DAY, MONTH, SPRING_WEEKDAY)
_QUARTZ: Final = (SECOND, MINUTE, HOUR, DAY, MONTH, QUARTZ_WEEKDAY, YEAR)
_LAYOUT: Final = {CronDialect.UNIX: _UNIX, CronDialect.SPRING: _SPRING, CronDialect.QUARTZ: _QUARTZ}
_WEEKDAY: Final = {CronDialect.UNIX: WEEKDAY, CronDialect.SPRING: SPRING_WEEKDAY, CronDialect.QUARTZ: QUARTZ_WEEKDAY}
_COUNTS: Final = {CronDialect.UNIX: (5,), CronDialect.SPRING: (6,), CronDialect.QUARTZ: (6, 7)}
_COUNTED: Final = {
    CronDialect.UNIX: "Unix cron has 5",
    CronDialect.SPRING: "Spring has 6",
    CronDialect.QUARTZ: "Quartz has 6 or 7",
}
_SPREAD: Final = re.compile(r"(^|[\s,])H(?![A-Z])|~", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^[^/#]*[0-9]")  # before a step and before the n of #n
_ZERO: Final = Field(SECOND, "0", (Span(0, 0),), 1)
_NAMED: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_PATHS: Final = ("/", "./", "~/", "$")  # how the path of a command begins
_NTH: Final = ("", "first", "second", "third", "fourth", "fifth")


def parse(text: str, dialect: CronDialect | None = None, *, seed: str = "") -> Expression:
    """Read an expression. Without a dialect the number of fields says which it is; `seed` (the job's name) places H."""
    if len(text) > LENGTH_MAX:
        short = f"{text[:40]}…"
        advice = "split it into a list of schedules"
        raise BadCron(short, f"more than {LENGTH_MAX} characters", field="expression", value=short, advice=advice)
    return _parse(" ".join(text.split()), dialect, seed if _is_spread(text) else "")


def _is_spread(text: str) -> bool:
    """Whether the job's name matters; otherwise jobs that write the same share one reading."""
    return _SPREAD.search(text) is not None


@lru_cache(maxsize=8192)
def _parse(text: str, dialect: CronDialect | None, seed: str) -> Expression:
    if text.startswith("@"):
        return _macro(text, seed)
    parts = text.upper().split()
    if dialect is None and len(parts) in (6, 7) and _has_command(parts):
        raise _with_command(text, parts)
    said, dialect = dialect, dialect or _detect(text, parts, seed)
    if len(parts) not in _COUNTS[dialect]:
        raise _miscounted(text, parts, dialect)
    try:
        return _read(text, parts, dialect, seed)
    except BadCron as error:
        suggestion = error.data["suggestion"]
        if said is None and suggestion is not None and _valid(suggestion, None) is None:
            raise error.without_suggestion() from None  # it could not be written without saying the dialect
        raise


def _macro(text: str, seed: str) -> Expression:
    meaning = MACROS.get(text.upper())
    if meaning is None:
        advice = "write every: 5m for an interval" if text.lower().startswith("@every") else ""
        if text.lower() == "@reboot":
            advice = "a cluster has no boot: trigger the job from a start-up script"
        close = [] if advice else get_close_matches(text.upper(), MACROS, n=1, cutoff=0.7)
        raise BadCron(
            text,
            f"{text} is not a known name",
            field="expression",
            value=text,
            suggestion=close[0].lower() if close else None,
            advice=advice or f"known: {' '.join(MACROS).lower()}",
        )
    read = _read(meaning, meaning.split(), CronDialect.UNIX, seed)
    return Expression(
        text=text.lower(),
        dialect=CronDialect.UNIX,
        second=read.second,
        minute=read.minute,
        hour=read.hour,
        day=read.day,
        month=read.month,
        weekday=read.weekday,
    )


def _read(text: str, parts: list[str], dialect: CronDialect, seed: str) -> Expression:
    fields: list[Field] = []
    for place, (kind, part) in enumerate(zip(_LAYOUT[dialect], parts, strict=False)):
        try:
            fields.append(read_field(kind, part, seed=seed))
        except ItemProblem as problem:
            raise _worded(text, parts, dialect, kind, place, problem) from None
    if dialect is CronDialect.UNIX:
        fields.insert(0, _ZERO)
    second, minute, hour, day, month, weekday = fields[:6]
    if dialect is CronDialect.QUARTZ:
        _check_quartz_days(text, day, weekday)
    return Expression(
        text=text,
        dialect=dialect,
        second=second,
        minute=minute,
        hour=hour,
        day=day,
        month=month,
        weekday=weekday,
        year=fields[6] if len(fields) > 6 else None,
    )


def _check_quartz_days(text: str, day: Field, weekday: Field) -> None:
    if day.text == "?" and weekday.text == "?":
        raise BadCron(
            text,
            'day and weekday are both "?"',
            field="weekday",
            value="?",
            place=5,
            suggestion=_with(text, 5, "*"),
        )
    if not day.is_star and not weekday.is_star:
        raise BadCron(
            text,
            f"Quartz cannot join day {day.text} and weekday {weekday.text}",
            field="weekday",
            value=weekday.text,
            place=5,
            advice=f"write {_with(text, 5, '?')} or {_with(text, 3, '?')}, or set dialect: spring to join them by AND",
        )


def _detect(text: str, parts: list[str], seed: str) -> CronDialect:
    """Five fields are Unix; six or seven begin with seconds, and then a weekday number must not be ambiguous."""
    if len(parts) == 5:
        return CronDialect.UNIX
    if len(parts) not in (6, 7):
        raise _miscounted(text, parts, None)
    likely = CronDialect.QUARTZ if len(parts) == 7 or "?" in parts[3:6] else CronDialect.SPRING
    quartz, spring = (_weekday(parts[5], dialect, seed) for dialect in (CronDialect.QUARTZ, CronDialect.SPRING))
    if quartz is None and spring is not None and len(parts) == 6:
        return CronDialect.SPRING
    if spring is None and quartz is not None:
        return CronDialect.QUARTZ
    if quartz is not None and spring is not None and _meaning(quartz) != _meaning(spring):
        _refuse_numbers(text, parts[5], quartz, spring)
    return likely


def other_weekdays(expression: Expression) -> tuple[CronDialect, Field] | None:
    """How the other dialect with six fields reads the weekdays, if it reads other days: `*/2`, `MON/2`."""
    if expression.dialect is CronDialect.UNIX or expression.year is not None:
        return None
    other = CronDialect.SPRING if expression.dialect is CronDialect.QUARTZ else CronDialect.QUARTZ
    own, rival = (_weekday(expression.weekday.text, dialect, "") for dialect in (expression.dialect, other))
    if own is None or rival is None or _meaning(own) == _meaning(rival):
        return None
    return other, rival


def _weekday(part: str, dialect: CronDialect, seed: str) -> Field | None:
    try:
        return read_field(_WEEKDAY[dialect], part, seed=seed)
    except ItemProblem:
        return None


def _meaning(field: Field) -> tuple[int, set[Item]]:
    return field.mask, {item for item in field.items if not isinstance(item, Span)}


def _refuse_numbers(text: str, part: str, quartz: Field, spring: Field) -> None:
    """Refuse a weekday number that is another day elsewhere. Names and stars are read; `other_weekdays` tells."""
    for value, one, other in zip(part.split(","), quartz.items, spring.items, strict=True):
        in_quartz, in_spring = _said(one), _said(other)
        if _NUMBERED.search(value) and in_quartz != in_spring:
            raise AmbiguousWeekday(text, value, quartz=in_quartz, spring=in_spring)


def _said(item: Item) -> tuple[str, str]:
    """A weekday item in words, and as an expression writes it with names."""
    match item:
        case NthWeekday():
            return f"the {_NTH[item.nth]} {_NAMED[item.weekday]}", f"{WEEKDAYS[item.weekday]}#{item.nth}"
        case LastWeekday():
            return f"the last {_NAMED[item.weekday]}", f"{WEEKDAYS[item.weekday]}L"
        case Span():
            return _said_span(weekdays_in(item), is_range=item.step == 1)
    raise AssertionError(item)


def _said_span(days: tuple[int, ...], *, is_range: bool) -> tuple[str, str]:
    first, last = days[0], days[-1]
    if len(days) == 1:
        return _NAMED[first], WEEKDAYS[first]
    if is_range:
        return f"{_NAMED[first]} to {_NAMED[last]}", f"{WEEKDAYS[first]}-{WEEKDAYS[last]}"
    named = [_NAMED[day] for day in days]
    return f"{', '.join(named[:-1])} and {named[-1]}", ",".join(WEEKDAYS[day] for day in days)


def _worded(text: str, parts: list[str], dialect: CronDialect, kind: Kind, place: int, problem: ItemProblem) -> BadCron:
    tight = _tight(text)
    suggestion = _valid(tight, None) if tight != text and len(tight.split()) < len(parts) else None
    if suggestion is None and problem.meant is not None:
        mended = [_mended(value, kind) for value in parts[place].split(",")]
        kept = [value for value in mended if value]
        if kept and None not in mended:
            changed = [*parts[:place], ",".join(kept), *parts[place + 1 :]]
            suggestion = _valid(" ".join(changed), dialect)
    return BadCron(
        text,
        problem.sentence,
        field=kind.name,
        value=problem.value or parts[place],
        place=place,
        suggestion=suggestion,
        advice=problem.advice or f"{kind.name}: {_example(kind)}",
        bounds=f"{kind.low}–{kind.high}",
    )


def _mended(value: str, kind: Kind) -> str | None:
    """The value as it was surely meant, itself if nothing is wrong with it; None if nobody can know."""
    for _ in range(3):
        try:
            read_field(kind, value, seed="")
        except ItemProblem as problem:
            if not problem.meant:
                return problem.meant
            value = problem.meant
        else:
            return value
    return None


def _valid(text: str, dialect: CronDialect | None) -> str | None:
    try:
        _parse(text, dialect, "")
    except (BadCron, AmbiguousWeekday):
        return None
    return text


def _example(kind: Kind) -> str:
    if kind.names:
        names = list(kind.names)
        return f"{kind.low}–{kind.high}, {names[0]} … or lists and ranges of them"
    return f"{kind.low}–{kind.high}, *, */2, 1-5 or lists of them"


def _miscounted(text: str, parts: list[str], dialect: CronDialect | None) -> BadCron:
    has = f"{len(parts)} field{'' if len(parts) == 1 else 's'}"
    wants = _COUNTED[dialect] if dialect else "cron has 5, or 6 and 7 with seconds first"
    return BadCron(
        text,
        f"{has}, but {wants}" if text else "nothing is written, but cron has 5 fields",
        field="expression",
        value=text,
        suggestion=_recounted(text, parts, dialect),
        advice="write minute hour day month weekday, as in 0 2 * * *",
    )


def _has_command(parts: list[str]) -> bool:
    """Whether a line of a crontab was written whole: five fields, perhaps a user, and the path of a command."""
    has_path = any(part.startswith(_PATHS) for part in parts[5:])
    return has_path and _is_command(parts[5]) and _valid(" ".join(parts[:5]), CronDialect.UNIX) is not None


def _with_command(text: str, parts: list[str]) -> BadCron:
    return BadCron(
        text,
        "a command stands behind the 5 fields",
        field="expression",
        value=" ".join(text.split()[5:]),
        suggestion=" ".join(parts[:5]),
    )


def _recounted(text: str, parts: list[str], dialect: CronDialect | None) -> str | None:
    """The expression that was probably meant by one with too many or too few fields."""
    count = len(parts)
    guesses = [_tight(text)]
    if count > 5 and _is_command(parts[5]):
        guesses.append(" ".join(parts[:5]))
    if count == 5 and dialect in (CronDialect.QUARTZ, CronDialect.SPRING):
        guesses.append(f"0 {text}")
    elif count == 6 and dialect is CronDialect.UNIX and parts[0] == "0":
        guesses.append(" ".join(parts[1:]))
    elif 2 <= count < 5:
        stars = ["*"] * (5 - count)
        guesses.append(" ".join([*parts, *stars]))
    for guess in guesses:
        if guess != text and (valid := _valid(guess, dialect)):
            return valid
    return None


def _is_command(part: str) -> bool:
    """Whether the sixth part of a line of a crontab is no field any more."""
    return all(_weekday(part, dialect, "") is None for dialect in CronDialect)


def _tight(text: str) -> str:
    """Without blanks round commas, dashes and slashes: `1, 2` was meant as one field."""
    return re.sub(r"\s*([,/-])\s*", r"\1", text)


def _with(text: str, place: int, value: str) -> str:
    parts = text.split()
    parts[place] = value
    return " ".join(parts)
