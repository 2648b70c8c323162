"""Holds: what keeps waiting runs from starting, read for a page of runs at once. `domain.why.holds` judges it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from foliot.domain.job import Lane
from foliot.domain.limits import tokens_of
from foliot.domain.rates import Rate, refill_at
from foliot.domain.run import RunState
from foliot.domain.why.facts import LimitFacts, WorkerFacts
from foliot.domain.why.holds import hold_in_lane
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store.node_row import NodeRow
from foliot.store.sql.cluster import maintenance
from foliot.store.sql.jobs.definitions import lane_from
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.key_waiters import PARKED_FOR_KEY
from foliot.store.sql.leasing.scopes import all_of
from foliot.store.sql.people.cluster_reads import list_nodes

LANES_AMONG: Final = Statement(
    "SELECT lanes.id, lanes.document FROM {d} JOIN lanes ON lanes.id = d.lane", RowSet("d", lane=BIGINT)
)
LIMITS: Final = Statement(
    """
    SELECT limits.name, limits.max, limits.used, limits.rate, limits.rate_per_us, limits.pace_us, limits.burst,
           limits.spent_until, {now} AS seen_at,
           CASE WHEN limits.claim_until > {now} THEN limits.claim_lane END AS claimed_by
    FROM {d} JOIN limits ON limits.name = d.label
    """,
    RowSet("d", label=TEXT),
)
"""`claimed_by`: the lane of the run for which what comes free is kept."""
HEADS: Final = Statement(
    """
    SELECT h.id, h.job_id, h.place FROM runs h WHERE h.id IN (
      SELECT (SELECT r.id FROM runs r
              WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
                AND r.parent_id IS NULL
              ORDER BY r.place, r.id LIMIT 1)
      FROM {d})
    """,
    RowSet("d", job_id=BIGINT),
    mysql="""
    SELECT h.id, h.job_id, h.place FROM {d} STRAIGHT_JOIN runs h ON h.id = (
      SELECT r.id FROM runs r WHERE r.line_job = d.job_id AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT 1)
    """,
)
"""The first live run of each job's line."""


class Holds:
    """Judges runs of one read transaction. It reads workers, lanes and limits when the first run needs them, once."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._now = tx.now()
        self._lanes: dict[int, HoldKind] = {}
        self._workers: Sequence[NodeRow] | None = None

    def of(self, rows: Iterable[Any]) -> Mapping[int, HoldKind]:
        """What keeps each run that is due and waits; the others have no entry.

        The rows have the columns id, job_id, parent_id, lane, state, not_before, serial and place.
        """
        pending = [row for row in rows if row.state == RunState.PENDING]
        due = [row for row in pending if row.not_before <= self._now]
        if due and maintenance.found(self._tx) is not None:
            return dict.fromkeys((row.id for row in due), HoldKind.MAINTENANCE)
        behind = self._behind([row for row in due if row.serial])
        heads = [row for row in due if row.id not in behind]
        self._read_lanes({row.lane for row in heads})
        holds = dict.fromkeys(behind, HoldKind.LINE)
        for row in heads:
            waits_for_key = getattr(row, "parked", 0) == PARKED_FOR_KEY
            holds[row.id] = HoldKind.LIMIT if waits_for_key else self._lanes[row.lane]
        return holds

    def _behind(self, rows: Sequence[Any]) -> frozenset[int]:
        """Which of these runs have another in front of them in the line of their job."""
        jobs = {row.job_id for row in rows}
        found = self._tx.found(HEADS, d=keys(sorted(jobs)))
        heads = {head.job_id: (head.place, head.id) for head in found}
        behind: set[int] = set()
        for row in rows:
            head = heads.get(row.job_id)
            if head is not None and _is_behind(row, head):
                behind.add(row.id)
        return frozenset(behind)

    def _read_lanes(self, wanted: set[int]) -> None:
        unknown = sorted(wanted - self._lanes.keys())
        documents = self._tx.pairs(LANES_AMONG, d=keys(unknown))
        lanes = {lane_id: lane_from(document) for lane_id, document in documents.items()}
        limits = limits_of(self._tx, lanes.values())
        alike = self._alike(lanes.values()) if lanes else ()
        for lane_id, lane in lanes.items():
            own = limits.of(lane_id, lane)
            serving = [workers.facts for workers in alike if workers.serves(lane.namespace)]
            self._lanes[lane_id] = hold_in_lane(lane, own, serving).kind

    def _alike(self, lanes: Collection[Lane]) -> Sequence["_Alike"]:
        """The live workers, those that are alike for each of these lanes as one: there may be thousands.

        Many offer the same thousands of handlers, and many differ only in labels that no lane asks for.
        """
        if self._workers is None:
            nodes = list_nodes(self._tx, include_dead_since=None)
            self._workers = [node for node in nodes if node.kind != "server" and node.until > self._now]
        asked: set[str] = set()
        for lane in lanes:
            asked.update(label for label, _ in lane.require)
        alike: dict[tuple[Any, ...], list[NodeRow]] = {}
        for node in self._workers:
            labels = tuple(node.labels.get(label) for label in sorted(asked))
            # Nodes that say the same of their handlers have the same mapping (see `list_nodes`).
            key = (node.namespace, node.group, id(node.handlers), node.state, labels)
            alike.setdefault(key, []).append(node)
        return [_as_one(nodes) for nodes in alike.values()]


class _Alike(NamedTuple):
    """Workers that are alike, as one with the slots of all."""

    namespace: str | None  # the only one they serve; None: every
    facts: WorkerFacts

    def serves(self, namespace: str | None) -> bool:
        """Whether it is given runs of a lane of this namespace; None: of any."""
        return namespace is None or self.namespace in (None, namespace)


def _as_one(nodes: Sequence[NodeRow]) -> _Alike:
    first = nodes[0]
    slots = sum(node.slots for node in nodes)
    running = sum(node.busy for node in nodes)
    return _Alike(first.namespace, replace(first.as_worker(), slots=slots, running=running))


def _is_behind(row: Any, head: tuple[int, int]) -> bool:
    """Whether the head stands in front of a run. A shard stands where its parent does; without a place: behind all."""
    mine = row.parent_id or row.id
    if row.place is None:
        return bool(head[1] != mine)
    return bool(head < (row.place, mine))


class LimitsSeen:
    """Limits as they were read, and what they are for each lane."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = {row.name: row for row in rows}

    def of(self, lane_id: int, lane: Lane) -> list[LimitFacts]:
        """The limits of a lane; one that is not there is left out."""
        tokens = tokens_of(all_of(lane))
        return [self._fact(self._rows[name], n, lane_id) for name, n in tokens.items() if name in self._rows]

    def _fact(self, row: Any, takes: int, lane_id: int) -> LimitFacts:
        is_kept = row.claimed_by is not None and row.claimed_by != lane_id
        facts = LimitFacts(name=row.name, max=row.max, used=row.used, takes=takes, is_kept=is_kept)
        if row.pace_us is None:
            return facts
        refill = refill_at(row.pace_us, row.burst, row.spent_until, row.seen_at)
        is_empty = refill > row.seen_at
        rate = Rate(int(row.rate), int(row.rate_per_us))
        next_in_us = refill - row.seen_at if is_empty else None
        return replace(facts, rate=str(rate), next_in_us=next_in_us)


def limits_of(tx: Tx, lanes: Iterable[Lane]) -> LimitsSeen:
    """The limits of these lanes."""
    names: set[str] = set()
    for lane in lanes:
        names.update(all_of(lane))
    return LimitsSeen(tx.found(LIMITS, d=keys(sorted(names))))
