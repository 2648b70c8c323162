"""Limits by worker and by key, and rates of all kinds (I23): judged from the leases, not from the store's counts."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from foliot_check.findings import Finding, invariant
from foliot_check.history import SECOND, History, Row

TOLERANCE: Final = 1.01
"""A pace is rounded up to a microsecond; store time is read in microseconds."""
UNITS: Final = {"ms": 1000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND, "d": 86400 * SECOND}


_Params = Mapping[int, str | None]
"""Of each run: recorded changes have no parameters, since no change of a run's state changes them."""


class _Rate(NamedTuple):
    """So many starts at once, and one more each pace."""

    pace_us: float
    burst: int


@invariant("I23")
def rates_and_keys_are_kept(history: History, finding: Finding) -> None:
    """No worker and no key has more runs of a job than it may, and in no time do more start than a rate says."""
    places = {(one["job_id"], one["version"]): one["definition"].get("place") or {} for one in history.versions}
    documents = {(one["job_id"], one["version"]): one["definition"] for one in history.versions}
    params = {run["id"]: run.get("params") for run in history.runs}
    if any(_KEYED & place.keys() for place in places.values()):
        _check_held(history, places, documents, params, finding)
    starts: dict[str, list[int]] = defaultdict(list)
    rates: dict[str, _Rate] = {}
    for row in _leases(history):
        for name, rate in _rates_of(row, places, documents, params):
            starts[name].append(row["leased_at"])
            rates[name] = _looser(rates.get(name), rate)
    for name, rate in _scope_rates(history).items():
        rates[name] = rate
        starts[name] = [row["leased_at"] for row in _leases(history) if name in _scopes_of(row, history)]
    for name, instants in starts.items():
        _check_rate(name, sorted(instants), rates[name], finding)


_KEYED: Final = frozenset({"max_per_worker", "max_per_key"})
MERGE: Final = 16


def _leases(history: History) -> Iterator[Row]:
    """Each change that made a run RUNNING under a lease, once."""
    leased: set[tuple[int, str]] = set()
    for change in sorted(history.changes, key=lambda change: change.seq):
        row = change.row
        if change.table != "runs" or not _runs(row) or (row["id"], row["lease_id"]) in leased:
            continue
        leased.add((row["id"], row["lease_id"]))
        yield row


def _runs(row: Row) -> bool:
    return row["state"] == "RUNNING" and row["lease_id"] is not None


def _check_held(
    history: History, places: Mapping[Any, Row], documents: Mapping[Any, Row], params: _Params, finding: Finding
) -> None:
    """Whoever takes or ends a run has the row of its key locked: so the order of writes is that of the key."""
    held: Counter[str] = Counter()
    holding: dict[int, list[str]] = {}
    for change in sorted(history.changes, key=lambda change: change.seq):
        if change.table != "runs":
            continue
        row = change.row
        before = holding.pop(row["id"], None)
        held.subtract(before or ())
        if not _runs(row):
            continue
        version = (row["job_id"], row["version"])
        place = places.get(version, {})
        most: dict[str, int] = {}
        if "max_per_worker" in place:
            most[f"job {row['job_id']} on worker {row.get('session_id')}"] = place["max_per_worker"]
        if "max_per_key" in place and not (row.get("follow") or 0) & MERGE:
            key = _key(row, documents.get(version, {}), params, place["concurrency_by"])
            most[f"job {row['job_id']} with {place['concurrency_by']} {key}"] = place["max_per_key"]
        holding[row["id"]] = list(most)
        held.update(most.keys())
        if before is not None:
            continue
        for name, limit in most.items():
            finding.looked_at += 1
            if held[name] > limit:
                finding.fault(f"{name}: with run {row['id']} it has {held[name]} runs of {limit}")


def _rates_of(
    row: Row, places: Mapping[Any, Row], documents: Mapping[Any, Row], params: _Params
) -> Iterator[tuple[str, _Rate]]:
    """The rate of its job that a run started under."""
    version = (row["job_id"], row["version"])
    place = places.get(version, {})
    if "rate" not in place:
        return
    by = place.get("rate_by")
    if by is not None and (row.get("follow") or 0) & MERGE:
        return
    name = f"job {row['job_id']}"
    if by is not None:
        name += f" with {by} {_key(row, documents.get(version, {}), params, by)}"
    yield name, _rate(place["rate"], place.get("rate_burst"))


def _rate(said: str, burst: int | None) -> _Rate:
    n, per = said.split("/")
    per_us = 0
    for count, unit in re.findall(r"([0-9]*)(ms|s|m|h|d)", per):
        per_us += int(count or 1) * UNITS[unit]
    pace_us = per_us / int(n)
    return _Rate(pace_us, burst or max(1, int(SECOND / pace_us)))


def _scope_rates(history: History) -> dict[str, _Rate]:
    """The rates of groups and namespaces, the loosest that each had; one that began later is left out."""
    rates: dict[str, _Rate] = {}
    for change in history.changes:
        row = change.row
        if change.table == "limits" and row["name"].startswith(("grp:", "ns:")) and row.get("pace_us"):
            rates[row["name"]] = _looser(rates.get(row["name"]), _Rate(row["pace_us"], row["burst"]))
    return rates


def _scopes_of(row: Row, history: History) -> list[str]:
    """The limits of its group and namespace that a run took."""
    lane = history.lane_documents.get(row["lane"], {})
    follow = row.get("follow") or 0
    scopes = [f"grp:{lane.get('group')}"] if follow & 512 else []
    return [*scopes, f"ns:{lane.get('namespace')}"] if follow & 1024 else scopes


def _looser(one: _Rate | None, other: _Rate) -> _Rate:
    return other if one is None else _Rate(min(one.pace_us, other.pace_us), max(one.burst, other.burst))


def _key(row: Row, document: Row, params_of: _Params, by: str) -> str:
    params = document.get("params") or {}
    own = row.get("params") or params_of.get(row["id"])
    if own:
        params = json.loads(own)
    usual = ((document.get("parameters") or {}).get("properties") or {}).get(by) or {}
    return json.dumps(params.get(by, usual.get("default")), sort_keys=True)


def _check_rate(name: str, starts: list[int], rate: _Rate, finding: Finding) -> None:
    """In every stretch between two starts: no more than the burst and what the time allows."""
    first_at = None
    worst = 0.0
    most = float("-inf")  # of (start - number * pace) of the starts so far: from there on most have started
    for number, at in enumerate(starts):
        finding.looked_at += 1
        pace = rate.pace_us / TOLERANCE
        most = max(most, at - number * pace)
        started = 1 + (number * pace - at + most) / pace  # beyond what the time since then allows
        if started > rate.burst + 1e-6 and started > worst:
            worst, first_at = started, at
    if first_at is not None:
        finding.fault(f"{name}: {worst:.2f} runs more than its rate allows had started at {first_at}, and its burst is "
                      f"{rate.burst}")  # fmt: skip
