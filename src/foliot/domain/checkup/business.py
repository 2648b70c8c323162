"""Checks of what the cluster is there for: fires on time, runs that start and succeed, rights that last."""

from collections.abc import Iterator, Mapping
from typing import Final

from foliot.domain.alerts.missing_secrets import lacked
from foliot.domain.checkup.database import percent
from foliot.domain.checkup.facts import Facts, JobOutcomes, LaneWait, NodeFigures
from foliot.domain.checkup.findings import Grade, Measure
from foliot.domain.instants import DAY, SECOND

RUNS_MIN: Final = 5
"""Fewer runs in the last hour say nothing about a job."""
BASELINE_MIN: Final = 20
"""Fewer runs before the last hour are no baseline: then a job is expected to succeed."""


def leader(facts: Facts) -> Iterator[Measure]:
    """Whether a server leads: without one housekeeping waits, jobs do not."""
    if facts.is_store_alone and not facts.leaderless_us and not facts.has_leader:
        return  # nobody ever led
    for_us = 0 if facts.has_leader else facts.leaderless_us or 0
    case = "none" if facts.has_leader else ""
    yield Measure(value=for_us / SECOND, case=case, said={"lasting": for_us})


def servers(facts: Facts) -> Iterator[Measure]:
    """How many servers fewer are active than there are to be."""
    if facts.is_store_alone and not any(one.is_live for one in facts.servers.servers):
        yield Measure(value=1, case="alone", grade=Grade.CRITICAL)
        return
    if not facts.servers.servers:
        return
    active, least = facts.servers.active, facts.servers.rules.active_min
    missing = max(0, least - active)
    yield Measure(value=missing, case="" if missing else "none", said={"active": active, "least": least})


def standbys(facts: Facts) -> Iterator[Measure]:
    """How many standbys fewer live than there are to be; nothing where none are to be."""
    live, least = len(facts.servers.standbys), facts.servers.rules.standby_count
    if least:
        missing = max(0, least - live)
        yield Measure(value=missing, case="" if missing else "none", said={"live": live, "least": least})


def escalations(facts: Facts) -> Iterator[Measure]:
    """Failures that need a person, by their policies, for how long."""
    for one in facts.escalations:
        said = {"type": one.type, "node": one.subject, "id": one.id, "lasting": one.since_us}
        yield Measure(value=one.since_us / SECOND, subject=one.subject, said=said)
    if not facts.escalations:
        yield Measure(value=None, case="none", grade=Grade.OK)


def overdue(facts: Facts) -> Iterator[Measure]:
    """How long the earliest due instant has waited for its decision."""
    late_us = facts.overdue_us or 0
    said = {"late": late_us, "jobs": facts.overdue_jobs}
    for server in facts.ignoring_maintenance:
        yield Measure(value=None, subject=server, case="ignored", said={"server": server}, grade=Grade.WARNING)
    if facts.is_maintenance:
        yield Measure(value=late_us / SECOND, case="maintenance", said=said, grade=Grade.NOTICE)
    else:
        yield Measure(value=late_us / SECOND, case="" if late_us else "none", said=said)


def queue(facts: Facts) -> Iterator[Measure]:
    """How long the oldest ready run waits, in lanes that have a worker."""
    if facts.is_maintenance:
        yield Measure(value=None, case="maintenance", grade=Grade.NOTICE)
        return
    for wait in facts.lanes:
        if wait.has_worker and wait.waited_us is not None:
            said = {**_lane(wait), "waited": wait.waited_us}
            yield Measure(value=wait.waited_us / SECOND, subject=wait.lane.offer, said=said)
    if not any(wait.waited_us is not None for wait in facts.lanes):
        yield Measure(value=0, case="none")


def lanes(facts: Facts) -> Iterator[Measure]:
    """Lanes in which runs wait or will be due, and that no worker serves."""
    alone = [wait for wait in facts.lanes if not wait.has_worker]
    for wait in alone:
        is_soon = wait.waited_us is None
        yield Measure(
            value=None if wait.waited_us is None else wait.waited_us / SECOND,
            subject=wait.lane.offer,
            case="soon" if is_soon else "",
            said={**_lane(wait), "waited": wait.waited_us},
            grade=Grade.NOTICE if is_soon else None,
        )
    if not alone:
        yield Measure(value=0, case="none", grade=Grade.OK)


