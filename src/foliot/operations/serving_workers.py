"""What a worker may ask of a server: register, lease, beat, complete, write logs, leave."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec
import structlog

from foliot.domain.definition import from_document
from foliot.domain.errors import ClusterTrouble, FoliotError
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.operations.services import Services
from foliot.ports.store import Actor, StoreBusy, StoreUnavailable
from foliot.ports.worker_link import Beat, BeatAnswer, DeclaredJob, Hello, Leased, LeasePoll, LogChunk, Report, Welcome

PROTOCOL_MIN: Final = 1

log = structlog.get_logger("foliot.workers")


class LeaseDesk(Protocol):
    """Where polls are parked; the leasing duty of this server."""

    async def ask(self, poll: LeasePoll) -> Leased: ...

    def introduce(self, hello: Hello) -> None: ...

    def knows(self, session: str) -> bool: ...

    def forget(self, session: str) -> None: ...


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
    """The server's side of `ports.worker_link`."""

    def __init__(self, services: Services, desk: LeaseDesk) -> None:
        self._services = services
        self._desk = desk
        self.fenced = 0  # reports that came too late and changed nothing (S5)
        self.on_fenced: Callable[[int], None] = lambda _: None
        self.on_reports: list[Callable[[Sequence[Report]], None]] = []  # whoever watches this process

    async def register(self, hello: Hello) -> Welcome:
        if hello.protocol < PROTOCOL_MIN:
            raise ProtocolTooOld(hello.name, hello.protocol)
        times = self._services.times
        refused = [refusal for job in hello.jobs if (refusal := await self._declare(job, hello))]
        # Last: nobody beats for a session before its worker has heard of it, however long declaring takes.
        now = await self._services.store.nodes.register(hello, kind="worker", ttl_us=times.ttl_us)
        self._desk.introduce(hello)
        log.info("worker.registered", worker=hello.name, session=hello.session, handlers=len(hello.handlers))
        self._services.runs_may_be_ready()
        return Welcome(
            session_ttl_us=times.ttl_us,
            beat_every_us=times.beat_every_us,
            margin_us=times.margin_us,
            store_now=now,
            refused=tuple(refused),
        )

    async def _declare(self, job: DeclaredJob, hello: Hello) -> str | None:
        """Save a job the worker's code declares; the reason when it cannot be."""
        try:
            definition = from_document(msgspec.json.decode(job.document), job=job.name)
            await self._services.store.jobs.save(
                job.namespace,
                job.name,
                definition,
                by=Actor(name=f"worker {hello.name}", reason="declared in code"),
                decide=self._services.decide,
                source="code",
            )
        except (StoreUnavailable, StoreBusy):
            raise  # not the job's fault: the worker introduces itself again
        except (FoliotError, msgspec.DecodeError) as refusal:
            log.warning("job.refused", job=job.name, worker=hello.name, why=str(refusal))
            return f"{job.name}: {refusal}"
        self._services.cursors_moved()
        return None

    async def lease(self, poll: LeasePoll) -> Leased:
        if not self._desk.knows(poll.session):
            hello = await self._services.store.nodes.hello_of(poll.session)
            if hello is None:
                return Leased(request_no=poll.request_no, dead=True)
            self._desk.introduce(hello)
        return await self._desk.ask(poll)

    async def beat(self, beat: Beat) -> BeatAnswer:
        answer = await self._services.store.nodes.beat(
            beat, ttl_us=self._services.times.ttl_us, judge=self._services.judge
        )
        if not answer.alive:
            self._desk.forget(beat.session)
        return answer

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        landings = await self._services.store.runs.complete(session, reports, self._services.judge)
        fenced = sum(landing is Landing.FENCED for landing in landings)
        if fenced:
            self.fenced += fenced
            self.on_fenced(fenced)
            log.warning("report.fenced", session=session, reports=fenced)
        if any(report.cause is not Cause.SUCCEEDED for report in reports):
            self._services.runs_may_be_ready()
        recorded = [report for report, landed in zip(reports, landings, strict=True) if landed is Landing.RECORDED]
        for listener in self.on_reports:
            listener(recorded)
        return landings

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        await self._services.store.runs.write_logs(session, chunks)

    async def leave(self, session: str) -> None:
        self._desk.forget(session)
        returned = await self._services.store.nodes.leave(session, self._services.judge)
        log.info("worker.left", session=session, returned=returned)
        self._services.runs_may_be_ready()
