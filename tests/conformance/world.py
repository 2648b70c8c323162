"""The world of a store under test, as far as a suite of the port may know it: the store, its time and its accidents."""

from collections.abc import Callable
from typing import Protocol

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.instants import Instant, Micros
from foliot.ports.store import Store
from foliot.ports.store.lookups import JobRow

CLOCK = SystemClock()
CHANCE = SystemChance()


class World(Protocol):
    """Any number of stores (servers) on one truth, and a hand on its clock."""

    @property
    def store(self) -> Store:
        """The first store."""
        ...

    async def open(self, url: str = "", *, point: Callable[[str], None] | None = None) -> Store:
        """Another store on the same truth, as another server process would have it. `url`: through a proxy."""
        ...

    async def now(self) -> Instant:
        """Store time."""
        ...

    async def elapse(self, us: Micros) -> None:
        """Let store time pass."""
        ...

    async def end_amnesty(self) -> None:
        """Let reaping begin at once, although ticks have come for a moment only (R8)."""
        ...

    async def spoil(self, job: JobRow) -> None:
        """Make a job one that only a newer Foliot understands: a store that is opened from now on cannot read it."""
        ...
