"""The poller asks for work, by numbered requests. It asks again for a lost answer, and gives up after a while (R5).

Runs of an answer that never came are RUNNING in the store with nobody executing them. Repeating the request gets them;
giving it up settles it, and the next beat lets the store take them back. Either way it is over within two beats.
"""

import asyncio
from typing import Final

import structlog

from foliot.domain.instants import SECOND
from foliot.ports.worker_link import Leased, LeasePoll
from foliot.worker.answers import Answers
from foliot.worker.execution import Execution
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.session import Session
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.poller")

FREE_MAX: Final = 500
AHEAD_MAX: Final = 2000
AHEAD_S: Final = 0.05  # of work to have at hand, so that slots do not wait for the network
AHEAD_SHORT_S: Final = 0.05  # runs longer than this are not leased ahead
LINGER_S: Final = 0.005
_PAUSE_S: Final = 1.0


class Poller:
    """Polls for one session after another."""

    def __init__(self, around: Surroundings, execution: Execution, answers: Answers, *, wait_s: float) -> None:
        self._link = around.link
        self._clock = around.clock
        self._figures = around.figures
        self._within_s = around.call_within_s
        self._execution = execution
        self._answers = answers
        self._wait_s = wait_s
        self._backoff = GrowingRest(around.chance, first_s=0.05, most_s=2.0)
        self._changed = asyncio.Event()
        self._over = asyncio.Event()  # of this session's polling
        self._give_up = asyncio.Event()  # of the call that is out
        self._is_stopped = False
        self._is_flowing = False  # the last answer had runs: while every slot is taken, more may have come up
        self._is_more_waiting = False  # it had all that was asked for: there is more, even for free slots

    def nudge(self) -> None:
        """A slot is free, or something else changed that may allow to poll."""
        self._changed.set()

    def ask_again(self) -> None:
        """A beat got no answer: the poll that is out may wait for a server that is gone. Repeating it is harmless."""
        self._give_up.set()

    def interrupt(self) -> None:
        """The session is over: give up the poll that is out."""
        for event in (self._over, self._give_up, self._changed):
            event.set()

    def stop(self) -> None:
        """No more work, in this session or another."""
        self._is_stopped = True
        self.interrupt()

    async def work(self, session: Session) -> None:
        """Poll until stopped or the session is dead."""
        self._over.clear()
        while not self._is_stopped and not session.is_dead:
            self._changed.clear()
            free, ahead = self._wanted(session)
            if free or ahead:
                leased = await self._poll(session, free, ahead)
                if leased is not None:
                    self._answers.leased(session, leased)
                continue
            await self._clock.wait(self._changed, for_s=_PAUSE_S)
            if 0 < self._execution.free < self._execution.slots // 4 and not self._is_stopped:
                self._changed.clear()  # slots become free one by one: ask for several at once
                await self._clock.wait(self._changed, for_s=LINGER_S)

    def _wanted(self, session: Session) -> tuple[int, int]:
        """How many runs to ask for: into free slots, and ahead of them."""
        if session.is_draining or self._answers.is_clogged or not session.is_trusted(self._clock.monotonic()):
            return 0, 0
        free = min(max(self._execution.free, 0), FREE_MAX)
        is_ahead_wise = self._is_more_waiting if free else self._is_flowing
        if not is_ahead_wise or self._execution.typical_s > AHEAD_SHORT_S:
            return free, 0
        target = min(int(self._execution.slots * AHEAD_S / max(self._execution.typical_s, 1e-4)), AHEAD_MAX)
        ahead = target - self._execution.queued
        return free, ahead if free or ahead > target // 2 else 0

    async def _poll(self, session: Session, free: int, ahead: int) -> Leased | None:
        """One request, repeated while its answer is lost; None: given up."""
        number, settled = session.next_request(), session.settled
        lost_at: float | None = None
        while True:
            try:
                return await self._ask(
                    LeasePoll(
                        session=session.id,
                        request_no=number,
                        free=free,
                        settled=settled,
                        wait_us=int(self._wait_s * SECOND) if free else 0,
                        repeat=lost_at is not None,
                        ahead=max(ahead, 0),
                        taken=self._execution.taken,
                    )
                )
            except NoAnswer:
                now = self._clock.monotonic()
                lost_at = now if lost_at is None else lost_at
                if self._over.is_set() or now - lost_at >= session.beat_every_s:
                    break
                await self._clock.wait(self._over, for_s=self._backoff.next_s())
                self._figures.polls_repeated += 1
            except NotTaken as error:
                log.error("poll.refused", code=error.code)
                break
        session.settle(number)
        self._figures.polls_given_up += 1
        await self._clock.wait(self._over, for_s=self._backoff.next_s())
        return None

    async def _ask(self, poll: LeasePoll) -> Leased:
        self._figures.polls += 1
        self._give_up = asyncio.Event()
        if self._over.is_set():
            raise NoAnswer("given up")
        leased = await answer_of(
            self._link.lease(poll),
            clock=self._clock,
            within_s=poll.wait_us / SECOND + self._within_s,
            name="lease",
            give_up=self._give_up,
        )
        if leased.request_no != poll.request_no:
            raise NoAnswer("an answer to another request")
        self._backoff.reset()
        self._is_flowing = bool(leased.runs)
        self._is_more_waiting = len(leased.runs) >= max(poll.free, poll.ahead, 1)
        return leased
