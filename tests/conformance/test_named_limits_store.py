"""Named limits: of a namespace, or of the whole cluster; whoever may not change one cannot by a save (SEC-05)."""

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.limits import limit_key, limit_name
from foliot.domain.verdict import Cause
from foliot.ports.store.limits import LimitHeld, LimitInUse, LimitNotFound
from foliot.ports.store.runs import TriggerRequest
from foliot.words.errors import tell
from foliot.words.language import Language
from tests.conformance.building import PERSON, PLANS, definition
from tests.conformance.limiting import ask_in, maxima, naming, refuse, save
from tests.conformance.working import worker
from tests.conformance.world import World


async def test_two_namespaces_with_one_name_have_two_limits(world: World) -> None:
    await save(world, naming("db", 4), namespace="ours")
    await save(world, naming("db", 1), namespace="theirs")
    assert await maxima(world) == {("ours", "db"): 4, ("theirs", "db"): 1}


async def test_a_full_limit_of_one_namespace_holds_nothing_of_another(world: World) -> None:
    for namespace in ("ours", "theirs"):
        await save(world, naming("db", 1), namespace=namespace)
        await world.store.runs.trigger(ask_in(namespace, "a"))
        await world.store.runs.trigger(ask_in(namespace, "b"))
    anne = await worker(world)
    leased = await anne.lease(8)
    assert sorted(run.namespace for run in leased) == ["ours", "theirs"]


async def test_a_save_that_says_the_same_number_changes_no_limit(world: World) -> None:
    await save(world, naming("db", 4), job="first")
    await save(world, naming("db", 6), job="second")
    await save(world, naming("db", 4, owner="anne"), job="first", check_limit=refuse)
    assert await maxima(world) == {("default", "db"): 6}


async def test_jobs_saved_after_an_admin_made_a_limit_count_in_it(world: World) -> None:
    store = world.store.limits
    await store.set_shared("db", 1)
    for namespace in ("ours", "theirs"):
        await save(world, naming("db", 1), namespace=namespace, check_limit=refuse)
        await world.store.runs.trigger(ask_in(namespace, "a"))
    assert await maxima(world) == {(None, "db"): 1}
    anne = await worker(world)
    assert len(await anne.lease(8)) == 1
    await store.set_shared("db", 2)
    assert len(await anne.lease(8)) == 1
    with pytest.raises(LimitInUse, match="tick"):
        await store.remove_shared("db")


async def test_a_limit_of_the_cluster_goes_when_no_job_counts_in_it(world: World) -> None:
    store = world.store.limits
    await store.set_shared("db", 3)
    await save(world, naming("db", 3))
    await save(world, definition())
    await store.remove_shared("db")
    assert await maxima(world) == {}
    with pytest.raises(LimitNotFound):
        await store.remove_shared("db")
    await save(world, naming("db", 7), check_limit=refuse)
    assert await maxima(world) == {("default", "db"): 7}


async def test_a_limit_of_the_cluster_that_was_deleted_does_not_come_back_and_holds_up_nobody(world: World) -> None:
    """A run that is tried again goes by the version it began with, which names the limit."""
    store = world.store.limits
    await store.set_shared("db", 1)
    await save(world, naming("db", 1, overlap="allow", retries={"max": 3, "backoff": "1s", "jitter": False}))
    await world.store.runs.trigger(ask_in("default", "a"))
    anne = await worker(world)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="again")
    await save(world, definition(overlap="allow"))
    await store.remove_shared("db")
    await world.elapse(2 * SECOND)
    again = await anne.lease_one()
    assert (again.attempt, again.version) == (2, 1)
    assert await maxima(world) == {}
    made = await store.set_shared("db", 1)
    assert made.used == 1  # what runs already holds it
    await save(world, naming("db", 1), job="other")
    await world.store.runs.trigger(TriggerRequest(namespace="default", job="other", key="b", by=PERSON))
    assert await anne.lease(8) == ()
    await anne.complete(again)
    assert [run.job for run in await anne.lease(8)] == ["other"]


async def test_a_limit_of_the_cluster_stays_while_a_run_holds_it(world: World) -> None:
    store = world.store.limits
    await store.set_shared("db", 1)
    await save(world, naming("db", 1))
    await world.store.runs.trigger(ask_in("default", "a"))
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.jobs.delete("default", "tick", plans=PLANS)
    with pytest.raises(LimitHeld, match="held by 1 running run") as refused:
        await store.remove_shared("db")
    assert tell(refused.value, Language.CHINESE)[0] == "限额 db 正被 1 个执行占用。"
    assert await maxima(world) == {(None, "db"): 1}
    await anne.complete(run)
    await store.remove_shared("db")
    assert await maxima(world) == {}


async def test_a_list_of_one_namespace_goes_on_behind_a_key(world: World) -> None:
    store = world.store.limits
    await store.set_shared("a", 1)
    for name in ("x", "y"):
        await save(world, naming(name, 1), namespace="ours", job=name)
        await save(world, naming(name, 1), namespace="theirs", job=name)
    seen, after = [], ""
    while page := await store.list(namespace="ours", after=after, limit=2):
        seen += [(one.namespace, one.name) for one in page]
        after = page[-1].key
    assert seen == [(None, "a"), ("ours", "x"), ("ours", "y")]


def test_a_key_fits_its_column_however_long_the_names_are() -> None:
    long = limit_key("n" * 200, "s" * 100)
    assert len(long) <= 250
    assert limit_name(long) == "n" * 200
    assert limit_key("n" * 200, "t" * 100) != long
