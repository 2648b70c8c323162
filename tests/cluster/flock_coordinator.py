"""A coordination backend as a package would bring it: whoever holds the lock of a file bids (`--coord flock:///path`)."""

import fcntl
import os
from urllib.parse import urlsplit

from foliot.coordination.store import StoreCoordinator
from foliot.ports.coordinator import ElectionParts, LeaderRow
from foliot.ports.store.nodes import Term


class FlockCoordinator(StoreCoordinator):
    """`ports.coordinator.Coordinator`. The term is the store's, as with every backend (R16)."""

    def __init__(self, parts: ElectionParts, *, url: str) -> None:
        super().__init__(parts)
        self._file = os.open(urlsplit(url).path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def may_bid(self, session: str, row: LeaderRow | None) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return super().may_bid(session, row)

    async def campaign(self, session: str) -> Term | None:
        term = await super().campaign(session)
        if term is not None:  # so that everybody sees whom this backend chose
            os.pwrite(self._file, f"{os.getpid():>10} {term.number:>10}".encode(), 0)
        return term

    async def close(self) -> None:
        await super().close()
        os.close(self._file)
