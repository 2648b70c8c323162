"""A sketch of durations: how many fell into which bucket, so that percentiles of any union can be read off.

The bounds of the buckets grow by the same factor, so a percentile is wrong by at most 2 % of its value, whatever the
durations are. Two sketches are merged by adding their counts: a sketch of a day is the sum of those of its minutes.
Durations of a steady job fall into some ten buckets; 900 buckets reach from a microsecond to 50 years.

A sketch is written as text, `bucket count bucket count …` in the order of the buckets: every database keeps it, and
servers of two versions share it. The factor is part of that format and must not change.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from foliot.domain.instants import Micros

GROWTH: Final = 1.04
ERROR_MAX: Final = (GROWTH - 1) / (GROWTH + 1)
"""The greatest relative error of a percentile."""
_PER_LOG: Final = 1 / math.log(GROWTH)
_MIDDLE: Final = 2 / (GROWTH + 1)
"""From the upper bound of a bucket to the value whose relative error is the same at both bounds."""


class Sketch:
    """Counts of durations by bucket. Bucket 0 holds what took no longer than a microsecond.

    A text is read when its counts are asked for: who judges thousands of jobs asks for those of a few.
    """

    __slots__ = ("known", "unread")

    def __init__(self, counts: dict[int, int] | None = None, unread: tuple[str, ...] = ()) -> None:
        self.known: dict[int, int] = counts or {}
        self.unread = unread

    @property
    def counts(self) -> dict[int, int]:
        """How many durations each bucket holds."""
        if self.unread:
            texts, self.unread = self.unread, ()
            for text in texts:
                numbers = list(map(int, text.split()))
                self._add(dict(zip(numbers[::2], numbers[1::2], strict=True)))
        return self.known

    @classmethod
    def of(cls, durations: Iterable[Micros]) -> "Sketch":
        """The sketch of some durations."""
        sketch = cls()
        for duration in durations:
            sketch.add(duration)
        return sketch

    @classmethod
    def read(cls, text: str) -> "Sketch":
        """The sketch that `written` wrote."""
        return cls(unread=(text,)) if text else cls()

    def written(self) -> str:
        """The sketch as text."""
        return " ".join(f"{bucket} {count}" for bucket, count in sorted(self.counts.items()))

    @property
    def total(self) -> int:
        """How many durations it has counted."""
        return sum(self.counts.values())

    def add(self, duration: Micros) -> None:
        """Count one duration."""
        bucket = bucket_of(duration)
        counts = self.counts
        counts[bucket] = counts.get(bucket, 0) + 1

    def merge(self, other: "Sketch") -> None:
        """Count everything that the other has counted."""
        self.unread += other.unread
        self._add(other.known)

    def _add(self, other: Mapping[int, int]) -> None:
        counts = self.known
        for bucket, count in other.items():
            counts[bucket] = counts.get(bucket, 0) + count

    def at(self, fraction: float) -> Micros | None:
        """The duration that this fraction of all does not exceed, give or take `ERROR_MAX`; None: it counted none."""
        total = self.total
        rank = min(int(fraction * total), total - 1)
        for bucket, count in sorted(self.counts.items()):
            rank -= count
            if rank < 0:
                return middle_of(bucket)
        return None


def percentile(durations: Iterable[Micros], fraction: float) -> Micros | None:
    """The duration that this fraction of some does not exceed, exactly; None: there are none."""
    ordered = sorted(durations)
    if not ordered:
        return None
    return ordered[min(int(fraction * len(ordered)), len(ordered) - 1)]


def bucket_of(duration: Micros) -> int:
    """The bucket of a duration: `GROWTH` to its power is the first bound that is not below the duration."""
    if duration <= 1:
        return 0
    return math.ceil(math.log(duration) * _PER_LOG)


def middle_of(bucket: int) -> Micros:
    """The duration that stands for all in a bucket."""
    if not bucket:
        return 0
    return round(GROWTH**bucket * _MIDDLE)
