"""M5, first half: a server's clock is ahead; then the schedule is changed before those instants have come."""

from datetime import datetime, timedelta

from foliot.app.system import SystemClock
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.store import SqlStore
from tests.conformance.building import PERSON, every, fire
from tests.mutants.stage import Stage
from tests.sql.rows import runs_of
from tests.sql.world import CHANCE

AHEAD = timedelta(seconds=30)


class HastyClock(SystemClock):
    """A wall clock that is ahead."""

    def now(self) -> datetime:
        return super().now() + AHEAD


def hasty(stage: Stage) -> SqlStore:
    """A server whose own clock is ahead; store time, here the host's, is not."""
    return SqlStore(open_database(stage.url, clock=HastyClock(), chance=CHANCE, wall=stage.world._wall))


async def play(stage: Stage) -> None:
    job = await every(stage.world, interval="1s", overlap="allow")
    assert job.next_at is not None
    await stage.until(job.next_at)
    server = hasty(stage)
    try:
        while (await fire(stage.world, server)).created:
            pass
    finally:
        await server.close()
    await every(stage.world, interval="1h", overlap="allow")
    now = await stage.world.now()
    waiting = [run["id"] for run in await runs_of(stage.world) if run["not_before"] > now]
    await stage.world.store.runs.cancel(waiting, by=PERSON)  # the scene need not wait for what is not due
