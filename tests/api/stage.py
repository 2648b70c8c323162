"""A stage: the real store on SQLite with a clock that moves when told, and the services that operations work with.

It begins at 14:02:11 on Monday 2 March 2026 in Shanghai.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from foliot.app.handler_kinds import InstalledKinds
from foliot.app.system import SystemChance
from foliot.domain.access import Principal, Scope
from foliot.domain.instants import SECOND, Instant, Micros, parse_duration, to_datetime, to_instant
from foliot.domain.planner import Planner
from foliot.domain.run import format_run_id, parse_run_id
from foliot.domain.verdict import Cause, judge
from foliot.engine.lock_desk import LockWaiting
from foliot.operations.offers import Offers
from foliot.operations.services import Services, SessionTimes
from foliot.ports.store.actor import Actor
from foliot.ports.store.runs import Poll, TriggerRequest
from foliot.ports.worker_link import Beat, HandlerOffer, HeldLease, Hello, LeasedRun, Report
from foliot.store.sql.store import SqlStore
from tests.conformance.routing import ASK
from tests.sql.world import sqlite_copy

ZONE = ZoneInfo("Asia/Shanghai")
START = to_instant(datetime(2026, 3, 2, 14, 2, 11, tzinfo=ZONE))
TIMES = SessionTimes()
ROOT = Principal(name="root", scopes=frozenset({Scope.ADMIN}))
NS = "default"


class StageClock:
    """`ports.clock.Clock` over the stage's own time; waiting lets a turn of the loop pass, not time."""

    def __init__(self) -> None:
        self.at: Instant = START
        self.waits = 0  # so far

    def monotonic(self) -> float:
        return self.at / SECOND

    boottime = monotonic

    def now(self) -> datetime:
        return to_datetime(self.at)

    async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
        self.waits += 1
        await asyncio.sleep(0)
        return wake.is_set()


class StageWorker:
    """A worker's side of the store."""

    def __init__(self, stage: "Stage", name: str, *, group: str, slots: int) -> None:
        self.stage = stage
        self.name = name
        self.group = group
        self.slots = slots
        self.session = stage.chance.token()
        self.handlers: frozenset[str] = frozenset()
        self.labels: Mapping[str, str] = {}
        self.request_no = 0
        self.beat_no = 0
        self.held: list[LeasedRun] = []

    async def register(
        self, handlers: Mapping[str, Mapping[str, Any] | None], labels: Mapping[str, str], weight: int = 1
    ) -> "StageWorker":
        self.handlers, self.labels = frozenset(handlers), labels
        offers = tuple(HandlerOffer(name=name, parameters=schema) for name, schema in handlers.items())
        hello = Hello(
            session=self.session, name=self.name, group=self.group, slots=self.slots, handlers=offers, labels=labels,
            weight=weight,
        )  # fmt: skip
        await self.stage.store.nodes.register(hello, kind="worker", ttl_us=TIMES.ttl_us)
        self.stage.services.offers.forget()
        return self

    async def lease(self) -> LeasedRun | None:
        """Take one run, if there is one for it."""
        self.request_no += 1
        lanes = await self.stage.store.jobs.lanes()
        fitting = [
            lane_id
            for lane_id, lane in lanes.items()
            if lane.fits(group=self.group, offers=self.handlers, labels=self.labels)
        ]
        is_routed = any(lanes[lane_id].routed for lane_id in fitting)
        poll = Poll(session=self.session, request_no=self.request_no, free=1, lanes=fitting, is_routed=is_routed)
        granted = await self.stage.store.runs.lease([poll], limit=10)
        for run in granted.grants[0].runs:
            self.held.append(run)
            return run
        return None

    async def beat(self, load: Mapping[str, float] | None = None) -> None:
        """A sign of life that reports everything it holds as started now, at first. `load`: what its machine says."""
        self.beat_no += 1
        held = tuple(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0) for run in self.held)
        beat = Beat(
            session=self.session, beat_no=self.beat_no, settled=self.request_no, held=held, load=dict(load or {})
        )
        await self.stage.store.nodes.beat(beat, ttl_us=TIMES.ttl_us, judge=judge)

    async def end(self, cause: Cause, *, after_us: Micros, error: str | None = None, result: str | None = None) -> None:
        """Report how its last run ended, `after_us` after it started."""
        run = self.held.pop()
        self.stage.clock.at += after_us
        kind, _, text = (error or "").partition(": ")
        report = Report(
            run_id=run.run_id,
            lease_id=run.lease_id,
            cause=cause,
            started_us_ago=after_us,
            took_us=after_us,
            error=text or None,
            error_type=kind or None,
            result=result,
        )
        await self.stage.store.runs.complete(self.session, [report], judge)


