"""Failovers and their policies as JSON."""

from typing import Any, Final

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, Seconds, moment, one_of, seconds
from foliot.domain.failover import Affected, ClusterTimes, FailoverPolicy, FailoverType
from foliot.domain.instants import Instant
from foliot.domain.roles import SeenServers, ServerRules
from foliot.domain.run import format_run_id
from foliot.operations.failovers import Policies
from foliot.ports.store.failovers import Failover
from foliot.words.failovers import detection, detection_of
from foliot.words.language import Language

TYPES: Final = tuple(str(type_) for type_ in FailoverType)
RUNS_SHOWN: Final = 20


class AffectedOut(ApiOutput):
    """What a failure touched. Counts are whole; of names and runs only some are named."""

    runs: int
    run_ids: list[str] = Field(examples=[["r-8k2f"]])
    jobs: list[str]
    nodes: list[str]
    locks: list[str]

    @classmethod
    def of(cls, affected: Affected) -> "AffectedOut":
        run_ids = [format_run_id(run_id) for run_id in affected.run_ids[:RUNS_SHOWN]]
        return cls(
            runs=affected.runs,
            run_ids=run_ids,
            jobs=list(affected.jobs),
            nodes=list(affected.nodes),
            locks=list(affected.locks),
        )


class FailoverOut(ApiOutput):
    """One failure, from its beginning to its end."""

    id: int
    type: str = one_of(*TYPES)
    subject: str = Field(description="The name of the node, lock, job or service.")
    namespace: str | None = Field(description="Of a lock or a job.")
    began_at: Moment = Field(description="As far as it is known: of a node, its last beat.")
    detected_at: Moment
    detection: str = Field(description="How it was detected, in words.")
    evidence: dict[str, Any] = Field(description="What was seen, in numbers and names.")
    affected: AffectedOut
    action: str = Field(description="What Foliot does about it.", examples=["immediate_failover"])
    attempts: int = Field(description="How often the action was needed.")
    outcome: str | None = Field(
        description="null: it is open.", json_schema_extra={"enum": ["recovered", "losses", None]}
    )
    done: dict[str, Any] = Field(description="What was done, in numbers.", examples=[{"returned": 12, "lost": 0}])
    ended_at: Moment | None
    lasted_s: Seconds = Field(description="From its beginning to its end, or until now.")
    term: int | None = Field(description="Of the leader that noted it; null: a server noted what it saw itself.")
    escalated_at: Moment | None = Field(description="Since when it needs a person, by its policy.")
    level: str | None
    channel: str | None

    @classmethod
    def of(cls, one: Failover, now: Instant, language: Language) -> "FailoverOut":
        return cls(
            id=one.id,
            type=str(one.type),
            subject=one.subject,
            namespace=one.namespace,
            began_at=moment(one.began_at) or "",
            detected_at=moment(one.detected_at) or "",
            detection=detection(one, language),
            evidence=dict(map(_shown, one.evidence.items())),
            affected=AffectedOut.of(one.affected),
            action=str(one.action),
            attempts=one.attempts,
            outcome=None if one.outcome is None else str(one.outcome),
            done=dict(one.done),
            ended_at=moment(one.ended_at),
            lasted_s=seconds(one.lasted_us(now)) or 0.0,
            term=one.term,
            escalated_at=moment(one.escalated_at),
            level=None if one.level is None else str(one.level),
            channel=one.channel or None,
        )


class PolicyOut(ApiOutput):
    """What is done about one type of failure, and when it needs a person."""

    type: str = one_of(*TYPES)
    detection: str = Field(description="How it is detected, in words.")
    action: str = Field(description="What Foliot does about it; the protocol fixes it.")
    timeout_s: Seconds = Field(description="A failure that lasts longer needs a person.")
    attempts: int | None = Field(description="One that needs its action more often, too; null: it is not counted.")
    level: str = one_of("low", "medium", "high", "critical")
    channel: str | None = Field(description="The channel that escalations are told to; null: the default ones.")
    settings: list[str] = Field(description="What can be set.")
    version: int = Field(description="0: as Foliot brings it.")

    @classmethod
    def of(cls, policy: FailoverPolicy, language: Language) -> "PolicyOut":
        return cls(
            type=str(policy.type),
            detection=detection_of(policy.type, language),
            action=str(policy.action),
            timeout_s=seconds(policy.timeout_us) or 0.0,
            attempts=policy.attempts,
            level=str(policy.level),
            channel=policy.channel or None,
            settings=list(policy.settings),
            version=policy.version,
        )


