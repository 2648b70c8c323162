"""Declarations: the server saves the jobs that a worker's code declares when the worker registers (SEC-25).

The right to work is the right to declare, within the token's namespace and group, and up to a ceiling for each
namespace. Jobs that execute text (shell, sql) need the scope `script` besides: any worker of the group that allows them
would execute them. What was created or changed stands in the journal, with the token's name.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

import structlog

from foliot.domain.access import Principal
from foliot.domain.definition import from_document
from foliot.domain.errors import Conflict, Denied, FoliotError, InvalidInput
from foliot.domain.handler import PYTHON, kind_of
from foliot.domain.job import Definition, Lane, lane_of
from foliot.domain.limits import check_change
from foliot.domain.names import check_name
from foliot.domain.payload import parse_json
from foliot.domain.sources import CODE, Code, CodeJob, DeclaredElsewhere, check_source, module_of
from foliot.domain.texts import actor_name
from foliot.operations.kinds import UnservedKind, check_declared
from foliot.operations.limit_warnings import limit_warnings, names_limits
from foliot.operations.older_servers import may_have_new_fields, oldest_server
from foliot.operations.services import Services
from foliot.operations.side_thread import AT_ONCE, in_side_thread, in_slices
from foliot.ports.store.actor import Actor
from foliot.ports.store.code import RetiringJob
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.jobs import DeclaredAs, DeclaredDraft, Declarer, SaveOutcome, Standing
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.worker_link import DECLARED_MAX, DOCUMENT_MAX, DeclaredJob, Hello
from foliot.words.errors import in_one_line
from foliot.words.retirement import declared_again

WARNED_MAX: Final = 20
REFUSED_SHOWN: Final = 5  # in the log; the worker gets all
TAKEN_SHOWN: Final = 100  # to the worker; the journal has all
READ_AT_ONCE: Final = 100
SAVED_AT_ONCE: Final = 2000  # between two looks at what landed, which is noted in the journal whatever follows
REVIVED_AT_ONCE: Final = 20
STEPS_MAX: Final = 50  # the leader goes on: the worker waits for the answer, and its session's time runs
_JOB_WEIGHT: Final = 200  # of a definition, however short

log = structlog.get_logger("foliot.workers")


class ChangedByHand(Conflict):
    """A job that code declares was changed by hand since, which counts over code."""

    code = "FOL-3021"

    def __init__(self, name: str, source: str) -> None:
        super().__init__(
            f"{name} was last changed by hand ({source}), which counts over code: it stays as it is.",
            hint=f"make both the same, or foliot job delete {name} and restart the worker",
            name=name,
            source=source,
        )


class TooManyDeclared(InvalidInput):
    """Code declares more jobs in a namespace than it may."""

    code = "FOL-1048"

    def __init__(self, namespace: str) -> None:
        super().__init__(
            f"Code has declared {DECLARED_MAX} jobs in namespace {namespace} already, which is the most.",
            hint="delete those that no code declares any more, or use another namespace",
            namespace=namespace,
            most=DECLARED_MAX,
        )


class _Draft(NamedTuple):
    """A declared job that was read."""

    at: int  # of the jobs of the worker's hello
    namespace: str
    name: str
    module: str
    to_save: DeclaredDraft

    @property
    def lane(self) -> Lane:
        return lane_of(0, self.to_save.definition, namespace=self.namespace)

    @property
    def code_job(self) -> CodeJob:
        return CodeJob(self.namespace, self.name, self.module)


class _Refused(NamedTuple):
    """A declared job that cannot be saved."""

    at: int
    name: str
    refusal: FoliotError

    @property
    def why(self) -> str:
        return f"{self.name[:200]}: {in_one_line(self.refusal)}"


class Declared(NamedTuple):
    """What became of the jobs of a worker's code."""

    code: Code
    refused: tuple[str, ...]  # jobs that could not be saved, each with its reason
    warned: tuple[str, ...]  # some that were saved and may not work, each with its reason
    is_theirs: bool  # live workers of another module declare some of them: that may change without a new deploy
    taken_over: Mapping[str, str]  # some jobs, and the module each was of until now


