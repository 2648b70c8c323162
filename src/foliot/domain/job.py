"""Jobs: the definition that each version freezes, its lane, and the limits of what may be written."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, NewType, TypeAlias

from foliot.domain.handler import JobHandler
from foliot.domain.instants import MINUTE, SECOND, Micros
from foliot.domain.limits import job_key, limit_key, rate_key
from foliot.domain.policies.alert import AlertPolicy
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy
from foliot.domain.policies.windows import Debounce, TriggerRate
from foliot.domain.rates import Bucket, Rate
from foliot.domain.routing.choice import ANY_ROUTE, RouteChoice
from foliot.domain.routing.wishes import Preference, Wishes
from foliot.domain.schedule import Schedule

JobId = NewType("JobId", int)
LaneId = NewType("LaneId", int)

DEFAULT_NAMESPACE: Final = "default"
DEFAULT_GROUP: Final = "default"
PRIORITY_DEFAULT: Final = 5
PRIORITY_MAX: Final = 10

EACH_WORKER: Final = "each_worker"
Shards: TypeAlias = int | Literal["each_worker"]
"""How many shards a run has; `EACH_WORKER`: one for each worker that is live and fits when its turn comes."""


class OnLost(StrEnum):
    """What follows when a worker vanished with a run and nobody knows whether it ran."""

    RERUN = "rerun"  # at-least-once
    FAIL = "fail"  # at-most-once


class Isolation(StrEnum):
    """Where a handler executes. `None` in a definition means: async in the loop, plain functions in a process."""

    LOOP = "loop"
    PROCESS = "process"
    THREAD = "thread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What one version of a job says. Immutable; its document and hash are in `domain.definition`."""

    handler: JobHandler
    schedule: Schedule | None = None
    group: str = DEFAULT_GROUP
    params: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)  # JSON Schema; empty: the function's own, or anything
    priority: int = PRIORITY_DEFAULT
    timeout_us: Micros | None = None
    grace_us: Micros = 10 * SECOND  # between "please stop" and the kill
    start_within_us: Micros = MINUTE
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    overlap: Overlap = Overlap.SKIP
    misfire: Misfire = field(default_factory=Misfire)
    on_lost: OnLost = OnLost.RERUN
    max_lost: int = 3
    exclusive: bool = False
    isolation: Isolation | None = None
    require: Mapping[str, str] = field(default_factory=dict)  # labels a worker must have
    prefer: Mapping[str, Preference] = field(default_factory=dict)  # labels that a worker had better have
    avoid: Mapping[str, str] = field(default_factory=dict)  # labels that a worker had better not have
    spread: str | None = None  # the label over whose values runs are spread
    route: RouteChoice = ANY_ROUTE  # which of the fitting workers gets a run
    max_running: int | None = None  # concurrency of this job
    max_waiting: int | None = None  # of its runs that nobody has begun; beyond it a trigger is refused
    limits: Mapping[str, int] = field(default_factory=dict)  # named resources: name -> how many runs may hold it
    takes: Mapping[str, int] = field(default_factory=dict)  # how much of a named resource a run holds; else 1
    max_per_worker: int | None = None  # of its runs on one worker at a time
    max_per_key: int | None = None  # of its runs at a time for each value of the parameter `concurrency_by`
    concurrency_by: str | None = None
    rate: Rate | None = None  # how many of its runs may start in a time
    rate_burst: int | None = None  # how many of them at once after a quiet time; None: the usual number
    rate_by: str | None = None  # the rate is for each value of this parameter
    debounce: Debounce | None = None  # triggers close together become one late run
    throttle: TriggerRate | None = None  # triggers close together become one early run
    shards: Shards = 0  # 0: not sharded
    merge: JobHandler | None = None  # a Python function that runs once after every shard succeeded
    description: str = ""
    owner: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    alert: AlertPolicy | None = None
    keep_when_removed: bool = False  # it stays active when the code that declared it does so no more

    @property
    def is_serial(self) -> bool:
        return self.overlap.is_serial

    @property
    def wishes(self) -> Wishes:
        """What it wishes of the workers that fit it."""
        return Wishes(prefer=self.prefer, avoid=self.avoid, spread=self.spread)

    @property
    def chooses(self) -> str:
        """The first field that chooses between the workers that fit it; empty: whoever asks first gets a run."""
        if not self.route.is_any:
            return "route"
        return next((name for name in ("prefer", "avoid", "spread") if getattr(self, name)), "")

    @property
    def is_routed(self) -> bool:
        """Whether somebody has to say which worker a run is for."""
        return self.is_broadcast or self.chooses != ""

    @property
    def is_weighted(self) -> bool:
        """Whether a run takes more than one of some limit."""
        return any(takes > 1 for takes in self.takes.values())

    @property
    def bucket(self) -> Bucket | None:
        """Its rate and burst."""
        return None if self.rate is None else Bucket.of(self.rate, self.rate_burst)

    @property
    def is_keyed(self) -> bool:
        """Whether its runs count by the value of a parameter."""
        return self.max_per_key is not None or self.rate_by is not None

    @property
    def is_broadcast(self) -> bool:
        """Whether each worker gets a shard. Such a run is cut when workers ask for runs, and not before."""
        return self.shards == EACH_WORKER

    @property
    def cut_into(self) -> int:
        """Into how many shards a run is cut when it gets its place in line."""
        return 0 if self.shards == EACH_WORKER else self.shards

    @property
    def has_windows(self) -> bool:
        """Whether one run may stand for several triggers."""
        return self.debounce is not None or self.throttle is not None

    @property
    def is_delayed(self) -> bool:
        """Whether its next fire counts from the end of the last."""
        return self.schedule is not None and self.schedule.fixed_delay_us is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """What a run needs of a worker: group, offer, labels; and what leasing must heed: limits, exclusivity."""

    group: str
    offer: str  # what the worker must be able to execute: python:billing.jobs:settle, sql:reports, http
    require: tuple[tuple[str, str], ...] = ()
    limits: tuple[str, ...] = ()  # names of rows in `limits`, each as often as a run takes of it (`tokens_of`)
    exclusive: bool = False
    at_most_once: bool = False
    namespace: str | None = None  # None: made before lanes had one; runs of any namespace may wait in it
    routed: bool = False  # a run is leased from it only after its route was asked, or it was cut for the workers
    rates: tuple[str, ...] = ()  # names of rows in `limits` of which a start takes a token
    keyed: int | None = None  # the job whose runs count by the value of a parameter; others have other lanes
    per_worker: tuple[int, int] | None = None  # the job, and how many of its runs one worker may have

    def fits(
        self, *, group: str, offers: Collection[str], labels: Mapping[str, str], namespace: str | None = None
    ) -> bool:
        """Whether a worker of this group, with these offers and labels, may run what is in this lane.

        `namespace`: the only one it serves. In a lane without one, leasing looks at each run.
        """
        return (
            self.group == group
            and self.offer in offers
            and (namespace is None or self.namespace in (None, namespace))
            and all(labels.get(key) == want for key, want in self.require)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedJob:
    """A job version ready for use: definition compiled, lane known. Cached by (job_id, version)."""

    job_id: int
    version: int
    namespace: str
    name: str
    definition: Definition
    lane_id: int
    merge_lane_id: int | None = None
    is_plain: bool = field(init=False, compare=False, repr=False)  # a fire of it needs to know the next instant alone
    has_plain_jitter: bool = field(init=False, compare=False, repr=False)  # as plain, but for its jitter
    asks_route: bool = field(init=False, compare=False, repr=False)  # a route says for whom each of its fires is

    def __post_init__(self) -> None:
        is_plain = _is_plain_but_for_jitter(self.definition)
        jitter_us = 0 if self.definition.schedule is None else self.definition.schedule.jitter_us
        object.__setattr__(self, "is_plain", is_plain and not jitter_us)
        object.__setattr__(self, "has_plain_jitter", is_plain and bool(jitter_us))
        object.__setattr__(self, "asks_route", self.definition.chooses != "" and not self.definition.shards)


def lane_of(
    job_id: int,
    definition: Definition,
    *,
    namespace: str,
    handler: JobHandler | None = None,
    shared: Collection[str] = (),
) -> Lane:
    """The lane of a job's runs (or, with `handler`, of its merge run). `shared`: limits of the whole cluster."""
    limits: list[str] = []
    for name in definition.limits:
        key = limit_key(name, None if name in shared else namespace)
        limits += [key] * definition.takes.get(name, 1)
    if definition.max_running is not None:
        limits.append(job_key(job_id))
    return Lane(
        group=definition.group,
        offer=(handler or definition.handler).offer,
        require=tuple(sorted(definition.require.items())),
        limits=tuple(sorted(limits)),
        exclusive=definition.exclusive,
        at_most_once=definition.on_lost is OnLost.FAIL,
        namespace=namespace,
        routed=handler is None and definition.is_routed,  # a merge run goes to whoever asks first
        rates=(rate_key(job_id),) if definition.rate is not None and definition.rate_by is None else (),
        keyed=job_id if handler is None and definition.is_keyed else None,  # a merge run is for all keys of its shards
        per_worker=None if definition.max_per_worker is None else (job_id, definition.max_per_worker),
    )


def _is_plain_but_for_jitter(definition: Definition) -> bool:
    """No calendar, no fixed delay, no limit of what waits: a fire needs to know the next instant alone."""
    schedule = definition.schedule
    return (
        schedule is not None
        and definition.max_waiting is None
        and schedule.calendar_name is None
        and schedule.fixed_delay_us is None
        and not any(isinstance(trigger, Schedule) for trigger in schedule.triggers)
    )
