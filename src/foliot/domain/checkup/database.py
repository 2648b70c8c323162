"""Checks of the database: is it quick, safe, clean, and is there room."""

from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any, Final, TypeAlias

from foliot.domain.checkup.facts import Facts
from foliot.domain.checkup.findings import Grade, Measure
from foliot.domain.instants import SECOND

DEAD_ROWS_MIN: Final = 20_000
"""Fewer dead rows cost nothing, however small the table is."""

UNSAFE: Final[Mapping[tuple[str, str], Grade]] = {
    ("fsync", "off"): Grade.CRITICAL,
    ("full_page_writes", "off"): Grade.CRITICAL,
    ("innodb_doublewrite", "off"): Grade.WARNING,
    ("sync_binlog", "0"): Grade.WARNING,
}
"""Settings under which the database may lose what it confirmed, or its own files."""

SCHEMAS: Final[Mapping[str, Grade]] = {
    "current": Grade.OK,
    "ahead": Grade.WARNING,  # a rolling upgrade that is not finished
    "behind": Grade.CRITICAL,
    "empty": Grade.CRITICAL,
    "too_new": Grade.CRITICAL,
    "unknown": Grade.CRITICAL,
}
"""How bad each state of the store's schema is for the Foliot that looks at it."""

_OfRow: TypeAlias = Callable[[Mapping[str, Any]], Measure]


def reachable(facts: Facts) -> Iterator[Measure]:
    """Whether the store answers at all."""
    if facts.unreachable is not None:
        yield Measure(value=1, said={"why": facts.unreachable})
    elif facts.latency_us is not None:
        yield Measure(value=0, case="none")


def schema(facts: Facts) -> Iterator[Measure]:
    """Whether the store's schema is the one that this Foliot and the servers know."""
    for row in facts.reading("schema").rows:
        state, revision = str(row["state"]), str(row["revision"] or "-")
        said = {"revision": revision, "head": row["head"]}
        yield Measure(value=int(state != "current"), case=state, said=said, grade=SCHEMAS[state])
        for node in facts.nodes:
            is_other = bool(node.schema) and node.schema != revision and not node.is_gone
            if is_other:
                told = {"node": node.name, "known": node.schema, "revision": revision}
                yield Measure(value=1, subject=node.name, case="node", said=told, grade=Grade.WARNING)


def integrity(facts: Facts) -> Iterator[Measure]:
    """What SQLite finds wrong in its own file. It reads the whole file, so only a look at the store alone asks."""
    rows = facts.reading("integrity").rows
    if rows:
        wrong = [str(row["said"]) for row in rows if row["said"] != "ok"]
        yield Measure(value=len(wrong), case="" if wrong else "none", said={"said": wrong[0] if wrong else ""})


def latency(facts: Facts) -> Iterator[Measure]:
    """How long the store takes to answer a statement that reads no table."""
    if facts.latency_us is not None:
        yield Measure(value=facts.latency_us / SECOND, said={"took": facts.latency_us})


def transactions(facts: Facts) -> Iterator[Measure]:
    """The oldest open transaction: nothing that it may still see is cleaned up."""
    yield from _of(facts, "transactions", _transaction)
    hidden = sum(int(row["hidden"] or 0) for row in facts.reading("transactions").rows)
    if hidden:
        grant = "GRANT pg_read_all_stats TO CURRENT_USER"
        yield Measure(value=None, case="grant", said={"grant": grant})


def _transaction(row: Mapping[str, Any]) -> Measure:
    age_s = float(row["age_s"] or 0)
    return Measure(
        value=age_s,
        subject=str(row["session"] or ""),
        case="" if row["session"] is not None else "none",
        said={"age": round(age_s * SECOND), "session": row["session"], "name": row["name"], "stop": row["stop"]},
    )


def replication(facts: Facts) -> Iterator[Measure]:
    """How far each replica is behind, and replicas that are away while the database keeps files for them.

    Where servers look at a replica of their own, `read_replica` says more than that one follows.
    """
    is_looked_at = any("replica_fit" in node.load and not node.is_gone for node in facts.nodes)
    for measure in _of(facts, "replication", _replica):
        if measure.case != "follows" or not is_looked_at:
            yield measure


def _replica(row: Mapping[str, Any]) -> Measure:
    name = str(row["name"])
    if row["state"] is None:
        return Measure(value=None, case="grant", said={"grant": "GRANT pg_read_all_stats TO CURRENT_USER"})
    if row["state"] == "away":
        said = {"name": name, "kept": int(row["kept_bytes"] or 0)}
        return Measure(value=None, subject=name, case="away", said=said, grade=Grade.WARNING)
    if row["state"] == "follows":
        return Measure(value=None, subject=name, case="follows", said={"name": name})
    lag_s = float(row["lag_s"] or 0)
    return Measure(value=lag_s, subject=name, said={"name": name, "lag": round(lag_s * SECOND)})


