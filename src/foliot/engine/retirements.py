"""Retiring: the leader pauses jobs that live workers no longer declare, though they have the module loaded.

Each source, a module in a namespace and a group, is watched by itself. When the code of its live workers changes, the
leader marks the jobs that none of them declares. It retires them when the code has stayed the same for a session's ttl:
by then a worker that was only being restarted is back. The wait is counted on the server's own clock, so a jump of the
store's clock shortens nothing; a new leader begins to wait anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import structlog

from foliot.domain.changes import Plans
from foliot.domain.instants import DAY
from foliot.domain.sources import Source
from foliot.engine.strays import AskingAgain
from foliot.ports.clock import Clock
from foliot.ports.store.code import CodeStore, LiveCode, RetiringJob
from foliot.words.retirement import declared_again, retired

MARKED_AT_ONCE: Final = 500
RETIRED_AT_ONCE: Final = 20
STEPS_PER_ROUND: Final = 50
LOOK_AGAIN_S: Final = 3600.0
FORGET_EVERY_S: Final = 600.0
FORGET_STEP: Final = 1000
BY: Final = "foliot"

log = structlog.get_logger("foliot.engine")


class _LoadedBy(NamedTuple):
    """The code of the live workers that have a source loaded, and where workers live whose code is not known."""

    codes: frozenset[str]
    unknown: frozenset[str | None]


@dataclass(slots=True)
class _Watch:
    """How far the leader is with one source."""

    loaded_by: _LoadedBy
    after: int = 0  # the last job that was looked at
    marked_at: float | None = None  # by the server's clock, when all its jobs were looked at
    look_again_at: float | None = None  # it is done until then
    has_backlog: bool = False  # each step decides a part of what is due for its jobs: they are looked at once more


Told: TypeAlias = Callable[[str, RetiringJob], None]
"""Called with "job.retired" or "job.declared_again", and the job."""


class Retiring:
    """The duty of the leader; it costs one statement a round while no worker's code changes."""

    def __init__(
        self, store: CodeStore, plans: Plans, clock: Clock, *, ttl_s: float, keeps_removed: bool, on_told: Told
    ) -> None:
        self._store = store
        self._plans = plans
        self._clock = clock
        self._ttl_s = ttl_s
        self._keeps_removed = keeps_removed
        self._on_told = on_told
        self._term = 0
        self._live: frozenset[LiveCode] | None = None
        self._sources: dict[str, Sequence[Source]] = {}  # by code; what is kept under a hash never changes
        self._watches: dict[Source, _Watch] = {}
        self._steps = 0
        self._forget_at = 0.0
        self._asking = AskingAgain(store, clock, ttl_s=ttl_s)

    async def retire(self, term: int) -> float | None:
        """One round: see who lives, take marks back, mark, retire."""
        if term != self._term:  # what another leader did meanwhile is not known
            self._term, self._live, self._watches = term, None, {}
        self._steps = STEPS_PER_ROUND
        live = await self._store.live()
        if live.codes != self._live:
            await self._learn(live.codes)
            if not await self._take_marks_back(term):
                return 0.0
            self._live = live.codes
        await self._asking.look(live, term)
        if not self._keeps_removed:
            for source, watch in self._watches.items():
                await self._go_on(source, watch, term)
        await self._forget(term)
        return None if self._steps > 0 else 0.0

    async def _learn(self, live: frozenset[LiveCode]) -> None:
        """Watch the sources that live workers have loaded, again from the start where their code changed."""
        hashes = {code.hash for code in live if code.hash is not None}
        for code in self._sources.keys() - hashes:
            del self._sources[code]
        self._sources |= await self._store.sources(hashes - self._sources.keys())
        unknown = frozenset(code.namespace for code in live if code.hash is None)
        loaded: dict[Source, _LoadedBy] = {}
        for source, codes in _by_source(self._sources).items():
            loaded[source] = _LoadedBy(codes, unknown)
        kept = {source: watch for source, watch in self._watches.items() if source in loaded}
        self._watches = kept | await self._fresh_watches(loaded)

    async def _fresh_watches(self, loaded: Mapping[Source, _LoadedBy]) -> dict[Source, _Watch]:
        fresh = [source for source in loaded if self._is_news(source, loaded[source])]
        if not fresh:
            return {}
        modules = {source.module for source in fresh}
        busy = await self._store.modules_with_jobs(modules)
        return {source: self._new_watch(source, loaded[source], busy) for source in fresh}

    def _is_news(self, source: Source, loaded_by: _LoadedBy) -> bool:
        watch = self._watches.get(source)
        return watch is None or watch.loaded_by != loaded_by

    def _new_watch(self, source: Source, loaded_by: _LoadedBy, busy: frozenset[str]) -> _Watch:
        if source.module in busy:
            return _Watch(loaded_by)
        return _Watch(loaded_by, marked_at=0.0, look_again_at=self._clock.monotonic() + LOOK_AGAIN_S)

    async def _take_marks_back(self, term: int) -> bool:
        """Resume what is declared again, where the server that registered the worker did not; False: there is more."""
        note = partial(declared_again, by=BY)
        while self._steps > 0:
            self._steps -= 1
            page = await self._store.declared_again(
                None, limit=RETIRED_AT_ONCE, plans=self._plans, note=note, term=term
            )
            self._tell("job.declared_again", page.jobs)
            if page.next_after is None:
                return True
        return False

    async def _go_on(self, source: Source, watch: _Watch, term: int) -> None:
        now = self._clock.monotonic()
        if watch.look_again_at is not None:
            if now < watch.look_again_at:
                return
            watch.look_again_at, watch.marked_at, watch.after = None, None, 0
        if watch.marked_at is None:
            await self._mark(source, watch, term)
        elif now >= watch.marked_at + self._ttl_s:
            await self._retire(source, watch, term)

    async def _mark(self, source: Source, watch: _Watch, term: int) -> None:
        while self._steps > 0:
            self._steps -= 1
            last = await self._store.mark(source, after=watch.after, limit=MARKED_AT_ONCE, term=term)
            if last is None:
                watch.marked_at, watch.after = self._clock.monotonic(), 0
                return
            watch.after = last

    async def _retire(self, source: Source, watch: _Watch, term: int) -> None:
        while self._steps > 0:
            self._steps -= 1
            page = await self._store.retire(
                source, after=watch.after, limit=RETIRED_AT_ONCE, plans=self._plans, words=retired, term=term
            )
            self._tell("job.retired", page.jobs)
            watch.has_backlog |= page.has_backlog
            if page.next_after is not None:
                watch.after = page.next_after
                continue
            watch.after = 0
            if not watch.has_backlog:
                watch.look_again_at = self._clock.monotonic() + LOOK_AGAIN_S
                return
            watch.has_backlog = False

    async def _forget(self, term: int) -> None:
        """Delete what old code declared, in small steps (R12)."""
        now = self._clock.monotonic()
        if now < self._forget_at or self._steps <= 0:
            return
        self._steps -= 1
        if not await self._store.forget(unused_us=DAY, limit=FORGET_STEP, term=term):
            self._forget_at = now + FORGET_EVERY_S

    def _tell(self, kind: str, jobs: Sequence[RetiringJob]) -> None:
        for job in jobs:
            log.warning(kind, namespace=job.namespace, job=job.name, module=job.module, renamed_to=job.renamed_to)
            self._on_told(kind, job)


def _by_source(sources: Mapping[str, Sequence[Source]]) -> dict[Source, frozenset[str]]:
    """The codes that have each source loaded."""
    found: dict[Source, set[str]] = {}
    for code, of_code in sources.items():
        for source in of_code:
            found.setdefault(source, set()).add(code)
    return {source: frozenset(codes) for source, codes in found.items()}
