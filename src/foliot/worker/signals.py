"""Signals: how a part of a worker calls other parts without knowing them.

The parts of a worker need each other in a circle: execution ends runs, which lets the poller ask for more, which
execution starts. So a part calls a signal, and the worker connects the signals once all parts are made.
"""

from collections.abc import Callable
from typing import Generic, ParamSpec

from foliot.worker.attempt import Attempt
from foliot.worker.reports import AttemptEnd

P = ParamSpec("P")


class Signal(Generic[P]):
    """Calls everything that is connected to it, in order."""

    __slots__ = ("_listeners", "send")

    def __init__(self) -> None:
        self._listeners: tuple[Callable[P, None], ...] = ()
        self.send: Callable[P, None] = self.__call__
        """The signal itself; where one listener alone is connected, that listener: each run sends two signals."""

    def connect(self, *listeners: Callable[P, None]) -> None:
        """Call these, too."""
        self._listeners += listeners
        self.send = self.__call__ if len(self._listeners) > 1 else self._listeners[0]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._listeners:
            listener(*args, **kwargs)


class Signals:
    """The signals of one worker. All but `progressed` are called in the loop."""

    def __init__(self) -> None:
        self.ended: Signal[[AttemptEnd]] = Signal()  # an attempt is over: report it
        self.slots_changed: Signal[[]] = Signal()  # a slot is free, or all are: it may be time to poll again
        self.progressed: Signal[[]] = Signal()  # there is news that a server should hear soon; from any thread, often
        self.beat_asked: Signal[[]] = Signal()  # a server calls for a beat at once
        self.declaring_asked: Signal[[]] = Signal()  # a server asks for the jobs of the code, once more
        self.beat_missed: Signal[[]] = Signal()  # no answer came to a beat
        self.session_died: Signal[[]] = Signal()  # the store declared it dead
        self.lock_trusted: Signal[[Attempt, str, float]] = Signal()  # until when a claim of the attempt surely holds
        self.lock_lost: Signal[[Attempt, str]] = (
            Signal()
        )  # the attempt is to end, because it lost the lock of this name
        self.broke: Signal[[BaseException]] = Signal()  # a bug came up where nobody else would see it