class Stage:
    """The store, the services and the hands that let things happen."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = StageClock()
        self.chance = SystemChance()
        self.workers: dict[str, StageWorker] = {}
        self.servers: dict[str, str] = {}  # name -> session
        self.last_worker: StageWorker | None = None
        self.store: SqlStore
        self.services: Services
        self.woken: list[str] = []
        self.drills_told: list[tuple[str, str]] = []  # types and states

    async def open(self, store: SqlStore | None = None) -> None:
        """On a store of its own in driven time, or on one that is open."""
        self.store = store or await SqlStore.open(
            self.url, clock=self.clock, chance=self.chance, wall=lambda: self.clock.at
        )
        self.services = Services(
            store=self.store,
            clock=self.clock,
            chance=self.chance,
            plans=Planner(),
            judge=judge,
            times=TIMES,
            offers=Offers(self.store.lookups, self.clock),
            kinds=InstalledKinds(),
            lock_desk=LockWaiting(self.store.locks, clock=self.clock, tell_others=lambda _: self.woken.append("locks")),
            runs_may_be_ready=lambda: self.woken.append("runs"),
            cursors_moved=lambda: self.woken.append("cursors"),
            drill_told=lambda type_, state, _report: self.drills_told.append((str(type_), str(state))),
        )

    async def close(self) -> None:
        await self.store.close()

    # -- time ------------------------------------------------------------------------------------------------------

    def moment(self, written: str) -> Instant:
        """`14:03`, `14:03:00.005` or `2026-03-03 02:00`, in Shanghai; a time alone is of the stage's day."""
        if " " not in written and "T" not in written:
            written = f"{to_datetime(START).astimezone(ZONE):%Y-%m-%d} {written}"
        return to_instant(datetime.fromisoformat(written).replace(tzinfo=ZONE))

    def elapse(self, by: timedelta | str) -> None:
        self.clock.at += parse_duration(by)

    # -- what happens ----------------------------------------------------------------------------------------------

    async def worker(
        self,
        name: str,
        handlers: Mapping[str, Mapping[str, Any] | None] | list[str],
        *,
        labels: Mapping[str, str] | None = None,
        slots: int = 8,
        group: str = "default",
        weight: int = 1,
    ) -> StageWorker:
        offered = handlers if isinstance(handlers, Mapping) else dict.fromkeys(handlers)
        found = StageWorker(self, name, group=group, slots=slots)
        await found.register(offered, labels or {}, weight)
        self.workers[name] = self.last_worker = found
        return found

    async def server(self, name: str) -> str:
        """Another server of the cluster: its session."""
        self.servers[name] = self.chance.token()
        hello = Hello(session=self.servers[name], name=name, group="", slots=0, handlers=())
        await self.store.nodes.register(hello, kind="server", ttl_us=TIMES.ttl_us)
        return self.servers[name]

    async def fire(self) -> None:
        """Decide everything that is due."""
        while (await self.store.firing.decide_due(self.services.plans.decide, limit=100)).taken:
            pass

    async def run_ids(self) -> list[str]:
        """Every run there ever was, in the order of its making."""
        runs = await self.services.store.lookups.changes(after_id=0, limit=10_000)
        return [format_run_id(run.run_id) for run in runs.created if run.shard == -1]

    async def trigger(self, job: str, *, by: str = "root", reason: str = "", **wish: Any) -> str:
        request = TriggerRequest(
            namespace=NS, job=job, key=self.chance.token(), by=Actor(name=by, reason=reason), **wish
        )
        return format_run_id((await self.store.runs.trigger(request)).run_id)

    async def reap(self) -> None:
        """Declare silent sessions dead, as the leader would."""
        term = await self.store.nodes.campaign("leader", ttl_us=5 * SECOND)
        assert term is not None
        await self._change("UPDATE store_meta SET reap_after = 0")
        await self.store.runs.reap(judge, limit=100, term=term.number)

    async def assign(self, *, again: bool = False) -> None:
        """Let routes say for whom ready runs are; `again`: also of those that their workers let wait."""
        lanes = await self.store.jobs.lanes()
        routed = [lane_id for lane_id, lane in lanes.items() if lane.routed]
        await self.store.runs.assign(ASK, lanes=routed, limit=10, again=again)

    async def forget(self, run: str) -> None:
        """Take a finished run's record away, as retention would."""
        await self._change(f"DELETE FROM runs WHERE id = {parse_run_id(run)}")

    async def rewrite(self, job: str, document: Mapping[str, Any]) -> None:
        """Write a definition as a newer Foliot might: this one need not understand it."""
        text = "UPDATE job_versions SET definition = :document WHERE job_id = (SELECT id FROM jobs WHERE name = :name)"
        await self._change(text, document=json.dumps(document), name=job)

    async def _change(self, text: str, **values: Any) -> None:
        from foliot.store.sql.kernel.statement import Statement

        await self.store.database.transact(lambda tx: tx.change(Statement(text), values))


@asynccontextmanager
async def opened_stage(template: Path, folder: Path) -> AsyncIterator[Stage]:
    """A stage on a store of its own."""
    stage = Stage(sqlite_copy(template, folder))
    await stage.open()
    try:
        yield stage
    finally:
        await stage.close()


Step = Callable[[Stage, Mapping[str, Any]], Any]