class Declaring:
    """Saves what code declares."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.on_back: list[Callable[[RetiringJob], None]] = []  # called with each retired job that is declared again
        self.on_refused: list[Callable[[str, FoliotError], None]] = []  # called with some jobs that were refused

    async def declare(self, hello: Hello, by: Principal) -> Declared:
        """Save the jobs of a worker's code."""
        drafts, refused = await _read_all(self._services, hello, by)
        rooms = await self._rooms(drafts)
        fitting, too_many = await in_side_thread(_with_room, drafts, rooms)
        refused += too_many
        saved = await self._save(fitting, hello, by)
        refused += saved.refused
        declared = await in_side_thread(_summed_up, hello, by, drafts, refused)
        warned = (*await self._unserved(fitting, hello), *await self._limits_lowered(saved.limiting, hello, by))
        declared = declared._replace(taken_over=saved.taken_over, warned=warned)
        if refused:
            shown = declared.refused[:REFUSED_SHOWN]
            log.warning("job.refused", worker=hello.name, jobs=len(refused), why=shown)
            for listener in self.on_refused:
                for one in refused[:REFUSED_SHOWN]:
                    listener(one.name, one.refusal)
        return declared

    async def _unserved(self, drafts: Sequence[_Draft], hello: Hello) -> tuple[str, ...]:
        """Warn of jobs whose kind neither this worker nor another live one offers: they are saved, and wait."""
        own = {PYTHON, *(kind_of(offer.name) for offer in hello.handlers)}
        lacking = {draft.lane: draft for draft in reversed(drafts) if kind_of(draft.lane.offer) not in own}
        warned: list[str] = []
        for lane, draft in islice(lacking.items(), WARNED_MAX):
            if not await self._services.offers.versions_of(lane):
                warning = UnservedKind(kind_of(lane.offer), self._services.kinds.names())
                warned.append(f"{draft.name[:200]}: {in_one_line(warning)}")
        if warned:
            log.warning("job.kind_unserved", worker=hello.name, jobs=len(warned), why=warned[:REFUSED_SHOWN])
        return tuple(warned)

    async def _limits_lowered(
        self, limiting: Sequence[tuple[_Draft, int]], hello: Hello, by: Principal
    ) -> tuple[str, ...]:
        """Warn of limits that these jobs, new or changed, set below what runs hold or what runs of others take."""
        warned: list[str] = []
        for draft, job_id in limiting:
            definition = draft.to_save.definition
            found = await limit_warnings(self._services, by, draft.namespace, job_id, definition)
            warned += [f"{draft.name[:200]}: {in_one_line(warning)}" for warning in found]
        if warned:
            log.warning("job.limit_lowered", worker=hello.name, jobs=len(limiting), why=warned[:REFUSED_SHOWN])
        return tuple(warned[:WARNED_MAX])

    async def registered(self, code: Code, hello: Hello, by: Principal) -> None:
        """The worker's session is live: retired jobs that its code declares go on, and no other is retired.

        It comes after the session's own transaction, and the leader looks for sessions after it marked a job: so one of
        the two sees what the other wrote.
        """
        note = partial(declared_again, by=by.name, worker=hello.name)
        for _ in range(STEPS_MAX):
            page = await self._services.store.code.declared_again(
                code.hash, limit=REVIVED_AT_ONCE, plans=self._services.plans, note=note
            )
            if page.jobs:
                self._services.cursors_moved()
            for job in page.jobs:
                log.info("job.declared_again", namespace=job.namespace, job=job.name, worker=hello.name)
                for listener in self.on_back:
                    listener(job)
            if page.next_after is None:
                return

    async def _rooms(self, drafts: Sequence[_Draft]) -> dict[str, "_Room"]:
        """One look for each namespace: most workers declare what they declared before."""
        names: dict[str, set[str]] = defaultdict(set)
        for draft in drafts:
            names[draft.namespace].add(draft.name)
        rooms = {}
        for namespace, own in names.items():
            unknown, of_code = await self._services.store.jobs.unknown_of(namespace, own, count_max=DECLARED_MAX)
            rooms[namespace] = _Room(unknown, DECLARED_MAX - of_code)
        return rooms

    async def _save(self, drafts: Sequence[_Draft], hello: Hello, by: Principal) -> "_Saved":
        """Save the jobs; those that could not be, and those that were another module's."""
        happenings: list[Happening] = []
        saved = _Saved([], {}, [])
        try:
            for first in range(0, len(drafts), SAVED_AT_ONCE):
                part = drafts[first : first + SAVED_AT_ONCE]
                landed = await self._services.store.jobs.declare(
                    [draft.to_save for draft in part],
                    by=Actor(name=_called(hello), reason="declared in code"),
                    plans=self._services.plans,
                    allow=partial(_check_replacing, by, hello.takes_over),
                    check_limit=partial(check_change, by),
                )
                for draft, one in zip(part, landed, strict=True):
                    if one.refusal is not None:
                        saved.refused.append(_Refused(draft.at, draft.name, one.refusal))
                    elif one.outcome is not SaveOutcome.SAME:
                        happenings.append(_happening(draft, one, hello, by))
                        if names_limits(draft.to_save.definition) and len(saved.limiting) < WARNED_MAX:
                            saved.limiting.append((draft, one.job_id))
                    if one.taken_from is not None and len(saved.taken_over) < TAKEN_SHOWN:
                        saved.taken_over[draft.name] = one.taken_from
        finally:
            await self._note(happenings)
        return saved

    async def _note(self, happenings: Sequence[Happening]) -> None:
        if not happenings:
            return
        self._services.cursors_moved()
        try:
            await self._services.store.journal.note(happenings)
        except (StoreBusy, StoreUnavailable) as away:
            log.warning("journal.note_lost", kind="job.declared", count=len(happenings), why=str(away))


