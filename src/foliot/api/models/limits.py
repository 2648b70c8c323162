"""Limits as JSON."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment
from foliot.domain.limits import LimitKind
from foliot.domain.run import format_run_id
from foliot.operations.limits import JobKeys, LimitSeen, LimitSet
from foliot.ports.store.limits import KeyUse, LimitHolder, LimitWaiter, NamedLimit


class LimitIn(ApiInput):
    """How many runs a limit lets through at once, if each takes one of it."""

    max: int = Field(ge=1, le=100_000, examples=[4])
    reason: Reason = ""


class ScopeLimitIn(ApiInput):
    """What every run of a group or namespace counts in. What is left out stays as it is."""

    max: Annotated[int, Field(ge=1, le=100_000)] | Literal["none"] | None = Field(
        default=None, description="Runs at a time; `none`: any number.", examples=[20]
    )
    rate: str | None = Field(
        default=None, max_length=40, description="Starts in a time; `none`: any number.", examples=["100/m"]
    )
    burst: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Starts at once after a quiet time. Usually as many as the rate has in a second.",
    )
    reason: Reason = ""


class LimitOut(ApiOutput):
    """A limit, and how much of it runs hold now."""

    name: str = Field(description="Of the limit; or the group or namespace it is of.", examples=["settle-db"])
    namespace: str | None = Field(description="Whose it is; null: of the whole cluster.")
    max: int | None = Field(description="Null: any number; it has a rate alone.")
    used: int
    kind: LimitKind = Field(
        default=LimitKind.NAMED,
        description="`named`: jobs name it. `group`, `namespace`: every run there counts in it.",
    )
    rate: str | None = Field(default=None, examples=["100/m"])
    burst: int | None = Field(default=None, description="Starts at once after a quiet time.")
    next_at: Moment | None = Field(
        default=None, description="Its rate is used up: the next run may start then. Null: one may start now."
    )

    @classmethod
    def of(cls, limit: NamedLimit) -> "LimitOut":
        return cls(**_shown(limit))


class LimitUserOut(ApiOutput):
    """A job that counts in a limit."""

    job: str
    namespace: str
    takes: int = Field(description="How much of the limit each of its runs takes.")


class LimitSetOut(LimitOut):
    """A limit of the whole cluster or of a namespace that was just set."""

    namesakes: int = Field(
        default=0,
        description="Namespaces with a limit of their own of this name. Their jobs count in that one until they are "
        "saved with a change.",
    )

    stuck: list[LimitUserOut] = Field(
        default_factory=list,
        description="Jobs whose runs take more of it than there is: they can never start. The first 20.",
    )

    @classmethod
    def set(cls, done: LimitSet) -> "LimitSetOut":
        stuck = [LimitUserOut(job=user.job, namespace=user.namespace, takes=user.takes) for user in done.stuck]
        return cls(**_shown(done.limit), namesakes=done.namesakes, stuck=stuck)


def _shown(limit: NamedLimit) -> dict[str, Any]:
    bucket = limit.bucket
    return {
        "name": limit.name,
        "namespace": limit.namespace,
        "max": limit.max,
        "used": limit.used,
        "kind": limit.kind,
        "rate": None if bucket is None else str(bucket.rate),
        "burst": None if bucket is None else bucket.burst,
        "next_at": moment(limit.next_at),
    }


class LimitHolderOut(ApiOutput):
    """A run that holds a limit."""

    run: str = Field(examples=["r-8k2f"])
    job: str
    namespace: str
    worker: str | None
    since: Moment = Field(description="When a worker took it.")
    takes: int = Field(description="How much of the limit it holds.")

    @classmethod
    def of(cls, holder: LimitHolder) -> "LimitHolderOut":
        return cls(
            run=format_run_id(holder.run_id),
            job=holder.job,
            namespace=holder.namespace,
            worker=holder.worker,
            since=moment(holder.since) or "",
            takes=holder.takes,
        )


class LimitWaiterOut(ApiOutput):
    """The run that has waited longest."""

    run: str = Field(examples=["r-8k2f"])
    job: str
    namespace: str
    since: Moment = Field(description="When it could have started.")

    @classmethod
    def of(cls, waiter: LimitWaiter) -> "LimitWaiterOut":
        return cls(
            run=format_run_id(waiter.run_id),
            job=waiter.job,
            namespace=waiter.namespace,
            since=moment(waiter.since) or "",
        )


class KeyUseOut(ApiOutput):
    """A value of a parameter, or a worker, for which no further run of the job may start now."""

    value: str = Field(description="As JSON; of a worker: its name.", examples=['"acme"'])
    kind: LimitKind = Field(description="`key` or `worker`.")
    used: int = Field(description="Runs that execute.")
    max: int | None = Field(description="Null: as many have started as its rate allows.")
    next_at: Moment | None = Field(description="Of a rate: when the next run may start.")
    waiting: int = Field(description="Runs that wait for it, counted to 10 000.")
    holders: list[str] = Field(description="Runs that hold it, the first 5.", examples=[["r-8k2f"]])

    @classmethod
    def of(cls, key: KeyUse) -> "KeyUseOut":
        return cls(
            value=key.value,
            kind=key.kind,
            used=key.used,
            max=key.max,
            next_at=moment(key.next_at),
            waiting=key.waiting,
            holders=[format_run_id(run_id) for run_id in key.holders],
        )


class JobKeysOut(ApiOutput):
    """The limits of a job, and which keys and workers are full."""

    job: str
    namespace: str
    max_running: int | None
    max_per_key: int | None
    concurrency_by: str | None
    rate: str | None
    rate_burst: int | None
    rate_by: str | None
    max_per_worker: int | None
    full: list[KeyUseOut] = Field(description="The first 50, the fullest first.")

    @classmethod
    def seen(cls, seen: JobKeys) -> "JobKeysOut":
        place = seen.job.document.get("place") or {}
        said = {field: place.get(field) for field in _KEYED}
        return cls(
            job=seen.job.name, namespace=seen.job.namespace, **said, full=[KeyUseOut.of(key) for key in seen.full]
        )


_KEYED: Final = (
    "max_running",
    "max_per_key",
    "concurrency_by",
    "rate",
    "rate_burst",
    "rate_by",
    "max_per_worker",
)


class LimitUseOut(LimitOut):
    """A named limit: who holds it, who waits for it, which jobs count in it."""

    holders: list[LimitHolderOut] = Field(description="The first 200, the one that has it longest first.")
    hidden: int = Field(description="Runs of namespaces that the token does not see; they hold it, too.")
    waiting: int = Field(description="Runs of these jobs that are due and have not begun, counted to 10 000.")
    oldest: LimitWaiterOut | None
    jobs: list[LimitUserOut] = Field(description="The first 200 jobs that count in it, by name.")

    @classmethod
    def seen(cls, seen: LimitSeen) -> "LimitUseOut":
        use = seen.use
        return cls(
            **_shown(use.limit),
            holders=[LimitHolderOut.of(holder) for holder in use.holders],
            hidden=seen.hidden,
            waiting=use.waiting,
            oldest=None if use.oldest is None else LimitWaiterOut.of(use.oldest),
            jobs=[LimitUserOut(job=user.job, namespace=user.namespace, takes=user.takes) for user in use.users],
        )
