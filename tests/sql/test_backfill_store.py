"""Backfills in the tables."""

from typing import Final

from foliot.domain.instants import MINUTE
from foliot.ports.store import Store
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet
from tests.sql.world import World

RUN: Final = """
    INSERT INTO runs (job_id, version, fire_key, shard, open_children, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, attempt, created_at)
    SELECT 7, 1, d.fire_key, d.shard, 0, d.due_at, 1, 1, 1, 5, 1, 1, 0, 0, d.state, 1, 1, 1 FROM {d}
"""
RUNS: Final = RowSet("d", fire_key=TEXT, shard=BIGINT, due_at=BIGINT, state=TEXT)
NEW_DIGIT: Final = 10**15  # an instant of 2001


async def test_what_is_taken_is_all_of_a_long_range_by_its_newest_runs(world: World, store: Store) -> None:
    early, late = NEW_DIGIT - 2 * MINUTE, NEW_DIGIT + 5500 * MINUTE
    instants = range(early, late, MINUTE)
    runs = [(f"s:{at}", -1, at, "FAILED" if n % 7 else "SUCCEEDED") for n, at in enumerate(instants)]
    others = [("s:99", -1, 99, "FAILED"), (f"s:{early}", 0, early, "RUNNING")]  # long ago; a shard
    await world.change(RUN, RUNS, rows={"d": [*runs, *others]})
    again = [
        ("b:1:x", -1, early, "SUCCEEDED"),
        ("b:2:x", -1, late - MINUTE, "CANCELLED"),
        ("b:3:x", -1, late, "FAILED"),
    ]
    await world.change(RUN, RUNS, rows={"d": again})
    expected = {at: state for _, _, at, state in [*runs, *again[:2]]}
    assert await store.backfills.taken(7, from_at=early, to_at=late) == expected
    assert await store.backfills.taken(7, from_at=early + 1, to_at=early + MINUTE + 1) == {
        early + MINUTE: expected[early + MINUTE]
    }
    assert await store.backfills.taken(7, from_at=0, to_at=100) == {99: "FAILED"}
    later = {at: state for at, state in expected.items() if at > NEW_DIGIT + MINUTE}
    assert await store.backfills.taken(7, from_at=NEW_DIGIT + MINUTE + 1, to_at=late) == later
    assert await store.backfills.taken(8, from_at=early, to_at=late) == {}
