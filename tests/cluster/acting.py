"""What handlers of the fault tests do: they write down when they start and end, so that the checker can see it."""

import asyncio
import json
import os
import time
from pathlib import Path

from foliot import Ctx

JOURNALS = Path(os.environ.get("JOURNALS", "."))


def note(what: str, ctx: Ctx) -> None:
    """One line, written at once: a kill loses at most the line being written."""
    line = {
        "what": what,
        "mono": time.monotonic(),
        "run": ctx.run_id,
        "job": ctx.job,
        "due": round(ctx.due.timestamp() * 1_000_000),
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


def act_plain(ctx: Ctx, for_s: float) -> None:
    note("start", ctx)
    ctx.sleep(for_s)
    note("end", ctx)
