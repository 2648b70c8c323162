"""Jobs of the tour of faults, by hand: one overruns its time, one takes two locks."""

from foliot import Ctx, Retry, job
from tests.cluster.acting import note
from tests.cluster.lock_jobs import take_both
from tests.cluster.troubles import hangs

__all__ = ["cross_over", "hangs"]


@job(overlap="allow", retries=Retry(5, backoff="100ms..300ms"))
async def cross_over(ctx: Ctx, first: str, second: str) -> None:
    """As `cross` of the lock scenes, and the checker sees its start and its end."""
    note("start", ctx)
    await take_both(ctx, first, second)
    note("end", ctx)
