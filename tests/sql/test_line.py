"""A job's line: what stands in it is counted alike on every engine, whoever is at its head."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from foliot.domain.fire import Situation
from foliot.domain.instants import HOUR
from foliot.ports.store.backfills import NewBackfill, Selection
from foliot.store.sql.firing.line import NOTHING_OPEN, situations
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet
from tests.conformance.building import every, fire, make_due
from tests.sql.rows import runs_of, skips_of
from tests.sql.world import World

KEYS = ("s:{n}", "s:{n} asked for", "m:{n}", "b:7:{n}", "d:{n}")
INSERT = """
    INSERT INTO runs (job_id, version, fire_key, shard, parent_id, open_children, due_at, not_before, lane, class,
                      priority, serial, place, parked, follow, state, ver, attempt, created_at, triggered_by)
    SELECT d.job_id, 1, d.fire_key, d.shard, d.parent_id, d.open_children, 1, 1, 1, d.late, 5, 1, d.place, 0, 0,
           d.state, 1, d.attempt, 1, d.asked_by FROM {d}
"""
ROWS = RowSet(
    "d", job_id=BIGINT, fire_key=TEXT, shard=BIGINT, parent_id=BIGINT, open_children=BIGINT, late=BIGINT, place=BIGINT,
    state=TEXT, attempt=BIGINT, asked_by=TEXT,
)  # fmt: skip


class Run(NamedTuple):
    """A run as it may stand in a job's line, or outside it: the columns of `ROWS`."""

    job_id: int
    fire_key: str
    shard: int
    parent_id: int | None
    open_children: int
    late: int
    place: int | None
    state: str
    attempt: int
    asked_by: str | None

    @property
    def is_scheduled(self) -> bool:
        return self.fire_key.startswith("s:")

    @property
    def is_backfill(self) -> bool:
        return self.fire_key.startswith("b:") or (self.is_scheduled and self.asked_by is not None)

    @property
    def is_waiting(self) -> bool:
        return self.state == "PENDING" and self.attempt == 0


def some_run(dice: random.Random, job_id: int, n: int) -> Run:
    key, is_parent = dice.choice(KEYS), dice.random() < 0.4
    state = "RUNNING" if is_parent else dice.choice(["PENDING", "PENDING", "RUNNING", "SUCCEEDED"])
    return Run(
        job_id=job_id,
        fire_key=key.partition(" ")[0].format(n=n),
        shard=-1,
        parent_id=None,
        open_children=dice.randint(1, 3) if is_parent else 0,
        late=dice.randint(0, 1),
        place=None if state == "PENDING" and dice.random() < 0.1 else n,
        state=state,
        attempt=0 if is_parent else 1 if state != "PENDING" else dice.choice([0, 0, 1]),
        asked_by="someone" if "asked for" in key or key[0] in "mb" else None,
    )


def shard_of(run: Run) -> Run:
    return run._replace(shard=0, parent_id=1, open_children=0, state="PENDING", attempt=0)


def counted(line: Sequence[Run]) -> Situation:
    """What `Situation` means, in words of Python; the runs of one job in the order of their places."""
    live = [run for run in line if run.state != "SUCCEEDED" and run.place is not None]
    is_open = [run for run in live if not run.is_backfill]
    return Situation(
        open=len(is_open),
        waiting=sum(run.is_waiting or (run.open_children > 0 and run is not live[0]) for run in is_open),
        catch_up=sum(run.is_waiting and run.late for run in live),
        scheduled=sum(run.is_scheduled for run in is_open),
    )


async def test_every_line_is_counted_as_it_stands(world: World) -> None:
    dice = random.Random(20260302)
    lines = {job_id: [some_run(dice, job_id, n) for n in range(1, dice.randint(2, 7))] for job_id in range(1, 401)}
    rows = [run for line in lines.values() for run in line]
    rows += [shard_of(run) for run in rows]  # they count as their parents
    await world.change(INSERT, ROWS, rows={"d": rows})
    seen = await world.database.transact(lambda tx: situations(tx, lines))
    wrong = {at: (lines[at], seen.get(at)) for at in lines if seen.get(at, NOTHING_OPEN) != counted(lines[at])}
    assert wrong == {}


async def test_a_backfill_at_the_head_of_a_line_takes_no_fire_away(world: World) -> None:
    job = await every(world, overlap="queue", shards=2)
    assert job.next_at is not None
    missed = job.next_at - 2 * HOUR
    backfills = world.store.backfills
    await backfills.add(
        NewBackfill(
            job_id=job.job_id,
            version=1,
            from_at=missed,
            to_at=missed + 1,
            selection=Selection.ALL,
            parallel=1,
            newest_first=False,
            instants=[missed],
            created_by="someone",
            reason="",
            params=None,
        )
    )
    assert await backfills.advance(limit=20)
    await make_due(world, job)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (1, 0)
    assert await skips_of(world, job) == []
    assert [run["fire_key"][0] for run in await runs_of(world) if run["shard"] == -1] == ["b", "s"]
