"""Waits: a run asks another system for something, and waits until that system says that it is done.

Meanwhile the run does nothing itself, and its worker executes others in its slot. It is RUNNING all the same: its
worker holds its lease, its timeout counts, a cancel reaches it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from foliot.domain.errors import Conflict, InvalidInput
from foliot.ports.worker_link import CallbackAddress

if TYPE_CHECKING:
    from foliot.sdk.ctx import CtxPort


class NoCallbackHere(InvalidInput):
    """A callback was asked for where a run cannot wait without a slot."""

    code = "FOL-1151"

    def __init__(self) -> None:
        super().__init__(
            "A callback can be had only by what runs in the worker's loop.",
            hint="let the job name no isolation",
        )


class CallbackNotGiven(Conflict):
    """No server gave a run the address of a callback: the other system was not called."""

    code = "FOL-3035"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"No server gave the run a callback address: {why[:300].rstrip('.')}.",
            hint="nothing was called; the run can be tried again",
            why=why[:300],
        )


@runtime_checkable
class WaitPort(Protocol):
    """What the worker's loop can do for a run that waits."""

    def wait(self, what: str | None) -> None:
        """The run does nothing itself from now on but wait; None: it goes on."""
        ...

    async def open_callback(self) -> CallbackAddress:
        """An address where another system says how its work ended, and its one-time token."""
        ...

    def is_given_up(self) -> bool:
        """Of a run that was asked to stop: whether another attempt goes on with it, or it has ended elsewhere."""
        ...


class Waits:
    """The waits of one attempt: `ctx.waits`."""

    __slots__ = ("_port",)

    def __init__(self, port: "CtxPort") -> None:
        self._port: Any = port

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Hold no slot inside. Elsewhere than in the worker's loop the run keeps it.

        `what` it waits for, as people see it: `callback`, `poll`.
        """
        port = self._port
        if not isinstance(port, WaitPort):
            yield
            return
        port.wait(what)
        try:
            yield
        finally:
            port.wait(None)

    async def callback(self) -> CallbackAddress:
        """Where another system says how its work ended: that ends the run. Ask once, before the system is called."""
        if not isinstance(self._port, WaitPort):
            raise NoCallbackHere
        return await self._port.open_callback()

    @property
    def is_given_up(self) -> bool:
        """Of a run that was asked to stop: whether the work it waits for must go on for another attempt, or is over."""
        return isinstance(self._port, WaitPort) and self._port.is_given_up()
