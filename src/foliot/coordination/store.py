"""Coordination by the store alone: a server bids for a free leader's row; the database carries wake-ups."""

from collections.abc import Callable

from foliot.ports.coordinator import CoordinatorHealth, ElectionParts, LeaderRow
from foliot.ports.store.nodes import Term


class StoreCoordinator:
    """`ports.coordinator.Coordinator` with no service beside the store."""

    def __init__(self, parts: ElectionParts, *, url: str = "") -> None:
        """Without wake-ups of the database servers go by their pulse. `url` says nothing here."""
        del url
        self._terms = parts.terms
        self._times = parts.times
        self._wakeups = parts.wakeups

    def may_bid(self, session: str, row: LeaderRow | None) -> bool:
        """Nobody holds the row, or this session does. One far ahead is from before a clock step: nobody renews it."""
        if row is None or row.session in (None, session):
            return True
        return not row.now <= row.until <= row.now + 2 * self._times.term_us

    def heir(self, session: str) -> str | None:
        """Nobody: who holds the row is right."""
        del session
        return None

    def health(self) -> CoordinatorHealth | None:
        return None

    async def campaign(self, session: str) -> Term | None:
        return await self._terms.campaign(session, ttl_us=self._times.term_us, session_ttl_us=self._times.session_us)

    async def transfer(self, heir: str, *, session: str, term: int) -> int | None:
        return await self._terms.appoint(heir, session=session, term=term, ttl_us=self._times.term_us)

    async def resign(self, session: str, *, term: int) -> None:
        await self._terms.resign(session, term=term)

    def withdraw(self) -> None:
        """Nothing to do: who does not bid is no candidate."""

    def send(self, topic: str) -> None:
        if self._wakeups is not None:
            self._wakeups.send(topic)

    async def listen(self, woken: Callable[[str], None]) -> None:
        if self._wakeups is not None:
            await self._wakeups.listen(woken)

    async def close(self) -> None:
        if self._wakeups is not None:
            await self._wakeups.close()
