"""The registrar introduces the worker to a server, again and again until one accepts it."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence

import structlog

from foliot.domain.errors import Denied
from foliot.domain.handler import PYTHON, kind_of
from foliot.domain.instants import SECOND
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.handler import HandlerKind
from foliot.ports.worker_link import KINDS_MAX, PROTOCOL, HandlerOffer, Hello, KindOffer, Welcome, WorkerLink
from foliot.worker.handlers import offers_of, stated
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.load import process_up_us
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.session import Session
from foliot.worker.settings import WorkerSettings

log = structlog.get_logger("foliot.worker.registrar")


class Registrar:
    """Gets sessions, each with a fresh random id."""

    def __init__(
        self,
        link: WorkerLink,
        clock: Clock,
        chance: Chance,
        settings: WorkerSettings,
        code: Callable[[], PythonHandlers],
        others: Mapping[str, HandlerKind],
    ) -> None:
        self.session_id = chance.token()
        self.refusal: Denied | None = None  # why no server will ever take it in
        self._link = link
        self._clock = clock
        self._chance = chance
        self._settings = settings
        self._code = code
        self._others = others  # kinds that stay the same while the worker runs
        self._stated = {name: stated(kind) for name, kind in others.items()}
        self._is_known = False  # some server took it in before
        self._heard: PythonHandlers | None = None  # the code a server was told of last
        self._news = asyncio.Event()  # a server heard of some code, or no more will be said
        self._telling = asyncio.Lock()
        self._said: frozenset[str] = frozenset()  # of jobs of the code, each with its reason, as a server said last
        self._again = asyncio.Event()  # the jobs are to be declared again; or no more will be said
        self._at_once = asyncio.Event()  # likewise, without a wait
        self._again_after_s = 1.0
        self._stopped = asyncio.Event()
        self._give_up = asyncio.Event()  # of the call that is out

    def stop(self) -> None:
        """Ask no more."""
        for event in (self._stopped, self._give_up, self._news, self._again, self._at_once):
            event.set()

    async def register(self) -> Session | None:
        """A fresh session; None when stopped first, or refused for good."""
        self.session_id = self._chance.token()
        backoff = GrowingRest(self._chance, first_s=0.2, most_s=5.0)
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
            if self._heard is self._code():
                return session  # else the code changed while this was said
        return None

    async def tell(self, session: Callable[[], Session | None]) -> None:
        """The code changed: on return a server knows it, or newer code, or refuses it, or the worker stops.

        Without a session it is left to `register`, which is asking for one with the newest code.
        """
        code, backoff = self._code(), GrowingRest(self._chance, first_s=0.2, most_s=5.0)
        async with self._telling:  # one after the other: older code must not arrive last
            while self._heard is not code and self._code() is code and not self._stopped.is_set():
                current = session()
                if current is None:
                    self._news.clear()
                    await self._news.wait()
                    continue
                try:
                    await self.introduce(current.id)
                except NotTaken as refusal:
                    log.warning("code.not_taken", why=str(refusal.__cause__)[:300])
                    return
                except NoAnswer as error:
                    log.warning("code.not_heard", why=str(error.__cause__ or error)[:300])
                    await self._clock.wait(self._stopped, for_s=backoff.next_s())

    async def introduce(self, session_id: str, *, may_take_over: bool = True) -> Session:
        """Say who we are and what we can run; again with the same id when the code changed."""
        settings, code = self._settings, self._code()
        sent_at = self._clock.monotonic()
        offers = (*code.offers(), *offers_of(self._others))
        hello = Hello(
            session=session_id,
            name=settings.name,
            group=settings.group,
            slots=settings.slots,
            weight=settings.weight,
            handlers=offers,
            kinds=self._kinds_of(offers),
            failed_kinds=settings.failed_kinds[:KINDS_MAX],
            labels=settings.labels,
            version=settings.version,
            protocol=PROTOCOL,
            pid=os.getpid(),
            host=settings.host,
            up_us=process_up_us(self._clock),
            jobs=code.jobs,
            modules=code.modules,
            takes_over=settings.takes_over and may_take_over,
            drills=settings.drills,
        )
        self._give_up = asyncio.Event()
        welcome = await answer_of(
            self._link.register(hello),
            clock=self._clock,
            within_s=settings.call_within_s,
            name="register",
            give_up=self._give_up,
        )
        self._heard = code
        self._news.set()
        self._learn(welcome)
        return Session(session_id, welcome, sent_at=sent_at)

    def declare_again(self) -> None:
        """A server asks for the jobs of the code: the workers that some of them belong to are gone."""
        self._again.set()
        self._at_once.set()

    def _kinds_of(self, offers: Sequence[HandlerOffer]) -> tuple[KindOffer, ...]:
        """What the kinds state of which something is offered."""
        words = dict.fromkeys(kind_of(offer.name) for offer in offers)
        known = {**self._stated, PYTHON: stated(self._code())} if PYTHON in words else self._stated
        return tuple(known[word] for word in words)[:KINDS_MAX]

    async def ask_again(self, session: Callable[[], Session | None]) -> None:
        """Declare the jobs anew when a server asks, and again and again while workers of another module keep some.

        The user's word to take jobs over counted when the worker came: it takes none from live workers here.
        """
        while not self._stopped.is_set():
            await self._again.wait()
            await self._clock.wait(self._at_once, for_s=self._again_after_s)
            if self._stopped.is_set():
                return
            current = session()
            if current is not None:  # else the worker is about to introduce itself anyway
                async with self._telling:
                    try:
                        await self.introduce(current.id, may_take_over=False)
                    except (NoAnswer, NotTaken) as error:
                        log.warning("code.not_heard", why=str(error.__cause__ or error)[:300])
            # What was asked meanwhile is answered. After a failure it waits a while: the next beat asks once more.
            self._at_once.clear()

    def _learn(self, welcome: Welcome) -> None:
        """Say which jobs were refused, or may not work, once, and which were taken over; remember when to ask again."""
        for event, said in (("job.refused", welcome.refused), ("job.warned", welcome.warned)):
            for why in said:
                if why not in self._said:
                    log.warning(event, why=why)
        self._said = frozenset((*welcome.refused, *welcome.warned))
        for job, module in welcome.taken_over.items():
            log.warning("job.taken_over", job=job, taken_from=module)
        self._again_after_s = max(1.0, welcome.again_after_us / SECOND)
        if welcome.again_after_us:
            self._again.set()
        else:
            self._again.clear()
