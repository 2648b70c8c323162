"""What jobs that hold locks write down, the fenced resource behind the locks, and gates at which they wait."""

import json
import os
import time
from pathlib import Path

from foliot import Ctx
from tests.cluster import resource

JOURNALS = Path(os.environ.get("JOURNALS", "."))
STEP_S = 0.02


def note(what: str, ctx: Ctx, lock: str, **facts: object) -> None:
    """One line, written at once."""
    line = {
        "what": what,
        "mono": time.monotonic(),
        "run": ctx.run_id,
        "attempt": ctx.attempt,
        "lock": lock,
        "worker": os.environ.get("WORKER", ""),
        **facts,
    }
    with (JOURNALS / f"locks-{os.getpid()}.jsonl").open("a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")


def use(ctx: Ctx, lock: str, token: int) -> bool:
    """Try to write to what the lock protects; whether it took the token."""
    fenced = JOURNALS / "fenced"
    fenced.mkdir(exist_ok=True)
    return resource.use(fenced, lock, token=token, run=ctx.run_id, attempt=ctx.attempt)


def is_open(gate: str) -> bool:
    return (JOURNALS / f"gate-{gate}").exists()
