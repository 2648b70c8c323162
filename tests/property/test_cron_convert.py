"""A converted expression fires at the same instants, and is called portable only if the dialect's own programs read it.

What those read is asked of small models of their grammars, written down here from their sources: vixie cron and cronie,
Quartz 2.3, Spring 6.
"""

import re
from datetime import UTC, datetime

import pytest

from foliot.domain.schedule import Cron, CronDialect
from foliot.domain.schedule.cron.conversion import convert
from foliot.domain.schedule.errors import NotConvertible
from tests.property.expressions import MONTHS, WEEKDAYS, drawn

FIRST_DAY = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) // 86_400
DRAWN = 150


def year_of(trigger: Cron) -> list[int]:
    """The instants of a year in a zone that changes its clock twice, as a mask of seconds a day."""
    return [trigger.due_mask(day) for day in range(FIRST_DAY, FIRST_DAY + 365)]


@pytest.mark.parametrize("to", list(CronDialect))
@pytest.mark.parametrize("dialect", list(CronDialect))
def test_a_converted_expression_fires_at_the_same_instants(dialect: CronDialect, to: CronDialect) -> None:
    checked = [check_converted(trigger, to) for trigger in drawn(dialect, DRAWN)]
    assert sum(checked) > DRAWN // 8, "many can be said, so that this says something"


@pytest.mark.parametrize(
    ("text", "dialect", "to"),
    [
        ("0 0 1-31 * MON", "unix", "quartz"),
        ("0 0 1 * 0-6", "unix", "spring"),
        ("0 9 * * MON/1", "unix", "quartz"),
        ("0 9 * * 7/2", "unix", "spring"),
        ("0 9 * * 5/1", "unix", "quartz"),
        ("0 0 9 * * */2", "spring", "unix"),
        ("0 0 9 */2 * MON", "spring", "unix"),
        ("0 0 9 1-9 * 0-6/2", "spring", "unix"),
        ("0 3/2 * * *", "unix", "unix"),
        ("0 9 1-7 * H", "unix", "unix"),
        ("0 0 9 ? * H(2-6)", "quartz", "unix"),
    ],
)
def test_a_form_that_once_changed_its_instants_keeps_them(text: str, dialect: str, to: str) -> None:
    assert check_converted(
        Cron(text=text, dialect=CronDialect(dialect), tz="Europe/Berlin", job="settle"), CronDialect(to)
    )


def check_converted(trigger: Cron, to: CronDialect) -> bool:
    """Whether the other dialect can say it; then it must mean the same, and be called portable only if it is."""
    try:
        converted = convert(trigger.text, to, dialect=trigger.expression.dialect)
    except NotConvertible:
        return False
    other = Cron(text=converted.text, dialect=to, tz=trigger.tz, job=trigger.job)
    is_same = year_of(other) == year_of(trigger)  # not compared in the assertion: nobody reads masks of a day
    assert is_same, f"{trigger.text} -> {converted.text}"
    assert converted.is_portable == READS[to](converted.text), converted.text
    return True


def test_a_weekday_that_the_other_dialect_has_no_number_for_is_refused() -> None:
    with pytest.raises(NotConvertible, match=r"Quartz has no numbers for weekday H\(1-7\)"):
        convert("0 9 * * H(1-7)", CronDialect.QUARTZ)


# ------------------------------------------------------------------------------- what the programs themselves read


def is_read_by_crontab(text: str) -> bool:
    """`get_range`: a number, or a star or a rising range with perhaps a step."""
    lows = (0, 0, 1, 1, 0)
    return all(
        _is_crontab_item(item, low)
        for field, low in zip(text.split(), lows, strict=True)
        for item in field.split(",")
    )  # fmt: skip


def _is_crontab_item(item: str, low: int) -> bool:
    if re.fullmatch(r"\*(/[1-9][0-9]*)?", item):
        return True
    found = re.fullmatch(r"([0-9]+|[A-Z]{3})(?:-([0-9]+|[A-Z]{3})(?:/[1-9][0-9]*)?)?", item)
    if found is None:
        return False
    numbers = [_number(part, WEEKDAYS, 0) if low == 0 else _number(part, MONTHS, 1) for part in found.groups() if part]
    return numbers == sorted(numbers)


