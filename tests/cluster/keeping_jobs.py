"""A job whose runs keep their locks until they are let go: for the worker that is killed meanwhile."""

from foliot import Ctx, job
from tests.cluster.lock_notes import STEP_S, is_open, note, use


@job(overlap="allow", max_lost=3)
async def keep(ctx: Ctx, lock: str) -> None:
    """The ttl is long: only the end of its worker's session gives the lock back in time."""
    async with ctx.lock(lock, ttl="1h") as held:
        assert use(ctx, lock, held.token)
        note("has", ctx, lock)
        while not is_open("kept"):
            await ctx.sleep_async(STEP_S)
