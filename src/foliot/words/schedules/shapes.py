"""What a field looks like to a person: any, one value, a range, every n-th (up to a value), or a list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from foliot.domain.schedule.cron.fields import Expression, Field
from foliot.domain.schedule.times import bits


@dataclass(frozen=True, slots=True)
class AnyValue:
    """All values of the field."""


@dataclass(frozen=True, slots=True)
class OneValue:
    """A single value."""

    value: int


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Three or more values in a row, perhaps round the end of the field."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SplitRange:
    """A range of hours round midnight on some days only: from 0 to `until`, and from `since` to 23, of each day."""

    until: int
    since: int


@dataclass(frozen=True, slots=True)
class EveryNth:
    """Every n-th value from `first` to the end of the field; `is_even`: n divides the field, so the rhythm holds."""

    n: int
    first: int
    is_even: bool


@dataclass(frozen=True, slots=True)
class Steps:
    """Every n-th value from `first` to `last`; there are too many of them to be named."""

    n: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Values:
    """Anything else."""

    values: tuple[int, ...]


FieldShape: TypeAlias = AnyValue | OneValue | ValueRange | EveryNth | Steps | Values
HourShape: TypeAlias = FieldShape | SplitRange
ShapeWords: TypeAlias = Mapping[type, str]
"""What a language says of each shape: a template with the shape's own values, and others that are given."""

LISTED_TIMES_MAX: Final = 6
STEPS_MIN: Final = 5
NAMED_MAX: Final = 12  # of a longer list the first ones are named, and how many more there are
_NAMED_OF_MORE: Final = 10
_ROUND: Final = ("hour", "month", "weekday")  # people say "22 to 2" and "Friday to Monday", not "minute 50 to 10"
_HALVES: Final = 1 | 1 << 30


def filled(words: ShapeWords, shape: HourShape, **more: object) -> str:
    """What the words say of a shape."""
    return words[type(shape)].format(**asdict(shape), **more)


def clock(seconds: int) -> str:
    """A time of day, with seconds only if there are any."""
    hour, rest = divmod(seconds, 3600)
    minute, second = divmod(rest, 60)
    return f"{hour:02}:{minute:02}:{second:02}" if second else f"{hour:02}:{minute:02}"


def is_listable(expression: Expression) -> bool:
    """Whether its times of day are few enough to be named one by one."""
    hour = shape_of_field(expression.hour)
    if isinstance(hour, AnyValue | EveryNth) or (isinstance(hour, ValueRange) and expression.hour.mask.bit_count() > 3):
        return False
    many = expression.hour.mask.bit_count() * expression.minute.mask.bit_count() * expression.second.mask.bit_count()
    return many <= LISTED_TIMES_MAX


def times_of(expression: Expression) -> Iterator[int]:
    """Its times of day, in seconds."""
    for hour in bits(expression.hour.mask):
        for minute in bits(expression.minute.mask):
            for second in bits(expression.second.mask):
                yield hour * 3600 + minute * 60 + second


def shape_of_field(field: Field) -> FieldShape:
    """The simplest shape of the values a field names."""
    low, cycle = (0 if field.kind.name in ("weekday", "year") else field.kind.low), field.kind.cycle
    if cycle == 60 and field.mask == _HALVES:
        return EveryNth(30, 0, is_even=True)
    shape = shape_of_values(field.mask, low, cycle)
    if isinstance(shape, ValueRange) and shape.last < shape.first and field.kind.name not in _ROUND:
        return Values(bits(field.mask))
    return shape


def shape_of_hours(expression: Expression) -> HourShape:
    """The shape of its hours: a range round midnight is two where days are left out, for both lie on the same day."""
    shape = shape_of_field(expression.hour)
    is_round = isinstance(shape, ValueRange) and shape.last < shape.first
    if not isinstance(shape, ValueRange) or not is_round or not _leaves_days_out(expression):
        return shape
    return SplitRange(until=shape.last, since=shape.first)


def _leaves_days_out(expression: Expression) -> bool:
    has_years = expression.year is not None and not expression.year.is_any
    return expression.day_narrows or expression.weekday_narrows or has_years or not expression.month.is_any


def shape_of_values(mask: int, low: int, cycle: int) -> FieldShape:
    """The simplest shape of a mask over `cycle` values from `low`."""
    values = bits(mask)
    if len(values) == cycle:
        return AnyValue()
    if len(values) == 1:
        return OneValue(values[0])
    found = _range(values, low, cycle)
    if found is not None and len(values) > 2:
        return found
    step = values[1] - values[0] if values else 0
    is_regular = len(values) > 2 and all(b - a == step for a, b in pairwise(values))
    if is_regular and values[0] - low < step and values[-1] + step > low + cycle - 1:
        return EveryNth(step, values[0], is_even=cycle % step == 0)
    if is_regular and len(values) >= STEPS_MIN:
        return Steps(step, values[0], values[-1])
    return Values(values)


def grouped(values: Sequence[int]) -> tuple[list[tuple[int, int]], int]:
    """Rising values as (first, last), three and more in a row as one; and how many values a long list leaves out."""
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and runs[-1][1] == value - 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    groups = [group for run in runs for group in _told(run)]
    if len(groups) <= NAMED_MAX:
        return groups, 0
    kept = groups[:_NAMED_OF_MORE]
    return kept, len(values) - sum(last - first + 1 for first, last in kept)


def _told(run: tuple[int, int]) -> list[tuple[int, int]]:
    first, last = run
    return [run] if last - first >= 2 else [(value, value) for value in range(first, last + 1)]


def _range(values: tuple[int, ...], low: int, cycle: int) -> ValueRange | None:
    """A range, also one that goes round the end."""
    breaks = [i for i, value in enumerate(values) if (value + 1 - low) % cycle + low not in values]
    if len(breaks) != 1:
        return None
    last = breaks[0]
    return ValueRange(values[(last + 1) % len(values)], values[last])
