"""What a benchmark asks of a twin."""

from typing import Final, Protocol

from foliot.domain.instants import Instant

BATCH: Final = 500
SESSION: Final = "b" * 32


class RawTwin(Protocol):
    """Bare SQL on a database that holds the same jobs as Foliot's."""

    async def fire(self, at: Instant) -> float:
        """Fire everything due by `at`; seconds."""
        ...

    async def lease_and_end(self) -> float:
        """Lease and end whatever is ready; seconds."""
        ...
