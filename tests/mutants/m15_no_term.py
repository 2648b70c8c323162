"""M15: a leader sleeps through its term and goes on as if nothing had happened. That must do no harm (S10)."""

from tests.conformance.building import ask, save
from tests.eventually import soon
from tests.mutants.stage import BRIEF_US, GRACE_US, SESSION_TTL_US, WITHIN_S, Stage


async def play(stage: Stage) -> None:
    await save(stage.world, "tick", overlap="allow")
    await stage.world.store.runs.trigger(ask("tick"))
    old = await stage.tick("old", ttl_us=BRIEF_US)
    await stage.until(old.until)
    victim = await stage.worker()
    run = await victim.lease_one()
    await victim.start(run)
    stage.nemesis.write("kill", node=victim.name)
    await victim.fall_silent(run)
    ran_out_at = await stage.world.now() + BRIEF_US + GRACE_US

    async def woke() -> bool:
        """The new leader ticks, and the old one reaps in its place; until it may, by all but its term."""
        new = await stage.tick("new")
        assert new.number == old.number + 1
        taken = await stage.reap(old.number)
        if taken:
            stage.nemesis.write("obeyed", term=old.number, runs=taken)
        amnesty_until = int(await stage.world.value("SELECT reap_after FROM store_meta"))
        is_fresh = await stage.world.now() - new.now <= SESSION_TTL_US // 2  # the tick, when it reaped
        return bool(taken) or (is_fresh and new.now > max(ran_out_at, amnesty_until))

    await soon(woke, within_s=WITHIN_S, what="the old leader had its chance")

    async def reaped() -> bool:
        return await stage.state_of(run) != "RUNNING"

    await stage.housekeeping(reaped, session="new")
