"""M5, first half: a server's clock is seconds ahead; then the schedule is changed before those instants have come."""

from datetime import datetime, timedelta

from foliot.app.system import SystemClock
from foliot.store.sql.connect import open_database
from foliot.store.sql.store import SqlStore
from tests.conformance.building import every, fire
from tests.conformance.world import CHANCE
from tests.mutants.stage import Stage

AHEAD = timedelta(seconds=3)


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
    server = hasty(stage)
    try:
        await stage.until(job.next_at)
        for _ in range(10):  # more than there is to decide for either of them
            await fire(stage.world, server)
    finally:
        await server.close()
    await every(stage.world, interval="1h", overlap="allow")
