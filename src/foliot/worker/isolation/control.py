"""A child's end of the control socket: orders come in, news of the run goes out. The child reads it only when asked."""

import asyncio
import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from itertools import count
from time import monotonic  # noqa: TID251  a child is a real process: no simulation drives it
from types import FrameType
from typing import Final

import msgspec

from foliot.sdk.locks import STOPPED, LockOutcome, LockWish
from foliot.sdk.stop_signal import Cancelled, StopSignal
from foliot.worker.isolation.wire import (
    Frames,
    FromChild,
    Load,
    LockReply,
    LockReturned,
    LockTrusted,
    LockWanted,
    Start,
    Stop,
    ToChild,
    encode,
)

_LOOK_EVERY_S: Final = 1.0  # another thread may have read the word to stop
_READ: Final = 64 * 1024

_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # the worker's own: `Clock.monotonic`

Order = Load | Start


def _steady_s() -> float:
    return time.clock_gettime(_STEADY)


class Control:
    """Talks with the worker. Handlers may use it from several threads; orders are taken by the main one."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)
        self._socket.set_inheritable(False)
        self._frames = Frames()
        self._decoder = msgspec.msgpack.Decoder(ToChild)
        self._reading = threading.Lock()
        self._sending = threading.Lock()
        self._orders: deque[Order] = deque()
        self._is_closed = False
        self._lease_id = ""
        self._stop = StopSignal()
        self._loop_waiters: Counter[asyncio.AbstractEventLoop] = Counter()
        self._can_interrupt = False
        self._numbers = count(1)
        self._wanted: dict[int, StopSignal] = {}  # locks that were asked for: each signal is given with the reply
        self._wakers: dict[int, int] = {}  # of blocking ones: a pipe's end; whoever reads the reply writes to it
        self._replies: dict[int, LockOutcome] = {}
        self._trusted_until: dict[str, float] = {}  # of each claim that holds
        self.is_terminated = False  # SIGTERM came: an exception may have struck anywhere, so leave after this run
        signal.signal(signal.SIGTERM, self._terminate)

    def next_order(self) -> Order | None:
        """Wait for an order; None: the worker has no more."""
        while not self._orders:
            if self._is_closed:
                return None
            self._read_within(None)
        return self._orders.popleft()

    @contextlib.contextmanager
    def run_of(self, lease_id: str) -> Iterator[None]:
        """While a handler executes: it can be asked to stop, and SIGTERM raises `Cancelled` in it."""
        self._lease_id, self._stop = lease_id, StopSignal()
        self._wanted.clear()
        self._replies.clear()
        self._trusted_until.clear()
        signal.signal(signal.SIGTERM, self._terminate)  # an earlier run may have set its own
        self._can_interrupt = True
        try:
            yield
        finally:
            self._can_interrupt = False
            self._lease_id = ""

    @property
    def is_asked(self) -> bool:
        """Whether the run was asked to stop, as far as is known."""
        return self._stop.is_asked or self.is_terminated

    def look(self) -> bool:
        """See whether the run was asked to stop, without waiting."""
        if not self.is_asked:
            self._read_within(0)
        return self.is_asked

    def wait(self, timeout_s: float) -> bool:
        """Block until asked to stop or the time is over; True when asked."""
        deadline = monotonic() + timeout_s
        while not self.is_asked:
            left = deadline - monotonic()
            if left <= 0:
                return False
            self._read_within(min(left, _LOOK_EVERY_S))
        return True

    async def wait_async(self, timeout_s: float | None) -> bool:
        """The same in whichever loop the handler runs."""
        if self.look():
            return True
        with self._read_in_loop():
            return await self._stop.wait_async(timeout_s)

    @contextlib.contextmanager
    def _read_in_loop(self) -> Iterator[None]:
        """Read the socket as messages come, in whichever loop the handler runs."""
        loop = asyncio.get_running_loop()
        self._loop_waiters[loop] += 1
        loop.add_reader(self._socket.fileno(), self._read)
        try:
            yield
        finally:
            self._loop_waiters[loop] -= 1
            if not self._loop_waiters[loop]:
                del self._loop_waiters[loop]
                loop.remove_reader(self._socket.fileno())

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        """Block until the worker says what came of it, or the run is asked to stop."""
        woken, waker = os.pipe()
        number, replied = self._want(wish, waker)
        try:
            while not replied.is_asked and not self.is_asked:
                self._read_within(_LOOK_EVERY_S, woken)
        finally:
            with self._reading:  # nobody writes to the pipe meanwhile, nor to what opens next under its number
                self._wakers.pop(number, None)
                os.close(waker)
            os.close(woken)
        return self._outcome_of(number)

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome:
        """The same in whichever loop the handler runs."""
        number, replied = self._want(wish)
        with self._read_in_loop():
            if not self.look():
                await replied.wait_async(None)
        return self._outcome_of(number)

    def is_lock_lost(self, claim: str) -> bool:
        """Whether a lock does not surely hold: its time passed, or the worker said so, or is gone itself.

        The child compares the time itself: the loop of its worker may stand still just then.
        """
        self._read_within(0)
        return self._is_closed or _steady_s() >= self._trusted_until.get(claim, 0.0)

    def leave_lock(self, claim: str) -> None:
        """Give a lock back."""
        self._trusted_until.pop(claim, None)
        self.send(LockReturned(claim))

    def _want(self, wish: LockWish, waker: int | None = None) -> tuple[int, StopSignal]:
        number, replied = next(self._numbers), StopSignal()
        self._wanted[number] = replied
        if waker is not None:
            self._wakers[number] = waker
        self.send(LockWanted(number, wish))
        return number, replied

    def _outcome_of(self, number: int) -> LockOutcome:
        self._wanted.pop(number, None)
        return self._replies.pop(number, LockOutcome(state=STOPPED))

    def send(self, message: FromChild) -> None:
        """Send to the worker. SIGTERM waits until all is sent: the worker cannot read half a frame."""
        if threading.current_thread() is not threading.main_thread():  # no signal strikes it
            with self._sending:
                self._socket.sendall(encode(message))
            return
        could, self._can_interrupt = self._can_interrupt, False
        try:
            with self._sending:
                self._socket.sendall(encode(message))
        finally:
            self._can_interrupt = could
        if could and self.is_terminated:
            raise Cancelled

    def _read_within(self, timeout_s: float | None, woken: int | None = None) -> None:
        """Wait for messages, at most so long, and take them. None: as long as it takes.

        `woken`: a pipe to which another thread writes when it has read what this one waits for.
        """
        poll = select.poll()  # of this call alone: two threads cannot wait on one
        poll.register(self._socket.fileno(), select.POLLIN)
        if woken is not None:
            poll.register(woken, select.POLLIN)
        if poll.poll(None if timeout_s is None else timeout_s * 1000):
            self._read()

    def _read(self) -> None:
        with self._reading:
            try:
                data = self._socket.recv(_READ, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return  # another thread was quicker
            if not data:
                self._is_closed = True
                self._ask_to_stop()
                return
            for frame in self._frames.feed(data):
                self._take(self._decoder.decode(frame))

    def _take(self, message: ToChild) -> None:
        match message:
            case Load() | Start():
                self._orders.append(message)
            case LockReply():
                outcome = message.outcome
                self._replies[message.number] = outcome
                if outcome.claim:
                    self._trusted_until[outcome.claim] = outcome.trusted_until
                if (replied := self._wanted.get(message.number)) is not None:
                    replied.ask()
                self._wake(message.number)
            case LockTrusted():
                if message.claim in self._trusted_until:
                    self._trusted_until[message.claim] = message.until
            case Stop():
                if message.lease_id == self._lease_id:
                    self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        self._stop.ask()
        for replied in list(self._wanted.values()):
            replied.ask()
        for number in list(self._wakers):
            self._wake(number)

    def _wake(self, number: int) -> None:
        """A thread waits for this reply, and not on what was read. Called under `_reading`, so its pipe is open."""
        waker = self._wakers.get(number)
        if waker is not None:
            os.write(waker, b"!")

    def _terminate(self, _number: int, _frame: FrameType | None) -> None:
        """A signal handler: takes no lock, since the code it interrupts may hold it."""
        if not self._lease_id:
            raise SystemExit(0)
        was, self.is_terminated = self.is_terminated, True
        if self._can_interrupt and not was:
            raise Cancelled
