"""Limits as JSON."""

from typing import Any

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment
from foliot.domain.limits import LimitKind
from foliot.domain.run import format_run_id
from foliot.operations.limits import LimitSeen, LimitSet
from foliot.ports.store.limits import LimitHolder, LimitWaiter, NamedLimit


class LimitIn(ApiInput):
    """How many runs a limit of the whole cluster lets through at once, if each takes one of it."""

    max: int = Field(ge=1, le=100_000, examples=[4])
    reason: Reason = ""


class ScopeLimitIn(ApiInput):
    """What every run of a group or namespace counts in. What is left out stays as it is."""

    max: int | None = Field(default=None, ge=1, le=100_000, description="Runs at a time.", examples=[20])
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


class LimitSetOut(LimitOut):
    """A limit of the whole cluster that was just set."""

    namesakes: int = Field(
        default=0,
        description="Namespaces with a limit of their own of this name. Their jobs count in that one until they are "
        "saved with a change.",
    )

    @classmethod
    def set(cls, done: LimitSet) -> "LimitSetOut":
        return cls(**_shown(done.limit), namesakes=done.namesakes)


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


class LimitUserOut(ApiOutput):
    """A job that counts in a limit."""

    job: str
    namespace: str
    takes: int = Field(description="How much of the limit each of its runs takes.")


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
