"""Jobs with routes: two that fire, two that are triggered by hand."""

from foliot import Ctx, every, job
from tests.cluster.acting import act

MAX_LOST = 10  # their workers are killed: that is not the runs' fault


@job(every("1s"), overlap="allow", max_lost=MAX_LOST, route="round")
async def by_turns(ctx: Ctx) -> None:
    await act(ctx, 0.05)


@job(every("1s"), overlap="allow", max_lost=MAX_LOST, route="least_load")
async def by_load(ctx: Ctx) -> None:
    await act(ctx, 0.05)


@job(overlap="allow", max_lost=MAX_LOST, route={"name": "sticky", "by": "customer"})
async def by_customer(ctx: Ctx, customer: str) -> None:
    await act(ctx, 0.1)


@job(overlap="allow", max_lost=MAX_LOST, route="last")
async def for_the_last(ctx: Ctx) -> None:
    """Longer than a worker leases ahead of its free slots, so some of many wait for it."""
    await act(ctx, 2.0)