class ClusterTimesOut(ApiOutput):
    """The times that the servers are started with; policies must fit them."""

    heartbeat_interval_s: Seconds
    failure_threshold: int = Field(description="Beats that a node may miss before it is dead.")
    failover_timeout_s: Seconds = Field(description="Until the runs of a dead node may run elsewhere.")
    leader_ttl_s: Seconds
    lock_timeout_s: Seconds = Field(description="Of a lock whose owner says none.")
    promotion_timeout_s: Seconds = Field(description="Until a standby works in the place of a dead server.")

    @classmethod
    def of(cls, times: ClusterTimes) -> "ClusterTimesOut":
        return cls(
            heartbeat_interval_s=seconds(times.beat_every_us) or 0.0,
            failure_threshold=times.failure_threshold,
            failover_timeout_s=seconds(times.failover_us) or 0.0,
            leader_ttl_s=seconds(times.leader_ttl_us) or 0.0,
            lock_timeout_s=seconds(times.lock_ttl_us) or 0.0,
            promotion_timeout_s=seconds(times.promotion_us) or 0.0,
        )


class ServerRulesOut(ApiOutput):
    """How many servers the cluster is to have."""

    active_min: int = Field(description="While fewer servers are active, a standby is promoted.")
    standby_count: int = Field(description="While fewer standbys live, the doctor warns.")
    version: int = Field(description="0: as Foliot brings it.")

    @classmethod
    def of(cls, rules: ServerRules) -> "ServerRulesOut":
        return cls(active_min=rules.active_min, standby_count=rules.standby_count, version=rules.version)


class ServersOut(ServerRulesOut):
    """How many servers there are, and how many there are to be."""

    active: int = Field(description="Live ones that fire, lease and can lead.")
    standbys: int = Field(description="Live ones that can be promoted.")

    @classmethod
    def of_seen(cls, seen: SeenServers) -> "ServersOut":
        rules = ServerRulesOut.of(seen.rules)
        return cls(active=seen.active, standbys=len(seen.standbys), **rules.model_dump())


class ServerRulesIn(ApiInput):
    """What is to change; what is left out stays."""

    active_min: int | None = Field(None, examples=[2])
    standby_count: int | None = Field(None, examples=[1])
    version: int | None = Field(None, ge=0, description="That was seen; left out: whatever it is by now.")
    reason: Reason = ""


class PoliciesOut(ApiOutput):
    """The policy of every type, the times of the cluster, and its servers."""

    items: list[PolicyOut]
    times: ClusterTimesOut
    servers: ServersOut

    @classmethod
    def of(cls, policies: Policies, language: Language) -> "PoliciesOut":
        items = [PolicyOut.of(policy, language) for policy in policies.items.values()]
        servers = ServersOut.of_seen(policies.servers)
        return cls(items=items, times=ClusterTimesOut.of(policies.times), servers=servers)


class PolicyIn(ApiInput):
    """What is to change; what is left out stays."""

    timeout: str | float | None = Field(None, examples=["45s", 45])
    attempts: int | None = Field(None, examples=[20])
    level: str | None = Field(None, max_length=20, examples=["high"])
    channel: str | None = Field(None, max_length=100, description="`-`: nobody.", examples=["night-shift"])
    version: int | None = Field(None, ge=0, description="That was seen; left out: whatever it is by now.")
    reason: Reason = ""


def _shown(item: tuple[str, Any]) -> tuple[str, Any]:
    """A piece of evidence as the API writes it: seconds and moments."""
    name, value = item
    if name.endswith("_us"):
        return f"{name[:-3]}_s", seconds(value)
    if name.endswith("_at"):
        return name, moment(value)
    return name, value
