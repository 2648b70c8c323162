"""Registering: the worker introduces itself, again and again until a server takes it in."""

import asyncio
import os
from collections.abc import Callable

import structlog

from foliot.domain.errors import Denied
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.worker_link import Hello, WorkerLink
from foliot.worker.calling import Backoff, NoAnswer, NotTaken, answer_of
from foliot.worker.code import Code
from foliot.worker.session import Session
from foliot.worker.settings import WorkerSettings

log = structlog.get_logger("foliot.worker.registering")


class Registrar:
    """Gets sessions, each with a fresh random id."""

    def __init__(
        self, link: WorkerLink, clock: Clock, chance: Chance, settings: WorkerSettings, code: Callable[[], Code]
    ) -> None:
        self.session_id = chance.token()
        self.refusal: Denied | None = None  # why no server will ever take it in
        self._link = link
        self._clock = clock
        self._chance = chance
        self._settings = settings
        self._code = code
        self._is_known = False  # some server took it in before
        self._stopped = asyncio.Event()
        self._give_up = asyncio.Event()  # of the call that is out

    def stop(self) -> None:
        """Ask no more."""
        self._stopped.set()
        self._give_up.set()

    async def register(self) -> Session | None:
        """A fresh session; None when stopped first, or refused for good."""
        self.session_id = self._chance.token()
        backoff = Backoff(self._chance, first_s=0.2, most_s=5.0)
        while not self._stopped.is_set():
            try:
                session = await self.introduce(self.session_id)
            except (NoAnswer, NotTaken) as error:
                cause = error.__cause__
                if isinstance(cause, Denied) and not self._is_known:
                    self.refusal = cause  # the token was never good: waiting will not make it so
                    return None
                log.warning("worker.not_registered", error=type(cause or error).__name__, why=str(cause or error)[:300])
                await self._clock.wait(self._stopped, for_s=backoff.next_s())
                continue
            self._is_known = True
            return session
        return None

    async def introduce(self, session_id: str) -> Session:
        """Say who we are and what we can run; again with the same id when the code changed."""
        settings, code = self._settings, self._code()
        sent_at = self._clock.monotonic()
        hello = Hello(
            session=session_id,
            name=settings.name,
            group=settings.group,
            slots=settings.slots,
            handlers=code.offers,
            labels=settings.labels,
            version=settings.version,
            pid=os.getpid(),
            host=settings.host,
            jobs=code.jobs,
        )
        self._give_up = asyncio.Event()
        welcome = await answer_of(
            self._link.register(hello),
            clock=self._clock,
            within_s=settings.call_within_s,
            name="register",
            give_up=self._give_up,
        )
        for refused in welcome.refused:
            log.warning("job.refused", why=refused)
        return Session(session_id, welcome, sent_at=sent_at)
