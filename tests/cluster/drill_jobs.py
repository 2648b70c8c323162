"""Jobs that go on while a node is broken on purpose."""

from foliot import Ctx, every, job
from foliot.misfire import all as every_missed

CATCH_UP = every_missed(within="1h", limit=1000)


@job(every("1s"), misfire=CATCH_UP, overlap="allow", max_lost=10)
async def each_second() -> None:
    """Due all the time."""


@job(every("1s"), misfire=CATCH_UP, overlap="allow", max_lost=10)
async def three_seconds_long(ctx: Ctx) -> None:
    """Some of its runs are at work on every worker whenever one breaks."""
    await ctx.sleep_async(3)
