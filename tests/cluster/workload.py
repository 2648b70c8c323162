"""The jobs of the fault tests: each handler writes what it does into a journal, so that the checker can see it.

Twenty are scheduled: every one to five seconds and one by the minute, of every overlap policy and isolation, two
at-most-once, two exclusive (which use a fenced resource), and one that ends in each failing way.
"""

import os
from datetime import date

from foliot import Ctx, Retry, cron, every, job
from foliot.misfire import all as every_missed
from tests.cluster import resource
from tests.cluster.acting import JOURNALS, act, act_plain, note

CATCH_UP = every_missed(within="1h", limit=1000)
STEP_S = 0.1
MAX_LOST = 10  # twenty workers are killed in one test: that is not the runs' fault


def act_exclusively(ctx: Ctx, for_s: float) -> None:
    """The effect comes after the work, so that a worker that was paused meanwhile tries it with an old token."""
    note("start", ctx)
    for _ in range(int(for_s / STEP_S)):  # in steps: who is stopped for a while has most of them before it still
        ctx.sleep(STEP_S)
    resource.use(JOURNALS, ctx.job, token=ctx.fencing_token, run=ctx.run_id, attempt=ctx.attempt)
    note("end", ctx)


# ---------------------------------------------------------------------------------------------------- of every policy


@job(every("1s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow")
async def each_second(ctx: Ctx) -> None:
    await act(ctx, 0.05)


@job(every("1s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="skip")
async def each_second_serial(ctx: Ctx) -> None:
    await act(ctx, 0.3)


@job(every("2s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="queue")
async def each_two_queued(ctx: Ctx) -> None:
    await act(ctx, 0.5)


@job(every("2s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="queue_all")
async def each_two_all(ctx: Ctx) -> None:
    await act(ctx, 0.2)


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="replace")
async def replaced(ctx: Ctx) -> None:
    await act(ctx, 5.5)


@job(cron("* * * * *"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow")
async def each_minute(ctx: Ctx) -> None:
    await act(ctx, 0.1)


@job(cron("*/3 * * * * *"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", retries=2)
async def by_cron(ctx: Ctx) -> None:
    await act(ctx, 0.1)


@job(every("3s", from_end=True), max_lost=MAX_LOST)
async def from_end(ctx: Ctx) -> None:
    await act(ctx, 0.2)


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", shards=3)
async def sharded(ctx: Ctx) -> None:
    await act(ctx, 0.2)


# ------------------------------------------------------------------------------------------------- of every isolation


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow")
async def long_one(ctx: Ctx) -> None:
    await act(ctx, 3.0)


@job(every("4s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow")
def plain(ctx: Ctx) -> None:
    act_plain(ctx, 0.1)


@job(every("4s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", isolation="thread")
def in_a_thread(ctx: Ctx) -> None:
    act_plain(ctx, 0.1)


# -------------------------------------------------------------------------------------------- at most once, exclusive


@job(every("3s"), misfire=CATCH_UP, overlap="allow", on_lost="fail")
async def at_most_once(ctx: Ctx) -> None:
    await act(ctx, 0.8)


@job(every("2s"), misfire=CATCH_UP, overlap="allow", on_lost="fail")
def at_most_once_plain(ctx: Ctx) -> None:
    act_plain(ctx, 0.4)


@job(every("2s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="queue_all", exclusive=True)
def exclusive(ctx: Ctx) -> None:
    act_exclusively(ctx, 0.2)


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="queue", exclusive=True)
def exclusive_and_long(ctx: Ctx) -> None:
    act_exclusively(ctx, 2.0)


# --------------------------------------------------------------------------------------------- of every failing kind


@job(every("3s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", retries=Retry(2, backoff="1s..2s"))
async def fails_once(ctx: Ctx) -> None:
    note("start", ctx)
    note("end", ctx)
    if ctx.attempt == 1:
        raise ConnectionError("the first attempt always fails")


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", retries=Retry(1, backoff="1s..2s"))
async def always_fails(ctx: Ctx) -> None:
    note("start", ctx)
    note("end", ctx)
    raise ValueError("every attempt fails")


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", timeout="1s", grace="1s")
async def too_slow(ctx: Ctx) -> None:
    await act(ctx, 30)


@job(every("5s"), misfire=CATCH_UP, max_lost=MAX_LOST, overlap="allow", params={"day": "no day at all"})
async def rejected(ctx: Ctx, day: date) -> None:
    note("start", ctx)


# ------------------------------------------------------------------------------------------------------- by hand only


@job(overlap="allow")
async def half_a_second(ctx: Ctx) -> None:
    await act(ctx, 0.5)


@job(overlap="allow", on_lost="fail")
async def once_and_quick(ctx: Ctx) -> None:
    await act(ctx, 0.01)


@job(overlap="allow", max_lost=3)
def kills_its_worker(ctx: Ctx) -> None:
    """Poison: whoever runs it dies, and not only the process it runs in."""
    note("start", ctx)
    os.kill(os.getppid(), 9)
