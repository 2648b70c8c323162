"""What is not well with a cluster though it works: said where people look, never raised."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.errors import ClusterTrouble
from foliot.domain.instants import SECOND, Instant, Micros, isoformat
from foliot.ports.store.failovers import Failover
from foliot.ports.worker_link import KindFailure
from foliot.words.humane import human_duration

CLOCK_OFF_US: Final[Micros] = 5 * SECOND
"""A wall clock as far off as this confuses who reads its log times."""

NAMED_MAX: Final = 5  # nodes in one sentence


class NoLeader(ClusterTrouble):
    """No server leads: housekeeping waits, jobs do not."""

    code = "FOL-5002"

    def __init__(self, *, online: int, known: int, for_us: Micros | None) -> None:
        since = f" for {human_duration(for_us)}" if for_us is not None else ""
        super().__init__(
            f"{online} of {known} servers answer, none is leader{since}; electing. "
            "Jobs fire and run; housekeeping waits.",
            hint="if it stays so: foliot cluster events --topic cluster",
            online=online,
            known=known,
            for_us=for_us,
        )


class TooFewActive(ClusterTrouble):
    """Fewer servers are active than there are to be."""

    code = "FOL-5056"

    def __init__(self, *, active: int, least: int, standbys: int) -> None:
        super().__init__(
            f"{active} of at least {least} servers are active; {standbys} standbys can be promoted.",
            hint="start a server: foliot server --db URL; how many there are to be: foliot cluster policy",
            active=active,
            least=least,
            standbys=standbys,
        )


class IgnoresMaintenance(ClusterTrouble):
    """A server of an old version came after a maintenance began. Nothing in the store keeps it from deciding."""

    code = "FOL-5081"

    def __init__(self, server: str, version: str) -> None:
        super().__init__(
            f"{server} (foliot {version}) does not know maintenance and goes on deciding.",
            hint=f"upgrade or stop {server}",
            server=server,
            version=version,
        )


class FailoverEscalated(ClusterTrouble):
    """A failure that needs a person, by its policy."""

    code = "FOL-5057"

    def __init__(self, failover: Failover) -> None:
        super().__init__(
            f"A failure needs a person ({failover.level}): {failover.type} of {failover.subject}.",
            hint=f"foliot cluster failovers {failover.id}",
            level=str(failover.level),
            type=str(failover.type),
            subject=failover.subject,
            id=failover.id,
        )


class SchedulesAhead(ClusterTrouble):
    """Jobs stand further ahead than their schedules allow: they are silent until then."""

    code = "FOL-5006"

    def __init__(self, job: str, *, namespace: str, count: int, next_due_at: Instant | None) -> None:
        others = f" and at least {count - 1} more" if count > 1 else ""
        silent = f" until {isoformat(next_due_at)}" if next_due_at is not None else ""
        super().__init__(
            f"{job}{others} in namespace {namespace} would be silent{silent}, though the schedule has fires before; "
            "this happens when the store's clock was ahead.",
            hint=f"foliot job reschedule --all --dry-run -n {namespace}",
            job=job,
            namespace=namespace,
            count=count,
            next_due_at=next_due_at,
        )


class ClockOff(ClusterTrouble):
    """A node's wall clock is off; nothing is decided by it."""

    code = "FOL-5004"

    def __init__(self, node: str, *, ahead_us: Micros) -> None:
        lead = f"{human_duration(abs(ahead_us))} {'ahead' if ahead_us > 0 else 'behind'}"
        super().__init__(
            f"{node}'s clock is {lead}; its log times are off, runs are not affected.",
            hint=f"check time sync on {node}",
            node=node,
            ahead_us=ahead_us,
        )


class CoordinatorAway(ClusterTrouble):
    """Servers do not reach their coordination service: the store holds elections for them."""

    code = "FOL-5047"

    def __init__(self, name: str, *, away: int, servers: int) -> None:
        super().__init__(
            f"{away} of {servers} servers cannot reach the coordinator {name}; the store holds elections meanwhile. "
            "Jobs fire and run.",
            hint=f"check {name} and the way to it; see since when: foliot cluster events --topic cluster",
            name=name,
            away=away,
            servers=servers,
        )


class ReplicasUnfit(ClusterTrouble):
    """Servers have a replica that cannot answer in the store's place."""

    code = "FOL-5070"

    def __init__(self, *, unfit: int, servers: int) -> None:
        super().__init__(
            f"The replica of {unfit} of {servers} servers cannot answer in the store's place: while the store is away, "
            "reads fail there.",
            hint="check the replica and its replication; the server's log says why: replica.unfit",
            unfit=unfit,
            servers=servers,
        )


class KindFailed(ClusterTrouble):
    """A package brings a kind of handler that does not work at some workers; everything else works there."""

    code = "FOL-5043"

    def __init__(self, failed: KindFailure, nodes: Sequence[str]) -> None:
        package = " ".join(filter(None, (failed.package, failed.version)))
        named = ", ".join(nodes[:NAMED_MAX]) + (" …" if len(nodes) > NAMED_MAX else "")
        super().__init__(
            f'The kind of handler "{failed.kind}" of the package {package} does not work on {named}: '
            f"{failed.why.rstrip('.')}.",
            hint=f"mend or remove {failed.package}, and start the worker again",
            kind=failed.kind,
            package=package,
            name=failed.package,
            nodes=named,
            why=failed.why.rstrip("."),
        )
