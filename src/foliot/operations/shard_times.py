"""How long the shards of a run take, and which takes longest."""

from collections.abc import Sequence

from foliot.domain.instants import Instant, Micros
from foliot.ports.store.lookups import RunRow, first_start_of


def slowest_of(rows: Sequence[RunRow], now: Instant) -> RunRow | None:
    """The shard that takes longest, of several that began; the merge run is none."""
    begun = [row for row in rows if row.shard >= 0 and first_start_of(row) is not None]
    if len(begun) < 2:
        return None
    return max(begun, key=lambda row: _took(row, now))


def _took(row: RunRow, now: Instant) -> Micros:
    """From its first start to its end, with all its attempts; what is not over lasts until now."""
    start_at = first_start_of(row)
    assert start_at is not None
    return (row.ended_at or now) - start_at
