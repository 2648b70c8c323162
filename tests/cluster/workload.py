"""The jobs of the fault tests: each handler writes what it does into a journal, so that the checker can see it."""

import asyncio
import json
import os
import time
from pathlib import Path

from foliot import Ctx, Retry, every, job
from foliot.misfire import all as every_missed

CATCH_UP = every_missed(within="1h", limit=1000)
JOURNALS = Path(os.environ.get("FOLIOT_JOURNALS", "."))


def note(what: str, ctx: Ctx) -> None:
    """One line, written at once: a kill loses at most the line being written."""
    line = {
        "what": what,
        "mono": time.monotonic(),
        "run": ctx.run_id,
        "job": ctx.job,
        "attempt": ctx.attempt,
        "fence": ctx.fencing_token,
        "pid": os.getpid(),
    }
    with (JOURNALS / f"worker-{os.getpid()}.jsonl").open("a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")


async def act(ctx: Ctx, for_s: float) -> None:
    note("start", ctx)
    await asyncio.sleep(for_s)
    note("end", ctx)


@job(every("1s"), misfire=CATCH_UP, overlap="allow")
async def each_second(ctx: Ctx) -> None:
    await act(ctx, 0.05)


@job(every("1s"), misfire=CATCH_UP, overlap="skip")
async def each_second_serial(ctx: Ctx) -> None:
    await act(ctx, 0.3)


@job(every("2s"), misfire=CATCH_UP, overlap="queue")
async def each_two_queued(ctx: Ctx) -> None:
    await act(ctx, 0.5)


@job(every("2s"), misfire=CATCH_UP, overlap="queue_all")
async def each_two_all(ctx: Ctx) -> None:
    await act(ctx, 0.2)


@job(every("3s"), misfire=CATCH_UP, overlap="allow", on_lost="fail")
async def at_most_once(ctx: Ctx) -> None:
    await act(ctx, 0.8)


@job(every("2s"), misfire=CATCH_UP, overlap="allow", on_lost="fail")
def at_most_once_plain(ctx: Ctx) -> None:
    note("start", ctx)
    ctx.sleep(0.4)
    note("end", ctx)


@job(every("2s"), misfire=CATCH_UP, overlap="queue_all", exclusive=True)
def exclusive(ctx: Ctx) -> None:
    note("start", ctx)
    ctx.sleep(0.2)
    note("end", ctx)


@job(every("3s"), misfire=CATCH_UP, overlap="allow", retries=Retry(2, backoff="1s..2s"))
async def fails_once(ctx: Ctx) -> None:
    note("start", ctx)
    if ctx.attempt == 1:
        note("end", ctx)
        raise ConnectionError("the first attempt always fails")
    note("end", ctx)


@job(every("5s"), misfire=CATCH_UP, overlap="allow")
async def long_one(ctx: Ctx) -> None:
    await act(ctx, 3.0)


@job(every("4s"), misfire=CATCH_UP, overlap="allow")
def plain(ctx: Ctx) -> None:
    note("start", ctx)
    ctx.sleep(0.1)
    note("end", ctx)


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
