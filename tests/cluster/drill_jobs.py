"""Jobs that go on while a node is broken on purpose."""

from foliot import Ctx, cron, every, job
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.misfire import all as every_missed

CATCH_UP = every_missed(within="1h", limit=1000)


@job(every("1s"), misfire=CATCH_UP, overlap="allow", max_lost=10)
async def each_second() -> None:
    """Due all the time."""


@job(every("1s"), misfire=CATCH_UP, overlap="allow", max_lost=10)
async def three_seconds_long(ctx: Ctx) -> None:
    """Some of its runs are at work on every worker whenever one breaks."""
    await ctx.sleep_async(3)


@job(cron("0 10 * * 2", tz="Asia/Shanghai"), timeout="20m", on_lost="fail")
async def rehearse_a_full_disk(on: str = "w1") -> int:
    """A drill is a job, as docs/how-to/rehearse-a-failure.md says it."""
    async with AsyncFoliot() as client:
        asked = await client.drills.run("disk_full", on=on, for_="2s", alone=True, reason="every Tuesday")
        report = await client.drills.wait(asked["id"])
    fires = report["fires"]
    assert (fires["lost"], fires["doubled"], fires["early"]) == (0, 0, 0), fires
    return int(asked["id"])
