"""Named limits in the tables."""

import pytest

from foliot.domain.limits import LimitNotYours
from foliot.store.sql.leasing import limits
from tests.conformance.limiting import ask_in, maxima, naming, refuse, save
from tests.conformance.working import worker
from tests.sql.world import World


async def test_who_may_not_change_a_limit_cannot_by_saving_a_job(world: World) -> None:
    await save(world, naming("db", 4), job="first")
    with pytest.raises(LimitNotYours, match="lets 4 runs through"):
        await save(world, naming("db", 100), job="second", check_limit=refuse)
    assert await maxima(world) == {("default", "db"): 4}
    assert await world.value("SELECT count(*) FROM jobs") == 1
    await save(world, naming("db", 4), job="second", check_limit=refuse)
    with pytest.raises(LimitNotYours):
        await save(world, naming("db", 5), job="second", check_limit=refuse)
    assert await world.value("SELECT version FROM jobs WHERE name = 'second'") == 1


async def test_a_limit_of_the_cluster_that_goes_while_a_job_is_saved_is_not_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The save saw it, then an admin took it away: the save begins anew, and its number is no limit of the cluster."""
    seen: list[frozenset[str]] = [frozenset({"db"})]
    real = limits.shared_of
    monkeypatch.setattr(limits, "shared_of", lambda tx, says: seen.pop() if seen else real(tx, says))
    await save(world, naming("db", 7), check_limit=refuse)
    assert seen == []
    assert await maxima(world) == {("default", "db"): 7}
    lanes = await world.store.jobs.lanes()
    assert [lane.limits for lane in lanes.values()] == [("res:default/db",)]


async def test_a_limit_from_before_namespaces_is_one_of_the_cluster(world: World) -> None:
    """Its lane has the old name, and an older server made its row."""
    await world.change("INSERT INTO limits (name, max, used, ver) VALUES ('res:db', 2, 0, 1)")
    await save(world, naming("db", 2), check_limit=refuse)
    assert await maxima(world) == {(None, "db"): 2}
    with pytest.raises(LimitNotYours, match="whole cluster"):
        await save(world, naming("db", 3), check_limit=refuse)


async def test_a_missing_row_is_made_again_where_it_belongs(world: World) -> None:
    await save(world, naming("db", 1), namespace="ours")
    await world.store.runs.trigger(ask_in("ours", "a"))
    await world.change("DELETE FROM limits")
    anne = await worker(world)
    assert len(await anne.lease(8)) == 1
    assert await maxima(world) == {("ours", "db"): 1}
