"""Overseers of this process: systemd, and the supervisor of `--supervise`. The loop itself tells them that it lives.

Both are told in the words of `sd_notify`. A loop that is wedged sends no `WATCHDOG=1`, and the overseer acts.
"""

import asyncio
import contextlib
import faulthandler
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from typing import Final

from foliot.domain.restarts import Restarts
from foliot.ports.clock import Clock
from foliot.worker.isolation.limits import DUMP_SIGNAL

SUPERVISED: Final = "_FOLIOT_SUPERVISED"
"""What the supervisor gives to its child: the file descriptor of their socket, and how often the child is to speak."""
LEAVE_WITHIN_S: Final = 60.0
"""A child whose supervisor died may drain for this long."""

Send = Callable[[bytes], object]
Turns = Callable[[], bool]
"""Whether a loop turned since the last call."""


class Overseers:
    """Everybody who wants to know how this process is. Without any it costs nothing."""

    def __init__(self, *sends: Send, every_s: float | None = None, supervised_by: socket.socket | None = None) -> None:
        self._sends = sends
        self.every_s = every_s
        self._supervised_by = supervised_by
        self._is_stopping = False
        self.restarts = Restarts()

    @classmethod
    def of(cls, environment: MutableMapping[str, str]) -> "Overseers":
        """Those that the environment names. They are taken out of it: no job is to speak for this process."""
        address = environment.pop("NOTIFY_SOCKET", "")
        watchdog_us = environment.pop("WATCHDOG_USEC", "")
        watched_pid = environment.pop("WATCHDOG_PID", "")
        supervised = environment.pop(SUPERVISED, "")
        if supervised:
            fd, every_s, count, after = supervised.split()
            overseers = cls._of_supervisor(int(fd), float(every_s))
            overseers.restarts = Restarts(int(count), int(after))
            return overseers
        if not address.startswith(("/", "@")):
            return cls()
        is_watched = watchdog_us.isdigit() and int(watchdog_us) > 0 and watched_pid in ("", str(os.getpid()))
        return cls(_to_systemd(address), every_s=int(watchdog_us) / 2_000_000 if is_watched else None)

    @classmethod
    def _of_supervisor(cls, fd: int, every_s: float) -> "Overseers":
        os.set_inheritable(fd, False)  # a job that kept it open would hide the end of this process
        parent = socket.socket(fileno=fd)
        return cls(lambda said: parent.send(said, socket.MSG_DONTWAIT), every_s=every_s, supervised_by=parent)

    @property
    def is_supervised(self) -> bool:
        return self._supervised_by is not None

    def say(self, *fields: str) -> None:
        """Tell every overseer. One that does not listen is no reason to fail."""
        said = "\n".join(fields).encode()
        for send in self._sends:
            with contextlib.suppress(OSError):
                send(said)

    def ready(self, status: str) -> None:
        """The process does what it is for."""
        self.say("READY=1", f"STATUS={status}")

    def alive(self) -> None:
        self.say("WATCHDOG=1")

    @contextlib.asynccontextmanager
    async def watching(self, clock: Clock, stop: asyncio.Event, *, others: Sequence[Turns] = ()) -> AsyncIterator[None]:
        """Say that this loop lives, again and again, and that it is about to stop.

        `others`: loops of other threads; while one of them stands still, the process does not live.
        """
        if not self._sends:
            yield
            return
        if self._supervised_by is not None:
            _follow(self._supervised_by, lambda: self._is_stopping)
        tasks = [asyncio.create_task(self._announce(stop), name="stopping")]
        if self.every_s is not None:
            tasks.append(asyncio.create_task(self._beat(clock, self.every_s, others), name="watchdog"))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    async def _beat(self, clock: Clock, every_s: float, others: Sequence[Turns]) -> None:
        never = asyncio.Event()
        while True:
            turned = [turns() for turns in others]  # each of them: the question itself asks for the next sign
            if all(turned):
                self.alive()
            await clock.wait(never, for_s=every_s)

    async def _announce(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._is_stopping = True
        self.say("STOPPING=1")


def _to_systemd(address: str) -> Send:
    """Datagrams to a socket of the file system, or to an abstract one."""
    path = f"\0{address[1:]}" if address.startswith("@") else address
    sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sender.setblocking(False)
    return lambda said: sender.sendto(said, path)


def _follow(parent: socket.socket, is_stopping: Callable[[], bool]) -> None:
    """Show all stacks when the supervisor asks for it, and end when the supervisor is gone: nobody else would."""
    faulthandler.register(DUMP_SIGNAL, all_threads=True, chain=False)
    threading.Thread(target=_end_with, args=(parent, is_stopping), name="foliot-supervised", daemon=True).start()


def _end_with(parent: socket.socket, is_stopping: Callable[[], bool]) -> None:
    """In a thread of its own: the loop may be wedged when the supervisor dies.

    A process that drains already is not asked again: a second wish would end it at once.
    """
    with contextlib.suppress(OSError):
        while parent.recv(1):
            continue
    if not is_stopping():
        os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(LEAVE_WITHIN_S)
    os.kill(os.getpid(), signal.SIGKILL)
