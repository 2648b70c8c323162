"""M5, second half: the leader's clock is ahead while it looks for sessions that ran out."""

from tests.mutants.m05_due_by_node_clock import hasty
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    lively, gone = await stage.worker(), await stage.worker()
    stage.nemesis.write("kill", node=gone.name)
    await gone.fall_silent()
    leader = hasty(stage)

    async def found() -> bool:
        """The one that is gone was found; the other beat all the time."""
        await lively.beat()
        return await stage.is_dead(gone)

    try:
        await stage.housekeeping(found, store=leader)
    finally:
        await leader.close()
