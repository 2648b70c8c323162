"""M13: a run that kills whoever runs it."""

from functools import partial

from foliot.ports.worker_link import LeasedRun
from tests.conformance.building import ask, save
from tests.mutants.stage import Stage

MAX_LOST = 2


async def play(stage: Stage) -> None:
    await save(stage.world, "poison", overlap="allow", max_lost=MAX_LOST)
    await stage.world.store.runs.trigger(ask("poison"))
    for _ in range(MAX_LOST):
        victim = await stage.worker()
        run = await victim.lease_one()
        await victim.start(run)
        stage.nemesis.write("kill", node=victim.name)
        await victim.fall_silent(run)

        await stage.housekeeping(partial(has_left, stage, run))


async def has_left(stage: Stage, run: LeasedRun) -> bool:
    return await stage.state_of(run) != "RUNNING"
