"""Named limits as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Reason
from foliot.ports.store.limits import NamedLimit


class LimitIn(ApiInput):
    """How many runs a limit of the whole cluster lets through at once."""

    max: int = Field(ge=1, le=100_000, examples=[4])
    reason: Reason = ""


class LimitOut(ApiOutput):
    """A named limit, and how many runs hold it now."""

    name: str = Field(examples=["settle-db"])
    namespace: str | None = Field(description="Whose it is; null: of the whole cluster.")
    max: int
    used: int

    @classmethod
    def of(cls, limit: NamedLimit) -> "LimitOut":
        return cls(name=limit.name, namespace=limit.namespace, max=limit.max, used=limit.used)
