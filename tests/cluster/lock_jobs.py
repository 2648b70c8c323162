"""The jobs of the lock scenes: each writes down what it does, and tries its tokens at a fenced resource."""

from foliot import Ctx, Retry, job
from foliot.domain.locks import LockDeadlock
from tests.cluster.lock_notes import STEP_S, is_open, note, use


@job(overlap="allow", retries=Retry(5, backoff="100ms..300ms"))
async def cross(ctx: Ctx, first: str, second: str) -> None:
    """Take one lock, then another: who does that in another order waits for this run, and this run for it."""
    await take_both(ctx, first, second)


async def take_both(ctx: Ctx, first: str, second: str) -> None:
    async with ctx.lock(first) as one:
        note("has", ctx, first)
        while not is_open(first):
            await ctx.sleep_async(STEP_S)
        note("asks", ctx, second)
        try:
            async with ctx.lock(second) as two:
                note("has", ctx, second)
                assert use(ctx, first, one.token)
                assert use(ctx, second, two.token)
        except LockDeadlock as error:
            note("broken", ctx, second, why=str(error))
            raise


@job(overlap="allow")
async def guard(ctx: Ctx, lock: str) -> None:
    """Hold a lock until it is lost, and then write all the same. A later attempt has nothing to do."""
    if ctx.attempt > 1:
        return
    async with ctx.lock(lock, ttl="2s") as held:
        use(ctx, lock, held.token)
        note("has", ctx, lock)
        while not held.lost:
            await ctx.sleep_async(STEP_S)
        note("lost", ctx, lock, accepted=use(ctx, lock, held.token))


@job(overlap="allow")
def guard_plainly(ctx: Ctx, lock: str) -> None:
    """The same in a process of its own."""
    if ctx.attempt > 1:
        return
    with ctx.lock(lock, ttl="2s") as held:
        use(ctx, lock, held.token)
        note("has", ctx, lock)
        while not held.lost:
            ctx.sleep(STEP_S)
        note("lost", ctx, lock, accepted=use(ctx, lock, held.token))


@job(overlap="allow")
async def take(ctx: Ctx, locks: list[str]) -> None:
    """Have each of these locks once, one after the other."""
    for lock in locks:
        async with ctx.lock(lock) as held, ctx.lock(lock) as again:
            note("has", ctx, lock)
            assert again.token == held.token, "who holds a lock has it again at once"
            assert use(ctx, lock, held.token)
