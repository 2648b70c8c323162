"""What a worker may ask of a server: register, lease, beat, complete, write logs, open a callback, leave.

A session belongs to the line of the token that began it: that token, or one that took its place by rotation (SEC-25).
For every other token it does not exist: the server answers polls and beats as for a session that never was, and counts
reports and log lines only for leases of the line's own sessions. A session keeps the group it registered for and the
namespace of the token it began with, for good.

A session that began before owners were recorded (an older server wrote it) is adopted by the first token that acts in
it and may serve its namespace and group.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final

import msgspec
import structlog

from foliot.domain.access import ForeignSession, Principal
from foliot.domain.errors import ClusterTrouble, NotFound
from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.operations import callbacks, locks
from foliot.operations.declarations import Declaring
from foliot.operations.foreign_calls import ForeignCalls
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.operations.worker_messages import WorkerMessages
from foliot.operations.worker_reports import check_offers
from foliot.ports.lease_desk import LeaseDesk
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.worker_link import (
    SLOTS_MAX,
    Beat,
    BeatAnswer,
    CallbackAddress,
    CallbackAsked,
    Hello,
    Leased,
    LeasePoll,
    Leaving,
    LockAnswered,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    Welcome,
)

PROTOCOL_MIN: Final = 1
FAILED_NOTED: Final = 10  # kinds that do not work at one worker
_SUCCESS_ALONE: Final = frozenset({Cause.SUCCEEDED})

log = structlog.get_logger("foliot.workers")


class SessionNotFound(NotFound):
    """A worker's token has no such session, or it is over."""

    code = "FOL-2011"

    def __init__(self) -> None:
        super().__init__("This token has no such session, or it is over.", hint="the worker registers anew")


class ProtocolTooOld(ClusterTrouble):
    """A worker speaks a protocol this cluster no longer serves (R19)."""

    code = "FOL-5020"

    def __init__(self, name: str, spoken: int) -> None:
        super().__init__(
            f"Worker {name} speaks protocol {spoken}; this cluster needs at least {PROTOCOL_MIN}.",
            hint="upgrade foliot on that worker",
            name=name,
            spoken=spoken,
        )


