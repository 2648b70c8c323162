"""Locks of a program: renewed in the background, lost by the steady clock before the store gives them to another."""

import asyncio
import gc
import os
import runpy
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest

import foliot.sdk.connection as connection_module
from foliot import locks
from foliot.client import lock_keeper
from foliot.client.lock_keeper import AsyncLockKeeper, LockKeeper, LockTrust
from foliot.client.machine import Machine
from foliot.domain.locks import LockHeldOtherwise, LockLost, ProgramLockBlocksLoop
from foliot.sdk import program_locks
from foliot.sdk.connection import connection
from tests.eventually import eventually, soon
from tests.unit.client.answering import LOST, Answer, Answering
from tests.unit.client.conftest import Connect, FastMachine

HELD = {"name": "till", "namespace": "default", "claim": "c1", "state": "HELD", "token": "7", "ttl_seconds": 60}
GONE = {"code": "FOL-3043", "detail": "The lock till is not held any more.", "name": "till"}


class SteppedMachine(Machine):
    """Time passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps_until = 0.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, event: threading.Event, seconds: float) -> None:
        self.sleeps_until = self.now + seconds
        eventually(lambda: event.is_set() or self.now >= self.sleeps_until, step_s=0.001)
        self.sleeps_until = 0.0

    async def wait_async(self, event: asyncio.Event, seconds: float) -> None:
        self.sleeps_until = self.now + seconds
        await soon(lambda: event.is_set() or self.now >= self.sleeps_until, step_s=0.001)
        self.sleeps_until = 0.0


class Kept:
    """A lock whose server always says yes."""

    def __init__(self, machine: Machine, claim: str, ttl_s: float) -> None:
        self.claim = claim
        self.trust = LockTrust(asked_at=machine.monotonic(), ttl_s=ttl_s, on_lost=None)
        self.machine = machine
        self.renewed: list[float] = []

    def keep(self, *, within_s: float) -> None:
        self.renewed.append(self.machine.monotonic())
        self.trust.renewed(self.machine.monotonic())


class AwaitedKept(Kept):
    async def keep(self, *, within_s: float) -> None:  # type: ignore[override]
        super().keep(within_s=within_s)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "foliot locks"]


def test_one_thread_renews_every_lock_after_a_third_of_its_ttl_and_ends_with_the_last() -> None:
    machine = SteppedMachine()
    keeper = LockKeeper(machine)
    long, short = Kept(machine, "long", 60.0), Kept(machine, "short", 6.0)
    keeper.keep(long)
    eventually(lambda: machine.sleeps_until == 1020.0)
    keeper.keep(short)
    eventually(lambda: machine.sleeps_until == 1002.0, what="the new lock is due before the first")
    assert len(threads()) == 1
    for now, due in ((1002.0, 1004.0), (1004.0, 1006.0)):
        machine.now = now
        eventually(lambda until=due: machine.sleeps_until == until)  # type: ignore[misc]
    assert (short.renewed, long.renewed) == ([1002.0, 1004.0], [])
    keeper.leave("short")
    machine.now = 1006.0
    eventually(lambda: machine.sleeps_until == 1020.0)
    assert short.renewed == [1002.0, 1004.0], "it was given back"
    del long
    gc.collect()
    machine.now = 1020.0
    eventually(lambda: not threads(), what="the program forgot the last lock: nobody renews it")


async def test_one_task_does_the_same_for_the_awaited_client() -> None:
    machine = SteppedMachine()
    keeper = AsyncLockKeeper(machine)
    long, short = AwaitedKept(machine, "long", 60.0), AwaitedKept(machine, "short", 6.0)
    keeper.keep(long)
    await soon(lambda: machine.sleeps_until == 1020.0)
    keeper.keep(short)
    await soon(lambda: machine.sleeps_until == 1002.0)
    machine.now = 1002.0
    await soon(lambda: machine.sleeps_until == 1004.0)
    assert (short.renewed, long.renewed) == ([1002.0], [])
    keeper.leave("short")
    keeper.leave("long")
    machine.now = 1004.0
    await soon(lambda: not [task for task in asyncio.all_tasks() if task.get_name() == "foliot locks"])


def acquired(connect: Connect, server: Answering, on_lost: Callable[[], object]) -> Any:
    server.say(Answer(200, HELD))
    return connect(server.url).locks.acquire("till", ttl="60s", renew=False, on_lost=on_lost)


def test_a_lock_is_lost_a_tenth_of_its_ttl_before_the_store_ends_it(
    connect: Connect, server: Answering, machine: FastMachine
) -> None:
    told: list[str] = []
    lock = acquired(connect, server, lambda: told.append("lost"))
    machine.now += 53.9
    assert not lock.lost
    machine.now += 0.2
    assert lock.lost
    with pytest.raises(LockLost):
        lock.renew()
    asked = len(server.asked)
    lock.keep(within_s=1.0)
    lock.keep(within_s=1.0)
    assert told == ["lost"], "once"
    assert len(server.asked) == asked, "what is lost is not asked for: the program may have seen it"


def test_a_renewal_counts_from_when_it_was_sent_and_a_refusal_loses_the_lock(
    connect: Connect, server: Answering, machine: FastMachine
) -> None:
    told: list[str] = []
    lock = acquired(connect, server, lambda: told.append("lost"))
    machine.now += 20

    def slow(_: object) -> Answer:
        machine.now += 9
        return Answer(200, HELD)

    server.say(slow)
    lock.keep(within_s=10.0)
    assert server.asked[-1].body["token"] == "7", "it renews this hold, and makes no new one"
    assert (lock.trust.until, lock.trust.renew_at) == (1000.0 + 20 + 54, 1000.0 + 20 + 20)
    server.say(Answer(409, GONE))
    lock.keep(within_s=10.0)
    assert (lock.lost, told) == (True, ["lost"])


def test_servers_that_do_not_answer_are_asked_again_while_the_lock_is_trusted(
    connect: Connect, server: Answering, machine: FastMachine
) -> None:
    lock = acquired(connect, server, lambda: None)
    machine.now += 20
    server.say(LOST)
    lock.keep(within_s=0.1)
    assert not lock.lost
    assert lock.trust.renew_at == pytest.approx(machine.now + 5.0)
    machine.now = lock.trust.until - 1
    lock.keep(within_s=0.1)
    assert lock.trust.renew_at <= lock.trust.until, "it looks when the trust ends"


def test_an_error_that_nobody_foresaw_ends_no_keeper(connect: Connect, server: Answering, machine: FastMachine) -> None:
    server.say(Answer(200, HELD))
    client = connect(server.url)
    lock = client.locks.acquire("till", ttl="60s", renew=False)
    machine.now += 20
    server.say(Answer(200, text="no gzip", headers={"content-encoding": "gzip"}))
    lock.keep(within_s=0.1)
    assert lock.trust.renew_at == pytest.approx(machine.now + 5.0), "an answer that cannot be read is none"
    machine.now += 5
    client.close()
    lock.keep(within_s=0.1)
    assert lock.trust.renew_at == pytest.approx(machine.now + 5.0), "the client refuses to send, with its own error"


def test_a_forked_process_neither_holds_nor_gives_back_a_lock_of_its_parent(
    connect: Connect, server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = acquired(connect, server, lambda: None)
    asked = len(server.asked)
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        assert lock.lost
        with pytest.raises(LockLost):
            lock.renew()
        lock.release()
    assert len(server.asked) == asked, "the parent works under the lock"


def test_a_client_that_closes_tells_who_holds_a_lock_that_it_is_lost(connect: Connect, server: Answering) -> None:
    told: list[str] = []
    server.say(Answer(200, HELD))
    client = connect(server.url)
    lock = client.locks.acquire("till", ttl="60s", on_lost=lambda: told.append("lost"))
    client.close()
    client.close()
    assert (lock.lost, told) == (True, ["lost"])


async def test_an_awaited_keeper_that_closes_loses_what_is_held() -> None:
    machine = SteppedMachine()
    keeper = AsyncLockKeeper(machine)
    kept = AwaitedKept(machine, "till", 60.0)
    keeper.keep(kept)
    await soon(lambda: machine.sleeps_until == 1020.0)
    keeper.close()
    assert kept.trust.is_over
    machine.now = 1020.0
    await soon(lambda: not [task for task in asyncio.all_tasks() if task.get_name() == "foliot locks"])
    assert kept.renewed == []


@pytest.fixture
def configured(server: Answering) -> Any:
    connection.configure(server.url, "t0ken")
    yield server
    connection.configure()


def test_the_same_thread_takes_its_lock_again_and_gives_it_back_once(configured: Answering) -> None:
    configured.say(Answer(200, HELD), Answer(204))
    with locks.lock("till") as outer:
        with locks.lock("till") as inner:
            assert (inner.token, outer.token, inner.lost) == (7, 7, False)
        lost = [outer.lost]
    lost.append(outer.lost)
    assert lost == [False, True]
    assert [asked.method for asked in configured.asked] == ["PUT", "DELETE"]


def test_one_object_may_be_taken_again_inside_of_itself(configured: Answering) -> None:
    configured.say(Answer(200, HELD), Answer(204))
    till = locks.lock("till")
    with till:
        with till:
            assert till.token == 7
        lost = [till.lost]
    lost.append(till.lost)
    assert lost == [False, True], "the outer block holds it to its end"
    assert [asked.method for asked in configured.asked] == ["PUT", "DELETE"]


def test_threads_that_share_one_object_give_back_each_its_own_lock(configured: Answering) -> None:
    configured.say(Answer(200, {**HELD, "claim": "of-a", "token": "7"}))
    till = locks.lock("till", slots=2)
    with ThreadPoolExecutor(1) as a, ThreadPoolExecutor(1) as b:
        a.submit(till.__enter__).result()
        assert (till.token, till.lost) == (7, False), "a thread that helps the only owner sees its lock"
        configured.say(Answer(200, {**HELD, "claim": "of-b", "token": "8"}))
        b.submit(till.__enter__).result()
        assert [one.submit(lambda: till.token).result() for one in (a, b)] == [7, 8]
        configured.say(Answer(204))
        a.submit(till.__exit__, None, None, None).result()
        assert configured.asked[-1].path.endswith("/of-a")
        assert not b.submit(lambda: till.lost).result(), "the second thread is still inside"
        till.__exit__(None, None, None)
        assert configured.asked[-1].path.endswith("/of-b"), "the only owner left has a helper leave its block"


def copy_of(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], Callable[[], object]]:
    """What the module makes, anew, and what it does in a forked process."""
    in_child: list[Callable[[], object]] = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "register_at_fork", lambda *, after_in_child: in_child.append(after_in_child))
        made = runpy.run_path(str(module.__file__))
    (forked,) = in_child
    return made, forked


def test_a_forked_process_asks_for_the_lock_itself_and_leaves_its_parents_alone(
    configured: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, forked = copy_of(program_locks, monkeypatch)
    configured.say(Answer(200, HELD), Answer(200, {**HELD, "claim": "of-child", "token": "8"}), Answer(204))
    with made["lock"]("till") as of_parent:
        forked()
        assert of_parent.lost
        with made["lock"]("till") as of_child, of_parent:
            assert of_child.token == 8
        assert [asked.method for asked in configured.asked] == ["PUT", "PUT", "DELETE"]
    assert len(configured.asked) == 3, "the outer block was the parent's"
    assert configured.asked[-1].path.endswith("/of-child")


def test_a_forked_process_connects_anew_unless_the_client_is_the_callers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made, forked = copy_of(connection_module, monkeypatch)
    made["configure"]("http://127.0.0.1:1", "t0ken")
    of_parent = made["connection"].client
    made["connection"]._lock.acquire()
    forked()
    assert made["connection"].client is not of_parent
    made["configure"](client=of_parent)
    forked()
    assert made["connection"].client is of_parent


def test_a_keeper_in_a_forked_process_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made, forked = copy_of(lock_keeper, monkeypatch)
    machine = SteppedMachine()
    keeper = made["LockKeeper"](machine)
    of_parent, of_child = Kept(machine, "of parent", 6.0), Kept(machine, "of child", 60.0)
    keeper._locks["of parent"] = of_parent
    keeper._guard.acquire()
    forked()
    assert of_parent.trust.is_over, "the child does not hold it"
    keeper.keep(of_child)
    eventually(lambda: machine.sleeps_until == 1020.0, what="only its own lock is kept")
    keeper.leave("of child")
    machine.now = 1020.0
    eventually(lambda: keeper._thread is None)


def test_a_lock_that_would_wait_for_itself_is_refused(configured: Answering) -> None:
    configured.say(Answer(200, HELD), Answer(204))
    with (
        locks.lock("till", shared=True),
        pytest.raises(LockHeldOtherwise, match="holds the lock till already"),
        locks.lock("till"),
    ):
        raise AssertionError("it has both")
    assert [asked.method for asked in configured.asked] == ["PUT", "DELETE"]


async def test_two_tasks_are_two_owners_and_a_blocking_lock_in_a_loop_is_refused(configured: Answering) -> None:
    configured.say(Answer(200, HELD))
    with pytest.raises(ProgramLockBlocksLoop, match="event loop would wait"), locks.lock("till"):
        raise AssertionError("it blocked the loop")

    async def one() -> None:
        async with locks.lock("till"), locks.lock("till"):
            return

    await asyncio.gather(one(), one())
    assert sorted(asked.method for asked in configured.asked) == ["DELETE", "DELETE", "PUT", "PUT"]
    await connection.close_async()