class _Saved(NamedTuple):
    """What became of the jobs that were to be saved."""

    refused: list[_Refused]
    taken_over: dict[str, str]
    limiting: list[tuple[_Draft, int]]  # some that are new or changed and have limits, with their ids


class _Room:
    """How many more jobs code may declare in a namespace."""

    def __init__(self, unknown: Iterable[str], left: int) -> None:
        self._unknown = set(unknown)
        self._left = left

    def take(self, draft: _Draft) -> None:
        """Count a job that is not there yet; `TooManyDeclared` when there is no more room."""
        if draft.name not in self._unknown:
            return
        if self._left <= 0:
            raise TooManyDeclared(draft.namespace)
        self._unknown.discard(draft.name)
        self._left -= 1


def _with_room(drafts: Sequence[_Draft], rooms: Mapping[str, _Room]) -> tuple[list[_Draft], list[_Refused]]:
    """The jobs that there is room for, and the others."""
    kept: list[_Draft] = []
    refused: list[_Refused] = []
    for draft in drafts:
        try:
            rooms[draft.namespace].take(draft)
        except TooManyDeclared as refusal:
            refused.append(_Refused(draft.at, draft.name, refusal))
        else:
            kept.append(draft)
    return kept, refused


async def _read_all(services: Services, hello: Hello, by: Principal) -> tuple[list[_Draft], list[_Refused]]:
    """The declared jobs that can be read and are the token's to declare, and the others."""
    numbered = list(enumerate(hello.jobs))
    may_be_new = any(may_have_new_fields(job.document) for job in hello.jobs)
    oldest = await oldest_server(services) if may_be_new else None
    check = partial(check_declared, services.kinds, services.route_names(), oldest, hello)
    read = partial(_read, by, check, hello.session)
    is_light = len(numbered) <= READ_AT_ONCE and sum(map(_weight, numbered)) <= AT_ONCE
    if is_light:
        made = read(numbered)
    else:
        made = await in_slices(read, numbered, _weight)
    drafts = [one for one in made if isinstance(one, _Draft)]
    return drafts, [one for one in made if isinstance(one, _Refused)]


def _weight(numbered: tuple[int, DeclaredJob]) -> int:
    """Estimate how long reading a definition takes."""
    _, job = numbered
    text = job.document
    parts = text.count("[") + text.count("{") + text.count(",")
    return _JOB_WEIGHT + len(text) // 16 + 3 * parts


