"""Every check: its family, what it measures and from which value on it gets which grade.

Another check is a function that yields measures, and a line here. Its words stand in `words/*/checkup.py`.
"""

from typing import Final

from foliot.domain.checkup import business, coordination, database, replica, system
from foliot.domain.checkup.facts import Facts
from foliot.domain.checkup.findings import Bounds, Check, Family, Finding, Unit, judged

MIB: Final = 1024 * 1024


CHECKS: Final = (
    Check("database.reachable", Unit.COUNT, Bounds(critical=1), database.reachable),
    Check("database.schema", Unit.COUNT, Bounds(warning=1), database.schema),
    Check("database.integrity", Unit.COUNT, Bounds(critical=1), database.integrity),
    Check("database.latency", Unit.SECONDS, Bounds(0.05, 0.25, 1), database.latency),
    Check("database.transactions", Unit.SECONDS, Bounds(60, 300, 3600), database.transactions),
    Check("database.replication", Unit.SECONDS, Bounds(5, 30, 300), database.replication),
    Check("database.read_replica", Unit.COUNT, Bounds(warning=1), replica.reads),
    Check("database.galera", Unit.SHARE, Bounds(0.05, 0.2, 0.5), database.galera),
    Check("database.dead_rows", Unit.SHARE, Bounds(0.4, 0.6, 0.9), database.dead_rows),
    Check("database.history", Unit.COUNT, Bounds(100_000, 1_000_000, 10_000_000), database.history),
    Check("database.connections", Unit.SHARE, Bounds(0.7, 0.85, 0.95), database.connections),
    Check("database.settings", Unit.COUNT, Bounds(critical=1), database.settings),
    Check("database.disk", Unit.SHARE, Bounds(0.8, 0.9, 0.97), database.disk),
    Check("database.write_ahead_log", Unit.BYTES, Bounds(256 * MIB, 1024 * MIB, 4096 * MIB), database.write_ahead_log,
          fix="write_ahead_log"),
    Check("database.size", Unit.BYTES, Bounds(), database.size),
    Check("database.clock", Unit.SECONDS, Bounds(1, 5, 60), database.clock),
    Check("system.nodes", Unit.COUNT, Bounds(1), system.nodes),
    Check("system.cpu", Unit.SHARE, Bounds(0.9, 0.98), system.of_share("cpu")),
    Check("system.memory", Unit.SHARE, Bounds(0.85, 0.92, 0.98), system.of_share("memory")),
    Check("system.disk", Unit.SHARE, Bounds(0.8, 0.9, 0.97), system.of_share("disk")),
    Check("system.spool", Unit.SHARE, Bounds(0.8, 0.9, 0.97), system.of_share("spool")),
    Check("system.open_files", Unit.SHARE, Bounds(0.7, 0.85, 0.95), system.open_files),
    Check("system.clocks", Unit.SECONDS, Bounds(1, 5, 60), system.clocks),
    Check("system.versions", Unit.COUNT, Bounds(warning=2), system.versions),
    Check("coordination.reachable", Unit.COUNT, Bounds(warning=1), coordination.reachable),
    Check("coordination.latency", Unit.SECONDS, Bounds(0.1, 0.5, 2), coordination.latency),
    Check("coordination.outages", Unit.COUNT, Bounds(3, 10), coordination.outages),
    Check("business.leader", Unit.SECONDS, Bounds(warning=5, critical=60), business.leader),
    Check("business.servers", Unit.COUNT, Bounds(warning=1), business.servers),
    Check("business.standbys", Unit.COUNT, Bounds(warning=1), business.standbys),
    Check("business.escalations", Unit.SECONDS, Bounds(warning=0), business.escalations),
    Check("business.overdue", Unit.SECONDS, Bounds(2, 10, 60), business.overdue, fix="cursors"),
    Check("business.queue", Unit.SECONDS, Bounds(60, 300, 1800), business.queue, fix="limits"),
    Check("business.lanes", Unit.SECONDS, Bounds(warning=0, critical=300), business.lanes),
    Check("business.limits", Unit.COUNT, Bounds(warning=1), business.limits),
    Check("business.success", Unit.SHARE, Bounds(0.1, 0.25, 0.5), business.success),
    Check("business.certificates", Unit.DAYS, Bounds(30, 14, 3, falling=True), business.certificates),
    Check("business.encryption", Unit.COUNT, Bounds(warning=1), business.encryption),
    Check("business.channels", Unit.COUNT, Bounds(warning=1), business.channels),
    Check("business.tokens", Unit.DAYS, Bounds(14, 7, 1, falling=True), business.tokens),
)  # fmt: skip


def examine(facts: Facts) -> tuple[Finding, ...]:
    """What each check finds, family by family, the worst of a family first. Checks that do not apply are left out."""
    looked_at = [check for check in CHECKS if facts.is_cluster_known or check.family is Family.DATABASE]
    found = [finding for check in looked_at if (finding := judged(check, facts)) is not None]
    families = list(Family)
    return tuple(sorted(found, key=lambda finding: (families.index(finding.family), -finding.grade.badness)))
