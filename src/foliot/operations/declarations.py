"""Declarations: the server saves the jobs that a worker's code declares when the worker registers (SEC-25).

The right to work is the right to declare, within the token's namespace and group, and up to a ceiling for each
namespace. What was created or changed stands in the journal, with the token's name.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import structlog

from foliot.domain.access import Principal
from foliot.domain.definition import from_document
from foliot.domain.errors import Conflict, FoliotError, InvalidInput
from foliot.domain.handler import JobHandler
from foliot.domain.job import Definition
from foliot.domain.limits import check_change
from foliot.domain.names import check_name
from foliot.domain.payload import parse_json
from foliot.domain.texts import actor_name
from foliot.operations.kinds import check_declared
from foliot.operations.services import Services
from foliot.operations.side_thread import AT_ONCE, in_side_thread, in_slices
from foliot.ports.handler import HandlerKinds
from foliot.ports.store.actor import Actor
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.jobs import Saved, SaveOutcome, Standing
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.worker_link import DECLARED_MAX, DOCUMENT_MAX, DeclaredJob, Hello
from foliot.words.errors import in_one_line

REFUSED_SHOWN: Final = 5  # in the log; the worker gets all
READ_AT_ONCE: Final = 100
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
    definition: Definition


class Declaring:
    """Saves what code declares."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def declare(self, hello: Hello, by: Principal) -> tuple[str, ...]:
        """Save the jobs of a worker's code; those that could not be, each with its reason."""
        refused: dict[int, str] = {}
        drafts = await _read_all(hello, by, self._services.kinds, refused)
        rooms = await self._rooms(drafts)
        drafts = await in_side_thread(_with_room, drafts, rooms, refused)
        happenings: list[Happening] = []
        try:
            for draft in drafts:
                try:
                    saved = await self._save(draft, hello, by)
                except (StoreUnavailable, StoreBusy):
                    raise  # not the job's fault: the worker introduces itself again
                except FoliotError as refusal:
                    refused[draft.at] = f"{draft.name}: {in_one_line(refusal)}"
                    continue
                if saved.outcome is not SaveOutcome.SAME:
                    happenings.append(_happening(saved, hello, by))
        finally:
            await self._note(happenings)
        reasons = tuple(why for _, why in sorted(refused.items()))
        if reasons:
            log.warning("job.refused", worker=hello.name, jobs=len(reasons), why=reasons[:REFUSED_SHOWN])
        return reasons

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

    async def _save(self, draft: _Draft, hello: Hello, by: Principal) -> Saved:
        return await self._services.store.jobs.save(
            draft.namespace,
            draft.name,
            draft.definition,
            by=Actor(name=_called(hello), reason="declared in code"),
            plans=self._services.plans,
            source="code",
            allow=partial(_check_replacing, draft.name, by),
            check_limit=partial(check_change, by),
        )

    async def _note(self, happenings: Sequence[Happening]) -> None:
        if not happenings:
            return
        self._services.cursors_moved()
        try:
            await self._services.store.journal.note(happenings)
        except (StoreBusy, StoreUnavailable) as away:
            log.warning("journal.note_lost", kind="job.declared", count=len(happenings), why=str(away))


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


def _with_room(drafts: Sequence[_Draft], rooms: Mapping[str, _Room], refused: dict[int, str]) -> list[_Draft]:
    """The jobs that there is room for; why not, for the others."""
    kept = []
    for draft in drafts:
        try:
            rooms[draft.namespace].take(draft)
        except TooManyDeclared as refusal:
            refused[draft.at] = f"{draft.name}: {in_one_line(refusal)}"
        else:
            kept.append(draft)
    return kept


async def _read_all(hello: Hello, by: Principal, kinds: HandlerKinds, refused: dict[int, str]) -> list[_Draft]:
    """The declared jobs that can be read and are the token's to declare; why not, for the others."""
    numbered = list(enumerate(hello.jobs))
    check = partial(check_declared, kinds, hello)
    read = partial(_read, by, check)
    is_light = len(numbered) <= READ_AT_ONCE and sum(map(_weight, numbered)) <= AT_ONCE
    if is_light:
        made = read(numbered)
    else:
        made = await in_slices(read, numbered, _weight)
    drafts: list[_Draft] = []
    for one in made:
        if isinstance(one, _Draft):
            drafts.append(one)
        else:
            number, why = one
            refused[number] = why
    return drafts


def _weight(numbered: tuple[int, DeclaredJob]) -> int:
    """Estimate how long reading a definition takes."""
    _, job = numbered
    text = job.document
    parts = text.count("[") + text.count("{") + text.count(",")
    return _JOB_WEIGHT + len(text) // 16 + 3 * parts


def _read(
    by: Principal, check: Callable[[JobHandler], None], numbered: Sequence[tuple[int, DeclaredJob]]
) -> list[_Draft | tuple[int, str]]:
    """Each job as it was read, or its number and why not."""
    made: list[_Draft | tuple[int, str]] = []
    for at, job in numbered:
        try:
            made.append(_read_one(by, check, at, job))
        except FoliotError as refusal:
            made.append((at, f"{job.name[:200]}: {in_one_line(refusal)}"))
    return made


def _read_one(by: Principal, check: Callable[[JobHandler], None], at: int, job: DeclaredJob) -> _Draft:
    namespace = check_name("namespace", job.namespace)
    name = check_name("job", job.name)
    by.demand_work(namespace=namespace)
    document = parse_json(job.document, bytes_max=DOCUMENT_MAX, what="The definition")
    definition = from_document(document, job=name)
    by.demand_work(group=definition.group)
    check(definition.handler)
    return _Draft(at, namespace, name, definition)


def _check_replacing(name: str, by: Principal, standing: Standing) -> None:
    """Whether what code declares may replace a job as it stands."""
    by.demand_work(group=standing.group)
    if standing.source != "code":
        raise ChangedByHand(name, standing.source)


def _called(hello: Hello) -> str:
    """A worker as the one who did something, no longer than such names may be."""
    return actor_name(f"worker {hello.name}")


def _happening(saved: Saved, hello: Hello, by: Principal) -> Happening:
    job = saved.job
    kind = "job.created" if saved.outcome is SaveOutcome.CREATED else "job.changed"
    return Happening(
        key=f"{kind}:{job.namespace}:{job.name}:{job.job_id}:{job.version}",
        topic=Topic.JOBS,
        kind=kind,
        subject=job.name,
        by=by.name,
        namespace=job.namespace,
        data={"version": job.version, "reason": "declared in code", "worker": hello.name},
    )
