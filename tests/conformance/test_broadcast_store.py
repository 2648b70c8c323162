"""Broadcast: a run with `shards: each_worker` has one shard for each worker that is live and fits, and for no other."""

import asyncio
from typing import Any

from foliot.domain.instants import SECOND
from foliot.domain.run import format_run_id
from foliot.domain.verdict import Cause
from foliot.ports.store.journal import EventFilter, Topic
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.broadcasting import ALL, UNTIL_DEAD_US, leased, pass_time, reap, shards_of
from tests.conformance.building import PERSON, every, fire, make_due, runs_of, save
from tests.conformance.routing import assign, routed_poll, team
from tests.conformance.working import BEAT_EVERY_US, JOIN, TICK, attempts_of, lead, run_of, trigger, worker
from tests.conformance.world import World


async def test_every_worker_gets_a_shard_of_its_own(world: World) -> None:
    await save(world, "tick", **ALL, merge=JOIN)
    workers = await team(world, 3)
    (run,) = await trigger(world)
    assert [one.state for one in await runs_of(world)] == ["PENDING"], "it is cut when workers ask"
    assigned = await assign(world)
    assert assigned.runs == 1
    assert assigned.sessions == {one.session for one in workers}
    assert (await run_of(world, run)).open_children == 3
    assert [shard.node for shard in await shards_of(world, run)] == [one.name for one in workers]
    late = await worker(world)
    assert await leased(late) == ()
    for number, one in enumerate(workers):
        (mine,) = await leased(one)
        assert (mine.shard, mine.shards, mine.job) == (number, 3, "tick")
        await one.complete(mine, result=str(number))
    (merge,) = await leased(late)
    assert merge.params == '{"parts":[0,1,2]}'
    await late.complete(merge)
    assert (await run_of(world, run)).state == "SUCCEEDED"


async def test_a_server_that_cannot_read_it_leaves_it_to_others(world: World) -> None:
    job = await save(world, "tick", **ALL)
    workers = await team(world, 2)
    (run,) = await trigger(world)
    await world.spoil(job)
    other = await world.open()
    await assign(world, other)
    assert (await run_of(world, run)).assigned_to is None
    for one in workers:
        assert await leased(one) == (), "it is nobody's before it is cut"
    for _ in range(8):
        await world.elapse(4 * SECOND)
        for one in workers:
            await one.beat()
    await assign(world)
    assert (await run_of(world, run)).open_children == 2


async def test_a_lost_answer_tells_again_of_how_many_it_is_one(world: World) -> None:
    await save(world, "tick", **ALL)
    anne, _ = await team(world, 2)
    await trigger(world)
    await assign(world)
    (first,) = await leased(anne)
    again = await world.store.runs.lease([await routed_poll(anne, repeat=True)], limit=10)
    assert again.grants[0].runs == (first,)
    assert first.shards == 2


async def test_only_workers_that_fit_count_and_nobody_means_waiting(world: World) -> None:
    await save(world, "tick", **ALL, place={"require": {"zone": "a"}})
    await save(world, "other", **ALL, place={"require": {"zone": "b"}})
    (waits,) = await trigger(world, "other")
    (run,) = await trigger(world, "tick")
    assert (await assign(world)).runs == 0, "nobody is there"
    anne, bert = await team(world, 2)
    await world.store.nodes.drain(bert.session, by=PERSON)
    assert (await assign(world)).sessions == {anne.session}
    assert len(await shards_of(world, run)) == 1
    assert (await run_of(world, waits)).state == "PENDING"


