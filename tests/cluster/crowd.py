"""A job that does nothing, for crowds of it (F21, F22)."""

from foliot import Ctx, job
from tests.cluster.acting import note


@job(overlap="allow")
async def one_of_many(ctx: Ctx) -> None:
    note("start", ctx)
    note("end", ctx)
