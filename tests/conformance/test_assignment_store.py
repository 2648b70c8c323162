"""Assigning: the route of a job says for which worker a ready run is meant, and only that worker gets it."""

import asyncio
from collections import Counter

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.building import PERSON, PLANS, ask, definition, every, fire, make_due, runs_of, save
from tests.conformance.routing import assign, lease, routed_poll, team
from tests.conformance.working import BEAT_EVERY_US, Worker, run_of, trigger, worker
from tests.conformance.world import World

ROUND = {"route": "round"}


async def share(workers: list[Worker], runs: int = 100) -> dict[str, int]:
    """How many runs each of the workers gets."""
    return {one.session: len(await lease(one, runs)) for one in workers}


async def test_a_run_goes_only_to_the_worker_that_its_route_names(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    assert await lease(bert) == [], "the route was not asked yet"
    assigned = await assign(world)
    assert assigned.runs == 1
    assert assigned.sessions == {anne.session}
    assert await lease(bert) == []
    polls = [await routed_poll(bert), await routed_poll(anne)]
    granted = await world.store.runs.lease(polls, limit=10)
    assert [[run.run_id for run in grant.runs] for grant in granted.grants] == [[], [run_id]]
    assert (await assign(world)).runs == 0


async def test_fires_and_shards_are_assigned_like_triggers(world: World) -> None:
    job = await every(world, "tick", "1m", place=ROUND)
    await save(world, "split", shards=6, place=ROUND)
    workers = await team(world, 3)
    await make_due(world, job)
    for one in workers:
        await one.beat()
    await fire(world)
    await trigger(world, "split")
    assert (await assign(world)).runs == 7
    shares = await share(workers)
    assert sorted(shares.values()) == [2, 2, 3], "each worker two of the shards"


async def test_turns_are_exact_over_servers_that_assign_at_once(world: World) -> None:
    """Every job has its own turns, kept on its cursor."""
    for name in ("one", "two"):
        await save(world, name, place=ROUND)
    workers = await team(world, 3)
    others = [world.store, await world.open(), await world.open()]
    for _ in range(10):
        for name in ("one", "two"):
            await trigger(world, name, 3)
        await asyncio.gather(*(assign(world, store) for store in others))
    while (await assign(world)).runs:
        pass
    for name in ("one", "two"):
        shares = Counter(run.assigned_to for run in await runs_of(world, name))
        assert shares == {one.session: 10 for one in workers}


async def test_a_run_whose_worker_lets_its_time_pass_goes_to_others_and_at_last_to_anyone(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    workers = await team(world, 4)
    (run_id,) = await trigger(world)
    await assign(world)
    named = []
    for _ in range(3):
        named.append((await run_of(world, run_id)).assigned_to)
        for _ in range(8):
            await world.elapse(4 * SECOND)
            for one in workers:
                await one.beat()
        assert (await assign(world, again=True)).runs == 1
    assert named == [one.session for one in workers[:3]]
    late = workers[3]
    assert await lease(late) == [run_id], "three workers had their time: now it is for anyone"


async def test_a_worker_that_drains_or_dies_loses_what_was_meant_for_it_at_once(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert, cleo = await team(world, 3)
    (run_id,) = await trigger(world)
    await assign(world)
    await world.store.nodes.drain(anne.session, by=PERSON)
    assert (await assign(world, again=True)).sessions == {bert.session}
    await world.elapse(SESSION_TTL_US - SECOND)
    await cleo.beat()
    await world.elapse(2 * SECOND)
    assert (await assign(world, again=True)).sessions == {cleo.session}
    assert await lease(cleo) == [run_id]


async def test_a_retry_is_decided_again(world: World) -> None:
    await save(world, "tick", place=ROUND, retries={"max": 3, "backoff": "1s"})
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await assign(world)
    granted = await world.store.runs.lease([await routed_poll(anne)], limit=1)
    await anne.complete(*granted.grants[0].runs, cause=Cause.ERROR, error="no")
    assert (await assign(world)).runs == 0, "it is not due yet"
    await world.elapse(3 * SECOND)
    await assign(world)
    assert await lease(anne) == []
    assert await lease(bert) == [run_id]


async def test_who_waits_in_line_is_assigned_when_its_turn_has_come(world: World) -> None:
    await save(world, "tick", overlap="queue_all", place=ROUND)
    anne, bert = await team(world, 2)
    first, second = await trigger(world, n=2)
    assert (await assign(world)).runs == 1
    granted = await world.store.runs.lease([await routed_poll(anne)], limit=10)
    assert [run.run_id for run in granted.grants[0].runs] == [first]
    assert (await assign(world)).runs == 0
    await anne.complete(*granted.grants[0].runs)
    assert (await assign(world)).runs == 1
    assert await lease(bert) == [second]


async def test_a_delayed_run_of_a_serial_job_is_admitted_then_waits_its_turn_then_is_assigned(world: World) -> None:
    """It has no place in the line before its time has come; whoever was asked for meanwhile is in front of it."""
    await save(world, "tick", overlap="queue_all", place=ROUND)
    (later,) = await trigger(world, delay_us=MINUTE)
    (first,) = await trigger(world)
    anne, bert = await team(world, 2)
    assert (await assign(world)).runs == 1
    assert (await run_of(world, later)).place is None
    granted = (await world.store.runs.lease([await routed_poll(anne)], limit=10)).grants[0]
    assert [run.run_id for run in granted.runs] == [first]
    for _ in range(12):
        await world.elapse(BEAT_EVERY_US)
        await asyncio.gather(anne.beat(*granted.runs), bert.beat())
    assert (await assign(world)).runs == 0, "nobody asks its route before it is admitted"
    assert await world.store.firing.admit(limit=10) == 1
    assert (await run_of(world, later)).place is not None
    assert (await assign(world)).runs == 0, "the first one still runs"
    assert await lease(bert) == []
    await anne.complete(*granted.runs)
    assert (await assign(world)).sessions == {bert.session}, "and it is the next one's turn"
    assert await lease(anne) == []
    assert await lease(bert) == [later]


async def test_exclusive_runs_and_limits_are_heeded(world: World) -> None:
    await save(world, "tick", exclusive=True, overlap="queue_all", place={"route": "first"})
    await save(world, "narrow", place={"route": "first", "max_running": 1})
    await save(world, "wide", place={"route": "first"})
    anne, *_ = await team(world, 2)
    await trigger(world, "tick", 2)
    await trigger(world, "narrow", 30)
    await trigger(world, "wide", 3)
    await assign(world)
    assert len(await lease(anne, 20)) == 5, "one, one and three: a full limit holds up nobody else"
    assert await lease(anne, 20) == []


async def test_more_urgent_runs_go_first(world: World) -> None:
    await save(world, "low", place={"route": "first", "priority": 1})
    await save(world, "high", place={"route": "first", "priority": 9})
    (anne,) = await team(world, 1)
    await trigger(world, "low", 3)
    high = await trigger(world, "high", 3)
    await assign(world)
    assert sorted(await lease(anne, 3)) == high


async def test_where_no_worker_fits_nothing_is_decided(world: World) -> None:
    await save(world, "tick", run="python:jobs:elsewhere", place=ROUND)
    await save(world, "zoned", place={**ROUND, "require": {"zone": "b"}})
    await team(world, 2)
    ids = await trigger(world, "tick") + await trigger(world, "zoned")
    assert (await assign(world)).runs == 0
    assert [(await run_of(world, run_id)).assigned_to for run_id in ids] == [None, None]


async def test_a_key_has_its_worker(world: World) -> None:
    await save(world, "tick", place={"route": {"name": "sticky", "by": "customer"}})
    workers = await team(world, 3)
    for number in range(24):
        await trigger(world, params=f'{{"customer": "c{number % 8}"}}')
    await assign(world)
    homes: dict[str, set[str | None]] = {}
    for run in await runs_of(world):
        assert run.params is not None
        homes.setdefault(run.params, set()).add(run.assigned_to)
    assert all(len(home) == 1 for home in homes.values())
    assert {next(iter(home)) for home in homes.values()} <= {one.session for one in workers}
    assert len({next(iter(home)) for home in homes.values()}) > 1


async def test_the_usual_value_of_a_parameter_is_a_key_like_the_same_value_when_it_is_given(world: World) -> None:
    shop = {"properties": {"shop": {"type": "string", "default": "eu"}}}
    await save(world, "tick", run="shell:tidy", parameters=shop, place={"route": {"name": "sticky", "by": "shop"}})
    anne = await Worker(world).register("shell")
    (given,) = await trigger(world, params='{"shop": "eu"}')
    await assign(world)
    for _ in range(5):
        await Worker(world).register("shell")
    (usual,) = await trigger(world)
    await assign(world)
    homes = [(await run_of(world, run_id)).assigned_to for run_id in (given, usual)]
    assert homes == [anne.session] * 2, "a key stays where it is"


async def test_a_move_by_load_is_in_the_journal_with_both_scores(world: World) -> None:
    await save(world, "tick", place={"route": "least_load"})
    anne, bert = await team(world, 2)
    await anne.beat(load={"cpu": 0.2, "memory": 0.2})
    await bert.beat(load={"cpu": 0.8, "memory": 0.8})
    await trigger(world)
    assert (await assign(world)).sessions == {anne.session}
    await anne.beat(load={"cpu": 0.9, "memory": 0.9})
    await bert.beat(load={"cpu": 0.3, "memory": 0.3})
    await trigger(world)
    assert (await assign(world)).sessions == {bert.session}
    (event,) = (await world.store.journal.newest(EventFilter(subject="tick"), limit=5)).items
    assert (event.kind, event.by) == ("job.moved", "least_load")
    assert (event.data["from"], event.data["to"]) == (anne.name, bert.name)
    assert event.data["score_to"] < 0.8 * event.data["score_from"]


async def test_each_move_of_one_decision_is_in_the_journal(world: World) -> None:
    """Runs that are spread over zones are routed zone by zone."""
    await save(world, "tick", place={"route": "least_load", "spread": "zone"})
    team = {zone + role: await worker(world, labels={"zone": zone}) for zone in "ab" for role in "12"}

    async def say(first: float, second: float) -> None:
        for name, one in team.items():
            load = first if name.endswith("1") else second
            await one.beat(load={"cpu": load, "memory": load})

    await say(0.2, 0.8)
    await trigger(world, n=2)
    assert (await assign(world)).sessions == {team["a1"].session, team["b1"].session}
    await say(0.9, 0.3)
    await trigger(world, n=2)
    assert (await assign(world)).sessions == {team["a2"].session, team["b2"].session}
    found = (await world.store.journal.newest(EventFilter(subject="tick"), limit=9)).items
    moves = {(one.data["from"], one.data["to"]) for one in found if one.kind == "job.moved"}
    assert moves == {(team[f"{zone}1"].name, team[f"{zone}2"].name) for zone in "ab"}


async def test_a_move_from_a_worker_that_drains_is_in_the_journal_too(world: World) -> None:
    await save(world, "tick", place={"route": "least_load"})
    anne, bert = await team(world, 2)
    await anne.beat(load={"cpu": 0.2, "memory": 0.2})
    await bert.beat(load={"cpu": 0.8, "memory": 0.8})
    await trigger(world)
    await assign(world)
    await world.store.nodes.drain(anne.session, by=PERSON)
    assert (await assign(world, again=True)).sessions == {bert.session}
    found = (await world.store.journal.newest(EventFilter(subject="tick"), limit=5)).items
    (event,) = [one for one in found if one.kind == "job.moved"]
    assert (event.data["from"], event.data["to"]) == (anne.name, bert.name)
    assert "score_from" not in event.data, "nobody looks at the load of who drains"


async def test_an_edit_lets_the_new_route_decide(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await assign(world)
    await world.store.jobs.save("default", "tick", definition(place={"route": "last"}), by=PERSON, plans=PLANS)
    await assign(world)
    assert await lease(anne) == []
    assert await lease(bert) == [run_id]
    (other,) = await trigger(world)
    await assign(world)
    await world.store.jobs.save("default", "tick", definition(), by=PERSON, plans=PLANS)
    assert await lease(anne) == [other], "without a route it is for whoever asks first"


async def test_a_run_that_is_assigned_can_be_cancelled(world: World) -> None:
    await save(world, "tick", place=ROUND)
    (anne,) = await team(world, 1)
    (run_id,) = await trigger(world)
    await assign(world)
    await world.store.runs.cancel([run_id], by=PERSON)
    assert await lease(anne) == []
    run = await run_of(world, run_id)
    assert (run.state, run.assigned_to) == ("CANCELLED", None)


async def test_while_the_clock_is_in_doubt_what_is_due_indeed_is_assigned(world: World) -> None:
    """The clock jumped by ten minutes; a minute of true time has passed since."""
    for name in ("due", "waits", "just", "new"):
        await save(world, name, place=ROUND)
    jumped_at = await world.now()
    delays = {"due": 30 * SECOND, "waits": 5 * MINUTE, "just": 10 * MINUTE + 30 * SECOND}
    for name, delay_us in delays.items():
        await world.store.runs.trigger(ask(name, delay_us=delay_us))
    await world.elapse(11 * MINUTE)
    (anne,) = await team(world, 1)
    await trigger(world, "new")
    doubt = ClockDoubt(
        believed=await world.now() - 10 * MINUTE, good_until=jumped_at + MINUTE, landed=jumped_at + 10 * MINUTE
    )
    assert (await assign(world, doubt=doubt)).runs == 2
    granted = await world.store.runs.lease([await routed_poll(anne)], limit=10, doubt=doubt)
    assert sorted(run.job for run in granted.grants[0].runs) == ["due", "new"]
    later = doubt._replace(believed=doubt.believed + 10 * MINUTE)
    assert (await assign(world, doubt=later)).runs == 2
    granted = await world.store.runs.lease([await routed_poll(anne)], limit=10, doubt=later)
    assert sorted(run.job for run in granted.grants[0].runs) == ["just", "waits"]


async def test_the_pulse_tells_of_assigned_runs(world: World) -> None:
    await save(world, "tick", place=ROUND)
    (anne,) = await team(world, 1)
    assert not (await world.store.firing.pulse()).assigned
    await trigger(world)
    await assign(world)
    pulse = await world.store.firing.pulse()
    assert (pulse.assigned, pulse.ready) == (True, True)
    assert (await world.store.lookups.cluster()).queue == 1
    await lease(anne)
    pulse = await world.store.firing.pulse()
    assert (pulse.assigned, pulse.ready) == (False, False)


async def test_a_server_that_cannot_read_the_job_starts_none_of_its_runs(world: World) -> None:
    """An older one, which knows no routes: it takes the lane for one like others."""
    job = await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await world.spoil(job)
    older = await world.open()
    bert.store = older
    assert await bert.lease() == ()
    assert (await run_of(world, run_id)).state == "PENDING"
    for _ in range(8):
        await world.elapse(4 * SECOND)
        await anne.beat()
    assert (await assign(world)).sessions == {anne.session}, "who can read it decides"


async def test_jobs_without_a_route_are_not_touched(world: World) -> None:
    await save(world, "tick")
    anne = await worker(world)
    (run_id,) = await trigger(world)
    assert (await assign(world)).runs == 0
    assert await lease(anne) == [run_id]
