"""Cron expressions of every form, drawn from a seed: all that people write, and much that nobody does."""

import random
from collections.abc import Iterator

from foliot.domain.schedule import Cron, CronDialect
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
DAYS = ("L", "L-0", "L-5", "L-28", "LW", "L-5W", "15W", "31W", "1-31", "1-7", "*/2")
WEEKS = ("FRI#3", "FRIL", "MON#1", "5L", "5#2", "1-7", "SUN-SAT", "MON", "*/2")
YEARS = ("*", "2026", "2026-2030", "2025/2", "1970-2199")


def drawn(dialect: CronDialect, n: int, *, seed: int = 1) -> Iterator[Cron]:
    """So many expressions that can be read."""
    dice = random.Random(f"{dialect.value} {seed}")
    while n:
        try:
            yield Cron(text=_expression(dice, dialect), dialect=dialect, tz="Europe/Berlin", job="settle")
        except (BadCron, AmbiguousWeekday):
            continue
        n -= 1


def _expression(dice: random.Random, dialect: CronDialect) -> str:
    minute, hour, month = _field(dice, 0, 59), _field(dice, 0, 23), _field(dice, 1, 12, MONTHS)
    text = f"{minute} {hour} {_days(dice, dialect, month)}"
    if dialect is CronDialect.UNIX:
        return text
    text = f"{dice.choice(('0', _field(dice, 0, 59)))} {text}"
    return f"{text} {dice.choice(YEARS)}" if dialect is CronDialect.QUARTZ else text


def _days(dice: random.Random, dialect: CronDialect, month: str) -> str:
    """Day, month and weekday; Quartz never joins day and weekday."""
    day, weekday = _field(dice, 1, 31, special=DAYS), _field(dice, 1, 7, WEEKDAYS, WEEKS)
    is_quartz = dialect is CronDialect.QUARTZ
    free = "?" if is_quartz else "*"
    return dice.choice(
        (
            f"{day} {month} {free}",
            f"{free} {month} {weekday}",
            f"* {month} {free}" if is_quartz else f"{day} {month} {weekday}",
        )
    )


def _field(dice: random.Random, low: int, high: int, names: tuple[str, ...] = (), special: tuple[str, ...] = ()) -> str:
    many = dice.choice((1, 1, 1, 2, 3))
    return ",".join(
        dice.choice(special) if special and dice.random() < 0.5 else _item(dice, low, high, names) for _ in range(many)
    )


def _item(dice: random.Random, low: int, high: int, names: tuple[str, ...]) -> str:
    """A star, a value, a range (also round the end), each perhaps with a step, or a spread."""
    one, other = dice.randint(low, high), dice.randint(low, high)
    step = dice.choice((2, 3, dice.randint(1, high - low + 1)))
    a, b = (dice.choice(names) if names and dice.random() < 0.5 else str(value) for value in (one, other))
    spread = f"{min(one, other)}-{max(one, other)}"
    forms = ("*", f"*/{step}", a, f"{a}/1", f"{a}/{step}", f"{a}-{b}", f"{a}-{b}/{step}", "H", f"H/{step}")
    return dice.choice((*forms, f"H({spread})", spread.replace("-", "~")))
