"""Runs that wait for keys: many that are gone stop nothing, no place of a key is lost, and it costs few statements."""

import json
from collections import Counter

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.kernel.statement import BIGINT, RowSet
from foliot.store.sql.leasing import key_upkeep, key_waiters
from tests.conformance.building import PERSON, save
from tests.conformance.working import Worker, run_of, trigger, worker
from tests.sql.asked import Asked
from tests.sql.world import World

GONE = 1998
FAR = 10**9  # ids of runs that retention deleted


async def give(world: World, customer: str = "acme", n: int = 1) -> list[int]:
    """Ask for runs of a customer."""
    return await trigger(world, n=n, params=f'{{"customer": "{customer}"}}')


async def lease_all(anne: Worker) -> tuple[LeasedRun, ...]:
    """What a worker gets, as often as the store says that there is more."""
    found: list[LeasedRun] = []
    for _ in range(10):
        granted = await anne.store.runs.lease([await anne.poll(8)], limit=1000)
        found += granted.grants[0].runs
        if not granted.more:
            break
    return tuple(found)


async def forget_runs(world: World, n: int = GONE) -> None:
    """So many runs waited for every key there is, before all others, and are no more."""
    for number, key in enumerate(await world.rows("SELECT name FROM limit_keys ORDER BY name")):
        await world.change(
            "INSERT INTO limit_runs (run_id, name, waits, turn) SELECT d.id, :name, 1, 0 FROM {d}",
            RowSet("d", id=BIGINT),
            rows={"d": [(FAR + number * n + row,) for row in range(n)]},
            name=key["name"],
        )


async def waiting(world: World) -> int:
    return int(await world.value("SELECT count(*) FROM limit_runs WHERE waits = 1"))


async def test_two_thousand_runs_that_are_gone_do_not_stop_the_end_of_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    _, last = await give(world, n=2)
    anne = await worker(world)
    (holder,) = await lease_all(anne)
    await forget_runs(world)
    asked = Asked(monkeypatch)
    await anne.complete(holder)
    assert asked.times.total() < 60
    (run,) = await lease_all(anne)
    assert run.run_id == last
    assert await waiting(world) == 0


async def test_what_one_step_cannot_forget_the_sweep_goes_on_with(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_waiters, "ROWS_MAX", 400)
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    _, last = await give(world, n=2)
    anne = await worker(world)
    (holder,) = await lease_all(anne)
    await forget_runs(world)
    await anne.complete(holder)
    assert await lease_all(anne) == ()
    assert (await world.store.firing.pulse()).keys_at is not None
    for _ in range(10):
        woken, has_more = await world.store.firing.unpark_keyed()
        if not has_more:
            break
    assert woken == 1
    assert [run.run_id for run in await lease_all(anne)] == [last]
    assert (await world.store.firing.pulse()).keys_at is None


async def test_a_rate_goes_on_behind_two_thousand_runs_that_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, place={"rate": "10/h", "rate_by": "customer"})
    _, last = await give(world, n=2)
    anne = await worker(world)
    assert len(await lease_all(anne)) == 1
    await forget_runs(world)
    await world.elapse(HOUR)
    asked = Asked(monkeypatch)
    assert (await world.store.firing.unpark_keyed())[0] == 1
    assert asked.times.total() < 60
    await anne.beat()
    assert [run.run_id for run in await lease_all(await worker(world))] == [last]


