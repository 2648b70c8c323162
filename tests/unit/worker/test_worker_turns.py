"""Starting runs: a few at a turn of the loop, so that what else lives there gets its turns too."""

import asyncio
from collections import Counter
from typing import Any, cast

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.job import Isolation
from foliot.domain.verdict import Cause
from foliot.ports.handler import Invocable
from foliot.ports.worker_link import LeasedRun, Welcome, WorkerLink
from foliot.sdk.handler import Handler
from foliot.sdk.invocation import Outcome
from foliot.worker.attempt import Attempt
from foliot.worker.current_session import CurrentSession
from foliot.worker.execution import BURST, Execution
from foliot.worker.figures import Figures
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.isolation.loop import LoopIsolator
from foliot.worker.reports import AttemptEnd
from foliot.worker.session import Session
from foliot.worker.signals import Signals
from foliot.worker.surroundings import Surroundings
from tests.clocks import CountingChance, DrivenClock, settle

WELCOME = Welcome(session_ttl_us=HOUR, beat_every_us=SECOND, margin_us=SECOND, store_now=0)


async def noop() -> None:
    pass


class Turns:
    """A place that ends runs when it is told to, and knows in which turn of the loop each began."""

    def __init__(self) -> None:
        self.turn = 0
        self.began: Counter[int] = Counter()
        self.order: list[int] = []
        self.here: list[Attempt] = []
        self.broken: Exception | None = None

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        del handler
        if self.broken is not None:
            raise self.broken
        self.began[self.turn] += 1
        self.order.append(attempt.run.run_id)
        self.here.append(attempt)

    def stop(self, attempt: Attempt, *, grace_s: float) -> None: ...

    def kill(self, attempt: Attempt) -> None: ...

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None: ...

    async def pass_by(self, turns: int = 20) -> None:
        for _ in range(turns):
            self.turn += 1
            await asyncio.sleep(0)


def executing(
    place: Turns, *, slots: int, bugs: list[BaseException] | None = None, ends: list[AttemptEnd] | None = None
) -> Execution:
    signals, clock = Signals(), DrivenClock()
    signals.broke.connect((bugs if bugs is not None else []).append)
    signals.ended.connect((ends if ends is not None else []).append)
    current = CurrentSession(clock)
    current.session = Session("s", WELCOME, sent_at=clock.monotonic())
    execution = Execution(
        Surroundings(cast("WorkerLink", None), clock, CountingChance(), Figures(), 1.0),
        current,
        signals,
        kinds={"python": PythonHandlers(handlers={"python:h": Handler(noop, job="noop")})},
        slots=slots,
        plain=Isolation.PROCESS,
    )
    execution.isolators = {Isolation.LOOP: place}
    return execution


def attempts(count: int) -> list[Attempt]:
    logs: Any = None
    return [
        Attempt(
            LeasedRun(
                run_id=n, job_id=1, namespace="default", job="noop", version=1, handler="python:h", attempt=1,
                lease_id=f"{n:032x}", fence=1, due_at=0, leased_at=0,
            ),
            logs,
        )
        for n in range(count)
    ]  # fmt: skip


async def test_many_free_slots_are_filled_over_several_turns_in_order() -> None:
    execution = executing(place := Turns(), slots=1000)
    execution.accept(attempts(5 * BURST))
    assert not place.began, "whoever brought the runs goes on first: the next poll leaves before they start"
    await place.pass_by()
    assert place.began.total() == 5 * BURST
    assert max(place.began.values()) <= BURST
    assert place.order == list(range(5 * BURST))


async def test_no_more_run_than_there_are_slots() -> None:
    execution = executing(place := Turns(), slots=3)
    execution.accept(attempts(10))
    await place.pass_by()
    assert place.order == [0, 1, 2]
    assert execution.queued == 7
    for attempt in place.here[:2]:
        execution.ended(attempt, Outcome(cause=Cause.SUCCEEDED))
    await place.pass_by()
    assert place.order == [0, 1, 2, 3, 4]


async def test_runs_come_in_while_others_start() -> None:
    execution = executing(place := Turns(), slots=1000)
    many = attempts(4 * BURST)
    execution.accept(many[: 2 * BURST])
    await place.pass_by(1)
    execution.accept(many[2 * BURST :])
    await place.pass_by()
    assert place.order == list(range(4 * BURST))
    assert max(place.began.values()) <= BURST


async def test_a_bug_in_a_turn_is_told_to_the_worker() -> None:
    bugs: list[BaseException] = []
    execution = executing(place := Turns(), slots=4, bugs=bugs)
    place.broken = RuntimeError("a bug of ours")
    execution.accept(attempts(1))
    await settle()
    assert bugs == [place.broken]


class StoppedAtOnce(LoopIsolator):
    """Runs are asked to stop in the turn of the loop in which they begin, before their task takes its first step."""

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        super().begin(attempt, handler)
        cast("Execution", self._host).stop(attempt, Cause.RELEASED, "The worker is stopping")


async def test_a_run_that_is_stopped_before_its_first_step_is_given_back_all_the_same() -> None:
    ends: list[AttemptEnd] = []
    execution = executing(Turns(), slots=4, ends=ends)
    bugs: list[BaseException] = []
    loop = StoppedAtOnce(execution, DrivenClock(), broke=bugs.append)
    execution.isolators = {Isolation.LOOP: loop}
    execution.accept(attempts(2))
    await settle()
    assert [end.outcome.cause for end in ends] == [Cause.RELEASED, Cause.RELEASED]
    assert execution.is_idle
    assert not loop.running
    assert not bugs