class WorkerService:
    """The server's side of `ports.worker_link`. `by`: whose token the worker shows."""

    def __init__(
        self,
        services: Services,
        desk: LeaseDesk,
        *,
        on_fenced: Callable[[int], None] = lambda _count: None,
        on_foreign: Callable[[], None] = lambda: None,
        on_timeouts: Callable[[Iterable[int]], None] = lambda _run_ids: None,
        on_room: Callable[[], None] = lambda: None,
        public_url: str = "",
        servers: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """`on_fenced`: reports came too late. `on_foreign`: a token was used in a session of another.

        `on_timeouts`: workers ended these runs, because they overran their time. `on_room`: runs that waited for ends
        may begin.

        `public_url`: where other systems reach the servers; empty: where the worker reaches this one.
        `servers`: where workers reach the live servers.
        """
        self._services = services
        self._desk = desk
        self._messages = WorkerMessages(services.store.runs)
        self.fenced = 0  # reports that came too late and changed nothing (S5)
        self._on_fenced = on_fenced
        self._on_timeouts = on_timeouts
        self._on_room = on_room
        self.public_url = public_url
        self._servers = servers
        self.foreign_calls = ForeignCalls(services.store.journal, on_foreign)
        self.declaring = Declaring(services)
        self.on_reports: list[Callable[[Sequence[Report]], None]] = []  # called with the reports that were recorded

    async def register(self, hello: Hello, *, by: Principal) -> Welcome:
        if hello.protocol < PROTOCOL_MIN:
            raise ProtocolTooOld(hello.name, hello.protocol)
        by.demand_work(group=hello.group)
        await check_offers(hello)
        hello = await self._owned(hello, by)
        times = self._services.times
        asked_at = self._services.clock.monotonic()
        declared = await self.declaring.declare(hello, by)
        await self._services.store.code.keep(declared.code)
        # The store learns of the session last. Its time begins here, and the worker sends no beat before it has the
        # answer: the session must not run out while the server declares many jobs.
        asked_us_ago = int((self._services.clock.monotonic() - asked_at) * SECOND)
        now, offer_hash = await self._services.store.nodes.register(
            hello, kind="worker", ttl_us=times.ttl_us, code=declared.code.hash, asked_us_ago=asked_us_ago
        )
        hello = msgspec.structs.replace(hello, offer_hash=offer_hash)
        await self.declaring.registered(declared.code, hello, by)
        self._desk.introduce(hello)
        await self._note_failed_kinds(hello, by)
        log.info("worker.registered", worker=hello.name, session=hello.session, handlers=len(hello.handlers))
        self._services.offers.learn(hello, now=now)
        self._services.runs_may_be_ready()
        return Welcome(
            session_ttl_us=times.ttl_us,
            beat_every_us=times.beat_every_us,
            margin_us=times.margin_us,
            store_now=now,
            refused=declared.refused,
            warned=declared.warned,
            again_after_us=times.ttl_us if declared.is_theirs else 0,
            taken_over=declared.taken_over,
        )

    async def _note_failed_kinds(self, hello: Hello, by: Principal) -> None:
        """Note in the journal which kinds of handlers do not work at a worker, once for each process."""
        if not hello.failed_kinds:
            return
        failed = [msgspec.to_builtins(one) for one in hello.failed_kinds[:FAILED_NOTED]]
        process = f"{hello.name}:{hello.host}:{hello.pid}".encode()
        happening = Happening(
            key=f"node.kinds_failed:{sha256(process).hexdigest()[:32]}",
            topic=Topic.NODES,
            kind="node.kinds_failed",
            subject=hello.name,
            by=by.name,
            data={"failed": failed},
        )
        await note(self._services, happening)

    async def _owned(self, hello: Hello, by: Principal) -> Hello:
        """Return the hello with its owner; a session that is known already keeps its namespace and group."""
        began = await self._hello_of(hello.session, by)
        if began is None:
            return msgspec.structs.replace(hello, owner=by.line, namespace=by.namespace, address="")
        return msgspec.structs.replace(hello, owner=by.line, namespace=began.namespace, group=began.group, address="")

    async def lease(self, poll: LeasePoll, *, by: Principal) -> Leased:
        if not await self._is_own(poll.session, by):
            return Leased(request_no=poll.request_no, dead=True)
        return await self._desk.ask(poll)

    async def beat(self, beat: Beat, *, by: Principal) -> BeatAnswer:
        if not await self._is_own(beat.session, by):
            with suppress(StoreBusy, StoreUnavailable):  # the worker begins anew, whether this is noted or not
                await self._services.store.failovers.came_back(beat.session, owner=by.line)
            return BeatAnswer(alive=False)
        hello = self._desk.hello_of(beat.session)
        slots = SLOTS_MAX if hello is None else hello.slots
        storable = await self._messages.beat(beat, owner=by.line, slots=slots)
        answer = await self._services.store.nodes.beat(
            storable,
            ttl_us=self._services.times.ttl_us,
            judge=self._services.judge,
            health=self._services.health,
        )
        if not answer.alive:
            self._desk.forget(beat.session)
            return answer
        answer = msgspec.structs.replace(answer, servers=self._servers())
        return await self._with_locks(beat, answer) if beat.locks else answer

    async def _with_locks(self, beat: Beat, answer: BeatAnswer) -> BeatAnswer:
        """Renew the locks that the beat names. The beat counts already: without this renewal the next one is tried."""
        try:
            lost = await self._services.store.locks.renew(beat.locks, session=beat.session)
        except (StoreBusy, StoreUnavailable) as away:
            log.warning("locks.not_renewed", session=beat.session, locks=len(beat.locks), why=str(away))
            return answer
        gone = frozenset(lost)
        renewed = tuple(claim for claim in beat.locks if claim not in gone)
        return msgspec.structs.replace(answer, lost=tuple(lost), renewed=renewed)

    async def complete(self, session: str, reports: Sequence[Report], *, by: Principal) -> Sequence[Landing]:
        heard_at = self._services.clock.monotonic()
        known = session if await self._is_own(session, by) else ""
        storable = await self._messages.reports(known, reports, owner=by.line)
        allowed = [report for report in storable if report is not None]
        landed = await self._services.store.runs.complete(
            known, allowed, self._services.judge, owner=by.line, heard_at=heard_at, on_room=self._on_room
        )
        landings = _landings(storable, landed)
        self._count_fenced(session, landings)
        causes = {report.cause for report in allowed}
        if not causes <= _SUCCESS_ALONE:
            self._services.runs_may_be_ready()
        recorded = [report for report, landing in zip(allowed, landed, strict=True) if landing is Landing.RECORDED]
        for listener in self.on_reports:
            listener(recorded)
        if Cause.TIMEOUT in causes:
            self._on_timeouts(report.run_id for report in recorded if report.cause is Cause.TIMEOUT)
        return landings

    def _count_fenced(self, session: str, landings: Sequence[Landing]) -> None:
        fenced = landings.count(Landing.FENCED)
        if fenced:
            self.fenced += fenced
            self._on_fenced(fenced)
            log.warning("report.fenced", session=session, reports=fenced)

    async def write_logs(self, session: str, chunks: Sequence[LogChunk], *, by: Principal) -> None:
        known = session if await self._is_own(session, by) else ""
        await self._services.store.runs.write_logs(known, chunks, owner=by.line)

    async def open_callback(self, asked: CallbackAsked, *, by: Principal) -> CallbackAddress:
        if not await self._is_own(asked.session, by):
            raise SessionNotFound
        return await callbacks.open_callback(self._services, asked, public_url=self.public_url)

    async def claim_lock(self, asked: LockAsked, *, by: Principal) -> LockAnswered:
        if not await self._is_own(asked.session, by):
            raise SessionNotFound
        return await locks.claim_for_run(self._services, asked)

    async def leave_locks(self, left: LocksLeft, *, by: Principal) -> None:
        if not await self._is_own(left.session, by):
            raise SessionNotFound
        await locks.release_for_runs(self._services, left.session, left.claims)

    async def leave(self, leaving: Leaving, *, by: Principal) -> None:
        if not await self._is_own(leaving.session, by):
            raise SessionNotFound
        self._desk.forget(leaving.session)
        returned = await self._services.store.nodes.leave(leaving, self._services.judge)
        log.info("worker.left", session=leaving.session, returned=returned)
        self._services.runs_may_be_ready()

    async def _is_own(self, session: str, by: Principal) -> bool:
        """Whether a session lives and is of the token's line. The answer is the same for a foreign session and none."""
        try:
            return await self._hello_of(session, by) is not None
        except ForeignSession:
            return False

    async def _hello_of(self, session: str, by: Principal) -> Hello | None:
        """Return what a session said of itself; None when it is over or never was; raise `ForeignSession` for others.

        The server remembers it, because its owner never changes: a report or a beat costs no look at the store.
        """
        hello = self._desk.hello_of(session)
        if hello is None:
            hello = await self._services.store.nodes.hello_of(session)
            if hello is None:
                return None
        try:
            by.demand_session(owner=hello.owner, namespace=hello.namespace, group=hello.group)
            if hello.owner is None:
                hello = await self._adopted(hello, by)
        except ForeignSession:
            await self.foreign_calls.note(hello, by)
            raise
        if self._desk.hello_of(session) is not hello:
            self._desk.introduce(hello)
        return hello

    async def _adopted(self, hello: Hello, by: Principal) -> Hello:
        """Make a session that began before owners were recorded the token's own, from now on."""
        if not await self._services.store.nodes.adopt(hello.session, owner=by.line):
            raise ForeignSession  # another token was quicker
        return msgspec.structs.replace(hello, owner=by.line)


def _landings(storable: Sequence[Report | None], landed: Sequence[Landing]) -> Sequence[Landing]:
    """Return one landing for each report. A report that the worker may not send (None) changed nothing: FENCED."""
    if len(landed) == len(storable):
        return landed
    each = iter(landed)
    return [Landing.FENCED if report is None else next(each) for report in storable]
