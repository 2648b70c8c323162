"""How much a drill breaks, for the types that have a size: how far the clock is off, how long each transaction waits.

Conflict
└── OneSizeOnly       FOL-3085   the node is of an older Foliot, whose drills have one size
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from foliot.domain.drills import SIZES, USUAL_SIZES, BadDrill, DrillType
from foliot.domain.errors import BadDuration, Conflict
from foliot.domain.instants import DAY, MILLISECOND, SECOND, Micros, format_duration, parse_duration


class SizeBounds(NamedTuple):
    """What the size of a type may be. Below 0: the clock goes back."""

    least: Micros
    most: Micros
    nearest: Micros  # to 0: anything smaller breaks nothing

    def holds(self, size_us: Micros) -> bool:
        return self.least <= size_us <= self.most and abs(size_us) >= self.nearest

    @property
    def allowed(self) -> str:
        ahead = f"{format_duration(self.nearest)} to {format_duration(self.most)}"
        if self.least >= 0:
            return ahead
        return f"{ahead}, or {format_duration(self.least)} to {format_duration(-self.nearest)}"


SIZE_BOUNDS: Final[Mapping[DrillType, SizeBounds]] = {
    DrillType.SLOW_STORE: SizeBounds(MILLISECOND, 10 * SECOND, MILLISECOND),
    DrillType.CLOCK_STEP: SizeBounds(-DAY, DAY, SECOND),
}

assert set(SIZE_BOUNDS) == set(USUAL_SIZES)


class OneSizeOnly(Conflict):
    """The node is of an older Foliot, whose drills have one size."""

    code = "FOL-3085"

    def __init__(self, node: str, *, type_: DrillType) -> None:
        usual = format_duration(USUAL_SIZES[type_])
        super().__init__(
            f"{node} is of an older Foliot: its {type_} has the size {usual} only.",
            hint="leave the size out, or upgrade the node",
            node=node,
            type=str(type_),
            usual=usual,
        )


def read_size(written: str | float | None) -> Micros | None:
    """A size as people write it: `2h`, `-90s`, a number of seconds; `BadDuration`. None or nothing: the usual one."""
    if written is None or written == "":
        return None
    if isinstance(written, str):
        text = written.strip()
        return -parse_duration(text[1:]) if text.startswith("-") else parse_duration(text)
    if isinstance(written, bool):
        raise BadDuration(str(written))
    return -parse_duration(-written) if written < 0 else parse_duration(written)


def check_size(type_: DrillType, size_us: Micros | None, *, node: str, taken: Collection[str]) -> Micros | None:
    """How much is to be broken; None: the type has no size. `BadDrill`, `OneSizeOnly`."""
    bounds = SIZE_BOUNDS.get(type_)
    if bounds is None:
        if size_us is not None:
            known = ", ".join(sorted(SIZE_BOUNDS))
            raise BadDrill("size", format_duration(size_us), allowed=f"a size only of {known}")
        return None
    usual = USUAL_SIZES[type_]
    if size_us is None or size_us == usual:
        return usual
    if not bounds.holds(size_us):
        raise BadDrill("size", format_duration(size_us), allowed=bounds.allowed)
    if SIZES not in taken:
        raise OneSizeOnly(node, type_=type_)
    return size_us
