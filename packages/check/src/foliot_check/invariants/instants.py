"""What is due: every instant decided once, with its runs, and never early (I1, I2, I3)."""

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.history import SECOND, History, Row
from foliot_check.invariants.pieces import shown, spread
from foliot_check.oracle import instants, is_fixed_delay

GRAIN_US: Final = 2_000  # of recorded times: SQLite's own clock has milliseconds


@invariant("I1")
def every_instant_is_decided_once(history: History, finding: Finding) -> None:
    """Each due instant is decided exactly once."""
    created = _instants_with_runs(history)
    skips = defaultdict(list)
    for skip in history.skips:
        skips[skip["job_id"]].append(skip)
    totals: Counter[str] = Counter()
    for job in history.jobs:
        expected = _expected(history, job)
        if expected is None:
            continue
        _compare(job, expected, created[job["id"]], skips[job["id"]], finding, totals)
    names = ("expected", "created", "skipped", "lost", "doubled", "invented")
    finding.figures.update({name: totals[name] for name in names})


def _compare(
    job: Row,
    expected: Sequence[int],
    runs: Mapping[int, int],
    skips: Sequence[Row],
    finding: Finding,
    totals: Counter[str],
) -> None:
    name = job["name"]
    skipped: Counter[int] = Counter()
    for skip in skips:
        inside = [instant for instant in expected if skip["from_at"] <= instant <= skip["to_at"]]
        skipped.update(inside)
        if len(inside) != skip["count"]:
            finding.fault(f"{name}: skip {skip['fire_key']} says {skip['count']} instants, {len(inside)} are due in it")
    for instant in expected:
        decisions = runs.get(instant, 0) + skipped[instant]
        if decisions == 0:
            totals["lost"] += 1
            finding.fault(f"{name}: lost: {shown(instant)} was due and got no decision")
        elif decisions > 1:
            totals["doubled"] += 1
            finding.fault(f"{name}: doubled: {shown(instant)} got {decisions} decisions")
    for instant in sorted(set(runs) - set(expected)):
        totals["invented"] += 1
        finding.fault(f"{name}: invented: {shown(instant)} was not due and got a run")
    totals["expected"] += len(expected)
    totals["created"] += sum(runs.values())
    totals["skipped"] += sum(skipped.values())
    finding.looked_at += len(expected)


def _expected(history: History, job: Row) -> Sequence[int] | None:
    """The instants whose window is closed, each under the version that was in force; None: no grid to compare with."""
    versions = history.versions_of.get(job["id"], ())
    cursor = history.cursor_of.get(job["id"])
    if cursor is None:
        return None
    due: list[int] = []
    for version, following in zip(versions, [*versions[1:], None], strict=True):
        schedule = version["definition"].get("schedule")
        if schedule is None:
            continue
        if is_fixed_delay(schedule):
            return None
        until = following["created_at"] if following else _closed_until(history, cursor)
        due.extend(instants(schedule, version["created_at"], until))
    return due


def _closed_until(history: History, cursor: Row) -> int:
    """Up to just before the first instant that is not decided yet; a schedule that is over has none."""
    undecided = cursor["next_due_at"]
    return int(undecided) - 1 if undecided is not None else history.last_at


def _instants_with_runs(history: History) -> Mapping[int, Counter[int]]:
    created: dict[int, Counter[int]] = defaultdict(Counter)
    for run in history.runs:
        if run["fire_key"].startswith("s:") and run["shard"] == -1:
            created[run["job_id"]][run["due_at"]] += 1
    return created


@invariant("I2")
def each_fire_has_its_runs(history: History, finding: Finding) -> None:
    """Each created fire has exactly its planned runs."""
    children: Counter[int] = Counter(run["parent_id"] for run in history.runs if run["shard"] >= 0)
    seen: Counter[tuple[int, str, int]] = Counter()
    for run in history.runs:
        finding.looked_at += 1
        seen[run["job_id"], run["fire_key"], run["shard"]] += 1
        shards = history.definition_of.get((run["job_id"], run["version"]), {}).get("shards", 0)
        is_parent = run["shard"] == -1 and not run["fire_key"].endswith(":merge")
        if is_parent and isinstance(shards, int) and shards and children[run["id"]] != shards:
            finding.fault(f"run {run['id']} has {children[run['id']]} shards of {shards}")
    for key, count in seen.items():
        if count > 1:
            finding.fault(f"fire {key} has {count} runs")


@invariant("I3")
def nothing_is_early(history: History, finding: Finding) -> None:
    """No fire is created before its instant, by what the product says and by the database's own clock."""
    recorded: dict[int, int] = {}
    for change in history.changes:
        if change.table == "runs" and change.op == "INSERT":
            recorded[change.row["id"]] = change.at + GRAIN_US
    lateness = []
    for run in history.runs:
        if run["fire_key"].startswith("s:"):
            finding.looked_at += 1
            lateness.append((run["created_at"] - run["due_at"]) / SECOND)
            created_at = min(run["created_at"], recorded.get(run["id"], sys.maxsize))
            if created_at < run["due_at"]:
                early_s = (run["due_at"] - created_at) / SECOND
                finding.fault(f"run {run['id']} was created {early_s:.3f} s before its instant")
    finding.figures.update(spread("lateness_s", lateness))
