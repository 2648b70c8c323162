"""Many quick jobs, due every second: the load while a cluster is restarted node by node. And some that take longer."""

import os

from foliot import Ctx, every, job
from foliot.misfire import all as every_missed
from tests.cluster.acting import act, act_plain

CATCH_UP = every_missed(within="1h", limit=1000)
QUICK = "QUICK_JOBS"
"""The environment variable that says how many jobs are due each second."""


async def quick(ctx: Ctx) -> None:
    await act(ctx, 0.01)


for number in range(int(os.environ.get(QUICK, "10"))):
    job(every("1s"), name=f"quick-{number}", misfire=CATCH_UP, overlap="allow")(quick)


@job(every("2s"), misfire=CATCH_UP, overlap="allow")
async def takes_a_second(ctx: Ctx) -> None:
    await act(ctx, 1.0)


@job(every("2s"), misfire=CATCH_UP, overlap="allow", on_lost="fail")
def once_at_most(ctx: Ctx) -> None:
    act_plain(ctx, 0.5)


@job(every("2s"), misfire=CATCH_UP, overlap="queue_all")
async def one_at_a_time(ctx: Ctx) -> None:
    await act(ctx, 0.2)
