"""Jobs with limits and rates of every kind, triggered by hand: more of them wait than may run."""

from foliot import Ctx, job
from tests.cluster.acting import act

MAX_LOST = 30  # their workers are killed: that is not the runs' fault


@job(overlap="allow", max_lost=MAX_LOST, priority=1, max_running=2)
async def two_at_a_time(ctx: Ctx, for_s: float = 0.4) -> None:
    await act(ctx, for_s)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, concurrency={"db": 3}, takes={"db": 2})
async def heavy(ctx: Ctx) -> None:
    await act(ctx, 0.3)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, concurrency={"db": 3})
async def light(ctx: Ctx, for_s: float = 0.3) -> None:
    await act(ctx, for_s)


@job(overlap="allow", max_lost=MAX_LOST)
async def unlimited(ctx: Ctx, for_s: float) -> None:
    """It counts in the limits of its group and namespace alone."""
    await act(ctx, for_s)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, max_per_worker=1)
async def one_on_a_worker(ctx: Ctx) -> None:
    await act(ctx, 0.4)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, concurrency_by="customer", max_per_key=1)
async def one_of_a_customer(ctx: Ctx, customer: str) -> None:
    await act(ctx, 0.4)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, rate="6/s", rate_burst=2)
async def six_a_second(ctx: Ctx) -> None:
    await act(ctx, 0.1)


@job(overlap="allow", max_lost=MAX_LOST, priority=1, rate="3/s", rate_burst=1, rate_by="customer")
async def three_a_second_of_a_customer(ctx: Ctx, customer: str) -> None:
    await act(ctx, 0.1)
