"""Leave: the last call of a session. It settles every poll, so that the server knows which runs never arrived.

A run may be leased into the very poll that a stopping worker gives up, or its answer may be lost on the way. The server
cannot tell whether it arrived; only the worker can, and this is its last chance to say so. So it says it again when no
answer comes, and perhaps to another server.
"""

import asyncio
from typing import Final

import structlog

from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.worker_link import Leaving, WorkerLink
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.session import Session, to_held

log = structlog.get_logger("foliot.worker.leave")

TRIES_MAX: Final = 3
SESSION_OVER: Final = "FOL-2011"


class Leave:
    """Says goodbye for a session, within a limit. `hurry` is the second stop: no more tries."""

    def __init__(
        self, link: WorkerLink, clock: Clock, chance: Chance, *, within_s: float, hurry: asyncio.Event
    ) -> None:
        self._link = link
        self._clock = clock
        self._chance = chance
        self._within_s = within_s
        self._hurry = hurry

    async def say(self, session: Session) -> bool:
        """Whether a server answered; if none did, the session runs out."""
        until = self._clock.monotonic() + self._within_s
        backoff = GrowingRest(self._chance, first_s=0.1, most_s=1.0)
        for _ in range(TRIES_MAX):
            left_s = until - self._clock.monotonic()
            if left_s <= 0:
                break
            try:
                await self._once(session, within_s=max(left_s / 2, self._within_s / 4))
            except (NoAnswer, NotTaken) as error:
                if _is_over(error):
                    return True  # heard before, and the answer was lost
                log.warning("leave.not_heard", session=session.id, why=str(error.__cause__ or error)[:200])
                if isinstance(error, NotTaken):
                    return False
            else:
                log.info("worker.left", session=session.id)
                return True
            if await self._clock.wait(self._hurry, for_s=backoff.next_s()):
                break
        return False

    async def _once(self, session: Session, *, within_s: float) -> None:
        settled, attempts = session.held()
        now = self._clock.monotonic()
        held = tuple(to_held(attempt, now=now) for attempt in attempts)
        leaving = Leaving(session=session.id, settled=settled, held=held)
        asked = self._link.leave(leaving)
        await answer_of(asked, clock=self._clock, within_s=within_s, name="leave")


def _is_over(error: NoAnswer | NotTaken) -> bool:
    """Whether a server says that there is no such session any more."""
    cause = error.__cause__
    return isinstance(cause, FoliotError) and SESSION_OVER in (cause.code, cause.data.get("code"))
