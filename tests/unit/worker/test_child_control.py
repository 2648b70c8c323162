"""A child's end of the control socket: several threads of a handler use it, and it knows by itself when a lock ends."""

import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from foliot.app.system import SystemClock
from foliot.sdk.locks import LockOutcome, LockWish
from foliot.worker.isolation import control as control_module
from foliot.worker.isolation.control import Control
from foliot.worker.isolation.wire import Frames, FromChild, LockReply, LockTrusted, LockWanted, encode
from tests.eventually import eventually

WISH = LockWish(name="acct:1", ttl_us=60_000_000)
THREADS = 4

Ends = tuple[Control, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """The child's end and the worker's."""
    before = signal.getsignal(signal.SIGTERM)
    childs, workers = socket.socketpair()
    workers.settimeout(60)
    control = Control(childs.detach())
    with workers, control._socket, control.run_of("lease"):
        yield control, workers
    signal.signal(signal.SIGTERM, before)


def held(number: int, *, trusted_until: float) -> bytes:
    outcome = LockOutcome(state="held", claim=f"claim{number}", token=number, trusted_until=trusted_until)
    return encode(LockReply(number, outcome))


def wanted(worker: socket.socket, count: int) -> list[int]:
    """The numbers of the locks that the child wants, when it wants so many."""
    frames, decoder = Frames(), msgspec.msgpack.Decoder(FromChild)
    numbers: list[int] = []
    while len(numbers) < count:
        for frame in frames.feed(worker.recv(4096)):
            message = decoder.decode(frame)
            assert isinstance(message, LockWanted)
            numbers.append(message.number)
    return numbers


def test_a_lock_ends_by_the_clock_though_the_worker_says_nothing(ends: Ends) -> None:
    control, worker = ends
    now = SystemClock().monotonic()
    worker.sendall(held(1, trusted_until=now - 1))
    assert control.claim_lock(WISH).token == 1
    assert control.is_lock_lost("claim1")
    worker.sendall(encode(LockTrusted("claim1", now + 3600)))
    assert not control.is_lock_lost("claim1")
    worker.sendall(encode(LockTrusted("claim1", 0.0)))
    assert control.is_lock_lost("claim1")


def test_several_threads_wait_for_locks_at_one_time(ends: Ends) -> None:
    control, worker = ends
    with ThreadPoolExecutor(THREADS) as pool:
        claims = [pool.submit(control.claim_lock, WISH) for _ in range(THREADS)]
        numbers = wanted(worker, THREADS)
        assert not control.look()
        later = SystemClock().monotonic() + 3600
        worker.sendall(b"".join(held(number, trusted_until=later) for number in numbers))
        outcomes = [claim.result(60) for claim in claims]
    assert sorted(outcome.token for outcome in outcomes) == sorted(numbers)
    assert control._can_interrupt, "SIGTERM still strikes the handler"


def test_a_reply_that_another_thread_read_wakes_the_one_that_waits(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    control, worker = ends
    monkeypatch.setattr(control_module, "_LOOK_EVERY_S", 3600.0)
    read_within = control._read_within

    def too_late(*given: Any) -> None:
        """The reply comes, and another thread reads it, just before this one waits for it."""
        (number,) = wanted(worker, 1)
        worker.sendall(held(number, trusted_until=SystemClock().monotonic() + 3600))
        other = threading.Thread(target=control._read)
        other.start()
        other.join()
        read_within(*given)

    monkeypatch.setattr(control, "_read_within", too_late)
    claiming = threading.Thread(target=control.claim_lock, args=(WISH,), daemon=True)
    claiming.start()
    eventually(lambda: not claiming.is_alive(), within_s=30, what="it knows of the reply")
