"""The checker is itself checked: a sound history passes, and one hand-made lie per invariant is caught."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from foliot_check.findings import CHECKS, verify
from foliot_check.history import SECOND, Change, History, Line
from tests.unit.check.limit_lies import (
    heavy_runs_side_by_side,
    key_with_two_runs,
    limit_given_back_by_half,
    limit_passed_by_its_row,
    limited,
    placed,
    runs_faster_than_their_rate,
    worker_with_two_runs,
)
from tests.unit.check.route_lies import edit_change, leased_by_another_than_was_named

T0 = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
LEASE = "a" * 32
OTHER_LEASE = "b" * 32
EPOCH = 1_767_225_000

Edit = Callable[[dict[str, Any]], None]


def job_row(job_id: int = 1) -> dict[str, Any]:
    return {"id": job_id, "name": f"job{job_id}", "created_at": T0}


def version_row(job_id: int = 1, **definition: Any) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "version": 1,
        "created_at": T0,
        "definition": {"schedule": {"every": "10s"}, **definition},
    }


def run_row(run_id: int, second: int, **fields: Any) -> dict[str, Any]:
    due = T0 + second * SECOND
    return {
        "id": run_id,
        "job_id": 1,
        "version": 1,
        "fire_key": f"s:{due}",
        "shard": -1,
        "parent_id": None,
        "open_children": 0,
        "due_at": due,
        "created_at": due + 5000,
        "not_before": due,
        "class": 0,
        "state": "SUCCEEDED",
        "kind": None,
        "ver": 3,
        "attempt": 1,
        "failures": 0,
        "deaths": 0,
        "lease_id": None,
        "last_lease_id": LEASE,
        "fence": (EPOCH << 28) + 1,
        "leased_at": due + 10_000,
        "ended_at": due + 20_000,
        **fields,
    }


def life_of(run: Mapping[str, Any], seq: int = 1) -> list[Change]:
    """A run's changes: inserted, leased, ended."""
    stages = [
        {**run, "state": "PENDING", "ver": 1, "attempt": 0, "lease_id": None, "last_lease_id": None, "fence": None},
        {**run, "state": "RUNNING", "ver": 2, "lease_id": run["last_lease_id"], "last_lease_id": None},
        dict(run),
    ]
    times = [run["created_at"], run["leased_at"], run["ended_at"]]
    return [
        Change(seq=seq + at, at=time, table="runs", op="UPDATE" if at else "INSERT", row=row)
        for at, (row, time) in enumerate(zip(stages, times, strict=True))
    ]


def journal_of(run: Mapping[str, Any]) -> list[Line]:
    facts = {"run": run["id"], "attempt": 1, "lease": run["last_lease_id"], "session": "s1"}
    mono = run["due_at"] / SECOND
    return [
        Line(source="w1", what="start", mono=mono, data=facts),
        Line(source="w1", what="end", mono=mono + 0.01, data=facts),
    ]


def sound(**over: Any) -> dict[str, Any]:
    """Two fires of one job, each leased, run and ended; the third instant is not decided yet."""
    runs = [run_row(1, 10), run_row(2, 20, last_lease_id=OTHER_LEASE)]
    return {
        "jobs": [job_row()],
        "versions": [version_row()],
        "cursors": [{"job_id": 1, "next_due_at": T0 + 30 * SECOND, "state": "active"}],
        "runs": runs,
        "changes": [*life_of(runs[0], 1), *life_of(runs[1], 10)],
        "worker_lines": [*journal_of(runs[0]), *journal_of(runs[1])],
        "nodes": [{"id": "s1", "name": "w1", "state": "live", "until": T0, "ended_at": None}],
        **over,
    }


def broken(edit: Edit) -> History:
    story = sound()
    edit(story)
    return History(**story)


def failing(history: History) -> Sequence[str]:
    return [number for number, finding in verify(history).items() if not finding.holds]


