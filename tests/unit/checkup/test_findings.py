"""What each check finds in which facts, and how it is said in both languages."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.checkup import CHECKS, Finding, Grade, examine, worst_of
from foliot.domain.checkup.facts import (
    EscalatedFailure,
    Facts,
    JobOutcomes,
    LaneWait,
    NodeFigures,
    Reading,
    ShortLimit,
    TokenLife,
)
from foliot.domain.checkup.findings import Bounds
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.job import Lane
from foliot.domain.roles import Role, SeenServer, SeenServers, ServerRules
from foliot.words.checkup import check_title, finding_hint, finding_sentence
from foliot.words.english.checkup import HINTS, SENTENCES, TITLES
from foliot.words.language import Language

LANE = Lane(group="billing", offer="python:jobs:settle", require=(("gpu", "yes"),))


def read(name: str, *rows: Mapping[str, Any], **refused: str) -> Facts:
    return Facts(readings={name: Reading(rows=rows, **refused)})


def transaction(age_s: float | None, *, hidden: int = 0) -> Facts:
    session = None if age_s is None else 42
    row = {"age_s": age_s, "session": session, "name": "psql", "stop": "SELECT pg_terminate_backend(42)"}
    return read("transactions", {**row, "hidden": hidden})


def schema(state: str, **known: str) -> Facts:
    """`known`: by server, the newest schema that it knows."""
    row = {"state": state, "revision": "0028", "head": "0026"}
    servers = [node(name, "server", schema=revision) for name, revision in known.items()]
    return Facts(readings={"schema": Reading(rows=[row])}, nodes=servers)


def replica(state: str | None, lag_s: float = 0, kept: int = 0) -> Facts:
    return read("replication", {"name": "r1", "state": state, "lag_s": lag_s, "kept_bytes": kept})


def galera(status: str, paused: str = "0.0", size: str = "3") -> Facts:
    values = {"cluster_size": size, "cluster_status": status, "ready": "ON", "flow_control_paused": paused}
    return read("status", *({"name": f"wsrep_{name}", "value": value} for name, value in values.items()))


def node(name: str = "w-1", kind: str = "worker", **said: Any) -> NodeFigures:
    return NodeFigures(name=name, kind=kind, **said)


def nodes(*found: NodeFigures) -> Facts:
    return Facts(nodes=found)


def electing(**load: float) -> Facts:
    return nodes(node("s-1", "server", coordinator="redis", load=load, uptime_us=2 * DAY))


def replicas(**load: float) -> Facts:
    return nodes(node("s-1", "server", load=load))


def certificate(left_s: float) -> Facts:
    return nodes(node("s-1", "server", load={"certificate_left_s": left_s}))


def lane(waited_us: int | None, *, has_worker: bool) -> Facts:
    return Facts(lanes=[LaneWait(lane=LANE, waited_us=waited_us, has_worker=has_worker)])


def limited(takes: int) -> Facts:
    """The limit has two."""
    short = ShortLimit("db", takes, 2) if takes > 2 else None
    return Facts(lanes=[LaneWait(lane=LANE, waited_us=None, has_worker=True, short=short)])


def job(well: int, badly: int, well_before: int = 0, badly_before: int = 0) -> Facts:
    outcomes = JobOutcomes(
        namespace="default", name="settle", succeeded=well, failed=badly,
        succeeded_before=well_before, failed_before=badly_before,
    )  # fmt: skip
    return Facts(outcomes=[outcomes])


def cluster(active: int, standbys: int, **rules: int) -> Facts:
    wanted = [Role.ACTIVE] * active + [Role.STANDBY] * standbys
    seen = [
        SeenServer(session=f"{number}", name=f"s-{number}", role=role, started_at=number, is_live=True)
        for number, role in enumerate(wanted)
    ]
    return Facts(servers=SeenServers(servers=seen, rules=ServerRules(**rules)))


CRASH = EscalatedFailure(id=7, type="server_crash", subject="s-1", since_us=MINUTE)
OK, UNKNOWN, NOTICE, WARNING, CRITICAL = Grade
CASES: list[tuple[str, Facts, Grade, str]] = [
    ("database.reachable", Facts(latency_us=2000), OK, "The store answers."),
    ("database.reachable", Facts(unreachable="refused"), CRITICAL, "The store does not answer: refused."),
    ("database.schema", schema("current"), OK, "The store has the schema 0028, and this Foliot knows it."),
    ("database.schema", schema("ahead"), WARNING, "A newer Foliot brought the store's schema to 0028; this one know"),
    ("database.schema", schema("behind"), CRITICAL, "The store has the schema 0028, and this Foliot needs 0026."),
    ("database.schema", schema("empty"), CRITICAL, "The store is empty: it has no tables yet."),
    ("database.schema", schema("too_new"), CRITICAL, "The store has the schema 0028; this Foliot knows it up to 0026"),
    ("database.schema", schema("unknown"), CRITICAL, "The store's schema 0028 is not one of Foliot's."),
    ("database.schema", schema("current", s_1="0028", s_2="0026"), WARNING, "s_2 knows the schema 0026, and the store"),
    ("database.schema", schema("current", s_1="0028"), OK, "The store has the schema 0028, and this Foliot knows it."),
    ("database.integrity", read("integrity", {"said": "ok"}), OK, "SQLite finds nothing wrong in the store's file."),
    ("database.integrity", read("integrity", {"said": "page 4 is lost"}), CRITICAL, "The store's file is damaged: pa"),
    ("database.clock", Facts(clock_here_us=-9 * SECOND), WARNING, "The store's clock and this machine's clock are 9"),
    ("database.latency", Facts(latency_us=2000), OK, "The store answers in 2 ms."),
    ("database.latency", Facts(latency_us=300_000), WARNING, "The store answers in 300 ms."),
    ("database.transactions", transaction(None), OK, "No other transaction is open."),
    ("database.transactions", transaction(3), OK, "The oldest transaction is 3.0 s old: session 42 of psql."),
    ("database.transactions", transaction(400), WARNING, "The oldest transaction is 6 m 40 s old: session 42 of psql."),
    ("database.transactions", transaction(4000, hidden=3), CRITICAL, "The oldest transaction is 1 h 6 m old: session "),
    ("database.transactions", transaction(None, hidden=3), UNKNOWN, "The store's user may not read it."),
    ("database.transactions", read("transactions", grant="GRANT x"), UNKNOWN, "The store's user may not read it."),
    ("database.transactions", read("transactions", why="no such table"), UNKNOWN, "It could not be read: no such"),
    ("database.replication", replica("streaming", 1.5), OK, "The replica r1 is 1.5 s behind."),
    ("database.replication", replica("streaming", 45), WARNING, "The replica r1 is 45 s behind."),
    ("database.replication", replica("away", kept=3 * 1024**2), WARNING, "The replica r1 is away, and the database ke"),
    ("database.replication", replica(None), UNKNOWN, "The store's user may not read it."),
    ("database.replication", replica("follows"), UNKNOWN, "The replica r1 follows; how far it is behind, it alone"),
    ("database.galera", galera("Primary", "0.01"), OK, "3 Galera nodes; they waited for each other 1 % of the time."),
    ("database.galera", galera("Primary", "0.3"), WARNING, "3 Galera nodes; they waited for each other 30 % of the t"),
    ("database.galera", galera("non-Primary", size="1"), CRITICAL, "This Galera node takes no writes: its cluster is "),
    ("database.dead_rows", read("dead_rows", {"name": "runs", "dead": 70_000, "live": 30_000}), WARNING, "70 % of the"),
    ("database.dead_rows", read("dead_rows", {"name": "leases", "dead": 900, "live": 1}), OK, "100 % of the rows of l"),
    ("database.history", read("history", {"length": 2_000_000}), WARNING, "InnoDB keeps 2000000 old row versions."),
    ("database.connections", read("connections", {"used": 90, "most": 100}), WARNING, "90 of 100 connections are tak"),
    ("database.read_replica", replicas(replica_fit=0), WARNING, "The replica of 1 of 1 servers cannot answer while"),
    ("database.read_replica", replicas(replica_fit=1, replica_age_s=3), OK, "The replica of 1 server can answer"),
    ("database.settings", read("settings", {"name": "fsync", "value": "off"}), CRITICAL, "fsync is off: the database "),
    ("database.settings", read("settings", {"name": "fsync", "value": "on"}), OK, "The database keeps what it confirm"),
    ("database.disk", read("disk", {"free": 50, "total": 1000}), WARNING, "95 % of the store's disk is full, 50 B are"),
    ("database.write_ahead_log", read("write_ahead_log", {"bytes": 2 * 1024**3}), WARNING, "The write-ahead log has 2"),
    ("database.size", read("size", {"bytes": 8 * 1024**4}), OK, "The database has 8192.0 GiB."),
    ("database.clock", nodes(node(kind="server", clock_offset_us=-7 * SECOND)), WARNING, "The store's clock and the s"),
    ("database.clock", Facts(is_clock_suspect=True, clock_ahead_us=HOUR), CRITICAL, "The store's clock jumped, server"),
    ("system.nodes", nodes(node("w-1"), node("w-2")), OK, "2 nodes are there."),
    ("system.nodes", nodes(node("w-1", is_gone=True), node("w-1")), OK, "1 node is there."),
    ("system.nodes", nodes(node("w-1", is_gone=True), node("w-2")), NOTICE, "w-1 died a short time ago; its runs wer"),
    ("system.nodes", nodes(node("w-1", is_silent=True)), WARNING, "w-1 misses its beats."),
    ("system.nodes", nodes(node("w-1", is_strained=True)), NOTICE, "w-1 gets less work: its beat is late, or its load"),
    ("system.cpu", nodes(node(load={"cpu": 0.93})), NOTICE, "The processors of w-1 are 93 % busy."),
    ("system.memory", nodes(node(load={"memory": 0.99})), CRITICAL, "99 % of the memory of w-1 is in use."),
    ("system.memory", nodes(node(load={"memory": 0.5})), OK, "50 % of the memory of w-1 is in use."),
    ("system.disk", nodes(node(load={"disk": 0.98}), node("w-2", load={"disk": 0.9})), CRITICAL, "98 % of the disk of"),
    ("system.spool", nodes(node(load={"spool": 0.95})), WARNING, "95 % of the disk is full where w-1 keeps results"),
    ("system.spool", nodes(node(load={"spool": 0.5})), OK, "50 % of the disk is full where w-1 keeps results that no"),
    ("system.open_files", nodes(node(load={"files": 900, "files_max": 1000})), WARNING, "w-1 has 900 of 10"),
    ("system.clocks", nodes(node(clock_offset_us=2 * SECOND)), NOTICE, "The clock of w-1 is 2.0 s ahead of the store'"),
    ("system.clocks", nodes(node(clock_offset_us=-2 * MINUTE)), CRITICAL, "The clock of w-1 is 2 m behind the store's"),
    ("system.versions", nodes(node(version="1"), node("w-2", version="2")), WARNING, "Nodes have different versions"),
    ("coordination.reachable", electing(coordinator_up=0), WARNING, "1 of 1 servers do not reach redis; the store ho"),
    ("coordination.reachable", electing(coordinator_up=1), OK, "1 server reaches redis."),
    ("coordination.latency", electing(coordinator_latency_s=0.2), NOTICE, "redis answers s-1 in 200 ms."),
    ("coordination.outages", electing(coordinator_outages=8), NOTICE, "redis fell silent 8 times since s-1 started."),
    ("business.leader", Facts(has_leader=False, leaderless_us=20 * SECOND), WARNING, "No server has led for 20 s; hou"),
    ("business.leader", Facts(), OK, "A server leads."),
    ("business.servers", cluster(1, 1, active_min=2), WARNING, "1 of at least 2 servers are active."),
    ("business.servers", cluster(2, 0, active_min=2), OK, "2 servers are active."),
    ("business.servers", Facts(is_store_alone=True), CRITICAL, "No server lives: nothing fires, and no run starts."),
    ("business.standbys", cluster(2, 0, standby_count=1), WARNING, "0 of at least 1 standby lives."),
    ("business.standbys", cluster(2, 1, standby_count=1), OK, "1 standby lives."),
    ("business.escalations", Facts(escalations=[CRASH]), WARNING, "server_crash of s-1 has needed a person for 1 m."),
    ("business.escalations", Facts(), OK, "No failure needs a person."),
    ("business.overdue", Facts(), OK, "No fire is overdue."),
    ("business.overdue", Facts(overdue_us=20 * SECOND, overdue_jobs=3), WARNING, "3 jobs are overdue, the earliest by"),
    ("business.queue", lane(10 * MINUTE, has_worker=True), WARNING, "A run waits 10 m for python:jobs:settle in group"),
    ("business.queue", lane(None, has_worker=True), OK, "No run waits for a worker."),
    ("business.lanes", lane(SECOND, has_worker=False), WARNING, "No worker runs python:jobs:settle in group billing w"),
    ("business.lanes", lane(10 * MINUTE, has_worker=False), CRITICAL, "No worker runs python:jobs:settle in group bil"),
    ("business.lanes", lane(None, has_worker=False), NOTICE, "No worker runs python:jobs:settle in group billing with"),
    ("business.lanes", lane(10 * MINUTE, has_worker=True), OK, "Every lane has a worker."),
    ("business.limits", limited(3), WARNING, "Runs of python:jobs:settle take 3 of the limit db, which has 2: they ca"),
    ("business.limits", limited(2), OK, "Every limit is large enough for the runs that wait or will be due."),
    ("business.success", job(2, 8, 90, 10), CRITICAL, "8 of 10 runs of settle failed in the last hour; 90 % succeeded"),
    ("business.success", job(2, 8, 20, 80), OK, "8 of 10 runs of settle failed in the last hour; 20 % succeeded bef"),
    ("business.success", job(7, 3), WARNING, "3 of 10 runs of settle failed in the last hour; 100 % succeeded befor"),
    ("business.success", job(0, 4, 100), OK, "No job fails more than before."),
    ("business.certificates", certificate(10 * 86_400.0), WARNING, "The certificate of s-1 is good for"),
    ("business.certificates", certificate(-3600.0), CRITICAL, "The certificate of s-1 en"),
    ("business.certificates", electing(coordinator_certificate_left_s=86_400.0), CRITICAL, "The certificate with"),
    ("business.certificates", electing(coordinator_certificate_left_s=-9.0), CRITICAL, "The certificate with which"),
    ("business.encryption", electing(plain_http=1), WARNING, "s-1 takes tokens unencrypted over the network."),
    ("business.encryption", electing(plain_http=0), OK, "No server takes tokens unencrypted over a network."),
    ("business.channels", electing(**{"lacks_secret.HOOK": 1}), WARNING, "s-1 lacks secrets of alert channels: HOOK."),
    ("business.channels", electing(), OK, "Every server has the secrets of the alert channels."),
    ("business.tokens", Facts(tokens=[TokenLife(name="ci", left_us=6 * DAY)]), WARNING, "The token ci is good for 6 d"),
    ("business.tokens", Facts(tokens=[TokenLife(name="", left_us=6 * DAY)]), WARNING, "A token is good for 6 d."),
    ("business.tokens", Facts(tokens=[TokenLife(name="ci", left_us=60 * DAY)]), OK, "The token ci is good for 60 d."),
]  # fmt: skip


def found(check: str, facts: Facts) -> Finding:
    (finding,) = (one for one in examine(facts) if one.check == check)
    return finding


@pytest.mark.parametrize(("check", "facts", "grade", "said"), CASES)
def test_a_check_judges_what_was_measured_and_says_it(check: str, facts: Facts, grade: Grade, said: str) -> None:
    finding = found(check, facts)

    assert finding.grade is grade
    assert finding_sentence(finding).startswith(said)
    for language in Language:
        sentence, hint = finding_sentence(finding, language), finding_hint(finding, language)
        assert sentence.endswith((".", "。"))
        assert (hint is None) is (grade is OK) or finding.case == "unread", hint


def test_every_check_has_cases_for_good_and_bad_and_all_its_words() -> None:
    names = {check.name for check in CHECKS}
    assert {check for check, _, _, _ in CASES} == names == set(TITLES)
    bad = {check for check, _, grade, _ in CASES if grade not in (OK, UNKNOWN)}
    assert names - bad == {"database.size"}  # nothing is judged by it
    for catalogue in (SENTENCES, HINTS):
        assert {key for key in catalogue if not key.startswith(tuple(names))} <= {"grant", "unread", "others"}
    assert check_title("database.latency") == "answers of the store"


def test_the_worst_subject_is_named_and_the_others_are_counted() -> None:
    facts = nodes(*(node(f"w-{n}", load={"disk": share}) for n, share in enumerate((0.85, 0.95, 0.2, 0.92))))
    finding = found("system.disk", facts)
    assert (finding.subject, finding.others, finding.threshold) == ("w-1", 2, 0.9)
    assert finding_sentence(finding) == "95 % of the disk of w-1 is full. 2 more like it."
    assert finding_sentence(finding, Language.CHINESE) == "w-1 的磁盘已满 95 %。另有 2 个类似。"


def test_what_does_not_apply_is_not_found() -> None:
    checks = {finding.check for finding in examine(Facts())}
    assert checks == {
        "system.nodes", "business.leader", "business.escalations",
        "business.overdue", "business.queue", "business.lanes", "business.success",
    }  # fmt: skip


def test_a_server_that_looks_at_its_replica_knows_more_than_the_primary() -> None:
    facts = replace(replica("follows"), nodes=electing(replica_fit=1, replica_age_s=3).nodes)
    assert "database.replication" not in {finding.check for finding in examine(facts)}
    assert found("database.read_replica", facts).grade is OK


def test_of_a_store_whose_tables_cannot_be_read_only_the_database_is_judged() -> None:
    facts = Facts(unreachable="refused", is_store_alone=True, is_cluster_known=False)
    assert [(finding.check, finding.grade) for finding in examine(facts)] == [("database.reachable", CRITICAL)]


def test_a_figure_that_one_check_cannot_work_with_leaves_the_others_as_they_are() -> None:
    mad = nodes(node(load={"cpu": 1e307, "memory": 0.99}))

    assert (found("system.cpu", mad).grade, found("system.memory", mad).grade) == (UNKNOWN, CRITICAL)
    assert finding_sentence(found("system.cpu", mad)).startswith("It could not be read: OverflowError")


def test_only_a_server_has_a_certificate() -> None:
    of_worker = nodes(node(load={"certificate_left_s": -5.0}))

    assert all(finding.check != "business.certificates" for finding in examine(of_worker))


def test_families_stand_together_with_the_worst_first() -> None:
    facts = Facts(latency_us=1, overdue_us=HOUR, is_clock_suspect=True, nodes=[node(load={"cpu": 1.0})])
    findings = examine(facts)
    assert [finding.family for finding in findings] == sorted(
        (finding.family for finding in findings), key=["database", "system", "business"].index
    )
    assert findings[0].check == "database.clock"
    assert worst_of(findings) is CRITICAL
    assert worst_of([]) is OK


@pytest.mark.parametrize(
    ("bounds", "value", "grade"),
    [
        (Bounds(1, 2, 3), 0.9, OK),
        (Bounds(1, 2, 3), 1, NOTICE),
        (Bounds(1, 2, 3), 2.5, WARNING),
        (Bounds(1, 2, 3), 99, CRITICAL),
        (Bounds(warning=2), 99, WARNING),
        (Bounds(14, 7, 1, falling=True), 15, OK),
        (Bounds(14, 7, 1, falling=True), 7, WARNING),
        (Bounds(14, 7, 1, falling=True), -1, CRITICAL),
        (Bounds(), 1e9, OK),
    ],
)
def test_a_bound_is_reached_at_its_value(bounds: Bounds, value: float, grade: Grade) -> None:
    assert bounds.grade_of(value) is grade
