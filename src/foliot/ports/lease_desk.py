"""Where the polls of workers wait for runs: the leasing duty of a server, as its worker service sees it."""

from typing import Protocol

from foliot.ports.worker_link import Hello, Leased, LeasePoll


class LeaseDesk(Protocol):
    """Keeps parked polls, and what each session said of itself."""

    async def ask(self, poll: LeasePoll) -> Leased:
        """Park a poll until runs come up for it or its time is over."""
        ...

    def introduce(self, hello: Hello) -> None:
        """A session says what it offers."""
        ...

    def hello_of(self, session: str) -> Hello | None:
        """What a session said of itself, if that is known here."""
        ...

    def forget(self, session: str) -> None:
        """The session is over: it has no poll and offers nothing any more."""
        ...