def test_a_sound_history_passes() -> None:
    findings = verify(History(**sound()))
    assert [number for number, finding in findings.items() if not finding.holds] == []
    assert findings["I1"].figures == {
        "expected": 2,
        "created": 2,
        "skipped": 0,
        "lost": 0,
        "doubled": 0,
        "invented": 0,
    }
    assert findings["I3"].figures["lateness_s_max"] == 0.005


def test_a_schedule_that_is_over_is_looked_at_to_its_end() -> None:
    finding = verify(broken(over_and_done))["I1"]
    assert finding.holds, finding.wrong
    assert (finding.figures["expected"], finding.figures["created"]) == (2, 2)


def test_every_invariant_has_a_lie_that_it_catches() -> None:
    assert {number for number, _, _ in LIES} == set(CHECKS)


# ------------------------------------------------------------------------------------------------------------- lies


def lost_instant(story: dict[str, Any]) -> None:
    story["runs"] = story["runs"][:1]
    story["changes"] = story["changes"][:3]


def doubled_instant(story: dict[str, Any]) -> None:
    story["skips"] = [skip_row(10, 10, 1)]


def invented_instant(story: dict[str, Any]) -> None:
    story["runs"].append(run_row(3, 13))


def last_instant_lost(story: dict[str, Any]) -> None:
    """A schedule that is over has no next instant; its last one must be decided all the same."""
    over_and_done(story)
    lost_instant(story)
    story["nodes"] = []
    story["changes"] += [
        Change(seq=90, at=T0 + 60 * SECOND, table="store_meta", op="UPDATE", row={"epoch": EPOCH, "fingerprint": ""})
    ]


def over_and_done(story: dict[str, Any]) -> None:
    story["versions"] = [version_row(schedule={"at": ["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z"]})]
    story["cursors"][0] |= {"next_due_at": None, "state": "done"}


def miscounted_skip(story: dict[str, Any]) -> None:
    lost_instant(story)
    story["skips"] = [skip_row(20, 20, 2)]


def skip_row(first: int, last: int, count: int) -> dict[str, Any]:
    return {
        "job_id": 1,
        "fire_key": f"x:{first}",
        "from_at": T0 + first * SECOND,
        "to_at": T0 + last * SECOND,
        "count": count,
        "reason": "overlap",
    }


def missing_shard(story: dict[str, Any]) -> None:
    story["versions"] = [version_row(shards=2)]
    story["runs"].append(run_row(5, 10, shard=0, parent_id=1))


def early_fire(story: dict[str, Any]) -> None:
    story["runs"][0]["created_at"] = story["runs"][0]["due_at"] - 1


def early_fire_by_a_clock_that_is_ahead(story: dict[str, Any]) -> None:
    inserted = story["changes"][0]
    story["changes"][0] = Change(
        seq=inserted.seq, at=inserted.at - 3 * SECOND, table="runs", op="INSERT", row=inserted.row
    )


def gap_in_versions(story: dict[str, Any]) -> None:
    del story["changes"][1]


def attempt_without_a_claim(story: dict[str, Any]) -> None:
    edit_change(story, 2, attempt=2)


def result_of_an_old_lease(story: dict[str, Any]) -> None:
    edit_change(story, 2, last_lease_id="c" * 32)


def zombie_told_that_it_counts(story: dict[str, Any]) -> None:
    told = {"run": 1, "lease": "c" * 32, "landing": "recorded"}
    story["worker_lines"].append(Line(source="w2", what="report", mono=0, data=told))


def change_after_the_end(story: dict[str, Any]) -> None:
    last = story["changes"][2]
    story["changes"].append(
        Change(seq=99, at=last.at + 1, table="runs", op="UPDATE", row={**last.row, "ver": 4, "state": "FAILED"})
    )


def second_start_of_at_most_once(story: dict[str, Any]) -> None:
    story["versions"] = [version_row(on_lost="fail")]
    start = story["worker_lines"][0]
    story["worker_lines"] = [start, Line(source="w2", what="start", mono=start.mono + 1, data=start.data)]


def run_left_behind(story: dict[str, Any]) -> None:
    story["runs"][0]["state"] = "RUNNING"


