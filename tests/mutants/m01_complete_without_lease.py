"""M1: a worker is paused for longer than its session lives; its run is another's when it wakes and reports."""

from tests.conformance.building import ask, save
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    await save(stage.world, "tick", overlap="allow")
    await stage.world.store.runs.trigger(ask("tick"))
    zombie, heir = await stage.worker(), await stage.worker()
    lost = await zombie.lease_one()
    await zombie.start(lost)
    stage.nemesis.write("pause", node=zombie.name)
    await zombie.fall_silent(lost)

    async def taken_back() -> bool:
        return await stage.state_of(lost) == "PENDING"

    await stage.housekeeping(taken_back)
    held = await heir.lease_one()
    assert (held.run_id, held.attempt) == (lost.run_id, 2)
    await heir.start(held)
    await zombie.end(lost)  # it wakes, and knows nothing of all this
    await heir.end(held)
