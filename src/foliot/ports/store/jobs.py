"""Jobs: definitions and their cursors."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from foliot.domain.changes import Plans
from foliot.domain.definition import canonical_json, hash_of, to_document
from foliot.domain.errors import FoliotError
from foliot.domain.instants import Instant
from foliot.domain.job import Definition, Lane
from foliot.domain.limits import LimitChange
from foliot.domain.sources import Incumbent
from foliot.ports.store.actor import Actor
from foliot.ports.store.lookups import JobRow
from foliot.ports.store.rescheduling import AheadJob, Rescheduled
from foliot.ports.store.runs import TriggerRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is asked of a job before its definition is replaced."""

    source: str  # who wrote its present version: "code", "file", "api"
    group: str
    incumbent: Incumbent  # the code that declares it


class Declarer(NamedTuple):
    """The code that declares a job."""

    module: str
    session: str  # of its worker: what this one declared before does not count


class DeclaredDraft(NamedTuple):
    """A job that code declares, to be saved."""

    namespace: str
    name: str
    definition: Definition
    declarer: Declarer
    document: str  # the definition's, as it is kept
    hash: str

    @classmethod
    def of(cls, namespace: str, name: str, definition: Definition, declarer: Declarer) -> Self:
        """A draft with its document. Making it takes long for thousands: that is for a side thread."""
        document = canonical_json(to_document(definition))
        return cls(namespace, name, definition, declarer, document, hash_of(document))


class SaveOutcome(StrEnum):
    """How a definition landed."""

    CREATED = "created"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A saved definition."""

    outcome: SaveOutcome
    job: JobRow


class DeclaredAs(NamedTuple):
    """How a declared job landed."""

    outcome: SaveOutcome
    job_id: int = 0
    version: int = 0
    refusal: FoliotError | None = None  # why nothing was saved
    taken_from: str | None = None  # the module that declared it before, where that is another source


class JobStore(Protocol):
    """Definitions and their cursors. An edit, pause or resume first decides the past under the old version."""

    async def save(
        self,
        namespace: str,
        name: str,
        definition: Definition,
        *,
        by: Actor,
        plans: Plans,
        expected_version: int | None = None,
        create: bool = True,
        source: str = "api",
        declarer: Declarer | None = None,
        allow: Callable[[Standing], None] | None = None,
        check_limit: Callable[[LimitChange], None] | None = None,
    ) -> Saved:
        """Create the job or add a version (same hash: nothing changes, but what code declares is of source "code").

        `expected_version` 0: must not exist; n: must be at version n, else `VersionConflict` (A3); None: no matter.
        `declarer`: the code that declares it, with source "code"; None: it keeps the one it has.
        `allow` is asked with the job as it is before a version is added, and raises to refuse.
        `check_limit` is asked for each named limit whose maximum the save would change, and raises to refuse.
        """
        ...

    async def try_out(self, definition: Definition, request: TriggerRequest) -> int:
        """Make a test run of a definition without saving it; the id of the run.

        The run belongs to a job that is deleted from the start: nobody finds it by its name, and a job that has the
        name is not touched. `request` says the name, the parameters, the key and the user.
        """
        ...

    async def declare(
        self,
        drafts: Sequence[DeclaredDraft],
        *,
        by: Actor,
        plans: Plans,
        allow: Callable[[DeclaredDraft, Standing], str | None],
        check_limit: Callable[[LimitChange], None] | None = None,
    ) -> Sequence[DeclaredAs]:
        """Save what code declares, each as `save` would, with source "code": in a few transactions of bounded size.

        What is the same already costs no write. `allow` is asked with a job as it is before the job is replaced; it
        returns the module that the job is taken from, or None, and raises to refuse. One refused job harms no other.
        """
        ...

    async def pause(
        self, namespace: str, name: str, *, by: Actor, plans: Plans, until: Instant | None = None
    ) -> None: ...

    async def resume(self, namespace: str, name: str, *, plans: Plans, catch_up: bool = False) -> None:
        """Paused time becomes one `paused` skip, unless `catch_up`: then the misfire policy decides it."""
        ...

    async def delete(self, namespace: str, name: str, *, plans: Plans) -> None:
        """Soft: definitions and history stay, the name is free again.

        What waits ends CANCELLED, at once or (when the store fails) soon; what is in progress finishes.
        """
        ...

    async def reschedule(self, namespace: str, name: str, *, plans: Plans, dry_run: bool = False) -> Rescheduled:
        """Decide what is due; then let the cursor go on at the first instant to come, where it stands further ahead.

        What was decided early, for instants to come, is taken back. `dry_run`: only say what that would do.
        """
        ...

    async def ahead(
        self, namespace: str, *, plans: Plans, after: int = 0, limit: int
    ) -> tuple[Sequence[AheadJob], int | None]:
        """Of the next `limit` jobs those that stand ahead of their schedules; where to go on, None at the end."""
        ...

    async def farthest_ahead(self, *, plans: Plans, limit: int) -> Sequence[AheadJob]:
        """Of the `limit` jobs whose next fire is farthest those that stand ahead of their schedules."""
        ...

    async def unknown_of(self, namespace: str, names: Collection[str], *, count_max: int) -> tuple[frozenset[str], int]:
        """Which of these names no job has; if any, how many jobs of the namespace code declared, to `count_max`."""
        ...

    async def lanes(self, *, after: int = 0) -> Mapping[int, Lane]:
        """Lanes with an id above `after`."""
        ...

    async def repair(self, *, limit: int, term: int | None = None) -> int:
        """Watchdog: a fixed-delay cursor with no next instant and no live scheduled run gets one."""
        ...
