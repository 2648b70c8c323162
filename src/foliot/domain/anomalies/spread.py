"""Where durations lie and how far they scatter, by median and median deviation: some outliers change neither."""

import math
from typing import Final, NamedTuple

from foliot.domain.instants import Micros
from foliot.domain.statistics.figures import Spell
from foliot.domain.statistics.sketch import GROWTH, middle_of

_PER_DEVIATION: Final = 1.4826
"""From the median deviation to the standard deviation, of what scatters normally."""
SCATTER_MIN: Final = math.log(1.1) / math.log(GROWTH)
"""No job is steadier than this: a tenth, in buckets."""


class Spread(NamedTuple):
    """In buckets of a sketch, which are a scale of ratios: so many buckets above is so many times longer."""

    runs: int
    median: float
    scatter: float

    @property
    def median_us(self) -> Micros:
        """The median as a duration."""
        return middle_of(round(self.median))


def spread_of(spell: Spell) -> Spread | None:
    """The spread of some durations; None: there are none."""
    sketch = spell.sketch
    total = sketch.total
    if not total:
        return None
    median = _middle(sketch.counts, total)
    deviations: dict[float, int] = {}
    for bucket, count in sketch.counts.items():
        distance = abs(bucket - median)
        deviations[distance] = deviations.get(distance, 0) + count
    return Spread(total, median, max(SCATTER_MIN, _PER_DEVIATION * _middle(deviations, total)))


def buckets_of(ratio: float) -> float:
    """A ratio on the scale of buckets."""
    return math.log(ratio) / math.log(GROWTH)


def _middle(counts: "dict[int, int] | dict[float, int]", total: int) -> float:
    """The median of counted numbers."""
    rank = (total - 1) / 2
    seen = 0
    for number, count in sorted(counts.items()):
        seen += count
        if seen > rank:
            return number
    return 0.0
