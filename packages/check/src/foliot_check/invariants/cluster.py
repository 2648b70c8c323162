"""What servers, workers and the store do: terms, reaps, retries, pace, epochs, bounds (I10 to I15, I17, I19)."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.forgetting import forgotten_starts, undone
from foliot_check.history import SECOND, Change, History, Row
from foliot_check.invariants.pieces import leases_in

LEFT_IN_PEACE: Final = 2**63 - 1  # `nodes.settled` of a session that said goodbye


@invariant("I10")
def terms_rise(history: History, finding: Finding) -> None:
    """Terms rise by one and never overlap."""
    by_name: dict[str, list[Change]] = defaultdict(list)
    for change in history.changes:
        if change.table == "leases":
            by_name[change.row["name"]].append(change)
    for name, chain in by_name.items():
        ordered = sorted(chain, key=lambda change: (change.row["term"], change.seq))
        for earlier, later in itertools.pairwise(ordered):
            finding.looked_at += 1
            step = later.row["term"] - earlier.row["term"]
            if step > 1:
                finding.fault(f"lease {name}: term {earlier.row['term']} is followed by {later.row['term']}")
            changed_hands = later.row["holder_session"] != earlier.row["holder_session"]
            if step == 0 and changed_hands and later.row["holder_session"] is not None:
                finding.fault(f"lease {name}: term {later.row['term']} had two holders")
        for earlier, later in itertools.pairwise(sorted(chain, key=lambda change: change.seq)):
            if later.row["term"] < earlier.row["term"]:  # one row, so the order of its changes is that of its writers
                finding.fault(f"lease {name}: term {later.row['term']} was written after {earlier.row['term']}")


@invariant("I11")
def exclusive_attempts_do_not_overlap(history: History, finding: Finding) -> None:
    """Accepted attempts of an exclusive job do not overlap."""
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for run in history.runs:
        if history.exclusive(run) and run["state"] == "SUCCEEDED" and run["leased_at"] is not None:
            spans[run["job_id"]].append((*_span(history, run), run["id"]))
    for job_id, accepted in spans.items():
        accepted.sort()
        finding.looked_at += len(accepted)
        for (_, ended, one), (leased, _, other) in itertools.pairwise(accepted):
            if leased < ended:
                finding.fault(f"exclusive job {job_id}: runs {one} and {other} overlap")


def _span(history: History, run: Row) -> tuple[int, int]:
    """From the accepted attempt's lease to its end: in the order of recorded changes, without a record in store time.

    A transaction reads store time first and looks for runs then. Who leases a run right after another one's end may
    have read the time before it, so that times overlap where the attempts did not; their changes never do.
    """
    chain = history.changes_of_run.get(run["id"], ())
    leased = [change.seq for change in leases_in(chain) if change.row["attempt"] == run["attempt"]]
    return (leased[0], chain[-1].seq) if leased else (run["leased_at"], run["ended_at"])


@invariant("I12")
def nobody_is_reaped_wrongly(history: History, finding: Finding) -> None:
    """No live session is reaped."""
    hurt = {line.get("session") for line in history.nemesis_lines if line.get("session")}
    hurt |= {line.get("node") for line in history.nemesis_lines if line.get("node")}
    everywhere = any(line.get("scope") == "all" for line in history.nemesis_lines)
    left = {line.get("session") for line in history.worker_lines if line.what == "left"}
    for node in history.nodes:
        finding.looked_at += 1
        if node["state"] != "dead" or node["id"] in left or node.get("settled") == LEFT_IN_PEACE:
            continue
        if node["until"] >= node["ended_at"]:  # whatever had happened to it
            finding.fault(f"session {node['id']} of {node['name']} was reaped before it had run out")
        elif node.get("beat_no") == 0:  # never lived: whoever asked for it had given up before the answer came
            continue
        elif not everywhere and node["id"] not in hurt and node["name"] not in hurt:
            finding.fault(f"session {node['id']} of {node['name']} was reaped, and nothing had happened to it")


@invariant("I13")
def retries_are_bounded(history: History, finding: Finding) -> None:
    """Retries keep their distance and their number; every death is counted, the last one too."""
    deaths = Counter(row["run_id"] for row in history.attempts if row["cause"] in {"lost", "start_missing"})
    for run in history.runs:
        definition = history.definition_of.get((run["job_id"], run["version"]), {})
        retries = definition.get("retries") or {}
        most = retries if isinstance(retries, int) else retries.get("max", 0)
        finding.looked_at += 1
        if run["failures"] > most + 1:
            finding.fault(f"run {run['id']} failed {run['failures']} times, {most} retries are allowed")
        if run["deaths"] > definition.get("max_lost", 3):
            finding.fault(f"run {run['id']} cost {run['deaths']} workers")
        if run["deaths"] != deaths[run["id"]]:
            finding.fault(f"run {run['id']} counts {run['deaths']} deaths, {deaths[run['id']]} attempts died")
        if run["kind"] == "poison" and run["deaths"] < definition.get("max_lost", 3):
            finding.fault(f"run {run['id']} was given up as poison after {run['deaths']} deaths")
    # When it was judged, by the store's clock: what is written may be written much later, on a machine that stalls.
    judged = {(row["run_id"], row["attempt"]): row.get("ended_at") for row in history.attempts}
    for run_id, chain in history.changes_of_run.items():
        for earlier, later in itertools.pairwise(chain):
            failed = later.row["failures"] > earlier.row["failures"]
            if failed and later.row["state"] == "PENDING":
                judged_at = judged.get((run_id, earlier.row["attempt"])) or later.at - SECOND
                if later.row["not_before"] < judged_at:
                    finding.fault(f"run {run_id} was retried without a pause")


@invariant("I14")
def catch_up_is_paced(history: History, finding: Finding) -> None:
    """Catch-up runs are paced."""
    per_second: Counter[int] = Counter()
    for chain in history.changes_of_run.values():
        for change in leases_in(chain):
            if change.row["class"] == 1 and change.row["attempt"] == 1:
                finding.looked_at += 1
                per_second[change.at // SECOND] += 1
    most = history.bounds.catchup_rate * history.bounds.servers * 2  # one second's share may be claimed in the next
    for second, count in per_second.items():
        if count > most:
            finding.fault(f"{count} catch-up runs started in second {second}, {most} are allowed")


@invariant("I15")
def acknowledged_is_there(history: History, finding: Finding) -> None:
    """One fire per idempotency key and per call that asked for one, and what was acknowledged is there."""
    keys: Counter[tuple[int, str]] = Counter()
    for run in history.runs:
        if run["fire_key"].startswith("m:") and run["shard"] == -1:
            keys[run["job_id"], run["fire_key"]] += 1
    for (job_id, key), count in keys.items():
        finding.looked_at += 1
        if count > 1:
            finding.fault(f"job {job_id}: key {key} has {count} runs")
    _one_fire_per_call(history, finding, Counter(job_id for job_id, _ in keys))
    there = {run["id"] for run in history.runs}
    missing = 0
    for line in history.client_lines:
        if line.what == "acknowledged":
            finding.looked_at += 1
            if line.get("run") not in there:
                missing += 1
                if not history.lossy:
                    finding.fault(f"the trigger acknowledged as run {line.get('run')} is not in the store")
    finding.figures["acknowledged_missing"] = missing


def _one_fire_per_call(history: History, finding: Finding, fires: Mapping[int, int]) -> None:
    """However often a call was sent, it asked for one run; jobs whose every call is in a journal are looked at."""
    asked = Counter(line.get("job") for line in history.client_lines if line.what == "asked")
    for job in history.jobs:
        calls, got = asked[job["name"]], fires.get(job["id"], 0)
        finding.looked_at += calls
        if calls and got > calls:
            finding.fault(f"{job['name']} has {got} triggered runs, and {calls} were asked for")


@invariant("I17")
def epochs_rise(history: History, finding: Finding) -> None:
    """The epoch rises, and no claim repeats another's (epoch, run, attempt)."""
    epochs = [
        change.row["epoch"] for change in sorted(history.changes, key=lambda c: c.seq) if change.table == "store_meta"
    ]
    for earlier, later in itertools.pairwise(epochs):
        finding.looked_at += 1
        if later < earlier:
            finding.fault(f"the epoch went from {earlier} to {later}")
    claims: dict[tuple[int, int, int], set[str]] = defaultdict(set)
    for run_id, chain in history.changes_of_run.items():
        for change in leases_in(chain):
            finding.looked_at += 1
            claims[int(change.row["fence"]) >> 28, run_id, change.row["attempt"]].add(change.row["lease_id"])
    for line in history.starts:  # a lossy store may have forgotten a claim; its worker has not
        if line.get("lease") is not None and line.get("fence") is not None:
            claims[int(line.get("fence")) >> 28, line.get("run"), line.get("attempt")].add(line.get("lease"))
    for claim, leases in claims.items():
        if len(leases) > 1:
            finding.fault(f"claim {claim} was made under {len(leases)} leases")
    _nothing_is_forgotten(history, finding)


def _nothing_is_forgotten(history: History, finding: Finding) -> None:
    """What a lossy store undid is counted; any other forgets nothing that was acknowledged."""
    finding.figures.update(undone(history))
    if history.lossy:
        return
    for line in forgotten_starts(history):
        finding.fault(
            f"run {line.get('run')} was started under fence {line.get('fence')}, which the store never gave out"
        )
    if finding.figures["re_decided"]:
        finding.fault(f"{finding.figures['re_decided']} decisions were made anew")


@invariant("I19")
def bounds_are_kept(history: History, finding: Finding) -> None:
    """Pools, transactions and memory stay within their bounds."""
    for name, value in history.figures.items():
        if isinstance(value, dict) and "limit" in value and "peak" in value:
            finding.looked_at += 1
            if value["peak"] > value["limit"]:
                finding.fault(f"{name} reached {value['peak']}, its limit is {value['limit']}")