def success_nobody_executed(story: dict[str, Any]) -> None:
    story["worker_lines"] = story["worker_lines"][2:]


def at_least_once_given_up(story: dict[str, Any]) -> None:
    story["runs"][0] |= {"state": "FAILED", "kind": "lost"}
    story["nemesis_lines"] = [Line(source="nemesis", what="kill", mono=0)]


def falling_fence(story: dict[str, Any]) -> None:
    ended = story["changes"][2]
    again = [
        {**ended.row, "state": "PENDING", "ver": 3, "lease_id": None},
        {**ended.row, "state": "RUNNING", "ver": 4, "attempt": 2, "lease_id": OTHER_LEASE, "fence": 7},
        {**ended.row, "ver": 5, "attempt": 2, "last_lease_id": OTHER_LEASE},
    ]
    story["changes"][2:3] = [
        Change(seq=50 + at, at=ended.at + at, table="runs", op="UPDATE", row=row) for at, row in enumerate(again)
    ]


def stale_token_accepted(story: dict[str, Any]) -> None:
    story["resource_lines"] = [
        Line(source="r", what="accepted", mono=at, data={"resource": "x", "token": token})
        for at, token in enumerate([5, 9, 7])
    ]


def token_handed_out_twice(story: dict[str, Any]) -> None:
    facts = {"run": 1, "attempt": 1, "fence": str((EPOCH << 28) + 1)}
    story["worker_lines"] += [Line(source=name, what="start", mono=0, data=facts) for name in ("w1", "w2")]


def claim_the_store_forgot(story: dict[str, Any]) -> None:
    facts = {"run": 1, "attempt": 1, "fence": (EPOCH << 28) + 1, "lease": "c" * 32}
    story["worker_lines"].append(Line(source="w2", what="start", mono=0, data=facts))


def term_with_two_holders(story: dict[str, Any]) -> None:
    story["changes"] += [
        Change(
            seq=100 + at,
            at=T0 + at,
            table="leases",
            op="UPDATE",
            row={"name": "leader", "term": 4, "holder_session": holder, "until": T0},
        )
        for at, holder in enumerate(["s1", "s2"])
    ]


def write_of_an_old_term(story: dict[str, Any]) -> None:
    story["changes"] += [
        Change(
            seq=110 + at,
            at=T0 + at,
            table="leases",
            op="UPDATE",
            row={"name": "leader", "term": term, "holder_session": f"s{term}", "until": T0},
        )
        for at, term in enumerate([4, 5, 4])
    ]


def exclusive_overlap(story: dict[str, Any]) -> None:
    story["versions"] = [version_row(exclusive=True)]
    story["runs"][0]["ended_at"] = story["runs"][1]["leased_at"] + 1
    story["changes"] = []


def false_reap(story: dict[str, Any]) -> None:
    story["nodes"] = [{"id": "s1", "name": "w1", "state": "dead", "until": T0, "ended_at": T0 + 10 * SECOND}]


def reap_before_its_time(story: dict[str, Any]) -> None:
    story["nodes"] = [
        {"id": "s1", "name": "w1", "state": "dead", "until": T0 + 9 * SECOND, "ended_at": T0, "settled": 4}
    ]
    story["nemesis_lines"] = [Line(source="nemesis", what="pause", mono=0, data={"node": "w1"})]


def too_many_failures(story: dict[str, Any]) -> None:
    story["versions"] = [version_row(retries={"max": 2})]
    story["runs"][0]["failures"] = 4


def uncounted_death(story: dict[str, Any]) -> None:
    story["attempts"] = [{"run_id": story["runs"][0]["id"], "attempt": 1, "cause": "lost"}]


def poison_too_soon(story: dict[str, Any]) -> None:
    run = story["runs"][0]
    run |= {"state": "FAILED", "kind": "poison", "deaths": 2}
    story["attempts"] = [{"run_id": run["id"], "attempt": at, "cause": "lost"} for at in (1, 2)]


