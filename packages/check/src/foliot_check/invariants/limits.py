"""Limits: how much of each is held at a time (I22)."""

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.history import Change, History, Row

OF_GROUP: Final = 512
OF_NAMESPACE: Final = 1024


@invariant("I22")
def limits_are_kept(history: History, finding: Finding) -> None:
    """Of no limit is more taken than there is: by its row, by the runs that hold it, and at the end both agree."""
    chains: dict[str, list[Change]] = defaultdict(list)
    for change in history.changes:
        if change.table == "limits":
            chains[change.row["name"]].append(change)
    if not chains and not history.limits:
        return
    lanes = {lane["id"]: json.loads(lane["document"]) for lane in history.lanes}
    counted_in = _counted_in(history, lanes)
    for name, chain in chains.items():
        in_order = sorted(chain, key=lambda change: (change.row["ver"], change.seq))
        _check_row(name, in_order, counted_in[name], finding)
    _check_holders(history, chains, lanes, finding)
    _check_the_end(history, lanes, finding)


def _counted_in(history: History, lanes: Mapping[int, Row]) -> Counter[str]:
    """How many runs were running already when a limit of their group or namespace was set: they count in it, too."""
    counted: Counter[str] = Counter()
    leased: dict[int, tuple[str, Counter[str]]] = {}
    for change in sorted(history.changes, key=lambda change: change.seq):
        row = change.row
        if change.table != "runs":
            continue
        before = leased.pop(row["id"], None)
        if not _holds(row):
            continue
        tokens = _tokens(row, lanes)
        if before is not None and before[0] == row["lease_id"]:
            counted.update(tokens - before[1])
        leased[row["id"]] = row["lease_id"], tokens
    return counted


def _check_row(name: str, chain: Sequence[Change], counted_in: int, finding: Finding) -> None:
    """What a take makes of a row is within its maximum; a maximum may be set below what is held."""
    for earlier, later in itertools.pairwise(chain):
        finding.looked_at += 1
        before, after = earlier.row, later.row
        rise = after["used"] - before["used"]
        if rise > counted_in and after["used"] > after["max"]:
            finding.fault(f"limit {name}: {after['used']} were taken of {after['max']}")


def _check_holders(
    history: History, chains: Mapping[str, Sequence[Change]], lanes: Mapping[int, Row], finding: Finding
) -> None:
    """Whoever takes a run holds the limit's row and writes the run after it; whoever ends one writes the run before.

    So in the order of writes no more are held than there are. Where a database numbers writes in another order than
    the row's versions follow one another (Galera), this is not judged.
    """
    judged = {name for name, chain in chains.items() if _is_in_order(chain)}
    most: dict[str, int] = {}
    held: Counter[str] = Counter()
    holding: dict[int, Counter[str]] = {}
    for change in sorted(history.changes, key=lambda change: change.seq):
        row = change.row
        if change.table == "limits":
            most[row["name"]] = row["max"]
        if change.table != "runs":
            continue
        before = holding.pop(row["id"], None)
        if before is not None:
            held.subtract(before)
        if not _holds(row):
            continue
        tokens = holding[row["id"]] = _tokens(row, lanes)
        held.update(tokens)
        if before is not None:
            continue
        for name in tokens:
            finding.looked_at += 1
            if name in judged and name in most and held[name] > most[name]:
                finding.fault(f"limit {name}: with run {row['id']} runs hold {held[name]} of {most[name]}")


def _is_in_order(chain: Sequence[Change]) -> bool:
    vers = [change.row["ver"] for change in sorted(chain, key=lambda change: change.seq)]
    return vers == sorted(vers)


def _tokens(run: Row, lanes: Mapping[int, Row]) -> Counter[str]:
    """What a running run holds: what its lane names, and the limits of its group and namespace that it took."""
    lane = lanes.get(run["lane"], {})
    tokens: Counter[str] = Counter(lane.get("limits", ()))
    follow = run.get("follow") or 0
    if follow & OF_GROUP:
        tokens[f"grp:{lane['group']}"] += 1
    if follow & OF_NAMESPACE:
        tokens[f"ns:{lane['namespace']}"] += 1
    return tokens


def _check_the_end(history: History, lanes: Mapping[int, Row], finding: Finding) -> None:
    held: Counter[str] = Counter()
    for run in history.runs:
        if _holds(run):
            held.update(_tokens(run, lanes))
    for limit in history.limits:
        finding.looked_at += 1
        if limit["used"] != held[limit["name"]]:
            finding.fault(f"limit {limit['name']}: {limit['used']} are taken, runs hold {held[limit['name']]}")


def _holds(run: Row) -> bool:
    return run["state"] == "RUNNING" and run["lease_id"] is not None
