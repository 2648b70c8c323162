"""Workers for tests that declare jobs: what a server does for one that registers, straight to the port."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from foliot.domain.sources import Code, CodeJob, Source, check_source
from foliot.domain.verdict import judge
from foliot.ports.store import Store
from foliot.ports.store.code import RetiringJob
from foliot.ports.store.jobs import DeclaredAs, DeclaredDraft, Declarer, Standing
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Beat, Hello, Leaving
from foliot.words.retirement import declared_again, retired
from tests.conformance.building import NS, PERSON, PLANS, definition
from tests.conformance.world import CHANCE, World

MODULE = "jobs"


def draft(name: str = "tick", *, module: str = MODULE, session: str = "", **document: Any) -> DeclaredDraft:
    document.setdefault("schedule", {"every": "1h"})
    run = document.pop("run", f"python:{module}:{name}")
    return DeclaredDraft.of(NS, name, definition(run=run, job=name, **document), Declarer(module, session))


def allow(drafted: DeclaredDraft, standing: Standing, *, takes_over: bool = False) -> str | None:
    """Only the rule of sources: whose token it is, is not the store's matter."""
    incumbent, module = standing.incumbent, drafted.declarer.module
    offer = drafted.definition.handler.offer
    is_taken = check_source(drafted.name, incumbent, module=module, offer=offer, takes_over=takes_over)
    return incumbent.module if is_taken else None


async def declare(world: World, *drafts: DeclaredDraft, takes_over: bool = False) -> Sequence[DeclaredAs]:
    """Save what code declares."""
    how = partial(allow, takes_over=takes_over)
    return await world.store.jobs.declare(drafts, by=PERSON, plans=PLANS, allow=how)


class CodeWorker:
    """A worker with code: it declares jobs and registers, as often as its code changes."""

    def __init__(self, world: World, store: Store | None = None) -> None:
        self.world = world
        self.store = store or world.store
        self.session = CHANCE.token()
        self.beat_no = 0

    async def load(
        self,
        *names: str,
        module: str = MODULE,
        modules: Sequence[str] | None = None,
        namespace: str | None = None,
        group: str | None = None,
        takes_over: bool = False,
    ) -> list[RetiringJob]:
        """Run code that declares these jobs; those that came back from retirement."""
        drafts = [draft(name, module=module, session=self.session) for name in names]
        how = partial(allow, takes_over=takes_over)
        self.landed = await self.store.jobs.declare(drafts, by=PERSON, plans=PLANS, allow=how)
        await self.register(*names, module=module, modules=modules, namespace=namespace, group=group)
        return await self.look_for_marks()

    async def register(
        self,
        *names: str,
        module: str = MODULE,
        modules: Sequence[str] | None = None,
        namespace: str | None = None,
        group: str | None = None,
    ) -> None:
        """The session's own transaction, without what follows."""
        jobs = [CodeJob(NS, name, module) for name in names]
        loaded = (module,) if modules is None else modules
        self.code = Code(namespace=namespace, group=group, modules=loaded, jobs=jobs)
        await self.store.code.keep(self.code)
        hello = Hello(session=self.session, name="worker", group="default", slots=1, handlers=(), namespace=namespace)
        await self.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US, code=self.code.hash)

    async def look_for_marks(self) -> list[RetiringJob]:
        return await look_for_marks(self.store, self.code.hash)

    async def is_asked(self) -> bool:
        """Whether the answer to its next beat asks for its jobs."""
        self.beat_no += 1
        beat = Beat(session=self.session, beat_no=self.beat_no, settled=0, held=())
        answer = await self.store.nodes.beat(beat, ttl_us=SESSION_TTL_US, judge=judge)
        assert answer.alive
        return answer.declare

    async def leave(self) -> None:
        await self.store.nodes.leave(Leaving(session=self.session, settled=0), judge)


async def look_for_marks(store: Store, code: str | None, *, term: int | None = None) -> list[RetiringJob]:
    """Jobs that come back because this code declares them; None: because some live worker does."""
    note = partial(declared_again, by="worker")
    found: list[RetiringJob] = []
    while True:
        page = await store.code.declared_again(code, limit=20, plans=PLANS, note=note, term=term)
        found += page.jobs
        if page.next_after is None:
            return found


async def mark(world: World, term: int, *, store: Store | None = None, source: Source | None = None) -> None:
    """The leader's first look at a source."""
    after: int | None = 0
    while after is not None:
        code = (store or world.store).code
        after = await code.mark(source or Source(None, None, MODULE), after=after, limit=2, term=term)


async def retire(
    world: World, term: int, *, store: Store | None = None, source: Source | None = None
) -> list[RetiringJob]:
    """The leader's second look."""
    found: list[RetiringJob] = []
    after: int | None = 0
    while after is not None:
        page = await (store or world.store).code.retire(
            source or Source(None, None, MODULE), after=after, limit=2, plans=PLANS, words=retired, term=term
        )
        found += page.jobs
        after = page.next_after
    return found
