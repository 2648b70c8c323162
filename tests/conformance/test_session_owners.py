"""SEC-25: a session has an owner for good, and its leases are that owner's to report, in every store."""

import pytest
from msgspec.structs import replace

from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.worker_link import LogChunk
from tests.conformance.building import save
from tests.conformance.working import register, run_of, trigger
from tests.conformance.world import CHANCE, World


async def test_the_leases_of_an_owner_are_told_from_others(world: World) -> None:
    await save(world)
    await trigger(world, n=2)
    mine, theirs = await register(world, "t-1"), await register(world, "t-2")
    ended, held = await mine.lease()
    await world.store.runs.complete(mine.session, [mine.report(ended)], judge, owner="t-1")
    leases = [(run.run_id, run.lease_id) for run in (ended, held)]
    asked = [*leases, (held.run_id, "made-up"), (2**50, held.lease_id[::-1])]
    own_leases = world.store.runs.own_leases
    for session in (mine.session, ""):
        assert await own_leases(session, asked, owner="t-1") == {ended.lease_id, held.lease_id}
    for session in (theirs.session, ""):
        assert await own_leases(session, asked, owner="t-2") == frozenset()
    assert await own_leases(mine.session, [], owner="t-1") == frozenset()


async def test_a_session_without_owner_is_adopted_once(world: World) -> None:
    worker = await register(world, None)
    assert await world.store.nodes.adopt(worker.session, owner="t-1")
    assert await world.store.nodes.adopt(worker.session, owner="t-1"), "an answer that was lost"
    assert not await world.store.nodes.adopt(worker.session, owner="t-2")
    hello = await world.store.nodes.hello_of(worker.session)
    assert hello is not None
    assert hello.owner == "t-1"
    server = await register(world, None, kind="server")
    assert not await world.store.nodes.adopt(server.session, owner="t-1")
    assert not await world.store.nodes.adopt("nobody", owner="t-1")
    assert await world.store.nodes.hello_of(server.session) is None


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR])
async def test_a_report_counts_from_the_leases_session_or_another_of_its_owner(world: World, cause: Cause) -> None:
    await save(world)
    runs = await trigger(world, n=3)
    mine, theirs = await register(world, "t-1"), await register(world, "t-2")
    leased = await mine.lease()
    assert len(leased) == len(runs)
    reports = [mine.report(run, cause, error_type="E") for run in leased]
    complete = world.store.runs.complete
    before = [await run_of(world, run) for run in runs]
    for session, owner in ((theirs.session, "t-2"), ("", "t-2"), ("", None)):
        assert await complete(session, reports, judge, owner=owner) == [Landing.FENCED] * 3
    assert [await run_of(world, run) for run in runs] == before
    assert await complete(mine.session, reports[:1], judge, owner="t-1") == [Landing.RECORDED]
    later = await register(world, "t-1")
    assert await complete(later.session, reports[1:2], judge, owner="t-1") == [Landing.RECORDED]
    assert await complete("", reports, judge, owner="t-1") == [Landing.ALREADY, Landing.ALREADY, Landing.RECORDED]


async def test_of_a_mixed_batch_only_the_speakers_own_count(world: World) -> None:
    await save(world)
    await trigger(world, n=2)
    mine, theirs = await register(world, "t-1"), await register(world, "t-2")
    (first,), (second,) = await mine.lease(1), await theirs.lease(1)
    reports = [mine.report(first), mine.report(second)]
    landed = await world.store.runs.complete(mine.session, reports, judge, owner="t-1")
    assert landed == [Landing.RECORDED, Landing.FENCED]


async def test_a_log_is_written_by_its_owner(world: World) -> None:
    await save(world)
    await trigger(world)
    mine, theirs = await register(world, "t-1"), await register(world, "t-2")
    run = await mine.lease_one()
    chunk = LogChunk(run_id=run.run_id, lease_id=run.lease_id, attempt=1, offset=0, text="a")
    write = world.store.runs.write_logs
    assert await write(theirs.session, [chunk], owner="t-2") == [Landing.FENCED]
    assert await write(mine.session, [chunk], owner="t-1") == [Landing.RECORDED]
    more = replace(chunk, offset=1, text="b")
    assert await write(CHANCE.token(), [more], owner="t-1") == [Landing.RECORDED]
    assert "".join(one.text for one in await world.store.lookups.logs(run.run_id)) == "ab"


async def test_the_lease_alone_decides_for_a_session_without_owner(world: World) -> None:
    """It began before owners were recorded; its worker was restarted with this version since."""
    await save(world)
    await trigger(world)
    mine = await register(world, None)
    run = await mine.lease_one()
    later = await register(world, "t-1")
    assert await world.store.runs.complete(later.session, [mine.report(run)], judge, owner="t-1") == [Landing.RECORDED]
