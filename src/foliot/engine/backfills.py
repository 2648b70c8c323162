"""Backfills: the leader makes their next runs."""

from collections.abc import Callable
from typing import Final

from foliot.ports.store.backfills import BackfillStore

BACKFILLS_PER_ROUND: Final = 20
BACKFILL_QUIET: Final = 10  # rounds without work; after them the leader looks less often
BACKFILL_REST_MAX_S: Final = 5.0


class BackfillAdvance:
    """Lets backfills go on: counts what ended, makes the runs that may follow (R10)."""

    def __init__(self, store: BackfillStore, *, on_made: Callable[[], None]) -> None:
        self._store = store
        self._on_made = on_made
        self._quiet = 0

    async def advance(self, term: int) -> float | None:
        """Make the next runs of backfills.

        A long rest without backfills delays none: the server that starts one makes its first runs.
        """
        if not await self._store.advance(limit=BACKFILLS_PER_ROUND, term=term):
            self._quiet += 1
            if self._quiet < BACKFILL_QUIET:
                return None
            return min(self._quiet - BACKFILL_QUIET + 1, BACKFILL_REST_MAX_S)
        self._quiet = 0
        self._on_made()
        return 0.1
