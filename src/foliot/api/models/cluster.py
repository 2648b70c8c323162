"""Nodes, the cluster, events, tokens, backfills and search hits as JSON."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

from fastapi import Body
from pydantic import Field

from foliot.api.models.alerts import AlertCountsOut
from foliot.api.models.beside_the_store import CoordinatorOut, ReplicaOut
from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Name, Reason, Seconds, moment, one_of, seconds
from foliot.api.models.maintenance import MaintenanceOut
from foliot.api.models.runs import RunOut
from foliot.api.models.states import BackfillWord, HealthWord, LifeWord, NodeWord, RoleWord
from foliot.domain.errors import ClusterTrouble
from foliot.domain.health import Health
from foliot.domain.run import format_run_id
from foliot.operations.nodes import ClusterState, Node
from foliot.operations.search import Hit
from foliot.ports.store.backfills import BackfillRow
from foliot.ports.store.journal import Event
from foliot.ports.store.tokens import TokenRecord
from foliot.ports.worker_link import KindFailure, KindOffer
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.phrases import phrase


class NodeKindOut(ApiOutput):
    """A kind of handler that a worker has."""

    kind: str
    version: str

    @classmethod
    def of(cls, stated: KindOffer) -> "NodeKindOut":
        return cls(kind=stated.kind, version=stated.version)


class FailedKindOut(ApiOutput):
    """A kind of handler that an installed package brings, and that does not work at a worker."""

    kind: str
    package: str
    version: str
    why: str

    @classmethod
    def of(cls, failed: KindFailure) -> "FailedKindOut":
        return cls(kind=failed.kind, package=failed.package, version=failed.version, why=failed.why)


class NodeOut(ApiOutput):
    """A node session."""

    name: str
    id: str = Field(description="Of this session of the node: one that is restarted gets another.", examples=["n-5f1c"])
    kind: str
    health: HealthWord
    health_since: Moment | None = Field(None, description="When its beats last changed its band; null: they never did.")
    health_why: str | None = Field(None, description="Why it is not ONLINE, and what share of work it gets.")
    state: NodeWord
    life: LifeWord
    life_times: dict[str, Moment] = Field(description="When it came how far: STARTING to GONE.")
    is_leader: bool
    role: RoleWord | None = Field(None, description="Of a server: a standby fires and leases nothing.")
    role_since: Moment | None = Field(None, description="When it was promoted or demoted; null: it never was.")
    group: str
    labels: dict[str, str]
    slots: int
    slots_given: int = Field(description="For so many of its slots it gets runs: fewer in WARNING, none in OFFLINE.")
    weight: int | None = Field(None, description="Of a worker, from 1 to 100: its share of work beside other workers.")
    running: int
    handlers: list[str]
    kinds: list[NodeKindOut] = Field(description="Kinds of handlers that it has, with the version of each.")
    failed_kinds: list[FailedKindOut] = Field(description="Installed kinds that do not work there.")
    version: str
    host: str
    pid: int
    started_at: Moment
    last_beat_at: Moment
    beat_age_s: Seconds
    ended_at: Moment | None = None
    clock_offset_s: Seconds | None = Field(
        None, description="Its wall clock is so far ahead of the store's; negative: behind. It decides nothing."
    )
    protocol: int = Field(description="Of the worker protocol, as it speaks it.")
    address: str | None = Field(None, description="Where workers reach a server that is started with --advertise.")
    load: dict[str, float]
    score: float | None = Field(None, description="How loaded it is, from 0 to 1, by its last beat.")
    drained_by: str | None = None
    runs: list[RunOut] | None = None

    @classmethod
    def of(cls, node: Node, language: Language) -> "NodeOut":
        row = node.row
        return cls(
            name=row.name,
            id=row.handle,
            kind=row.kind,
            health=node.health.value,
            health_since=moment(row.band_at),
            health_why=_health_why(node, language),
            state=row.state,
            life=row.life.value,
            life_times={life.value: moment(at) or "" for life, at in row.life_times.items()},
            is_leader=node.is_leader,
            role=row.role,
            role_since=moment(row.role_at),
            group=row.group,
            labels=dict(row.labels),
            slots=row.slots,
            slots_given=node.slots_given,
            weight=row.weight if row.kind == "worker" else None,
            running=row.running,
            handlers=sorted(row.handlers),
            kinds=[NodeKindOut.of(stated) for stated in row.kinds.loaded],
            failed_kinds=[FailedKindOut.of(failed) for failed in row.kinds.failed],
            version=row.version,
            host=row.host,
            pid=row.pid,
            started_at=moment(row.started_at) or "",
            last_beat_at=moment(row.last_beat_at) or "",
            beat_age_s=seconds(node.beat_age_us) or 0.0,
            ended_at=moment(row.ended_at),
            clock_offset_s=seconds(row.clock_offset_us),
            protocol=row.protocol,
            address=row.address,
            load=dict(row.load),
            score=row.load.get("score"),
            drained_by=row.drained_by,
        )


def _health_why(node: Node, language: Language) -> str | None:
    if node.health is Health.DEAD:
        return phrase("band_dead", {"age_us": node.beat_age_us}, language)
    if node.cause is None:
        return None
    load = node.row.load
    starved = load.get("starved")
    said = {
        "age_us": node.beat_age_us,
        "score": f"{load.get('score', 0):.2f}",
        "starved": f"{starved:.0%}" if starved else None,
        "memory": f"{load.get('memory', 0):.0%}",
        "given": node.slots_given if node.row.slots else None,
        "slots": node.row.slots or None,
    }
    return phrase(f"band_{node.cause}", said, language)


class NodesOut(Listed):
    """Every node."""

    items: list[NodeOut]


class DrainNode(ApiInput):
    """Why a node is drained or taken back, promoted or demoted."""

    reason: Reason = ""


class StepDown(ApiInput):
    """Who is to lead; the server that has been there longest, unless said."""

    to: Name | None = None
    reason: Reason = ""


MaybeDrainNode = Annotated[DrainNode, Body(default_factory=DrainNode)]
MaybeStepDown = Annotated[StepDown, Body(default_factory=StepDown)]


class HandoverOut(ApiOutput):
    """Who led, and who leads now."""

    before: str | None
    leader: str
    term: int


class TroubleOut(ApiOutput):
    """Something that is not well though it works."""

    code: str = Field(examples=["FOL-5004"])
    message: str
    hint: str | None = None

    @classmethod
    def of(cls, trouble: ClusterTrouble, language: Language) -> "TroubleOut":
        message, hint = tell(trouble, language)
        return cls(code=trouble.code, message=message, hint=hint)


_ANSWERING: Final = (Health.ONLINE, Health.WARNING)


class ClusterOut(ApiOutput):
    """The cluster at a glance. `queue` and `running` are counted to 10 000."""

    now: Moment
    store: str
    epoch: int
    leader: str | None
    leader_since: Moment | None = Field(
        None,
        description="When the leader's term began; null: nobody leads, this is no longer in the journal, or the store "
        "was restarted or restored since.",
    )
    term: int
    clock_suspect: bool = Field(description="The store's clock is not trusted, because servers saw it jump.")
    clock_ahead_s: Seconds | None = Field(
        None, description="While it is suspect: so far ahead of the time that instants are due by."
    )
    maintenance: MaintenanceOut | None = Field(None, description="While it is on, no server decides.")
    servers_online: int
    workers_online: int
    workers_warning: int
    slots: int
    queue: int
    running: int
    oldest_ready_s: Seconds | None = Field(None, description="How long the oldest ready run waits.")
    overdue_s: Seconds | None = Field(None, description="How long the earliest due instant is undecided.")
    coordinators: list[CoordinatorOut] = Field(description="Empty: the store itself holds elections.")
    replica: ReplicaOut | None = Field(None, description="Null: no server has a replica.")
    alerts: AlertCountsOut = Field(default_factory=AlertCountsOut)
    troubles: list[TroubleOut]
    nodes: list[NodeOut]

    @classmethod
    def of(cls, cluster: ClusterState, language: Language) -> "ClusterOut":
        row = cluster.row
        present = [node for node in cluster.nodes if not node.health.is_gone]
        servers = [node for node in present if node.row.kind == "server"]
        workers = [node for node in present if node.row.kind != "server"]
        return cls(
            now=moment(row.now) or "",
            store=row.store,
            epoch=row.epoch,
            leader=row.leader,
            leader_since=moment(row.leader_since),
            term=row.term,
            clock_suspect=row.clock_suspect,
            clock_ahead_s=seconds(row.clock_ahead_us),
            maintenance=MaintenanceOut.of(row.maintenance),
            servers_online=sum(node.health in _ANSWERING for node in servers),
            workers_online=_processes(node for node in workers if node.health in _ANSWERING),
            workers_warning=_processes(node for node in workers if node.health is not Health.ONLINE),
            slots=sum(node.row.slots for node in workers),
            queue=row.queue,
            running=row.running,
            oldest_ready_s=None if row.oldest_ready_at is None else seconds(max(0, row.now - row.oldest_ready_at)),
            overdue_s=None if row.overdue_at is None else seconds(row.now - row.overdue_at),
            coordinators=[CoordinatorOut.of(state) for state in cluster.coordinators()],
            replica=ReplicaOut.of(cluster.replica()),
            alerts=AlertCountsOut.of(cluster.alerts),
            troubles=[TroubleOut.of(trouble, language) for trouble in cluster.troubles()],
            nodes=[NodeOut.of(node, language) for node in cluster.nodes],
        )


def _processes(workers: Iterable[Node]) -> int:
    """One process may have several sessions: one for each kind of handler with slots of its own."""
    return len({(node.row.name, node.row.host, node.row.pid) for node in workers})


class EventOut(ApiOutput):
    """Something that happened."""

    id: int
    at: Moment
    topic: Literal["jobs", "runs", "nodes", "cluster"]
    kind: str = Field(examples=["job.paused"])
    subject: str
    by: str
    namespace: str | None
    data: dict[str, Any]

    @classmethod
    def of(cls, event: Event) -> "EventOut":
        return cls(
            id=event.id,
            at=moment(event.at) or "",
            topic=event.topic.value,
            kind=event.kind,
            subject=event.subject,
            by=event.by,
            namespace=event.namespace,
            data=dict(event.data),
        )


class HitOut(ApiOutput):
    """Something that was found."""

    kind: Annotated[str, one_of("job", "run", "node", "check")]
    name: str
    namespace: str | None
    detail: str

    @classmethod
    def of(cls, hit: Hit) -> "HitOut":
        return cls(kind=hit.kind, name=hit.name, namespace=hit.namespace, detail=hit.detail)


class HitsOut(Listed):
    """What was found, the best first."""

    items: list[HitOut]


class NewTokenIn(ApiInput):
    """A token to make."""

    name: Name
    scopes: list[str] = Field(min_length=1, max_length=6, examples=[["read", "run"]])
    expires: str | float = Field("90d", examples=["90d"])
    namespace: Name | None = None
    group: Name | None = None


class RotateToken(ApiInput):
    """How long the old secret goes on."""

    grace: str | float = Field("24h", examples=["24h"])


MaybeRotateToken = Annotated[RotateToken, Body(default_factory=RotateToken)]


class TokenOut(ApiOutput):
    """A token without its secret."""

    id: str
    name: str
    scopes: list[str]
    namespace: str | None
    group: str | None
    created_at: Moment
    created_by: str
    expires_at: Moment
    last_used_at: Moment | None
    revoked_at: Moment | None

    @classmethod
    def of(cls, token: TokenRecord) -> "TokenOut":
        return cls(
            id=token.id,
            name=token.name,
            scopes=sorted(token.scopes),
            namespace=token.namespace,
            group=token.group,
            created_at=moment(token.created_at) or "",
            created_by=token.created_by,
            expires_at=moment(token.expires_at) or "",
            last_used_at=moment(token.last_used_at),
            revoked_at=moment(token.revoked_at),
        )


class TokensOut(Listed):
    """Tokens, newest first."""

    items: list[TokenOut]


class IssuedOut(ApiOutput):
    """A new token with its secret, which is shown this once."""

    token: str = Field(examples=["fol_…"])
    record: TokenOut


class WhoOut(ApiOutput):
    """Who asks."""

    name: str
    scopes: list[str]
    namespace: str | None
    group: str | None


class LoginIn(ApiInput):
    """A one-time code."""

    code: str = Field(min_length=1, max_length=40, examples=["7Q4M-2XKD-9TRA"])
    cookie: bool = Field(False, description="Set the session cookie of the console as well.")


class LoginCodeOut(ApiOutput):
    """A code for one login."""

    code: str
    path: str = Field(description="To be opened in a browser, behind the server's address.")
    expires_at: Moment


class NewBackfillIn(ApiInput):
    """Which instants of the past get a run. `from` is included, `to` is not."""

    job: Name
    namespace: Name | None = None
    from_: Moment = Field(alias="from")
    to: Moment | None = Field(None, description="Left out: up to now, by the store's clock.")
    only: Literal["missing", "failed", "all"] = "missing"
    parallel: int = Field(4, ge=1, le=100)
    newest_first: bool = False
    params: dict[str, Any] | None = None
    reason: Reason = ""


class StartBackfillIn(NewBackfillIn):
    """The same with an end, which the preview says as `to_at`, and the preview's token."""

    to: Moment
    token: str = Field(min_length=1, max_length=100)