async def test_a_run_that_is_cancelled_waits_no_more(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    ids = await give(world, n=6)
    anne = await worker(world)
    assert len(await lease_all(anne)) == 1
    assert await waiting(world) == 5
    await world.store.runs.cancel(ids[2:5], by=PERSON)
    assert await waiting(world) == 2


async def test_a_run_that_an_edit_takes_along_waits_no_more(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    await give(world, n=6)
    assert len(await lease_all(await worker(world))) == 1
    await save(world, place={"max_per_key": 2, "concurrency_by": "customer"})
    assert await waiting(world) == 0


async def test_each_place_that_comes_free_is_refilled_though_some_that_waited_are_gone(world: World) -> None:
    await save(world, place={"max_per_key": 3, "concurrency_by": "customer"})
    ids = await give(world, n=9)
    anne = await worker(world)
    first = await lease_all(anne)
    assert [run.run_id for run in first] == ids[:3]
    await world.change("UPDATE runs SET state = 'CANCELLED', ended_at = 1, parked = 0 WHERE id = :id", id=ids[4])
    await anne.complete(*first)
    assert [run.run_id for run in await lease_all(anne)] == [ids[3], ids[5], ids[6]]


async def test_the_watchdog_refills_a_key_of_which_a_run_was_cancelled_before_it_began(world: World) -> None:
    await save(world, place={"max_per_key": 3, "concurrency_by": "customer"})
    ids = await give(world, n=9)
    anne = await worker(world)
    first = await lease_all(anne)
    await anne.complete(*first[:2])
    await world.store.runs.cancel(ids[3:5], by=PERSON)
    assert await lease_all(anne) == ()
    await world.store.runs.recount_limits()
    assert [run.run_id for run in await lease_all(anne)] == ids[5:7]


async def test_a_key_with_more_places_than_go_at_a_time_is_looked_at_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (key_waiters, key_upkeep):
        monkeypatch.setattr(module, "REFILL_MAX", 3)
    await save(world, place={"max_per_key": 8, "concurrency_by": "customer"})
    ids = await give(world, n=24)
    anne = await worker(world)
    first = await lease_all(anne)
    assert len(first) == 8
    await anne.complete(*first)
    await world.store.runs.cancel(ids[8:16], by=PERSON)
    assert await waiting(world) == 8
    await world.store.runs.recount_limits()
    left = [await waiting(world)]
    while (await world.store.firing.pulse()).keys_at is not None:
        await world.elapse(2 * SECOND)
        await world.store.firing.unpark_keyed()
        left.append(await waiting(world))
    assert left == [5, 2, 0]


@pytest.mark.slow
async def test_each_of_many_keys_gets_its_rate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few of them one transaction has rows for."""
    monkeypatch.setattr(key_waiters, "ROWS_MAX", 300)
    rate, lasts_s, keys = 4, 4, 60
    await save(world, place={"rate": f"{rate}/s", "rate_by": "customer"})
    customers = [f"c{number}" for number in range(keys)]
    for customer in customers:
        await give(world, customer, rate * (lasts_s + 2))
    anne = await worker(world, slots=1000)
    starts: Counter[str] = Counter()
    for _ in range(lasts_s + 1):
        has_more = True
        while has_more:
            _, has_more = await world.store.firing.unpark_keyed()
        has_more = True
        while has_more:
            granted = await world.store.runs.lease([await anne.poll(1000)], limit=1000)
            found = granted.grants[0].runs
            starts.update(json.loads(run.params or "")["customer"] for run in found)
            await anne.complete(*found)
            has_more = granted.more or bool(found)
        await anne.beat()
        await world.elapse(SECOND)
    assert starts.keys() == set(customers)
    assert min(starts.values()) >= rate * lasts_s


async def test_a_run_that_waits_for_its_rate_at_once_lets_another_of_its_key_go(world: World) -> None:
    """The two keys are of different parameters."""
    place = {"max_per_key": 1, "concurrency_by": "customer", "rate": "1/h", "rate_by": "region"}
    await save(world, place=place)

    async def ask_for(customer: str, region: str) -> int:
        (run_id,) = await trigger(world, params=f'{{"customer": "{customer}", "region": "{region}"}}')
        return run_id

    anne = await worker(world)
    await ask_for("acme", "north")
    (holder,) = await lease_all(anne)
    used_up = await ask_for("acme", "north")
    behind = await ask_for("acme", "south")
    assert await lease_all(anne) == ()
    await anne.complete(holder)
    assert await lease_all(anne) == (), "it waits for the rate of the north"
    assert (await run_of(world, used_up)).state == "PENDING"
    await world.store.firing.unpark_keyed()
    assert [run.run_id for run in await lease_all(anne)] == [behind]


@pytest.mark.parametrize(
    "place", [{"max_per_key": 1, "concurrency_by": "customer"}, {"rate": "1/h", "rate_by": "customer"}]
)
async def test_thirty_keys_cost_as_many_statements_as_three(
    world: World, place: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, place=place)
    spent: list[int] = []
    for n in (3, 30):
        anne = await worker(world, slots=100)
        for number in range(n):
            await give(world, f"{n}-{number}", 2)
        leased = [run for _ in range(5) for run in await anne.lease(100)]
        assert len(leased) == n
        asked = Asked(monkeypatch)
        await anne.complete(*leased)
        if "rate" in place:
            await world.elapse(2 * HOUR)
            assert (await world.store.firing.unpark_keyed())[0] == n
        spent.append(asked.times.total())
        await anne.beat()
        rest = [run for _ in range(5) for run in await (await worker(world, slots=100)).lease(100)]
        assert len(rest) == n
        monkeypatch.undo()
    assert spent[1] <= spent[0]  # the first of all reads some besides
