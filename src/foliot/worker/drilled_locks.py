"""A deadlock on purpose: in the names of two runs at work, locks that only the drill uses are claimed crosswise."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog

from foliot.domain.drills import DrillOrder, drill_lock
from foliot.domain.instants import MINUTE, SECOND
from foliot.ports.worker_link import LockAsked, LocksLeft
from foliot.worker.attempt import Attempt
from foliot.worker.server_calls import NO_ANSWER
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.drills")

NEEDED: Final = 2
AGAIN_S: Final = 0.1
HELD: Final = "held"
BROKEN: Final = "broken"


class DrilledLocks:
    """The claims of one drill. The runs know nothing of them: when the server ends a wait, no run is hurt."""

    def __init__(self, around: Surroundings, order: DrillOrder, session: str) -> None:
        self._link = around.link
        self._chance = around.chance
        self._clock = around.clock
        self._order = order
        self._session = session
        self._claims: list[str] = []

    async def deadlock(self, at_work: Callable[[], Sequence[Attempt]], *, until: asyncio.Event) -> None:
        """Each of two runs takes a lock and waits for the other's, until a server ends it or the drill is over.

        Runs that end too soon make no deadlock: then others are taken. `until`: the worker drains, and waits for
        no drill.
        """
        try:
            async with asyncio.timeout(self._order.for_us / SECOND):
                while not until.is_set() and not await self._is_ended(at_work(), until):
                    await self._give_back()
                    await self._clock.wait(until, for_s=AGAIN_S)
        except NO_ANSWER as error:
            log.warning("drill.no_deadlock", drill=self._order.id, running=len(at_work()), why=type(error).__name__)
        await self._give_back()

    async def _is_ended(self, attempts: Sequence[Attempt], until: asyncio.Event) -> bool:
        """Whether these runs were in a deadlock, and a server ended it."""
        if len(attempts) < NEEDED:
            return False
        first, second = attempts[-NEEDED:]  # the youngest
        if {await self._claim(first, "a"), await self._claim(second, "b")} != {HELD}:
            return False
        crossed: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self._claim(first, "b", wait_us=self._order.for_us)),
            asyncio.ensure_future(self._claim(second, "a", wait_us=self._order.for_us)),
            asyncio.ensure_future(until.wait()),
        ]
        try:
            done, _ = await asyncio.wait(crossed, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in crossed:
                task.cancel()
            await asyncio.gather(*crossed, return_exceptions=True)
        return any(task.result() == BROKEN for task in done)

    async def _claim(self, attempt: Attempt, name: str, *, wait_us: int = 0) -> str:
        claim = self._chance.token()
        self._claims.append(claim)
        answer = await self._link.claim_lock(
            LockAsked(
                session=self._session,
                run_id=attempt.run.run_id,
                lease_id=attempt.run.lease_id,
                namespace=attempt.run.namespace,
                name=drill_lock(self._order.id, name),
                claim=claim,
                ttl_us=MINUTE,
                wait_us=wait_us,
            )
        )
        return answer.state

    async def _give_back(self) -> None:
        claims, self._claims = tuple(self._claims), []
        if not claims:
            return
        try:
            await self._link.leave_locks(LocksLeft(session=self._session, claims=claims))
        except NO_ANSWER as error:  # the claims end with the runs
            log.warning("drill.locks_left", drill=self._order.id, why=type(error).__name__)
