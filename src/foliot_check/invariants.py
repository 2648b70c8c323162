"""The invariants: each a sentence of the promise, a loop over the history, and what contradicts it."""

import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.forgetting import epoch_of, forgotten_starts, undone
from foliot_check.history import SECOND, Change, History, Line, Row
from foliot_check.oracle import instants, is_fixed_delay

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
STOP_MAX_US: Final = 10 * SECOND
GRAIN_US: Final = 2_000  # of recorded times: SQLite's own clock has milliseconds
LEFT_IN_PEACE: Final = 2**63 - 1  # `nodes.settled` of a session that said goodbye


# --------------------------------------------------------------------------------------------------------- instants


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
            finding.fault(f"{name}: lost: {_shown(instant)} was due and got no decision")
        elif decisions > 1:
            totals["doubled"] += 1
            finding.fault(f"{name}: doubled: {_shown(instant)} got {decisions} decisions")
    for instant in sorted(set(runs) - set(expected)):
        totals["invented"] += 1
        finding.fault(f"{name}: invented: {_shown(instant)} was not due and got a run")
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
    finding.figures.update(_spread("lateness_s", lateness))


# ------------------------------------------------------------------------------------------------------------- runs


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
            claimed = before["state"] == "PENDING" and after["state"] == "RUNNING"
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
        if run["state"] == "SUCCEEDED" and history.worker_lines and executed and _attempt(run) not in history.ends:
            finding.fault(f"run {run['id']} SUCCEEDED, and no journal shows the end of its attempt")
        if run["state"] == "FAILED" and run["kind"] == "lost" and not history.at_most_once(run):
            finding.fault(f"run {run['id']} is FAILED(lost), and it is at-least-once")


@invariant("I9")
def fences_rise(history: History, finding: Finding) -> None:
    """Fences are unique and rise."""
    by_job: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for run_id, chain in history.changes_of_run.items():
        last = 0
        for change in _claims(chain):
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


# ---------------------------------------------------------------------------------------------------------- cluster


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
            spans[run["job_id"]].append((run["leased_at"], run["ended_at"], run["id"]))
    for job_id, accepted in spans.items():
        accepted.sort()
        finding.looked_at += len(accepted)
        for (_, ended, one), (leased, _, other) in itertools.pairwise(accepted):
            if leased < ended:
                finding.fault(f"exclusive job {job_id}: runs {one} and {other} overlap")


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
    # A server that stood still in a transaction writes later than it judged.
    stops = [line.get("at") for line in history.nemesis_lines if line.what in ("pause", "cut") and line.get("at")]
    for run_id, chain in history.changes_of_run.items():
        for earlier, later in itertools.pairwise(chain):
            failed = later.row["failures"] > earlier.row["failures"]
            if failed and later.row["state"] == "PENDING":
                judged_at = min([later.at, *(at for at in stops if at <= later.at <= at + STOP_MAX_US)])
                if later.row["not_before"] < judged_at - SECOND:
                    finding.fault(f"run {run_id} was retried without a pause")


@invariant("I14")
def catch_up_is_paced(history: History, finding: Finding) -> None:
    """Catch-up runs are paced."""
    per_second: Counter[int] = Counter()
    for chain in history.changes_of_run.values():
        for change in _claims(chain):
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
        for change in _claims(chain):
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


# ---------------------------------------------------------------------------------------------------------- helpers


def _claims(chain: Sequence[Change]) -> Iterator[Change]:
    """The changes of a run that leased it."""
    attempt = 0
    for change in chain:
        if change.row["state"] == "RUNNING" and change.row["attempt"] > attempt:
            attempt = change.row["attempt"]
            yield change


def _attempt(run: Row) -> tuple[int, int]:
    return run["id"], run["attempt"]


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    return {f"{name}_p50": round(at(0.5), 4), f"{name}_p99": round(at(0.99), 4), f"{name}_max": round(ordered[-1], 4)}


def _shown(instant: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(instant // SECOND, UTC).strftime("%H:%M:%SZ")
