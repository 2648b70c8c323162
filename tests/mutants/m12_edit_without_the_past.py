"""M12: a schedule is edited while instants of the old one are due and not decided yet."""

from foliot.domain.instants import SECOND
from tests.conformance.building import every
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    job = await every(stage.world, interval="1s", overlap="allow")
    assert job.next_at is not None
    await stage.until(job.next_at + SECOND)
    edited = await every(stage.world, interval="2s", overlap="allow")
    assert edited.next_at is not None
    await stage.until(edited.next_at)