def limits(facts: Facts) -> Iterator[Measure]:
    """Lanes whose runs take more of a limit than there is: they can never start."""
    short = [wait for wait in facts.lanes if wait.short is not None]
    for wait in short:
        assert wait.short is not None
        limit = wait.short
        said = {**_lane(wait), "limit": limit.name, "takes": limit.takes, "most": limit.max}
        yield Measure(value=len(short), subject=limit.name, said=said)
    if facts.lanes and not short:
        yield Measure(value=0, case="none")


def _lane(wait: LaneWait) -> dict[str, object]:
    lane = wait.lane
    labels = [f"{key}={value}" for key, value in lane.require]
    return {"offer": lane.offer, "group": lane.group, "labels": labels, "namespace": lane.namespace}


def success(facts: Facts) -> Iterator[Measure]:
    """How much less often a job succeeded in the last hour than before."""
    for job in facts.outcomes:
        if job.succeeded + job.failed >= RUNS_MIN:
            yield _outcome(job)
    if not any(job.succeeded + job.failed >= RUNS_MIN for job in facts.outcomes):
        yield Measure(value=0, case="none")


def _outcome(job: JobOutcomes) -> Measure:
    rate = job.succeeded / (job.succeeded + job.failed)
    before = job.succeeded_before + job.failed_before
    usual = job.succeeded_before / before if before >= BASELINE_MIN else 1.0
    return Measure(
        value=max(0.0, usual - rate),
        subject=job.name,
        said={
            "job": job.name,
            "namespace": job.namespace,
            "failed": job.failed,
            "runs": job.succeeded + job.failed,
            "usual": percent(usual),
        },
    )


CERTIFICATES: Final[Mapping[str, str]] = {
    "certificate_left_s": "",
    "coordinator_certificate_left_s": "coordinator",
}
"""Figures of a server's beat: how long a certificate is good, and for what the server uses it; its own for clients."""


def certificates(facts: Facts) -> Iterator[Measure]:
    """How many days the certificates of each server are still good: its own, and those for the services it uses."""
    for node in _servers(facts):
        for figure, used_for in CERTIFICATES.items():
            left_s = node.load.get(figure)
            if left_s is not None:
                left_us = round(left_s * SECOND)
                case = ".".join(filter(None, (used_for, "over" if left_s <= 0 else "")))
                said = {"node": node.name, "left": abs(left_us)}
                yield Measure(value=left_us / DAY, subject=node.name, case=case, said=said)


def encryption(facts: Facts) -> Iterator[Measure]:
    """Servers that other machines reach without TLS: tokens cross the network as they are."""
    known = [node for node in _servers(facts) if "plain_http" in node.load]
    plain = [node for node in known if node.load["plain_http"]]
    for node in plain:
        yield Measure(value=len(plain), subject=node.name, said={"node": node.name})
    if known and not plain:
        yield Measure(value=0, case="none")


def channels(facts: Facts) -> Iterator[Measure]:
    """Servers that lack a secret of an alert channel: while one of them leads, nobody hears of alerts there."""
    poor = [(node, lacked(node.load)) for node in _servers(facts)]
    poor = [(node, names) for node, names in poor if names]
    for node, names in poor:
        said = {"node": node.name, "names": ", ".join(names), "first": names[0]}
        yield Measure(value=len(poor), subject=node.name, said=said)
    if not poor and any(True for _ in _servers(facts)):
        yield Measure(value=0, case="none")


def _servers(facts: Facts) -> Iterator[NodeFigures]:
    return (node for node in facts.nodes if node.kind == "server" and not node.is_gone)


def tokens(facts: Facts) -> Iterator[Measure]:
    """How many days each token is still good."""
    for token in facts.tokens:
        yield Measure(
            value=token.left_us / DAY,
            subject=token.name,
            case="" if token.name else "unnamed",
            said={"token": token.name, "left": token.left_us},
        )
