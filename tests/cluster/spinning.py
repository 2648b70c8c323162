"""A job that wants a CPU all the time, and lets the worker's loop go on."""

import asyncio

from foliot import Ctx, job
from tests.cluster.patience import GO, JOURNALS, note, until_told

__all__ = ["spins", "until_told"]

_ROUNDS = 20_000


@job(overlap="allow")
async def spins(ctx: Ctx) -> None:
    """Computes until it is told to stop."""
    note("start", ctx)
    while not (JOURNALS / f"{GO}-spinner").exists():
        for _ in range(_ROUNDS):
            pass
        await asyncio.sleep(0)
    note("end", ctx)
