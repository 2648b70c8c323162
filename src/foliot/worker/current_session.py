"""The session a worker works in, if it has one: every part asks here, none keeps its own."""

from collections.abc import Iterable

from foliot.ports.clock import Clock
from foliot.worker.session import Session


class CurrentSession:
    """Written by the loop, read by every thread."""

    def __init__(self, clock: Clock) -> None:
        self.session: Session | None = None
        self._clock = clock

    def is_trusted(self) -> bool:
        """Whether a handler may start now."""
        return self.is_trusted_at(self._clock.monotonic())

    def is_trusted_at(self, now: float) -> bool:
        """The same when the caller has just read the monotonic clock."""
        session = self.session
        return session is not None and now < session.trusted_until

    def release(self, lease_ids: Iterable[str]) -> None:
        """The store knows these ends, or these leases are another's."""
        if self.session is not None:
            self.session.release(lease_ids)

    @property
    def held_count(self) -> int:
        """How many leases it holds."""
        return 0 if self.session is None else self.session.held_count
