"""Skips as they are answered."""

from pydantic import Field

from foliot.api.models.common import ApiOutput, Moment, moment, one_of
from foliot.domain.fire import SkipReason
from foliot.ports.store.skips import JobSkip


class SkipOut(ApiOutput):
    """Instants of a job that were due and got no run: one, or a range."""

    id: int
    job: str
    namespace: str
    from_at: Moment
    to_at: Moment = Field(description="The last of them; where it is one instant, the same as `from_at`.")
    count: int = Field(description="How many they are.")
    reason: str = one_of(*SkipReason)
    why: str = Field(examples=["an earlier run was still open"])
    version: int
    decided_at: Moment

    @classmethod
    def of(cls, one: JobSkip) -> "SkipOut":
        skip = one.skip
        return cls(
            id=one.id,
            job=one.job,
            namespace=one.namespace,
            from_at=moment(skip.from_at) or "",
            to_at=moment(skip.to_at) or "",
            count=skip.count,
            reason=skip.reason,
            why=skip.why,
            version=skip.version,
            decided_at=moment(skip.decided_at) or "",
        )