def galera(facts: Facts) -> Iterator[Measure]:
    """Whether the node of the Galera cluster takes writes, and how much of the time it makes others wait."""
    known = _named(facts, "status")
    if known.get("wsrep_cluster_size", "0") in ("", "0"):  # MariaDB without Galera says so
        return
    status, size = known.get("wsrep_cluster_status", ""), known["wsrep_cluster_size"]
    is_ready = known.get("wsrep_ready", "").upper() == "ON" and status == "Primary"
    paused = float(known.get("wsrep_flow_control_paused") or 0)
    yield Measure(
        value=paused,
        case="" if is_ready else "away",
        said={"size": size, "status": status or "-", "percent": percent(paused)},
        grade=None if is_ready else Grade.CRITICAL,
    )


def dead_rows(facts: Facts) -> Iterator[Measure]:
    """How much of each hot table is dead rows, which every scan steps over."""
    yield from _of(facts, "dead_rows", _dead)


def _dead(row: Mapping[str, Any]) -> Measure:
    dead, live = int(row["dead"] or 0), int(row["live"] or 0)
    share = dead / (dead + live) if dead else 0.0
    is_few = dead < DEAD_ROWS_MIN
    return Measure(
        value=share,
        subject=str(row["name"]),
        said={"table": row["name"], "dead": dead, "percent": percent(share)},
        grade=Grade.OK if is_few else None,
    )


def history(facts: Facts) -> Iterator[Measure]:
    """How many old versions of rows InnoDB has not removed yet."""

    def measured(row: Mapping[str, Any]) -> Measure:
        length = int(row["length"] or 0)
        return Measure(value=length, said={"length": length})

    yield from _of(facts, "history", measured)


def connections(facts: Facts) -> Iterator[Measure]:
    """How many of the database's connections are taken."""
    for row in facts.reading("connections").rows:
        yield _connected(int(row["used"] or 0), int(row["most"] or 1))
    used = _named(facts, "status").get("threads_connected")
    most = _named(facts, "settings").get("max_connections")
    if used is not None and most is not None:
        yield _connected(int(used), int(most))


def _connected(used: int, most: int) -> Measure:
    return Measure(value=used / most, said={"used": used, "most": most})


def _named(facts: Facts, reading: str) -> Mapping[str, str]:
    """The values of a reading whose rows are names and values."""
    return {str(row["name"]).lower(): str(row["value"]) for row in facts.reading(reading).rows}


def settings(facts: Facts) -> Iterator[Measure]:
    """Settings under which the database may lose what it confirmed."""
    reading = facts.reading("settings")
    wrong = 0
    for name, value in _named(facts, "settings").items():
        grade = UNSAFE.get((name, value.lower()))
        if grade is not None:
            wrong += 1
            yield Measure(value=wrong, subject=name, said={"name": name, "value": value}, grade=grade)
    if reading.rows and not wrong:
        yield Measure(value=0, case="none")


def size(facts: Facts) -> Iterator[Measure]:
    """How large the database is. Nothing is judged by it."""

    def measured(row: Mapping[str, Any]) -> Measure:
        used = int(row["bytes"] or 0)
        return Measure(value=used, said={"size": used})

    yield from _of(facts, "size", measured)


def disk(facts: Facts) -> Iterator[Measure]:
    """How full the disk of a store in a file is. A database server does not say it."""

    def measured(row: Mapping[str, Any]) -> Measure:
        used = 1 - int(row["free"]) / max(1, int(row["total"]))
        return Measure(value=used, said={"free": int(row["free"]), "percent": percent(used)})

    yield from _of(facts, "disk", measured)


def write_ahead_log(facts: Facts) -> Iterator[Measure]:
    """How long the write-ahead log of a store in a file has grown: a reader that stays keeps it from being emptied."""

    def measured(row: Mapping[str, Any]) -> Measure:
        return Measure(value=int(row["bytes"]), said={"size": int(row["bytes"])})

    yield from _of(facts, "write_ahead_log", measured)


def clock(facts: Facts) -> Iterator[Measure]:
    """Whether the store's clock is trusted, and how far it is from the clocks of the servers."""
    if facts.is_clock_suspect:
        ahead_us = facts.clock_ahead_us or 0
        yield Measure(value=ahead_us / SECOND, case="suspect", said={"ahead": ahead_us}, grade=Grade.CRITICAL)
        return
    known = [node.clock_offset_us for node in facts.nodes if node.kind == "server"]
    offsets = [offset for offset in known if offset is not None]
    if offsets:
        apart_us = abs(round(median(offsets)))
        yield Measure(value=apart_us / SECOND, said={"apart": apart_us})
    elif facts.clock_here_us is not None:
        apart_us = abs(facts.clock_here_us)
        yield Measure(value=apart_us / SECOND, case="here", said={"apart": apart_us})


def percent(share: float) -> int:
    """A share as people say it."""
    return round(share * 100)


def _of(facts: Facts, name: str, measured: _OfRow) -> Iterator[Measure]:
    """The measures of a reading, or that the store's user may not read it."""
    reading = facts.reading(name)
    if reading.grant is not None:
        yield Measure(value=None, case="grant", said={"grant": reading.grant})
    elif reading.why is not None:
        yield Measure(value=None, case="unread", said={"why": reading.why})
    for row in reading.rows:
        yield measured(row)
