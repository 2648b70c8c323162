"""Watching: what changes, as it changes, for many watchers of one server at the cost of one.

The happy path of a run writes no event. While somebody watches, this server looks once a second at new runs and at
those that execute, compares with what it saw before, and reads the journal on; with nobody watching it does nothing. A
change has a rising id made of store time, so a watcher who comes back, even to another server, gets what it missed, or
a `reset` when that is no longer known. The same change may come twice then: (run, ver) tells.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, TypeAlias

import structlog

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import Instant, isoformat
from foliot.domain.run import format_run_id
from foliot.operations.services import Services
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Event, EventFilter
from foliot.ports.store.lookups import Changes, RunRow

LOOK_EVERY_S: Final = 1.0
QUIET_S: Final = 15.0
KEPT_MAX: Final = 5000
CHANGES_MAX: Final = 500
OVERLAP_IDS: Final = 200  # commits overtake each other (R14): look again at the newest few
_SEQUENCE: Final = 1024

Fresh: TypeAlias = tuple[str, str, str | None, Mapping[str, Any]]
"""What is to be told: kind, subject, namespace, data."""

log = structlog.get_logger("foliot.watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that changed."""

    id: int
    kind: str  # run.created, run.started, run.ended, job.paused …
    topic: str
    subject: str
    namespace: str | None
    data: Mapping[str, Any]


