"""Jobs that take and give what people send: for payloads of every kind (F18, F20)."""

from typing import Any

from foliot import Ctx, job
from tests.cluster.workload import note


@job(overlap="allow")
async def echo(ctx: Ctx, value: Any = None) -> Any:
    """Gives back what it got."""
    note("start", ctx)
    note("end", ctx)
    return value
