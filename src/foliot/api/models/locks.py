"""Locks as JSON. Tokens are texts: they are larger than the numbers that every JSON reader keeps whole."""

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, Seconds, moment, one_of, seconds
from foliot.domain.instants import Micros
from foliot.domain.locks import mode_word
from foliot.domain.run import format_run_id
from foliot.ports.store.locks import ClaimShown, LockAnswer, LockShown

Duration = str | float


class LockClaimIn(ApiInput):
    """A claim on a lock. Sent again, the same claim goes on waiting, or is renewed for another ttl."""

    ttl: Duration = Field("1m", description="How long it is held unless it is renewed.", examples=["1m", 30])
    token: str | None = Field(
        None, pattern="^[0-9]{1,19}$", description="Of a claim that holds the lock: renew it, and do nothing else."
    )
    at_once: bool = Field(False, description="True: when the lock is taken, do not wait in line.")
    shared: bool = Field(False, description="Any number of shared claims hold the lock together.")
    slots: int = Field(1, ge=1, le=10_000, description="This many owners may hold the lock together.")


class LockClaimOut(ApiOutput):
    """How far a claim is."""

    name: str = Field(examples=["acct:42"])
    namespace: str
    claim: str
    state: str = one_of("HELD", "WAITING")
    token: str | None = Field(description="The fencing token of a held lock; it rises with every grant.")
    ttl_seconds: Seconds | None

    @classmethod
    def of(cls, name: str, namespace: str, claim: str, answer: LockAnswer, ttl_us: Micros) -> "LockClaimOut":
        return cls(
            name=name,
            namespace=namespace,
            claim=claim,
            state=str(answer.state).upper(),
            token=None if answer.token is None else str(answer.token),
            ttl_seconds=seconds(ttl_us),
        )


class LockOwnerOut(ApiOutput):
    """One claim of a lock, as people see it."""

    owner: str = Field(description="The run, or the name of the token.", examples=["r-8k2f"])
    job: str | None
    node: str | None
    mode: str = Field(examples=["exclusive", "shared", "1 of 4"])
    token: str | None
    asked_at: Moment
    granted_at: Moment | None
    until: Moment = Field(description="Of a holder: when its time is over unless it is renewed.")

    @classmethod
    def of(cls, claim: ClaimShown) -> "LockOwnerOut":
        return cls(
            owner=claim.by if claim.run_id is None else format_run_id(claim.run_id),
            job=claim.job,
            node=claim.node,
            mode=mode_word(claim.most),
            token=None if claim.token is None else str(claim.token),
            asked_at=moment(claim.asked_at) or "",
            granted_at=moment(claim.granted_at),
            until=moment(claim.until) or "",
        )


class LockOut(ApiOutput):
    """A lock, those who hold it, and those who wait for it in their order."""

    name: str = Field(examples=["acct:42"])
    namespace: str
    token: str = Field(description="The highest token that was drawn.")
    holders: list[LockOwnerOut]
    waiters: list[LockOwnerOut]
    advice: str | None = Field(None, description="In which order to take it and other locks, where it is shown alone.")

    @classmethod
    def of(cls, lock: LockShown, advice: str | None = None) -> "LockOut":
        return cls(
            name=lock.name,
            namespace=lock.namespace,
            token=str(lock.token),
            holders=[LockOwnerOut.of(claim) for claim in lock.holders],
            waiters=[LockOwnerOut.of(claim) for claim in lock.waiters],
            advice=advice,
        )


class LockReleaseIn(ApiInput):
    """Take a lock away from whoever holds it."""

    token: str = Field(pattern="^[0-9]{1,19}$", description="Of the hold that is to end.")
    reason: Reason = ""
