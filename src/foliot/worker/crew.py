"""The crew: the workers of one process. Each kind of handler with slots of its own has a worker of its own.

To a server each member is an ordinary worker session with its own offers, slots, polls, beats and spool file. They have
one name, so that who drains that name drains the process. What belongs to the process is the crew's: what handlers
print and log, and the end of all when one fails.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import structlog

from foliot.domain.drills import NodeDrills
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.handler import HandlerKind
from foliot.ports.worker_link import WorkerLink
from foliot.worker.capture import captured
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.secrets.vault import Vault
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker

log = structlog.get_logger("foliot.worker")

NO_CODE: Final = PythonHandlers()


class Share(NamedTuple):
    """What one member executes, and how much of it at one time."""

    slots: int
    code: PythonHandlers
    kinds: Sequence[HandlerKind]


def shares(settings: WorkerSettings, code: PythonHandlers, kinds: Sequence[HandlerKind]) -> Iterator[Share]:
    """One share for each kind with slots of its own, and one for all the rest, if there is a rest."""
    own = settings.own_slots
    for kind in (code, *kinds):
        if kind.kind in own:
            is_python = kind is code
            yield Share(own[kind.kind], code if is_python else NO_CODE, () if is_python else (kind,))
    rest_code = NO_CODE if code.kind in own else code
    rest = [kind for kind in kinds if kind.kind not in own]
    if rest_code.sources or rest or not own:
        yield Share(settings.slots, rest_code, rest)


class Crew:
    """The members work side by side until they are asked to stop. Made in a running loop, used once."""

    def __init__(
        self,
        connect: Callable[[], WorkerLink],
        clock: Clock,
        chance: Chance,
        settings: WorkerSettings,
        code: PythonHandlers = NO_CODE,
        kinds: Sequence[HandlerKind] = (),
        vault: Vault | None = None,
        drills: Callable[[], NodeDrills | None] = lambda: None,
    ) -> None:
        """`connect` makes a link to the servers, one for each member: a crowd of one must not keep another waiting.

        `drills`: makes those of one member; None: the process takes no part.
        """
        self._captures = settings.capture
        self._links: list[WorkerLink] = []
        self._members: list[Worker] = []
        self._with_code: Worker | None = None
        self.on_registered: Callable[[], None] = lambda: None  # called when each member has registered
        for share in shares(settings, code, kinds):
            link = connect()
            own = replace(settings, slots=share.slots, own_slots={}, capture=False)
            member = Worker(link, clock, chance, own, share.code, share.kinds, vault, drills())
            member.on_registered = self._registered
            self._links.append(link)
            self._members.append(member)
            if share.code is code:
                self._with_code = member

    def _registered(self) -> None:
        """A member began a session. A later session of it says the same again."""
        if all(member.session is not None for member in self._members):
            self.on_registered()

    def stop(self) -> None:
        """Drain every member. A second call ends everything at once."""
        for member in self._members:
            member.stop()

    async def reload(self, code: PythonHandlers) -> None:
        """Run this code from now on; see `Worker.reload`."""
        if self._with_code is not None:
            await self._with_code.reload(code)

    async def run(self) -> None:
        """Work until stopped. A member that fails ends the others at once, and its failure is raised."""
        failed: BaseException | None = None
        try:
            with captured() if self._captures else contextlib.nullcontext():
                await self._run_members()
        except BaseException as error:  # noqa: BLE001  raised below, when the links are closed
            failed = error
        for link in self._links:
            try:
                await link.close()
            except BaseException as error:  # the other links are closed all the same
                log.warning("link.not_closed", exc_info=error)
                failed = failed or error
        if failed is not None:
            raise failed

    async def _run_members(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                for member in self._members:
                    tasks.create_task(member.run(), name="worker")
        except BaseExceptionGroup as failed:
            first, *others = failed.exceptions
            for other in others:
                log.error("worker.failed", exc_info=other)
            raise first from None