class Watch:
    """One look a second for everybody who watches on this server."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._kept: deque[Change] = deque(maxlen=KEPT_MAX)
        self._watchers = 0
        self._looker: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()
        self._news = asyncio.Condition()
        self._last_id = 0
        self._since: Instant | None = None
        self._seen: dict[int, tuple[str, int]] = {}
        self._live: Mapping[int, RunRow] = {}
        self._newest_run = 0
        self._newest_event = 0
        self._seen_events: set[int] = set()

    async def changes(
        self, who: Principal, topics: Sequence[str], *, last_id: int | None, gone: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[Change | None]:
        """What changes on these topics (`runs`, `nodes`, `jobs/settle`), from `last_id` on; None when all is quiet.

        The first item is a change of kind `reset` when what lies between is not known: read the lists anew.
        """
        who.demand(Scope.READ)
        await self._begin()
        try:
            at = last_id if last_id is not None else self._last_id
            if last_id is not None and not self._knows(last_id):
                yield Change(id=self._last_id, kind="reset", topic="cluster", subject="", namespace=None, data={})
                at = self._last_id
            async for change in self._from(at, gone):
                if change is None or (_is_visible(who, change) and _is_wanted(change, topics)):
                    yield change
        finally:
            await self._end()

    async def _from(self, at: int, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[Change | None]:
        clock = self._services.clock
        spoke_at = clock.monotonic()
        while not await gone():
            for change in self._behind(at):
                at = change.id
                spoke_at = clock.monotonic()
                yield change
            if clock.monotonic() - spoke_at >= QUIET_S:
                spoke_at = clock.monotonic()
                yield None
            await self._wait_for_news()

    def _behind(self, at: int) -> list[Change]:
        """What is kept and newer, read from its end: a thousand watchers do not read all of it at every change."""
        newer = list(takewhile(lambda kept: kept.id > at, reversed(self._kept)))
        newer.reverse()
        return newer

    async def _wait_for_news(self) -> None:
        try:
            async with asyncio.timeout(LOOK_EVERY_S), self._news:
                await self._news.wait()
        except TimeoutError:
            return

    def _knows(self, last_id: int) -> bool:
        """Whether everything behind an id is kept: it lies within the time this server has watched."""
        oldest = self._kept[0].id if len(self._kept) == KEPT_MAX else (self._since or 0) * _SEQUENCE
        return oldest <= last_id <= self._last_id

    # ------------------------------------------------------------------------------------------------------- looking

    async def _begin(self) -> None:
        self._watchers += 1
        try:
            async with self._beginning:  # of those who come at once, one begins
                if self._looker is None:
                    await self._look_first()
                    self._looker = asyncio.create_task(self._look_on(), name="watch")
        except BaseException:
            await self._end()
            raise

    async def _end(self) -> None:
        self._watchers -= 1
        if self._watchers == 0 and self._looker is not None:
            self._looker.cancel()
            self._looker = None

    async def _look_first(self) -> None:
        """Where things stand now; what is kept from an earlier watch is behind a gap and goes."""
        lookups, journal = self._services.store.lookups, self._services.store.journal
        newest = (await lookups.changes(after_id=2**62, limit=1)).newest_id
        found = await lookups.changes(after_id=max(0, newest - OVERLAP_IDS), limit=CHANGES_MAX + OVERLAP_IDS)
        self._newest_run = found.newest_id
        self._live = found.live
        self._seen = {run.run_id: (run.state, run.ver) for run in (*found.created, *found.live.values())}
        self._newest_event = await journal.newest_id()
        before = await journal.after(EventFilter(), max(0, self._newest_event - OVERLAP_IDS), limit=OVERLAP_IDS)
        self._seen_events = {event.id for event in before}
        self._kept.clear()
        self._since = found.now
        self._last_id = max(self._last_id, found.now * _SEQUENCE)

    async def _look_on(self) -> None:
        wake = asyncio.Event()
        while True:
            await self._services.clock.wait(wake, for_s=LOOK_EVERY_S)
            try:
                await self.look()
            except (StoreBusy, StoreUnavailable):
                continue
            except Exception:  # whatever is wrong with one look, all who watch would wait for ever for the next
                log.exception("watch.look_failed")

    async def look(self) -> None:
        """One look: compare, keep what changed, tell the watchers."""
        after_id = max(0, self._newest_run - OVERLAP_IDS)
        found = await self._services.store.lookups.changes(after_id=after_id, limit=CHANGES_MAX + OVERLAP_IDS)
        fresh: list[Fresh] = []
        try:
            await self._compare_all(found, fresh)
            await self._read_journal(fresh)
        finally:  # what was compared is not found again: it is told, whatever became of the rest
            if fresh:
                self._keep(fresh, found.now)
                async with self._news:
                    self._news.notify_all()

    async def _compare_all(self, found: Changes, fresh: list[Fresh]) -> None:
        for run in (*found.created, *found.live.values()):
            self._compare(run, fresh)
        for run_id in [run_id for run_id in self._live if run_id not in found.live][:CHANGES_MAX]:
            ended = await self._services.store.lookups.run(run_id)
            if ended is not None:
                self._compare(ended, fresh)
        self._live = found.live
        self._newest_run = max(self._newest_run, found.newest_id)
        self._seen = {run_id: seen for run_id, seen in self._seen.items() if run_id > self._newest_run - KEPT_MAX}

    def _compare(self, run: RunRow, fresh: list[Fresh]) -> None:
        """Tell of a run that is not as it was seen; one that cannot be told of costs nobody the others."""
        try:
            self._compare_one(run, fresh)
        except Exception:
            log.exception("watch.odd_run", run=run.run_id)

    def _compare_one(self, run: RunRow, fresh: list[Fresh]) -> None:
        if self._seen.get(run.run_id) == (run.state, run.ver):
            return
        known = run.run_id in self._seen or run.run_id in self._live
        self._seen[run.run_id] = (run.state, run.ver)
        kind = "run.created" if not known and run.state == "PENDING" else _RUN_KINDS.get(run.state, "run.changed")
        data = {
            "id": format_run_id(run.run_id),
            "job": run.job,
            "state": run.state,
            "kind": run.kind,
            "ver": run.ver,
            "attempt": run.attempt,
            "node": run.node,
            "due_at": isoformat(run.due_at),
        }
        fresh.append((kind, run.job, run.namespace, data))

    async def _read_journal(self, fresh: list[Fresh]) -> None:
        after = max(0, self._newest_event - OVERLAP_IDS)
        events = await self._services.store.journal.after(EventFilter(), after, limit=CHANGES_MAX + OVERLAP_IDS)
        new = [event for event in events if event.id not in self._seen_events]
        fresh.extend((event.kind, event.subject, event.namespace, _told(event)) for event in new)
        self._seen_events = {event.id for event in events}
        self._newest_event = max([self._newest_event, *self._seen_events])

    def _keep(self, fresh: Sequence[Fresh], now: Instant) -> None:
        for kind, subject, namespace, data in fresh:
            self._last_id = max(self._last_id + 1, now * _SEQUENCE)
            topic = str(data.get("topic") or "runs")
            self._kept.append(
                Change(id=self._last_id, kind=kind, topic=topic, subject=subject, namespace=namespace, data=data)
            )


_RUN_KINDS: Final = {
    "PENDING": "run.waiting",
    "RUNNING": "run.started",
    "SUCCEEDED": "run.ended",
    "FAILED": "run.ended",
    "CANCELLED": "run.ended",
}


def _told(event: Event) -> Mapping[str, Any]:
    return {**event.data, "topic": str(event.topic), "by": event.by, "at": isoformat(event.at)}


def _is_visible(who: Principal, change: Change) -> bool:
    """A token limited to a namespace sees nothing else, and nothing of the cluster."""
    return change.kind == "reset" or who.namespace is None or change.namespace == who.namespace


def _is_wanted(change: Change, topics: Sequence[str]) -> bool:
    if not topics or change.kind == "reset":
        return True
    for topic in topics:
        kind, _, name = topic.partition("/")
        if kind == change.topic and (not name or name in (change.subject, change.data.get("id"))):
            return True
        if kind == "jobs" and name and change.subject == name:  # a job's own runs belong to it
            return True
    return False
