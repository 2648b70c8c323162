"""M10: nobody reaches the store for longer than a session lives; then the leader is back before the workers are."""

from tests.mutants.stage import BRIEF_US, GRACE_US, SESSION_TTL_US, Stage


async def play(stage: Stage) -> None:
    worker = await stage.worker()

    async def in_order() -> bool:
        """Ticks come regularly, and whoever falls silent now will be reaped."""
        await worker.beat()
        return await stage.world.now() > int(await stage.world.value("SELECT reap_after FROM store_meta"))

    await stage.housekeeping(in_order)
    stage.nemesis.write("store", way="away")
    await worker.fall_silent()
    await stage.until(await stage.world.now() + BRIEF_US + GRACE_US + SESSION_TTL_US)

    async def a_round() -> bool:
        return True

    await stage.housekeeping(a_round)
    await worker.beat()  # it was there all the time