class BackfillPreviewOut(ApiOutput):
    """The exact instants a backfill would run, in order (the first 1000), and the token that confirms just these."""

    job: str
    from_at: Moment
    to_at: Moment
    count: int
    parallel: int
    first: Moment | None
    last: Moment | None
    instants: list[Moment]
    token: str


class BackfillOut(ApiOutput):
    """A backfill."""

    id: int
    job: str
    namespace: str
    version: int
    from_at: Moment
    to_at: Moment
    only: str
    parallel: int
    newest_first: bool
    state: BackfillWord
    total: int
    inserted: int
    succeeded: int
    failed: int
    live: list[str]
    created_at: Moment
    created_by: str
    reason: str
    ended_at: Moment | None

    @classmethod
    def of(cls, row: BackfillRow) -> "BackfillOut":
        return cls(
            id=row.id,
            job=row.job,
            namespace=row.namespace,
            version=row.version,
            from_at=moment(row.from_at) or "",
            to_at=moment(row.to_at) or "",
            only=row.selection.value,
            parallel=row.parallel,
            newest_first=row.newest_first,
            state=row.state.value,
            total=row.total,
            inserted=row.inserted,
            succeeded=row.succeeded,
            failed=row.failed,
            live=[format_run_id(run_id) for run_id in row.live],
            created_at=moment(row.created_at) or "",
            created_by=row.created_by,
            reason=row.reason,
            ended_at=moment(row.ended_at),
        )


class CronIn(ApiInput):
    """A cron expression to explain."""

    expression: str = Field(min_length=1, max_length=500, examples=["0 2 * * 1-5"])
    timezone: str = Field("UTC", max_length=100)
    dialect: Literal["unix", "quartz", "spring"] | None = None
    count: int = Field(5, ge=1, le=100)


class CronOut(ApiOutput):
    """A cron expression in words, its next instants, and what may surprise."""

    expression: str
    words: str
    next: list[Moment]
    warnings: list[dict[str, str | None]]
