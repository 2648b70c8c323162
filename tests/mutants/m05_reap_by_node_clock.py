"""M5, second half: the leader's clock is seconds ahead while it looks for sessions that ran out."""

from tests.mutants.m05_due_by_node_clock import hasty
from tests.mutants.stage import BRIEF_US, SESSION_TTL_US, Stage

TTL_US = 2 * SESSION_TTL_US  # of a worker that beats as it should; less than the leader's clock is ahead


async def play(stage: Stage) -> None:
    lively, gone = await stage.worker(), await stage.worker()
    stage.nemesis.write("kill", node=gone.name)
    await gone.fall_silent(after_us=BRIEF_US)
    leader = hasty(stage)

    async def found() -> bool:
        """The one that is gone was found, and the other said that it is not."""
        await lively.beat(ttl_us=TTL_US)
        return await stage.is_dead(gone)

    try:
        await stage.housekeeping(found, store=leader)
    finally:
        await leader.close()
