"""Limits: how much of each is held at a time (I22)."""

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from foliot_check.findings import Finding, invariant
from foliot_check.history import Change, History, Row


@invariant("I22")
def limits_are_kept(history: History, finding: Finding) -> None:
    """Of no limit is more taken than there is: by its row, by the runs that hold it, and at the end both agree."""
    chains: dict[str, list[Change]] = defaultdict(list)
    for change in history.changes:
        if change.table == "limits":
            chains[change.row["name"]].append(change)
    for name, chain in chains.items():
        _check_row(name, sorted(chain, key=lambda change: (change.row["ver"], change.seq)), finding)
    if not chains and not history.limits:
        return
    tokens = {lane["id"]: Counter(json.loads(lane["document"])["limits"]) for lane in history.lanes}
    _check_holders(history, chains, tokens, finding)
    _check_the_end(history, tokens, finding)


def _check_row(name: str, chain: Sequence[Change], finding: Finding) -> None:
    """What a take makes of a row is within its maximum; a maximum may be lowered below what is held."""
    for earlier, later in itertools.pairwise(chain):
        finding.looked_at += 1
        before, after = earlier.row, later.row
        if before["used"] < after["used"] > after["max"]:
            finding.fault(f"limit {name}: {after['used']} were taken of {after['max']}")


def _check_holders(
    history: History, chains: Mapping[str, Sequence[Change]], tokens: Mapping[int, Mapping[str, int]], finding: Finding
) -> None:
    """Whoever takes a run holds the limit's row and writes the run after it; whoever ends one writes the run before.

    So in the order of writes no more are held than there are. Where a database numbers writes in another order than
    the row's versions follow one another (Galera), this is not judged.
    """
    judged = {name for name, chain in chains.items() if _is_in_order(chain)}
    most: dict[str, int] = {}
    held: Counter[str] = Counter()
    holding: dict[int, int] = {}
    for change in sorted(history.changes, key=lambda change: change.seq):
        row = change.row
        if change.table == "limits":
            most[row["name"]] = row["max"]
        if change.table != "runs":
            continue
        lane = holding.pop(row["id"], None)
        if lane is not None:
            held.subtract(tokens.get(lane, {}))
        if not _holds(row):
            continue
        holding[row["id"]] = row["lane"]
        held.update(tokens.get(row["lane"], {}))
        if lane is not None:
            continue
        for name in tokens.get(row["lane"], {}):
            finding.looked_at += 1
            if name in judged and name in most and held[name] > most[name]:
                finding.fault(f"limit {name}: with run {row['id']} runs hold {held[name]} of {most[name]}")


def _is_in_order(chain: Sequence[Change]) -> bool:
    vers = [change.row["ver"] for change in sorted(chain, key=lambda change: change.seq)]
    return vers == sorted(vers)


def _check_the_end(history: History, tokens: Mapping[int, Mapping[str, int]], finding: Finding) -> None:
    held: Counter[str] = Counter()
    for run in history.runs:
        if _holds(run):
            held.update(tokens.get(run["lane"], {}))
    for limit in history.limits:
        finding.looked_at += 1
        if limit["used"] != held[limit["name"]]:
            finding.fault(f"limit {limit['name']}: {limit['used']} are taken, runs hold {held[limit['name']]}")


def _holds(run: Row) -> bool:
    return run["state"] == "RUNNING" and run["lease_id"] is not None
