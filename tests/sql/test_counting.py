"""The leader's counting on a real store: every run that ended is counted once, whatever happens meanwhile."""

from pathlib import Path

import pytest

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.statistics.resolution import Resolution
from foliot.engine import statistics
from foliot.engine.statistics import BUSY_EVERY_S, EVERY_S, Counting
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.statistics.figure_rows import THERE
from foliot.store.sql.statistics.ranges import OF_JOB, OF_NODE, PACES, SLOT_TIMES
from tests.clocks import DrivenClock
from tests.conformance.building import save
from tests.conformance.working import lead
from tests.sql.world import World, opened, sqlite_copy

RUNS = RowSet("d", no=BIGINT, job_id=BIGINT, state=TEXT, started_at=BIGINT, ended_at=BIGINT)
MADE = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at, started_at, ended_at)
    SELECT d.job_id, 1, concat('m:', d.no), -1, d.started_at, d.started_at, 1, 0, 5, 0, d.no, 0, 0, d.state, 1,
           d.started_at, d.started_at, d.ended_at FROM {d}
"""


class Leader:
    """A server that counts; time passes when the test says so."""

    def __init__(self, world: World, term: int) -> None:
        self._world = world
        self._clock = DrivenClock()
        self._counting = Counting(world.store.statistics, self._clock)
        self.term = term

    async def round(self) -> float | None:
        await self._clock.advance(EVERY_S)
        await self._world.elapse(int(EVERY_S * SECOND))
        return await self._counting.count(self.term)

    async def count_all(self) -> None:
        """Count until there is nothing more to do."""
        for _ in range(200):
            before = await self._world.store.statistics.progress()
            await self.round()
            await self.round()
            after = await self._world.store.statistics.progress()
            if before.ver == after.ver and after.counted_id == after.newest_id:
                return
        raise AssertionError("it does not come to an end")


async def make(world: World, job_id: int, first: int, count: int, *, before: Instant, live: int = 0) -> None:
    """Runs with plain figures: run n took n seconds and ended n seconds before; each `live`th has not ended."""
    rows: list[tuple[object, ...]] = []
    for n in range(first, first + count):
        ended_at = before - n * SECOND
        is_live = bool(live) and n % live == 0
        state = "RUNNING" if is_live else "SUCCEEDED" if n % 3 else "FAILED"
        rows.append((n, job_id, state, ended_at - n * SECOND, None if is_live else ended_at))
    text = MADE if world.engine != "sqlite" else MADE.replace("concat('m:', d.no)", "'m:' || d.no")
    await world.change(text, RUNS, rows={"d": rows})


async def both(world: World, resolution: Resolution) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Runs, failures and the sum of durations: of the figures, and of the runs that ended themselves."""
    figures = await world.rows(
        "SELECT sum(runs) AS a, sum(failed) AS b, sum(took_us) AS c FROM stats WHERE resolution = :r AND job_id > 0",
        r=int(resolution),
    )
    runs = await world.rows(
        "SELECT count(*) AS a, sum(CASE WHEN state = 'FAILED' THEN 1 ELSE 0 END) AS b,"
        " sum(ended_at - started_at) AS c FROM runs WHERE ended_at IS NOT NULL"
    )
    return tuple(int(value) for value in figures[0].values()), tuple(int(value) for value in runs[0].values())


async def test_every_run_is_counted_once_over_a_change_of_the_leader(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "PAGE", 40)
    monkeypatch.setattr(statistics, "MINUTES_MAX", 3)
    jobs = [(await save(world, f"job-{n}")).job_id for n in range(2)]
    now = await world.now()
    await make(world, jobs[0], 0, 300, before=now, live=50)
    first = Leader(world, await lead(world))
    assert await first.round() is None, "the first look only notes the newest id"
    assert await first.round() is not None, "it wrote some minutes, and there are more"
    partly = (await world.store.statistics.progress()).counted_id
    await make(world, jobs[1], 1000, 200, before=now)
    await world.elapse(HOUR)
    second = Leader(world, await lead(world, session="another"))
    await second.count_all()
    version = (await world.store.statistics.progress()).ver
    await first.count_all()
    assert (await world.store.statistics.progress()).ver == version, "the first leader is none any more"
    assert 0 < partly < 300
    for resolution in Resolution:
        counted, there = await both(world, resolution)
        assert counted == there
    await world.change("UPDATE runs SET state = 'SUCCEEDED', ended_at = :now WHERE state = 'RUNNING'", now=now)
    await world.elapse(HOUR)
    await second.count_all()
    counted, there = await both(world, Resolution.DAY)
    assert counted == there == (500, there[1], there[2])
    assert await world.value("SELECT count(*) FROM stats_left") == 0


async def test_a_round_with_nothing_to_count_is_one_statement_and_a_busy_one_comes_rarely(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = Leader(world, await lead(world))
    assert await leader.round() is None
    job = await save(world, "tick")
    await make(world, job.job_id, 0, 20, before=await world.now() - MINUTE)
    monkeypatch.setattr(statistics, "BUSY_FIGURES", 2)
    assert await leader.round() is None
    assert await leader.round() == BUSY_EVERY_S
    assert (await leader.round(), await leader.round()) == (None, None)
    assert (await world.store.statistics.progress()).ver == 1


async def test_runs_from_before_statistics_were_kept_are_counted_as_coarsely_as_their_age_allows(world: World) -> None:
    job = await save(world, "tick")
    now = await world.now()
    await make(world, job.job_id, 0, 5, before=now - 3 * DAY)
    await make(world, job.job_id, 10, 5, before=now - 90 * DAY)
    await make(world, job.job_id, 20, 5, before=now)
    await Leader(world, await lead(world)).count_all()
    rows = await world.rows("SELECT resolution, sum(runs) AS runs FROM stats WHERE job_id > 0 GROUP BY resolution")
    assert {row["resolution"]: int(row["runs"]) for row in rows} == {0: 5, 1: 10, 2: 15}


@pytest.mark.parametrize(
    "statement", [THERE, OF_JOB, OF_NODE, PACES, SLOT_TIMES], ids=["there", "job", "node", "paces", "slots"]
)
async def test_figures_are_found_by_their_whole_key_on_sqlite(
    migrated_sqlite: Path, tmp_path: Path, statement: Statement
) -> None:
    async with opened(sqlite_copy(migrated_sqlite, tmp_path)) as world:
        rows = [(1, 1, 1, 1, "w")]
        asked = {"resolution": 1, "job_id": 1, "node": "w", "rows": 1}
        explained = Statement("EXPLAIN QUERY PLAN " + statement.text_for("sqlite"), *statement._sets)
        plan = await world.database.transact(
            lambda tx: " ".join(str(row[3]) for row in tx.rows(explained, asked, d=rows))
        )
    assert "(resolution=? AND start_at=? AND job_id=?" in plan
