"""What a field looks like to a person: any, one value, a run, every n-th, or a list."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from foliot.domain.schedule.cron.fields import Field
from foliot.domain.schedule.times import bits


@dataclass(frozen=True, slots=True)
class AnyValue:
    """All values of the field."""


@dataclass(frozen=True, slots=True)
class OneValue:
    """A single value."""

    value: int


@dataclass(frozen=True, slots=True)
class Run:
    """Three or more values in a row, perhaps round the end of the field."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class EveryNth:
    """Every n-th value from `first` to the end of the field; `is_even`: n divides the field, so the rhythm holds."""

    n: int
    first: int
    is_even: bool


@dataclass(frozen=True, slots=True)
class Values:
    """Anything else."""

    values: tuple[int, ...]


FieldShape: TypeAlias = AnyValue | OneValue | Run | EveryNth | Values


def shape_of_field(field: Field) -> FieldShape:
    """The simplest shape of the values a field names."""
    low, cycle = (0 if field.kind.name in ("weekday", "year") else field.kind.low), field.kind.cycle
    return shape_of_values(field.mask, low, cycle)


def shape_of_values(mask: int, low: int, cycle: int) -> FieldShape:
    """The simplest shape of a mask over `cycle` values from `low`."""
    values = bits(mask)
    if len(values) == cycle:
        return AnyValue()
    if len(values) == 1:
        return OneValue(values[0])
    run = _run(values, low, cycle)
    if run is not None and len(values) > 2:
        return run
    step = values[1] - values[0] if values else 0
    is_regular = len(values) > 2 and all(b - a == step for a, b in pairwise(values))
    if is_regular and values[0] - low < step and values[-1] + step > low + cycle - 1:
        return EveryNth(step, values[0], is_even=cycle % step == 0)
    return Values(values)


def _run(values: tuple[int, ...], low: int, cycle: int) -> Run | None:
    """A run, also one that goes round the end."""
    breaks = [i for i, value in enumerate(values) if (value + 1 - low) % cycle + low not in values]
    if len(breaks) != 1:
        return None
    last = breaks[0]
    return Run(values[(last + 1) % len(values)], values[last])
