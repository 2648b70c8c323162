"""A replica of the store's database: how work that only reads is run on it, and how far it has followed."""

from typing import Final, TypeVar

from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.replica import Freshness
from foliot.store.sql.kernel.database import Mode, Pool, Runner, Tx, Work
from foliot.store.sql.kernel.statement import Statement

T = TypeVar("T")

# The leader writes the tick, every server its beats: one of them rises as long as any server reaches the primary.
FRESH: Final = Statement(
    """
    SELECT m.epoch, m.last_tick_at, {now} AS now,
           (SELECT max(n.last_beat_at) FROM nodes n WHERE n.state = 'live' AND n.kind = 'server') AS beat_at
    FROM store_meta m WHERE m.id = 1
    """
)


class ReadOnlyRunner:
    """`database.Runner` around another, for a database that takes no writes.

    It refuses to write by itself: a replica that was promoted takes writes, and nobody may make them here.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    @property
    def greet(self) -> Work[None] | None:
        return None

    @greet.setter
    def greet(self, work: Work[None] | None) -> None:
        """Greet nobody: a greeting compares the fingerprint of a primary, and may write (R6)."""

    async def once(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        if mode is not Mode.READ:
            raise StoreUnavailable("A replica takes no writes.", hint="try again when the store answers")
        return await self._runner.once(work, pool, mode)

    async def close(self) -> None:
        await self._runner.close()


def freshness(tx: Tx) -> Freshness:
    """How far this replica has followed its primary."""
    (found,) = tx.rows(FRESH)
    seen_at = max(found.last_tick_at, found.beat_at or 0)
    return Freshness(epoch=found.epoch, seen_at=seen_at, now=int(found.now))
