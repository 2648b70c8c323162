"""Figures of what happened: counts, and how long things took. Nothing is judged here; the invariants do that.

Times come from the store's own record. The nemesis and the handlers note the monotonic clock, and the nemesis store
time beside it, so a handler's line can be laid beside a change of the store: good enough to count by, never to judge.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from foliot_check.findings import Finding
from foliot_check.history import SECOND, Change, History, Line, Row

BEFORE_US: Final = SECOND
AFTER_US: Final = 3 * SECOND
"""An instant belongs to a fault when it was due up to this long before it or after it."""


def figures_of(history: History, findings: Mapping[str, Finding]) -> dict[str, Any]:
    """One flat document; what cannot be known from the history is left out."""
    return {
        **_decisions(history, findings),
        **_executions(history, findings),
        **_zombies(history),
        **_recoveries(history),
        **_store(history),
        **(findings["I17"].figures if "I17" in findings else {}),
        "false_reaps": _wrong(findings, "I12"),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """How many, and the middle, the 99th percentile and the greatest of them."""
    if not values:
        return {"n": 0}
    ordered = sorted(values)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 4)

    return {"n": len(ordered), "p50": at(0.5), "p99": at(0.99), "max": round(ordered[-1], 4)}


# -------------------------------------------------------------------------------------------------------- decisions


def _decisions(history: History, findings: Mapping[str, Finding]) -> dict[str, Any]:
    instants = findings["I1"].figures if "I1" in findings else {}
    fires = [run for run in history.runs if run["fire_key"].startswith("s:") and run["shard"] == -1]
    lateness = spread([_lateness_s(run) for run in fires])
    return {
        **instants,
        "early": sum(run["created_at"] < run["due_at"] for run in fires),
        "lateness_s": lateness,
        "extra_delay_s": _extra_delay(history, fires, usual_s=lateness.get("p50", 0.0)),
    }


def _extra_delay(history: History, fires: Sequence[Row], *, usual_s: float) -> dict[str, float]:
    """How much later than usual the latest decision came around each fault of a server."""
    worst = []
    for line in history.nemesis_lines:
        at = line.get("at")
        if at is None or not str(line.get("node") or "").startswith("s"):
            continue
        near = [_lateness_s(run) for run in fires if at - BEFORE_US <= run["due_at"] <= at + AFTER_US]
        if near:
            worst.append(max(0.0, max(near) - usual_s))
    return spread(worst)


def _lateness_s(run: Row) -> float:
    return float(run["created_at"] - run["due_at"]) / SECOND


# ------------------------------------------------------------------------------------------------------- executions


@dataclass(frozen=True, kw_only=True)
class Tenure:
    """One attempt's time in a worker's hands, by the store: from its lease to whatever took it away."""

    run: int
    attempt: int
    claimed: Change
    left: Change | None

    @property
    def lease(self) -> str:
        return str(self.claimed.row["lease_id"])

    @cached_property
    def was_reported(self) -> bool:
        """Whether its own worker said how it ended."""
        return self.left is not None and self.left.row["last_lease_id"] == self.lease


def tenures(history: History) -> Iterator[Tenure]:
    """Every attempt of every run."""
    for run_id, chain in history.changes_of_run.items():
        for at, change in enumerate(chain):
            before = chain[at - 1].row["attempt"] if at else 0
            if change.row["state"] == "RUNNING" and change.row["attempt"] > before:
                left = next((later for later in chain[at + 1 :] if later.row["state"] != "RUNNING"), None)
                yield Tenure(run=run_id, attempt=change.row["attempt"], claimed=change, left=left)


def _executions(history: History, findings: Mapping[str, Finding]) -> dict[str, Any]:
    started = {(line.get("run"), line.get("attempt")) for line in history.starts}
    unheard = {(one.run, one.attempt) for one in tenures(history) if not one.was_reported}
    again = sum((run, attempt + 1) in started for run, attempt in started & unheard)
    return {
        "runs": len(history.runs),
        "starts": len(history.starts),
        "re_executions": again,
        "at_most_once_doubled": sum("started again" in wrong for wrong in _sentences(findings, "I7")),
        "abandoned": sum(run["state"] == "FAILED" and run["kind"] == "lost" for run in history.runs),
        "deaths": sum(run["deaths"] for run in history.runs),
    }


def _zombies(history: History) -> dict[str, int]:
    """Handlers that came to their end after their lease was gone: what they tried, and what was made of it."""
    offset_us = _offset_us(history)
    by_attempt = {(one.run, one.attempt): one for one in tenures(history)}
    tried = 0
    for attempt, end in history.ends.items():
        held = by_attempt.get(attempt)
        gone = held is not None and held.left is not None and not held.was_reported
        if gone and offset_us is not None and held is not None and held.left is not None:
            tried += int(end.mono * SECOND) + offset_us > held.left.at
    accepted = sum(_accepted_from_another(chain) for chain in history.changes_of_run.values())
    effects = [line for line in history.resource_lines if line.what == "refused"]
    return {
        "zombies_tried": tried,
        "zombies_rejected": max(0, tried - accepted),
        "zombies_accepted": accepted,
        "effects_refused": len(effects),
    }


def _accepted_from_another(chain: Sequence[Change]) -> int:
    """How often a run took a report under a lease that was not its present one."""
    count, lease = 0, None
    for before, after in itertools.pairwise(chain):
        lease = before.row["lease_id"] or lease
        if after.row["last_lease_id"] not in (before.row["last_lease_id"], lease):
            count += 1
    return count


def _offset_us(history: History) -> int | None:
    """Store time less the monotonic clock, from a line that has both."""
    both: Line | None = next((line for line in history.nemesis_lines if line.get("at") is not None), None)
    return None if both is None else int(both.get("at")) - int(both.mono * SECOND)


# ------------------------------------------------------------------------------------------------------- recoveries


def _recoveries(history: History) -> dict[str, Any]:
    ready, leased, to_the_dead = _after_worker_kills(history)
    return {
        "ready_again_s": spread(ready),
        "leased_again_s": spread(leased),
        "leased_to_the_dead": to_the_dead,
        "leader_failover_s": spread(_leader_failovers(history)),
        "longest_rest_between_beats_s": round(max(_rests_between_beats(history), default=0.0), 2),
    }


def _after_worker_kills(history: History) -> tuple[list[float], list[float], int]:
    """Seconds from the kill of a worker until its runs were ready again, and until they were leased again.

    From the second death on a run waits before it is tried again, so only first deaths count for the second figure.
    The third: how many runs were leased to the worker when it was dead already.
    """
    ready, leased, to_the_dead = [], [], 0
    everything = list(tenures(history))
    following = {(one.run, one.attempt): one for one in everything}
    for line in history.nemesis_lines:
        session, at = _session_hit(history, line), line.get("at")
        if session is None:
            continue
        for one in everything:
            left = one.left
            if one.claimed.row["session_id"] != session or left is None or left.at <= at or one.was_reported:
                continue
            to_the_dead += one.claimed.at > at
            if left.row["state"] == "PENDING":
                ready.append((left.at - at) / SECOND)
                after = following.get((one.run, one.attempt + 1))
                if after is not None and left.row["deaths"] <= 1:
                    leased.append((after.claimed.at - at) / SECOND)
    return ready, leased, to_the_dead


def _session_hit(history: History, line: Line) -> str | None:
    """The session of the worker that this line says was killed."""
    if line.what != "kill" or line.get("at") is None:
        return None
    sessions = [
        node
        for node in history.nodes
        if node["name"] == line.get("node") and node.get("kind") == "worker" and node["started_at"] <= line.get("at")
    ]
    return max(sessions, key=lambda node: node["started_at"])["id"] if sessions else None


def _leader_failovers(history: History) -> list[float]:
    """Seconds from the last sign of a term to the first of the next."""
    signs = sorted((c for c in history.changes if c.table == "leases" and c.row["name"] == "leader"), key=_seq)
    return [
        (later.at - earlier.at) / SECOND
        for earlier, later in itertools.pairwise(signs)
        if later.row["term"] > earlier.row["term"] > 0
    ]


def _rests_between_beats(history: History) -> list[float]:
    """Seconds of store time from one beat of a worker's session to its next."""
    beats: dict[str, set[int]] = defaultdict(set)
    for change in history.changes:
        if change.table == "nodes" and change.row["kind"] == "worker" and change.row["last_beat_at"] is not None:
            beats[change.row["id"]].add(change.row["last_beat_at"])
    return [(later - earlier) / SECOND for one in beats.values() for earlier, later in itertools.pairwise(sorted(one))]


def _store(history: History) -> dict[str, Any]:
    metas = sorted((change for change in history.changes if change.table == "store_meta"), key=_seq)
    epochs = [change.row["epoch"] for change in metas]
    return {"epoch_changes": sum(later != earlier for earlier, later in itertools.pairwise(epochs))}


def _seq(change: Change) -> int:
    return change.seq


def _wrong(findings: Mapping[str, Finding], number: str) -> int:
    return len(_sentences(findings, number))


def _sentences(findings: Mapping[str, Finding], number: str) -> Sequence[str]:
    return findings[number].wrong if number in findings else ()