def _number(written: str, names: tuple[str, ...], low: int) -> int:
    return int(written) if written.isdecimal() else names.index(written) + low


def is_read_by_spring(text: str) -> bool:
    """`BitsCronField` and `QuartzCronField`: names are replaced by numbers first, ranges must rise."""
    return all(
        _is_spring_item(field, item, place)
        for place, field in enumerate(text.split())
        for item in field.split(",")
    )  # fmt: skip


def _is_spring_item(field: str, item: str, place: int) -> bool:
    for name in (*MONTHS, *WEEKDAYS):
        number = MONTHS.index(name) + 1 if name in MONTHS else WEEKDAYS.index(name) or 7
        item = item.replace(name, str(number))
    if place == 3 and re.fullmatch(r"L|LW|L-([1-9]|1[0-9]|2[0-7])|([1-9]|1[0-9]|2[0-7])W", item):
        return True
    if place == 5 and re.fullmatch(r"[0-7]L|[0-7]#[1-5]", item):
        return True
    if place in (3, 5) and field == "?":
        return True
    found = re.fullmatch(r"(?:\*|([0-9]+)(?:-([0-9]+))?)(?:/[1-9][0-9]*)?", item)
    if found is None or found[2] is None:
        return found is not None
    first = 0 if place == 5 and found[1] == "7" else int(found[1])
    return first <= int(found[2])


def is_read_by_quartz(text: str) -> bool:
    """`CronExpression`: one of day and weekday is `?`; L, W and # stand alone; no step behind a name."""
    fields = text.split()
    if (fields[3] == "?") == (fields[5] == "?"):
        return False
    return all(_is_quartz_item(field, item, place) for place, field in enumerate(fields) for item in field.split(","))


def _is_quartz_item(field: str, item: str, place: int) -> bool:
    largest = (59, 59, 23, 31, 12, 7, 230)[place]
    if place in (3, 5) and item == "?":
        return field == "?"
    if place == 3 and re.fullmatch(r"L(-[0-9]+)?W?|([1-9]|1[0-9]|2[0-7])W", item):
        return field == item
    if place == 5 and re.fullmatch(r"[A-Z]{3}(L|#[1-5])", item):
        return field == item
    if re.fullmatch(r"[A-Z]{3}(-[A-Z]{3})?", item):
        return place in (4, 5)
    found = re.fullmatch(r"(?:\*|[0-9]+(-[0-9]+)?)(?:/([1-9][0-9]*))?", item)
    return found is not None and (found[2] is None or int(found[2]) <= largest)


READS = {
    CronDialect.UNIX: is_read_by_crontab,
    CronDialect.QUARTZ: is_read_by_quartz,
    CronDialect.SPRING: is_read_by_spring,
}


@pytest.mark.parametrize(
    ("text", "dialect", "to", "foreign"),
    [
        ("0 12 L-5W * *", "unix", "spring", "L-5W"),
        ("0 12 L-5W * *", "unix", "quartz", None),
        ("0 12 L-0 * *", "unix", "spring", None),
        ("0 12 L * *", "unix", "unix", "L"),
        ("0 12 15,L * *", "unix", "quartz", "L"),
        ("0 12 15,L * *", "unix", "spring", None),
        ("0 12 31W * *", "unix", "spring", "31W"),
        ("0 9 * * MON,FRIL", "unix", "quartz", "FRIL"),
        ("0 22-2/3 * * *", "unix", "spring", None),
        ("0 3/2 * * *", "unix", "unix", "3/2"),
        ("5/15 * * * *", "unix", "unix", None),
        ("H 2 * * *", "unix", "quartz", "H"),
        ("0 10~20 * * *", "unix", "spring", "10~20"),
        ("0 9 * * FRI-MON", "unix", "spring", None),
        ("0 0 * NOV-FEB *", "unix", "spring", None),
    ],
)
def test_what_only_foliot_reads_is_named(text: str, dialect: str, to: str, foreign: str | None) -> None:
    converted = convert(text, CronDialect(to), dialect=CronDialect(dialect))
    assert converted.foreign == foreign
    assert converted.is_portable == (foreign is None)
