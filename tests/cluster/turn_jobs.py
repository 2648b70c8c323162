"""Runs that have a lock in turns, all the time, and write to what it protects at the beginning and at the end."""

from foliot import Ctx, every, job
from tests.cluster.lock_notes import note, use

HOLD_S = 0.3
MAX_LOST = 20  # workers are cut off and paused: that is not the runs' fault


async def turn(ctx: Ctx, lock: str) -> None:
    async with ctx.lock(lock, ttl="2s", wait="20s") as held:
        note("has", ctx, lock, accepted=use(ctx, lock, held.token))
        await ctx.sleep_async(HOLD_S)
        note("used", ctx, lock, lost=held.lost, accepted=use(ctx, lock, held.token))


@job(every("1s"), overlap="allow", max_lost=MAX_LOST)
async def till(ctx: Ctx) -> None:
    await turn(ctx, "till")


@job(every("1s"), overlap="allow", max_lost=MAX_LOST)
async def door(ctx: Ctx) -> None:
    await turn(ctx, "door")
