"""What becomes of runs: versions, leases, results, ends and tokens (I4 to I9)."""

import itertools
from collections import Counter, defaultdict
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.forgetting import epoch_of
from foliot_check.history import History, Line
from foliot_check.invariants.pieces import attempt_of, leases_in

FINAL: Final = frozenset({"SUCCEEDED", "FAILED", "CANCELLED"})
LEGAL: Final = {
    ("PENDING", "PENDING"),  # given another place, version or class
    ("PENDING", "RUNNING"),
    ("PENDING", "CANCELLED"),
    ("PENDING", "FAILED"),  # rejected
    ("RUNNING", "RUNNING"),  # start or cancel noted, children counted
    ("RUNNING", "PENDING"),
    ("RUNNING", "SUCCEEDED"),
    ("RUNNING", "FAILED"),
    ("RUNNING", "CANCELLED"),
}


@invariant("I4")
def versions_follow_one_another(history: History, finding: Finding) -> None:
    """A run's versions follow one another, each a legal change."""
    for run_id, chain in history.changes_of_run.items():
        finding.looked_at += len(chain)
        for earlier, later in itertools.pairwise(chain):
            before, after = earlier.row, later.row
            if after["ver"] != before["ver"] + 1:
                finding.fault(f"run {run_id}: version {before['ver']} is followed by {after['ver']}")
            if (before["state"], after["state"]) not in LEGAL:
                finding.fault(f"run {run_id}: {before['state']} became {after['state']}")
            is_leased = after["lease_id"] is not None  # a run that is cut into shards is RUNNING without a lease
            claimed = before["state"] == "PENDING" and after["state"] == "RUNNING" and is_leased
            if after["attempt"] != before["attempt"] + claimed:
                finding.fault(f"run {run_id}: attempt went from {before['attempt']} to {after['attempt']}")


@invariant("I5")
def one_result_under_the_latest_lease(history: History, finding: Finding) -> None:
    """At most one result is accepted per run, under its latest lease."""
    for run_id, chain in history.changes_of_run.items():
        lease, accepted = None, 0
        for change in chain:
            row = change.row
            if row["state"] == "RUNNING" and row["lease_id"] is not None:
                lease = row["lease_id"]
            if row["state"] in FINAL:
                accepted += 1
                reported = row["last_lease_id"]
                if (
                    row["state"] == "SUCCEEDED"
                    and row["open_children"] == 0
                    and lease is not None
                    and reported != lease
                ):
                    finding.fault(f"run {run_id}: a result under lease {reported} was accepted, the latest is {lease}")
        finding.looked_at += accepted
        if accepted > 1:
            finding.fault(f"run {run_id}: {accepted} results were accepted")
    if not history.bounds.lossy:  # such a store may forget what it said
        _answers_are_true(history, finding)


def _answers_are_true(history: History, finding: Finding) -> None:
    """A worker was told that its result counts only if the store took it, under the lease it was reported with."""
    taken = {
        (run_id, change.row["last_lease_id"]) for run_id, chain in history.changes_of_run.items() for change in chain
    }
    for line in history.worker_lines:
        if line.what == "report" and line.get("landing") == "recorded":
            finding.looked_at += 1
            if (line.get("run"), line.get("lease")) not in taken:
                finding.fault(f"run {line.get('run')}: a result under lease {line.get('lease')} was said to count")


@invariant("I6")
def terminal_is_for_ever(history: History, finding: Finding) -> None:
    """A terminal run never changes."""
    for run_id, chain in history.changes_of_run.items():
        over = [at for at, change in enumerate(chain) if change.row["state"] in FINAL]
        finding.looked_at += len(over)
        if over and over[0] != len(chain) - 1:
            finding.fault(f"run {run_id} changed after it was {chain[over[0]].row['state']}")


@invariant("I7")
def at_most_once_never_twice(history: History, finding: Finding) -> None:
    """An at-most-once run starts again only after its worker reported the end."""
    runs = {run["id"]: run for run in history.runs}
    starts: dict[int, list[Line]] = defaultdict(list)
    for line in history.starts:
        starts[line.get("run")].append(line)
    for run_id, lines in starts.items():
        run = runs.get(run_id)
        if run is None or not history.at_most_once(run):
            continue
        finding.looked_at += 1
        for earlier, later in itertools.pairwise(sorted(lines, key=lambda line: line.mono)):
            if history.lossy and epoch_of(earlier) != epoch_of(later):
                continue  # the store forgot the first, or gave its number to another run: counted with I17
            end = history.ends.get((run_id, earlier.get("attempt")))
            if end is None or end.mono > later.mono:
                finding.fault(f"run {run_id}: started again before the end of attempt {earlier.get('attempt')}")
    faults = {line.what for line in history.nemesis_lines} - {"began"}
    for run in history.runs:
        if run["state"] == "FAILED" and run["kind"] == "lost" and not faults:
            finding.fault(f"run {run['id']} is FAILED(lost), and no fault was injected")


@invariant("I8")
def everything_ends(history: History, finding: Finding) -> None:
    """At quiescence every run is terminal, and a success was really executed."""
    for run in history.runs:
        finding.looked_at += 1
        if run["state"] not in FINAL:
            finding.fault(f"run {run['id']} is still {run['state']}")
        executed = run["lease_id"] is not None or run["last_lease_id"] is not None
        if run["state"] == "SUCCEEDED" and history.worker_lines and executed and attempt_of(run) not in history.ends:
            finding.fault(f"run {run['id']} SUCCEEDED, and no journal shows the end of its attempt")
        if run["state"] == "FAILED" and run["kind"] == "lost" and not history.at_most_once(run):
            finding.fault(f"run {run['id']} is FAILED(lost), and it is at-least-once")


@invariant("I9")
def fences_rise(history: History, finding: Finding) -> None:
    """Fences are unique and rise."""
    by_job: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for run_id, chain in history.changes_of_run.items():
        last = 0
        for change in leases_in(chain):
            fence = int(change.row["fence"])
            finding.looked_at += 1
            if fence <= last:
                finding.fault(f"run {run_id}: fence {fence} after {last}")
            last = fence
            if history.exclusive(change.row):
                by_job[change.row["job_id"]].append((change.seq, fence, change.row["lease_id"]))
    for job_id, claims in by_job.items():
        tokens = [fence for _, fence, _ in sorted(claims)]
        if any(later <= earlier for earlier, later in itertools.pairwise(tokens)):
            finding.fault(f"exclusive job {job_id}: fences do not rise: {tokens[:20]}")
    _no_token_is_handed_out_twice(history, finding)
    highest: dict[str, int] = {}
    for line in history.resource_lines:
        if line.what == "accepted":
            name, token = line.get("resource"), int(line.get("token"))
            if token < highest.get(name, 0):
                finding.fault(f"resource {name} accepted token {token} after {highest[name]}")
            highest[name] = max(token, highest.get(name, 0))


def _no_token_is_handed_out_twice(history: History, finding: Finding) -> None:
    """Handlers never saw the same token of a run twice, also if the store has forgotten that it gave it out."""
    seen: Counter[tuple[int, int]] = Counter()
    for line in history.starts:
        if line.get("fence") is not None:
            finding.looked_at += 1
            seen[line.get("run"), int(line.get("fence"))] += 1
    for (run_id, fence), starts in seen.items():
        if starts > 1:
            finding.fault(f"run {run_id}: {starts} starts under fence {fence}")
