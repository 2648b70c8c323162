"""Limits: given back by every way out, never beyond their maximum, recounted by the watchdog."""

from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.conformance.world import World


async def test_a_full_limit_holds_up_nobody_else(world: World) -> None:
    """Its lane is not even scanned."""
    await save(world, "held", run="python:jobs:held", place={"max_running": 1})
    await save(world, "free", run="python:jobs:free")
    await trigger(world, "held", 20)
    await trigger(world, "free", 2)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 3
    assert await anne.lease(8) == ()