async def test_a_worker_whose_beats_are_late_gets_its_shard_while_its_session_lives(world: World) -> None:
    """It may well be at work. Whether it is gone is said by its death, and then its shard and its run say so."""
    await save(world, "tick", **ALL)
    await save(world, "chosen", place={"route": "round"})
    term = await lead(world)
    anne, bert, cleo, dora = await team(world, 4)
    await world.store.nodes.drain(dora.session, by=PERSON)
    await world.elapse(SESSION_TTL_US - 2 * SECOND)
    await cleo.beat()
    await world.elapse(
        3 * SECOND
    )  # anne and bert are silent for longer than their sessions last, and not declared dead
    term = await lead(world)
    (run,) = await trigger(world)
    chosen = await trigger(world, "chosen", n=4)
    await assign(world)
    assert [shard.node for shard in await shards_of(world, run)] == [anne.name, bert.name, cleo.name]
    assert {(await run_of(world, one)).assigned_to for one in chosen} == {cleo.session}, "no route chooses a late one"
    await anne.beat()
    for one in (anne, cleo):
        for mine in await leased(one):
            await one.complete(mine)
    for _ in range(4):
        await world.elapse(SESSION_TTL_US // 2)
        await cleo.beat()
        term = await lead(world)
        await reap(world, term)
    shards = [(shard.node, shard.state) for shard in await shards_of(world, run)]
    assert shards == [(anne.name, "SUCCEEDED"), (bert.name, "FAILED"), (cleo.name, "SUCCEEDED")]
    assert (await run_of(world, run)).error == "1 of 3 shards failed."


async def test_a_run_is_not_cut_while_every_worker_is_late(world: World) -> None:
    await save(world, "tick", **ALL)
    anne, bert = await team(world, 2)
    await world.elapse(SESSION_TTL_US + SECOND)
    await lead(world)
    (run,) = await trigger(world)
    await assign(world)
    assert (await run_of(world, run)).state == "PENDING"
    await bert.beat()
    await assign(world)
    assert [shard.node for shard in await shards_of(world, run)] == [anne.name, bert.name]


async def test_fires_are_cut_once_by_servers_that_assign_together(world: World) -> None:
    job = await every(world, "tick", "1m", **ALL, overlap="allow")
    workers = await team(world, 3)
    others = [world.store, await world.open(), await world.open()]
    for _ in range(3):
        await make_due(world, job)
        for one in workers:
            await one.beat()
        await fire(world)
        await asyncio.gather(*(assign(world, store) for store in others))
    while (await assign(world)).runs:
        pass
    shares = [len(await leased(one, 20)) for one in workers]
    fires = [run for run in await runs_of(world) if run.shard < 0]
    assert shares == [len(fires)] * 3


async def test_who_waits_in_line_is_cut_when_its_turn_has_come(world: World) -> None:
    await save(world, "tick", **ALL, overlap="queue_all", place={"max_running": 1})
    (anne,) = await team(world, 1)
    first, second = await trigger(world, n=2)
    assert (await assign(world)).runs == 1
    (mine,) = await leased(anne)
    bert = await worker(world)
    assert (await assign(world)).runs == 0
    await anne.complete(mine)
    assert (await run_of(world, first)).state == "SUCCEEDED"
    assert (await assign(world)).runs == 1
    assert len(await shards_of(world, second)) == 2, "bert came before its turn"
    (mine,) = await leased(anne)
    assert await leased(bert) == (), "the limit of the job counts shards"
    await anne.complete(mine)
    (other,) = await leased(bert)
    await bert.complete(other)
    assert (await run_of(world, second)).state == "SUCCEEDED"


async def test_a_retry_goes_back_to_the_same_worker_and_to_no_other(world: World) -> None:
    await save(world, "tick", **ALL, retries={"max": 3, "backoff": "1s"})
    anne, bert = await team(world, 2)
    (run,) = await trigger(world)
    await assign(world)
    (mine,) = await leased(anne)
    await anne.complete(mine, cause=Cause.ERROR, error="no")
    waiting, _ = await shards_of(world, run)
    assert (waiting.state, waiting.node) == ("PENDING", anne.name)
    await world.elapse(3 * SECOND)
    await assign(world, again=True)
    assert [one.shard for one in await leased(bert)] == [1]
    (again,) = await leased(anne)
    assert (again.run_id, again.attempt, again.shards) == (mine.run_id, 2, 2)


async def test_a_shard_whose_worker_drains_or_dies_ends_as_lost_and_the_others_go_on(world: World) -> None:
    await save(world, "tick", **ALL)
    anne, bert, cleo, dora = await team(world, 4)
    (run,) = await trigger(world)
    await assign(world)
    (begun,) = await leased(dora)
    await dora.beat(begun)
    term = await lead(world)
    await world.store.nodes.drain(anne.session, by=PERSON)
    await reap(world, term)
    left, *_ = await shards_of(world, run)
    assert (left.state, left.kind, left.attempt) == ("FAILED", "lost", 0)
    assert left.error == f"Its worker {anne.name} drains, and this shard was for no other."
    await world.elapse(SESSION_TTL_US - SECOND)
    await cleo.beat()
    await world.elapse(2 * SECOND)
    await assign(world, again=True)
    assert [shard.state for shard in await shards_of(world, run)] == ["FAILED", "PENDING", "PENDING", "RUNNING"]
    for _ in range(6):
        await world.elapse(SESSION_TTL_US // 2)
        await cleo.beat()
        term = await lead(world)
        await reap(world, term)
    states = [(shard.node, shard.state, shard.kind) for shard in await shards_of(world, run)]
    assert states == [
        (anne.name, "FAILED", "lost"),
        (bert.name, "FAILED", "lost"),
        (cleo.name, "PENDING", None),
        (dora.name, "FAILED", "lost"),
    ]
    assert [attempt.cause for attempt in await attempts_of(world, begun.run_id)] == ["lost"]
    (mine,) = await leased(cleo)
    await cleo.complete(mine)
    row = await run_of(world, run)
    assert (row.state, row.kind, row.error) == ("FAILED", "lost", "3 of 4 shards failed.")


async def test_the_journal_tells_of_the_cut_and_of_what_is_lost_with_workers(world: World) -> None:
    await save(world, "tick", **ALL, on_lost="fail")
    workers = await team(world, 4)
    anne, bert, cleo, dora = workers
    (run,) = await trigger(world)

    async def events() -> list[tuple[str, Any]]:
        page = await world.store.journal.newest(EventFilter(subject=format_run_id(run)), limit=10)
        assert {(event.topic, event.namespace) for event in page.items} <= {(Topic.RUNS, "default")}
        return [(event.kind, event.data) for event in page.items]

    await assign(world)
    await assign(world)
    cut = ("run.cut", {"job": "tick", "shards": 4, "workers": [one.name for one in workers]})
    assert await events() == [cut]
    for one in (anne, bert):
        await world.store.nodes.drain(one.session, by=PERSON)
    await reap(world, await lead(world))
    drained = ("run.shards_lost", {"job": "tick", "shards": 2, "workers": [anne.name, bert.name]})
    assert await events() == [drained, cut], "one for both"
    (begun,) = await leased(cleo)
    await cleo.beat(begun)
    (mine,) = await leased(dora)
    await dora.complete(mine, cause=Cause.ERROR, error="no")
    await pass_time(world, UNTIL_DEAD_US + BEAT_EVERY_US, dora)
    died = ("run.shards_lost", {"job": "tick", "shards": 1, "workers": [cleo.name]})
    assert await events() == [died, drained, cut]
    assert (await run_of(world, run)).error == "4 of 4 shards failed."


async def test_the_journal_names_some_of_many_workers(world: World) -> None:
    await save(world, "tick", **ALL)
    workers = await team(world, 23)
    (run,) = await trigger(world)
    await assign(world)
    for one in workers:
        await world.store.nodes.drain(one.session, by=PERSON)
    await reap(world, await lead(world))
    events = (await world.store.journal.newest(EventFilter(subject=format_run_id(run)), limit=10)).items
    told = [(event.kind, event.data["shards"], len(event.data["workers"])) for event in events]
    assert told == [("run.shards_lost", 23, 20), ("run.cut", 23, 20)]


async def test_a_shard_whose_worker_dropped_the_handler_ends_as_lost(world: World) -> None:
    await save(world, "tick", **ALL)
    anne, bert = await team(world, 2)
    (run,) = await trigger(world)
    await assign(world)
    await bert.register(JOIN)
    await pass_time(world, UNTIL_DEAD_US - 2 * BEAT_EVERY_US, anne, bert)
    assert [shard.state for shard in await shards_of(world, run)] == ["PENDING", "PENDING"], "it may come back"
    await pass_time(world, 3 * BEAT_EVERY_US, anne, bert)
    kept, lost = await shards_of(world, run)
    assert (kept.state, lost.state, lost.kind, lost.node) == ("PENDING", "FAILED", "lost", bert.name)
    assert lost.error == f"Its worker {bert.name} no longer offers {TICK}, and this shard was for no other."
    (mine,) = await leased(anne)
    await anne.complete(mine)
    row = await run_of(world, run)
    assert (row.state, row.kind, row.error) == ("FAILED", "lost", "1 of 2 shards failed.")


async def test_a_shard_waits_for_a_worker_that_offers_the_handler_again(world: World) -> None:
    """The moment between two registrations, and code that says something new beside the old, cost nothing."""
    await save(world, "tick", **ALL)
    (anne,) = await team(world, 1)
    (run,) = await trigger(world)
    await assign(world)
    await anne.register(JOIN)
    await pass_time(world, UNTIL_DEAD_US - 2 * BEAT_EVERY_US, anne)
    await anne.register(TICK, JOIN)
    await pass_time(world, 3 * UNTIL_DEAD_US, anne)
    await anne.register(JOIN)
    await anne.register(JOIN)
    await pass_time(world, UNTIL_DEAD_US - 2 * BEAT_EVERY_US, anne)
    (waits,) = await shards_of(world, run)
    assert waits.state == "PENDING", "the time counts from the last change"
    await anne.register(TICK, JOIN)
    (mine,) = await leased(anne)
    assert mine.run_id == waits.run_id


async def test_saying_the_same_again_does_not_put_the_end_of_a_shard_off(world: World) -> None:
    await save(world, "tick", **ALL)
    (anne,) = await team(world, 1)
    (run,) = await trigger(world)
    await assign(world)
    await anne.register(JOIN)
    for _ in range(4):
        await pass_time(world, UNTIL_DEAD_US // 2, anne)
        await anne.register(JOIN)
    (lost,) = await shards_of(world, run)
    assert (lost.state, lost.kind) == ("FAILED", "lost")


async def test_a_shard_whose_worker_lost_the_labels_ends_as_lost(world: World) -> None:
    await save(world, "tick", **ALL, place={"require": {"zone": "a"}})
    await save(world, "other", **ALL)
    anne, bert = await team(world, 2)
    runs = [*await trigger(world, "tick"), *await trigger(world, "other")]
    await assign(world)
    bert.labels = {"zone": "b"}
    await bert.register()
    await pass_time(world, UNTIL_DEAD_US + BEAT_EVERY_US, anne, bert)
    states = [[shard.state for shard in await shards_of(world, run)] for run in runs]
    assert states == [["PENDING", "FAILED"], ["PENDING", "PENDING"]]
    lost = (await shards_of(world, runs[0]))[1]
    assert lost.error == (
        f"Its worker {bert.name} no longer has the labels that the job requires, and this shard was for no other."
    )


async def test_what_a_route_chose_a_worker_for_is_not_lost_when_it_drops_the_handler(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    (run,) = await trigger(world)
    await assign(world)
    await anne.register(JOIN)
    await pass_time(world, UNTIL_DEAD_US + BEAT_EVERY_US, anne, bert)
    assert (await run_of(world, run)).state == "PENDING"


async def test_a_cancel_takes_the_waiting_shards_along(world: World) -> None:
    await save(world, "tick", **ALL)
    await team(world, 2)
    whole, run = await trigger(world, n=2)
    await world.store.runs.cancel([whole], by=PERSON)
    await assign(world)
    await world.store.runs.cancel([run], by=PERSON)
    assert {one.state for one in await runs_of(world)} == {"CANCELLED"}


async def test_an_edit_leaves_shards_to_their_workers(world: World) -> None:
    """A run that waits whole takes the new version; one that is cut keeps its own."""
    await save(world, "tick", **ALL, overlap="queue_all")
    anne, bert = await team(world, 2)
    cut, whole = await trigger(world, n=2)
    await assign(world)
    await save(world, "tick", **ALL, overlap="queue_all", timeout="1m")
    assert [(await run_of(world, run)).version for run in (cut, whole)] == [1, 2]
    await save(world, "tick", **ALL, overlap="queue_all", exclusive=True)
    await assign(world)
    assert [len(await leased(one)) for one in (anne, bert)] == [1, 1]
    assert {shard.version for shard in await shards_of(world, cut)} == {1}