def retried_at_once(story: dict[str, Any]) -> None:
    ended = story["changes"][2]
    back = {**ended.row, "state": "PENDING", "failures": 1, "lease_id": None, "not_before": ended.at - 3 * SECOND}
    story["changes"][2] = Change(seq=ended.seq, at=ended.at, table="runs", op="UPDATE", row=back)


def unpaced_catch_up(story: dict[str, Any]) -> None:
    for number in range(400):
        run = run_row(1000 + number, 10, fire_key=f"b:1:{number}", **{"class": 1})
        story["runs"].append(run)
        story["changes"] += life_of(run, 1000 + 3 * number)
        story["worker_lines"] += journal_of(run)


def acknowledged_and_gone(story: dict[str, Any]) -> None:
    story["client_lines"] = [Line(source="c", what="acknowledged", mono=0, data={"run": 77})]


def key_used_twice(story: dict[str, Any]) -> None:
    story["runs"] += [run_row(8, 10, fire_key="m:k"), run_row(9, 10, fire_key="m:k", version=1)]


def call_served_twice(story: dict[str, Any]) -> None:
    story["runs"] += [run_row(8, 10, fire_key="m:k"), run_row(9, 10, fire_key="m:fresh")]
    story["client_lines"] = [Line(source="c", what="asked", mono=0, data={"job": "job1"})]


def falling_epoch(story: dict[str, Any]) -> None:
    story["changes"] += [
        Change(seq=200 + at, at=T0 + at, table="store_meta", op="UPDATE", row={"epoch": epoch})
        for at, epoch in enumerate([5, 4])
    ]


def pool_beyond_its_size(story: dict[str, Any]) -> None:
    story["figures"] = {"control pool": {"peak": 5, "limit": 4}}


def test_runs_within_their_rate_and_keys_are_sound() -> None:
    story = sound()
    placed(story, rate="100/s", max_per_key=1, concurrency_by="customer", max_per_worker=1)
    finding = verify(History(**story))["I23"]
    assert finding.wrong == []
    assert finding.looked_at > 0


def test_keys_are_those_of_the_runs_for_recorded_changes_have_no_parameters() -> None:
    story = sound()
    key_with_two_runs(story)
    assert not verify(History(**story))["I23"].holds
    for number, run in enumerate(story["runs"]):
        run["params"] = f'{{"customer": {number}}}'
    assert verify(History(**story))["I23"].wrong == []


def test_what_ran_before_a_limit_of_its_group_was_set_is_counted_in_and_no_excess() -> None:
    story = sound()
    story["lanes"] = [{"id": 7, "document": '{"group": "etl"}'}]
    for row in [*story["runs"], *(change.row for change in story["changes"])]:
        row["lane"] = 7
    seen = [{"max": 1, "used": 0, "ver": 1}, {"max": 1, "used": 2, "ver": 2}, {"max": 1, "used": 0, "ver": 3}]
    story["changes"] += [
        Change(seq=100 + at, at=T0, table="limits", op="UPDATE", row={"name": "grp:etl", **row})
        for at, row in enumerate(seen)
    ]
    assert not verify(History(**story))["I22"].holds
    apart = [replace(change, seq=10 * change.seq) for change in story["changes"]]
    taken = [change for change in apart if change.table == "runs" and change.row["state"] == "RUNNING"]
    counted = [replace(change, seq=change.seq + 1, row={**change.row, "follow": 512}) for change in taken]
    story["changes"] = [*apart, *counted]
    assert not any("were taken" in wrong for wrong in verify(History(**story))["I22"].wrong)


def test_runs_that_take_two_of_three_one_after_the_other_are_within_the_limit() -> None:
    story = sound()
    limited(story, {"max": 8, "used": 6}, {"max": 3, "used": 6}, {"max": 3, "used": 4}, {"max": 3, "used": 2})
    assert verify(History(**story))["I22"].wrong == []


