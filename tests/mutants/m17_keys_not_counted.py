"""M17: two runs with one key, of which one may run at a time."""

from tests.conformance.building import ask, save
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    place = {"max_per_key": 1, "concurrency_by": "customer"}
    await save(stage.world, "keyed", overlap="allow", place=place)
    for key in ("a", "b"):
        await stage.world.store.runs.trigger(ask("keyed", key=key, params='{"customer": "acme"}'))
    worker = await stage.worker()
    for run in await worker.lease(2):
        await worker.execute(run)
