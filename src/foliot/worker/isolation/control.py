"""A child's end of the control socket: orders come in, news of the run goes out. The child reads it only when asked."""

import asyncio
import contextlib
import select
import signal
import socket
import threading
from collections import deque
from collections.abc import Iterator
from time import monotonic  # noqa: TID251  a child is a real process: no simulation drives it
from types import FrameType
from typing import Final

import msgspec

from foliot.sdk.stop_signal import Cancelled, StopSignal
from foliot.worker.isolation.wire import Frames, FromChild, Load, Start, Stop, ToChild, encode

_LOOK_EVERY_S: Final = 1.0  # another thread may have read the word to stop
_READ: Final = 64 * 1024

Order = Load | Start


class Control:
    """Talks with the worker. Handlers may use it from several threads; orders are taken by the main one."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)
        self._socket.set_inheritable(False)
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._frames = Frames()
        self._decoder = msgspec.msgpack.Decoder(ToChild)
        self._reading = threading.Lock()
        self._sending = threading.Lock()
        self._orders: deque[Order] = deque()
        self._is_closed = False
        self._lease_id = ""
        self._stop = StopSignal()
        self._loop_waiters = 0
        self._can_interrupt = False
        self.is_terminated = False  # SIGTERM came: an exception may have struck anywhere, so leave after this run
        signal.signal(signal.SIGTERM, self._terminate)

    def next_order(self) -> Order | None:
        """Wait for an order; None: the worker has no more."""
        while not self._orders:
            if self._is_closed:
                return None
            self._poll.poll()
            self._read()
        return self._orders.popleft()

    @contextlib.contextmanager
    def run_of(self, lease_id: str) -> Iterator[None]:
        """While a handler executes: it can be asked to stop, and SIGTERM raises `Cancelled` in it."""
        self._lease_id, self._stop = lease_id, StopSignal()
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
        if not self.is_asked and self._poll.poll(0):
            self._read()
        return self.is_asked

    def wait(self, timeout_s: float) -> bool:
        """Block until asked to stop or the time is over; True when asked."""
        deadline = monotonic() + timeout_s
        while not self.is_asked:
            left = deadline - monotonic()
            if left <= 0:
                return False
            if self._poll.poll(min(left, _LOOK_EVERY_S) * 1000):
                self._read()
        return True

    async def wait_async(self, timeout_s: float | None) -> bool:
        """The same in whichever loop the handler runs."""
        if self.look():
            return True
        loop = asyncio.get_running_loop()
        self._loop_waiters += 1
        loop.add_reader(self._socket.fileno(), self._read)
        try:
            return await self._stop.wait_async(timeout_s)
        finally:
            self._loop_waiters -= 1
            if not self._loop_waiters:
                loop.remove_reader(self._socket.fileno())

    def send(self, message: FromChild) -> None:
        """Send to the worker. SIGTERM waits until all is sent: the worker cannot read half a frame."""
        could, self._can_interrupt = self._can_interrupt, False
        try:
            with self._sending:
                self._socket.sendall(encode(message))
        finally:
            self._can_interrupt = could
        if could and self.is_terminated:
            raise Cancelled

    def _read(self) -> None:
        with self._reading:
            try:
                data = self._socket.recv(_READ, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return  # another thread was quicker
            if not data:
                self._is_closed = True
                self._stop.ask()
                return
            for frame in self._frames.feed(data):
                message = self._decoder.decode(frame)
                if not isinstance(message, Stop):
                    self._orders.append(message)
                elif message.lease_id == self._lease_id:
                    self._stop.ask()

    def _terminate(self, _number: int, _frame: FrameType | None) -> None:
        """A signal handler: takes no lock, since the code it interrupts may hold it."""
        if not self._lease_id:
            raise SystemExit(0)
        was, self.is_terminated = self.is_terminated, True
        if self._can_interrupt and not was:
            raise Cancelled
