"""Limits as people see them. Jobs bring the named ones of their namespace along; an admin makes the others: named ones
of the whole cluster, and those of a group or namespace, which every run there counts in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.errors import Conflict, NotFound
from foliot.domain.instants import Instant
from foliot.domain.limits import LimitChange, LimitKind
from foliot.domain.rates import Bucket


class LimitNotFound(NotFound):
    """No limit of the cluster, or of a namespace, has this name."""

    code = "FOL-2015"

    def __init__(self, name: str, *, namespace: str | None = None) -> None:
        where = "the whole cluster" if namespace is None else f"namespace {namespace} or of the whole cluster"
        super().__init__(f'No limit "{name[:100]}" of {where}.', name=name[:100], namespace=namespace)


class ScopeLimitNotFound(NotFound):
    """A group or namespace has no limit."""

    code = "FOL-2041"

    def __init__(self, kind: LimitKind, name: str) -> None:
        super().__init__(
            f'The {kind} "{name[:100]}" has no limit.',
            hint=f"set one: foliot limit set --{kind} {name[:100]} 20",
            kind=str(kind),
            name=name[:100],
        )


class LimitInUse(Conflict):
    """A limit that jobs count in cannot be taken away."""

    code = "FOL-3024"

    def __init__(self, name: str, *, jobs: Sequence[str]) -> None:
        some = ", ".join(jobs[:3]) + (" and others" if len(jobs) > 3 else "")
        super().__init__(
            f"The limit {name} is used by {some}.",
            hint="take it out of place.concurrency of these jobs first",
            name=name,
            jobs=list(jobs[:20]),
        )


class LimitHeld(Conflict):
    """A limit that runs hold cannot be taken away."""

    code = "FOL-3025"

    def __init__(self, name: str, *, runs: int) -> None:
        super().__init__(
            f"The limit {name} is held by {runs} running run{'' if runs == 1 else 's'}.",
            name=name,
            runs=runs,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLimit:
    """A limit and how much of it is taken. `namespace` None: of the whole cluster."""

    key: str  # a list goes on behind it
    name: str  # of a limit of a group or namespace: the group or the namespace
    namespace: str | None
    max: int | None  # None: any number, it has a rate alone
    used: int
    kind: LimitKind = LimitKind.NAMED
    bucket: Bucket | None = None  # its rate
    next_at: Instant | None = None  # its rate is used up: it lets the next run start then


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitHolder:
    """A run that holds a limit."""

    run_id: int
    namespace: str
    job: str
    worker: str | None  # None: its row is gone
    since: Instant
    takes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitWaiter:
    """A run that is due and waits for a limit, or for something else that it needs besides."""

    run_id: int
    namespace: str
    job: str
    since: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUser:
    """A job whose present version counts in a limit."""

    namespace: str
    job: str
    takes: int  # of it by each run


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUse:
    """What a limit is used for now. Of holders and users the first 200; who waits is counted to 10 000."""

    limit: NamedLimit
    holders: Sequence[LimitHolder]
    waiting: int
    oldest: LimitWaiter | None
    users: Sequence[LimitUser]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyBounds:
    """The limits by key and by worker that a job has."""

    per_key: int | None = None
    per_worker: int | None = None
    has_rate: bool = False  # by key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """A value of a parameter, or a worker, for which no further run of a job may start now."""

    value: str  # as JSON; of a worker: its name
    kind: LimitKind  # a key or a worker
    used: int
    max: int | None  # None: its rate is used up
    next_at: Instant | None = None  # of a rate: the next run may start then
    waiting: int = 0  # runs that wait for it, counted to 10 000
    holders: Sequence[int] = ()  # runs; the first 5


class LimitStore(Protocol):
    """Keeps named limits."""

    async def list(self, *, namespace: str | None, after: str, limit: int) -> Sequence[NamedLimit]:
        """Those of the cluster and of this namespace (None: of every), behind the key `after`."""
        ...

    async def find(self, keys: Sequence[str]) -> Sequence[NamedLimit]:
        """Those of these keys that there are."""
        ...

    async def use(self, keys: Sequence[str]) -> LimitUse | None:
        """What the first of these limits that there is is used for; None: there is none."""
        ...

    async def waiting(self, job_id: int) -> int:
        """How many runs of a job wait, as `max_waiting` counts them: up to 10 000."""
        ...

    async def full_keys(self, job_id: int, bounds: KeyBounds) -> Sequence[KeyUse]:
        """Keys and workers for which no further run of a job may start now, the fullest first. The first 50."""
        ...

    async def set_shared(self, name: str, max_: int) -> NamedLimit:
        """Make a limit of the whole cluster, or give it another maximum. Running runs that count in it hold it."""
        ...

    async def set_own(self, namespace: str, name: str, max_: int, check: Callable[[LimitChange], None]) -> NamedLimit:
        """Give a limit of a namespace another maximum; `LimitNotFound`. `check` raises where that is not allowed."""
        ...

    async def stuck(self, keys: Sequence[str]) -> Sequence[LimitUser]:
        """Jobs whose runs take more of one of these limits than there is: they can never start. The first 20."""
        ...

    async def namesakes(self, name: str) -> int:
        """How many namespaces have a limit of their own with this name, in which their jobs count."""
        ...

    async def set_scope(
        self,
        kind: LimitKind,
        name: str,
        *,
        max_: int | None,
        bucket: Bucket | None,
        is_rate_kept: bool,
        is_max_kept: bool = True,
    ) -> NamedLimit:
        """Limit a whole group or namespace, or change its limit. What runs there already counts in it.

        `max_` None: as it was; not `is_max_kept`: any number. `bucket` None: no rate; `is_rate_kept`: as it was.
        """
        ...

    async def remove_scope(self, kind: LimitKind, name: str) -> None:
        """Limit a group or namespace no more; `ScopeLimitNotFound`."""
        ...

    async def remove_shared(self, name: str) -> None:
        """Take a limit of the cluster away; `LimitNotFound`, `LimitInUse` while a job counts in it, `LimitHeld` while a
        run holds it.
        """
        ...
