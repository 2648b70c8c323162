"""What stands beside the store, as `cluster status` shows it: coordination services and replicas."""

from pydantic import Field

from foliot.api.models.common import ApiOutput, Seconds
from foliot.operations.nodes import CoordinatorState, ReplicaState


class CoordinatorOut(ApiOutput):
    """A coordination service beside the store, by which servers elect their leader."""

    name: str = Field(examples=["redis"])
    servers: int
    reached_by: int = Field(description="How many of these servers had its answer within the last term.")
    latency_s: float | None = Field(None, description="How long the slowest of their last answers took.")

    @classmethod
    def of(cls, state: CoordinatorState) -> "CoordinatorOut":
        return cls(name=state.name, servers=state.servers, reached_by=state.reached_by, latency_s=state.latency_s)


class ReplicaOut(ApiOutput):
    """Replicas of the store, which answer reads while it is away."""

    servers: int = Field(description="How many servers have one.")
    fit: int = Field(description="At how many of these it can answer.")
    age_s: Seconds | None = Field(None, description="How old the oldest of their answers would be at most.")

    @classmethod
    def of(cls, state: ReplicaState | None) -> "ReplicaOut | None":
        return None if state is None else cls(servers=state.servers, fit=state.fit, age_s=state.age_s)
