"""M16: two runs that take two each of a limit that has three."""

from tests.conformance.building import ask, save
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    await save(stage.world, "heavy", overlap="allow", place={"concurrency": {"db": 3}, "takes": {"db": 2}})
    for key in ("a", "b"):
        await stage.world.store.runs.trigger(ask("heavy", key=key))
    worker = await stage.worker()
    for run in await worker.lease(2):
        await worker.execute(run)
