"""Plain lists: by key, page after page, complete and without repeats."""

import pytest

from foliot.domain.errors import InvalidInput
from foliot.ports.store.queries import Page, RunFilter
from foliot.store.sql.people import queries
from tests.conformance.building import save
from tests.conformance.working import run_of, trigger, worker
from tests.sql.world import World


async def _all(world: World, wanted: RunFilter, limit: int) -> tuple[list[int], int]:
    """Every run of a list and how many pages it took."""
    ids: list[int] = []
    cursor, pages = None, 0
    while True:
        page: Page = await world.store.queries.list_runs(wanted, limit=limit, cursor=cursor)
        ids += [run["run_id"] for run in page.items]
        pages += 1
        assert len(page.items) <= limit
        if page.next_cursor is None:
            return ids, pages
        cursor = page.next_cursor


async def test_runs_newest_first_page_by_page(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=7)
    assert await _all(world, RunFilter(), 3) == (ids[::-1], 3)
    assert (await _all(world, RunFilter(namespace="default", job="tick"), 7))[0] == ids[::-1]
    assert (await _all(world, RunFilter(namespace="default", job="tock"), 7))[0] == []
    assert (await _all(world, RunFilter(namespace="elsewhere"), 7))[0] == []


async def test_a_choosy_filter_finds_all_of_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "LOOK_MAX", 4)
    await save(world, "tick")
    await save(world, "tock")
    ticks = await trigger(world, "tick", 5)
    await trigger(world, "tock", 9)
    ticks += await trigger(world, "tick", 2)
    assert (await _all(world, RunFilter(job="tick"), 2))[0] == ticks[::-1]
    anne = await worker(world)
    leased = {run.run_id for run in await anne.lease(3)}
    assert set((await _all(world, RunFilter(states=("RUNNING",)), 50))[0]) == leased
    due = (await run_of(world, ticks[3]))["due_at"]
    since = (await _all(world, RunFilter(job="tick", since=due), 50))[0]
    until = (await _all(world, RunFilter(job="tick", until=due), 50))[0]
    assert (since, until) == (ticks[:2:-1], ticks[2::-1])


async def test_jobs_by_name(world: World) -> None:
    for name in ("c", "a", "b"):
        await save(world, name)
    page = await world.store.queries.list_jobs("default", limit=2)
    assert [job["name"] for job in page.items] == ["a", "b"]
    page = await world.store.queries.list_jobs("default", limit=2, cursor=page.next_cursor)
    assert [job["name"] for job in page.items] == ["c"]
    assert page.next_cursor is None
    assert [job["name"] for job in (await world.store.queries.list_jobs(None, limit=9)).items] == ["a", "b", "c"]
    assert (await world.store.queries.list_jobs("elsewhere", limit=9)).items == []


async def test_a_cursor_of_another_list_is_refused(world: World) -> None:
    await save(world, "a")
    await save(world, "b")
    page = await world.store.queries.list_jobs("default", limit=1)
    with pytest.raises(InvalidInput):
        await world.store.queries.list_runs(RunFilter(), limit=1, cursor=page.next_cursor)


async def test_one_run_with_all_there_is_to_know(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world, params='{"a":1}')
    run = await world.store.queries.run(run_id)
    assert run is not None
    assert (run["job"], run["state"], run["params"], run["triggered_by"]) == ("tick", "PENDING", '{"a":1}', "someone")
    assert await world.store.queries.run(999_999) is None
    assert await world.store.queries.attempts(run_id) == []


async def test_skips_of_a_stretch_of_time(world: World) -> None:
    for number, (from_at, to_at) in enumerate(((10, 20), (30, 40), (50, 60))):
        await world.change(
            "INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, version, decided_at) "
            "VALUES (7, :key, :from_at, :to_at, 1, 'overlap', '', 1, 0)",
            key=f"x:{number}", from_at=from_at, to_at=to_at,
        )  # fmt: skip
    found = await world.store.queries.skips(7, from_at=20, to_at=35, limit=10)
    assert [(skip["from_at"], skip["to_at"]) for skip in found] == [(10, 20), (30, 40)]
