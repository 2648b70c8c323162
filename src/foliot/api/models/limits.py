"""Named limits as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment
from foliot.domain.run import format_run_id
from foliot.operations.limits import LimitSeen
from foliot.ports.store.limits import LimitHolder, LimitWaiter, NamedLimit


class LimitIn(ApiInput):
    """How many runs a limit of the whole cluster lets through at once, if each takes one of it."""

    max: int = Field(ge=1, le=100_000, examples=[4])
    reason: Reason = ""


class LimitOut(ApiOutput):
    """A named limit, and how much of it runs hold now."""

    name: str = Field(examples=["settle-db"])
    namespace: str | None = Field(description="Whose it is; null: of the whole cluster.")
    max: int
    used: int

    @classmethod
    def of(cls, limit: NamedLimit) -> "LimitOut":
        return cls(name=limit.name, namespace=limit.namespace, max=limit.max, used=limit.used)


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
            name=use.limit.name,
            namespace=use.limit.namespace,
            max=use.limit.max,
            used=use.limit.used,
            holders=[LimitHolderOut.of(holder) for holder in use.holders],
            hidden=seen.hidden,
            waiting=use.waiting,
            oldest=None if use.oldest is None else LimitWaiterOut.of(use.oldest),
            jobs=[LimitUserOut(job=user.job, namespace=user.namespace, takes=user.takes) for user in use.users],
        )
