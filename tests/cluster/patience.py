"""Jobs by hand only, for one worker without any other load: some that wait to be told, some that do nothing."""

import json
import os
import time
from pathlib import Path

from foliot import Ctx, job
from tests.eventually import soon

JOURNALS = Path(os.environ.get("JOURNALS", "."))
GO = "go"


def note(what: str, ctx: Ctx) -> None:
    """A line of the journal that the checker reads."""
    line = {"what": what, "mono": time.monotonic(), "run": ctx.run_id, "job": ctx.job, "attempt": ctx.attempt,
            "fence": ctx.fencing_token, "pid": os.getpid()}  # fmt: skip
    with (JOURNALS / f"worker-{os.getpid()}.jsonl").open("a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")


@job(overlap="allow")
async def until_told(ctx: Ctx) -> str:
    """Waits for a file; what it logs and returns must outlive a server that is away."""
    note("start", ctx)
    await soon((JOURNALS / GO).exists, within_s=600, step_s=0.1)
    ctx.log.info("told", run=ctx.run_id)
    note("end", ctx)
    return ctx.run_id


@job(overlap="allow")
async def nothing(ctx: Ctx) -> None:
    """Does nothing, through the whole path."""
