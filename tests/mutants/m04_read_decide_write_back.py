"""M4: two servers look at the same due job at the same time."""

from tests.conformance.building import every, fire
from tests.mutants.stage import Stage
from tests.sql.interleavings.halting import halting, patient


async def play(stage: Stage) -> None:
    job = await every(stage.world, interval="1s", overlap="allow")
    assert job.next_at is not None
    await stage.until(job.next_at)
    one, other = await halting(stage.world, "firing.taken"), await patient(stage.world)
    await one.start(fire(stage.world, one.store))  # it has read what is due, and stands before its decision
    await fire(stage.world, other)
    await one.finish()
