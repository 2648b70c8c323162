"""Watch: the changes of runs, jobs and nodes, as they come. Many watchers of one server cost as much as one.

The usual path of a run writes no event. While a user watches, this server looks twice a second at new runs and at those
that execute, compares them with what it saw before, and reads the journal on. It looks at once after a change that a
user made at this server, or at another one that says so. Without watchers it does nothing. A change has a rising id
made of store time. So a watcher who comes back, even to another server, gets the changes it missed, or a `reset` when
the server no longer knows them. The same change may then come twice: compare (run, ver).
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
from foliot.ports.store.changes import Changes
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Event, EventFilter
from foliot.ports.store.lookups import RunRow

LOOK_EVERY_S: Final = 0.5  # runs begin and end without a word: seen so late, they are on the screen within a second
REST_S: Final = 0.1  # between two looks, however many changes users make
QUIET_S: Final = 15.0
GONE_EVERY_S: Final = 1.0  # how often a quiet stream looks whether its client is still there
KEPT_MAX: Final = 5000
CHANGES_MAX: Final = 500
OVERLAP_IDS: Final = 200  # commits overtake each other (R14): look again at the newest few
_SEQUENCE: Final = 1024

Fresh: TypeAlias = tuple[str, str, str | None, Mapping[str, Any]]
"""A new change: kind, subject, namespace, data."""

log = structlog.get_logger("foliot.watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedChange:
    """Something that changed."""

    id: int
    kind: str  # run.created, run.started, run.ended, job.paused …
    topic: str
    subject: str
    namespace: str | None
    data: Mapping[str, Any]


class ChangeWatch:
    """Looks twice a second, and after changes of users, for all who watch on this server."""

    def __init__(self, services: Services, *, every_s: float = LOOK_EVERY_S) -> None:
        self._services = services
        self._every_s = every_s
        self._wake = asyncio.Event()
        self._kept: deque[StreamedChange] = deque(maxlen=KEPT_MAX)
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
    ) -> AsyncIterator[StreamedChange | None]:
        """What changes on these topics (`runs`, `nodes`, `jobs/settle`), from `last_id` on; None when all is quiet.

        The first item is a change of kind `reset` when what lies between is not known: read the lists anew.
        """
        who.demand(Scope.READ)
        await self._begin()
        try:
            at = self._last_id
            if last_id is not None and self._knows(last_id):
                at = last_id
            elif last_id is not None:
                yield StreamedChange(id=at, kind="reset", topic="cluster", subject="", namespace=None, data={})
            async for change in self._from(at, gone):
                if change is None or (_is_visible(who, change) and _is_wanted(change, topics)):
                    yield change
        finally:
            await self._end()

    async def _from(self, at: int, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[StreamedChange | None]:
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

    def _behind(self, at: int) -> list[StreamedChange]:
        """Return the kept changes after this id. It reads from the end: a thousand watchers need not read all."""
        newer = list(takewhile(lambda kept: kept.id > at, reversed(self._kept)))
        newer.reverse()
        return newer

    async def _wait_for_news(self) -> None:
        try:
            async with asyncio.timeout(GONE_EVERY_S), self._news:
                await self._news.wait()
        except TimeoutError:
            return

    def _knows(self, last_id: int) -> bool:
        """Whether every change after an id is kept: the id lies within the time this server has watched."""
        oldest = (self._since or 0) * _SEQUENCE
        is_full = len(self._kept) == KEPT_MAX
        if is_full:  # older changes were dropped
            oldest = self._kept[0].id
        return oldest <= last_id <= self._last_id

    # ------------------------------------------------------------------------------------------------------- looking

    async def _begin(self) -> None:
        self._watchers += 1
        try:
            async with self._beginning:  # of watchers that come at the same time, one begins and the others wait
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
        """Read how things are now. Changes kept from an earlier watch go: what came after them is not known."""
        found = await self._look_at_runs_first()
        await self._look_at_events_first()
        self._kept.clear()
        self._since = found.now
        self._last_id = max(self._last_id, found.now * _SEQUENCE)

    async def _look_at_runs_first(self) -> Changes:
        lookups = self._services.store.lookups
        nothing = await lookups.changes(after_id=2**62, limit=1)  # no run has such an id: this only says the newest
        after_id = max(0, nothing.newest_id - OVERLAP_IDS)
        found = await lookups.changes(after_id=after_id, limit=CHANGES_MAX + OVERLAP_IDS)
        self._newest_run = found.newest_id
        self._live = found.live
        self._seen = {run.run_id: (run.state, run.ver) for run in (*found.created, *found.live.values())}
        return found

    async def _look_at_events_first(self) -> None:
        journal = self._services.store.journal
        self._newest_event = await journal.newest_id()
        after = max(0, self._newest_event - OVERLAP_IDS)
        events = await journal.after(EventFilter(), after, limit=OVERLAP_IDS)
        self._seen_events = {event.id for event in events}

    async def _look_on(self) -> None:
        clock, never = self._services.clock, asyncio.Event()
        while True:
            await clock.wait(never, for_s=REST_S)
            await clock.wait(self._wake, for_s=self._every_s - REST_S)
            self._wake.clear()  # before the look: a change that comes meanwhile brings another one
            try:
                await self.look()
            except (StoreBusy, StoreUnavailable):
                continue
            except Exception:  # without the next look all watchers would wait for ever, whatever is wrong with this one
                log.exception("watch.look_failed")

    def hint(self) -> None:
        """A user changed something: look soon. It costs nothing when nobody watches."""
        self._wake.set()

    async def look(self) -> None:
        """Look once: compare, keep the changes, wake the watchers."""
        after_id = max(0, self._newest_run - OVERLAP_IDS)
        found = await self._services.store.lookups.changes(after_id=after_id, limit=CHANGES_MAX + OVERLAP_IDS)
        fresh: list[Fresh] = []
        try:
            await self._compare_all(found, fresh)
            await self._read_journal(fresh)
        finally:  # runs that were compared count as seen: their changes are kept even if the rest of the look failed
            if fresh:
                self._keep(fresh, found.now)
                async with self._news:
                    self._news.notify_all()

    async def _compare_all(self, found: Changes, fresh: list[Fresh]) -> None:
        for run in (*found.created, *found.live.values()):
            self._compare(run, found.now, fresh)
        no_longer_live = [run_id for run_id in self._live if run_id not in found.live]
        if no_longer_live:
            for ended in await self._services.store.lookups.runs_of(no_longer_live[:CHANGES_MAX]):
                self._compare(ended, found.now, fresh)
        self._live = found.live
        self._newest_run = max(self._newest_run, found.newest_id)
        oldest = self._newest_run - KEPT_MAX
        self._seen = {run_id: seen for run_id, seen in self._seen.items() if run_id > oldest}

    def _compare(self, run: RunRow, now: Instant, fresh: list[Fresh]) -> None:
        """Add the change of a run that is not as it was seen. An error with one run must not lose the others."""
        try:
            self._compare_one(run, now, fresh)
        except Exception:
            log.exception("watch.odd_run", run=run.run_id)

    def _compare_one(self, run: RunRow, now: Instant, fresh: list[Fresh]) -> None:
        if self._seen.get(run.run_id) == (run.state, run.ver):
            return
        is_known = run.run_id in self._seen or run.run_id in self._live
        self._seen[run.run_id] = (run.state, run.ver)
        kind = _RUN_KINDS.get(run.state, "run.changed")
        if run.state == "PENDING" and not is_known:
            kind = "run.created"
        data = {
            "id": format_run_id(run.run_id),
            "job": run.job,
            "state": run.state,
            "shown": run.shown,  # without what keeps it: that is no part of its row
            "kind": run.kind,
            "ver": run.ver,
            "attempt": run.attempt,
            "node": run.node,
            "due_at": isoformat(run.due_at),
            "at": isoformat(_happened_at(kind, run, now)),
        }
        fresh.append((kind, run.job, run.namespace, data))

    async def _read_journal(self, fresh: list[Fresh]) -> None:
        after = max(0, self._newest_event - OVERLAP_IDS)
        journal = self._services.store.journal
        events = await journal.after(EventFilter(), after, limit=CHANGES_MAX + OVERLAP_IDS)
        new = [event for event in events if event.id not in self._seen_events]
        fresh += [_of_event(event) for event in new]
        self._seen_events = {event.id for event in events}
        self._newest_event = max([self._newest_event, *self._seen_events])

    def _keep(self, fresh: Sequence[Fresh], now: Instant) -> None:
        for kind, subject, namespace, data in fresh:
            self._last_id = max(self._last_id + 1, now * _SEQUENCE)
            topic = str(data.get("topic") or "runs")
            change = StreamedChange(
                id=self._last_id,
                kind=kind,
                topic=topic,
                subject=subject,
                namespace=namespace,
                data=data,
            )
            self._kept.append(change)


_RUN_KINDS: Final = {
    "PENDING": "run.waiting",
    "RUNNING": "run.started",
    "SUCCEEDED": "run.ended",
    "FAILED": "run.ended",
    "CANCELLED": "run.ended",
}


def _happened_at(kind: str, run: RunRow, now: Instant) -> Instant:
    """When a run changed so; `now`, when it was seen, where its row does not say."""
    told = {"run.created": run.created_at, "run.started": run.leased_at, "run.ended": run.ended_at}
    return told.get(kind) or now


def _of_event(event: Event) -> Fresh:
    data = {**event.data, "topic": str(event.topic), "by": event.by, "at": isoformat(event.at)}
    return event.kind, event.subject, event.namespace, data


def _is_visible(who: Principal, change: StreamedChange) -> bool:
    """A token limited to a namespace sees nothing else, and nothing of the cluster."""
    return change.kind == "reset" or who.namespace is None or change.namespace == who.namespace


def _is_wanted(change: StreamedChange, topics: Sequence[str]) -> bool:
    if not topics or change.kind == "reset":
        return True
    for topic in topics:
        kind, _, name = topic.partition("/")
        if kind == change.topic and (not name or name in (change.subject, change.data.get("id"))):
            return True
        if kind == "jobs" and name and change.subject == name:  # a job's own runs belong to it
            return True
    return False
