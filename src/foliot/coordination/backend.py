"""What a coordination service must do for one server. `elected.py` makes a coordinator of it."""

from collections.abc import Callable, Sequence
from typing import Protocol


class Backend(Protocol):
    """A line of candidates in a service, and a way to wake the other servers.

    Every call may fail with any error: the service is away then, and the next beat tries again. A candidate that is not
    heard of for a term loses its place.
    """

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        """Take or keep this server's place in the line; return the candidate that is chosen now, if any.

        `may_be_first` False: another server leads, so an empty line is left to that one. After the service forgot
        everything, the leader stays the same.
        """
        ...

    async def prefer(self, heir: str, *, session: str) -> None:
        """Choose this candidate from now on, for as long as it stands. Only the chosen one asks for it."""
        ...

    async def leave(self, session: str) -> None:
        """Give the place up at once."""
        ...

    async def publish(self, topics: Sequence[str]) -> None:
        """Wake the other servers, by one message. A topic has no spaces."""
        ...

    async def hear(self, woken: Callable[[str], None]) -> None:
        """Call `woken` with each topic that others publish, and with `ELECTION` when the line moved for this server.

        It says `MISSED` first, once it hears everything that is published from then on. It returns, or fails, when the
        connection is gone.
        """
        ...

    async def close(self) -> None: ...