def _read(
    by: Principal,
    check: Callable[[Definition], None],
    session: str,
    numbered: Sequence[tuple[int, DeclaredJob]],
) -> list[_Draft | _Refused]:
    """Each job as it was read, or why not."""
    made: list[_Draft | _Refused] = []
    for at, job in numbered:
        try:
            made.append(_read_one(by, check, session, at, job))
        except FoliotError as refusal:
            made.append(_Refused(at, job.name, refusal))
    return made


def _read_one(by: Principal, check: Callable[[Definition], None], session: str, at: int, job: DeclaredJob) -> _Draft:
    namespace = check_name("namespace", job.namespace)
    name = check_name("job", job.name)
    by.demand_work(namespace=namespace)
    document = parse_json(job.document, bytes_max=DOCUMENT_MAX, what="The definition")
    definition = from_document(document, job=name)
    by.demand_work(group=definition.group)
    by.demand_script(definition.handler.kind)
    check(definition)
    module = job.module or module_of(definition.handler.offer)
    to_save = DeclaredDraft.of(namespace, name, definition, Declarer(module, session))
    return _Draft(at, namespace, name, module, to_save)


def _check_replacing(by: Principal, takes_over: bool, draft: DeclaredDraft, standing: Standing) -> str | None:
    """Whether what code declares may replace a job as it stands; the module that it is taken from."""
    by.demand_work(group=standing.group)
    if standing.source != CODE:
        raise ChangedByHand(draft.name, standing.source)
    offer = draft.definition.handler.offer
    module, incumbent = draft.declarer.module, standing.incumbent
    is_taken = check_source(draft.name, incumbent, module=module, offer=offer, takes_over=takes_over)
    return incumbent.module if is_taken else None


def _summed_up(hello: Hello, by: Principal, drafts: Sequence[_Draft], refused: Sequence[_Refused]) -> Declared:
    """What became of it all. There may be thousands: it is put into words, and hashed, beside the loop."""
    code = _code(hello, by, drafts, refused)
    assert code.hash
    return Declared(
        code=code,
        refused=tuple(one.why for one in sorted(refused)),
        warned=(),
        is_theirs=any(isinstance(one.refusal, DeclaredElsewhere) for one in refused),
        taken_over={},
    )


def _code(hello: Hello, by: Principal, drafts: Sequence[_Draft], refused: Sequence[_Refused]) -> Code:
    """What the worker's code declares: also what could not be saved, but nothing that its token may not declare."""
    may_not = {one.at for one in refused if isinstance(one.refusal, Denied)}
    read = {draft.at for draft in drafts}
    allowed = [draft for draft in drafts if draft.at not in may_not]
    jobs = [draft.code_job for draft in allowed]
    refused_at = {one.at for one in refused}
    for at in refused_at - read - may_not:
        jobs += _by_name(hello.jobs[at])
    return Code(namespace=hello.namespace, group=by.group, modules=hello.modules, jobs=jobs)


def _by_name(job: DeclaredJob) -> Iterator[CodeJob]:
    """A declared job whose definition cannot be read; nothing if its name cannot be, either."""
    with suppress(InvalidInput):
        yield CodeJob(check_name("namespace", job.namespace), check_name("job", job.name), job.module)


def _called(hello: Hello) -> str:
    """A worker as the one who did something, no longer than such names may be."""
    return actor_name(f"worker {hello.name}")


def _happening(draft: _Draft, landed: DeclaredAs, hello: Hello, by: Principal) -> Happening:
    kind = "job.created" if landed.outcome is SaveOutcome.CREATED else "job.changed"
    data: dict[str, Any] = {"version": landed.version, "reason": "declared in code", "worker": hello.name}
    if landed.taken_from is not None:
        kind = "job.taken_over"
        data |= {"module": draft.module, "taken_from": landed.taken_from}
    return Happening(
        key=f"{kind}:{draft.namespace}:{draft.name}:{landed.job_id}:{landed.version}",
        topic=Topic.JOBS,
        kind=kind,
        subject=draft.name,
        by=by.name,
        namespace=draft.namespace,
        data=data,
    )
