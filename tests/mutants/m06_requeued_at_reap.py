"""M6: the worker of an at-most-once run is killed in the middle of it."""

from tests.conformance.building import ask, save
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    await save(stage.world, "pay", overlap="allow", on_lost="fail")
    await stage.world.store.runs.trigger(ask("pay"))
    victim = await stage.worker()
    run = await victim.lease_one()
    await victim.start(run)
    stage.nemesis.write("kill", node=victim.name)
    await victim.fall_silent(run)

    async def reaped() -> bool:
        return await stage.state_of(run) != "RUNNING"

    await stage.housekeeping(reaped)  # whoever finds it PENDING then will run it again