LIES: Sequence[tuple[str, str, Edit]] = [
    ("I1", "lost", lost_instant),
    ("I1", "doubled", doubled_instant),
    ("I1", "invented", invented_instant),
    ("I1", "lost: 00:00:20Z", last_instant_lost),
    ("I1", "says 2 instants", miscounted_skip),
    ("I2", "1 shards of 2", missing_shard),
    ("I3", "before its instant", early_fire),
    ("I3", "2.993 s before its instant", early_fire_by_a_clock_that_is_ahead),
    ("I4", "is followed by", gap_in_versions),
    ("I4", "attempt went", attempt_without_a_claim),
    ("I5", "was accepted", result_of_an_old_lease),
    ("I5", "was said to count", zombie_told_that_it_counts),
    ("I6", "changed after", change_after_the_end),
    ("I7", "started again", second_start_of_at_most_once),
    ("I8", "is still RUNNING", run_left_behind),
    ("I8", "no journal", success_nobody_executed),
    ("I8", "at-least-once", at_least_once_given_up),
    ("I9", "fence 7 after", falling_fence),
    ("I9", "accepted token 7", stale_token_accepted),
    ("I9", "2 starts under fence", token_handed_out_twice),
    ("I10", "two holders", term_with_two_holders),
    ("I10", "was written after 5", write_of_an_old_term),
    ("I11", "overlap", exclusive_overlap),
    ("I12", "was reaped", false_reap),
    ("I12", "before it had run out", reap_before_its_time),
    ("I13", "failed 4 times", too_many_failures),
    ("I13", "without a pause", retried_at_once),
    ("I13", "1 attempts died", uncounted_death),
    ("I13", "given up as poison after 2 deaths", poison_too_soon),
    ("I14", "catch-up runs started", unpaced_catch_up),
    ("I22", "4 were taken of 3", limit_passed_by_its_row),
    ("I22", "runs hold 4 of 3", heavy_runs_side_by_side),
    ("I22", "1 are taken, runs hold 0", limit_given_back_by_half),
    ("I23", "it has 2 runs of 1", key_with_two_runs),
    ("I23", "it has 2 runs of 1", worker_with_two_runs),
    ("I23", "than its rate allows", runs_faster_than_their_rate),
    ("I24", "meant for session s1, and s2", leased_by_another_than_was_named),
    ("I15", "is not in the store", acknowledged_and_gone),
    ("I15", "has 2 runs", key_used_twice),
    ("I15", "2 triggered runs, and 1 were asked for", call_served_twice),
    ("I17", "the epoch went", falling_epoch),
    ("I17", "under 2 leases", claim_the_store_forgot),
    ("I19", "its limit is 4", pool_beyond_its_size),
]


@pytest.mark.parametrize(("number", "words", "lie"), LIES, ids=[lie.__name__ for _, _, lie in LIES])
def test_a_lie_is_caught(number: str, words: str, lie: Edit) -> None:
    finding = verify(broken(lie))[number]
    assert any(words in wrong for wrong in finding.wrong), finding.wrong


def test_a_session_that_never_beat_was_not_alive() -> None:
    story = sound()
    false_reap(story)
    story["nodes"][0]["beat_no"] = 0
    assert verify(History(**story))["I12"].holds
    story["nodes"][0]["beat_no"] = 1
    assert not verify(History(**story))["I12"].holds


def test_a_retry_judged_before_its_server_stood_still_is_none_too_soon() -> None:
    story = sound()
    retried_at_once(story)
    judged_at = story["changes"][2].at - 3 * SECOND
    story["attempts"] = [{"run_id": 1, "attempt": 1, "cause": "error", "ended_at": judged_at}]
    assert verify(History(**story))["I13"].holds
    story["attempts"][0]["ended_at"] = judged_at + 1
    assert not verify(History(**story))["I13"].holds


def test_a_lease_right_after_the_end_of_another_is_no_overlap_however_early_its_time_was_read() -> None:
    story = sound()
    exclusive_overlap(story)
    story["changes"] = [*life_of(story["runs"][0], 1), *life_of(story["runs"][1], 10)]
    assert verify(History(**story))["I11"].holds
    story["changes"][2] = replace(story["changes"][2], seq=20)  # the end of the first, after the lease of the second
    assert not verify(History(**story))["I11"].holds
