"""Figures are counted from the histories alone."""

from dataclasses import replace
from typing import Any

from foliot_check.figures import figures_of, spread
from foliot_check.findings import verify
from foliot_check.history import SECOND, Change, History, Line
from tests.unit.check.test_invariants import LEASE, OTHER_LEASE, T0, journal_of, run_row, sound

MONO = 1000.0
"""The monotonic clock at T0."""


def figures(**over: Any) -> dict[str, Any]:
    history = History(**sound(**over))
    return figures_of(history, verify(history))


def nemesis(what: str, second: float, **facts: Any) -> Line:
    return Line(source="n", what=what, mono=MONO + second, data={"at": T0 + int(second * SECOND), **facts})


def reaped_and_run_again() -> tuple[dict[str, Any], list[Change]]:
    """Leased by s1 at 10 s, back at 15 s, leased by s2 at 16 s, ended at 17 s."""
    run = run_row(1, 10, attempt=2, deaths=1, last_lease_id=OTHER_LEASE, ver=5)
    blank = {"lease_id": None, "last_lease_id": None, "session_id": None}
    stages = [
        (10, {"state": "PENDING", "ver": 1, "attempt": 0, "deaths": 0, **blank}),
        (10, {"state": "RUNNING", "ver": 2, "attempt": 1, "deaths": 0, **blank, "lease_id": LEASE, "session_id": "s1"}),
        (15, {"state": "PENDING", "ver": 3, "attempt": 1, **blank}),
        (16, {"state": "RUNNING", "ver": 4, **blank, "lease_id": OTHER_LEASE, "session_id": "s2"}),
        (17, {}),
    ]
    return run, [
        Change(seq=at, at=T0 + second * SECOND, table="runs", op="UPDATE", row={**run, **row})
        for at, (second, row) in enumerate(stages, start=1)
    ]


def workers() -> list[dict[str, Any]]:
    return [
        {
            "id": "s1",
            "name": "w1",
            "kind": "worker",
            "state": "dead",
            "started_at": T0,
            "until": T0,
            "ended_at": T0 + 1,
        },
        {"id": "s2", "name": "w2", "kind": "worker", "state": "live", "started_at": T0, "until": T0, "ended_at": None},
    ]


def story(*, ended_at_s: float | None = None) -> dict[str, Any]:
    run, changes = reaped_and_run_again()
    first, end = journal_of(run)
    lines = [
        replace(first, mono=MONO + 10),
        replace(first, mono=MONO + 16, data={**first.data, "attempt": 2}),
        replace(end, mono=MONO + 17, data={**end.data, "attempt": 2}),
    ]
    if ended_at_s is not None:
        lines.append(replace(end, mono=MONO + ended_at_s))
    return {
        "runs": [run],
        "changes": changes,
        "worker_lines": lines,
        "nodes": workers(),
        "nemesis_lines": [nemesis("began", 0), nemesis("kill", 11, node="w1")],
    }


def test_a_sound_history_has_nothing_to_show() -> None:
    found = figures()
    names = (
        "lost",
        "doubled",
        "early",
        "re_executions",
        "abandoned",
        "zombies_tried",
        "zombies_accepted",
        "false_reaps",
    )
    assert {found[name] for name in names} == {0}
    assert (found["expected"], found["runs"], found["starts"]) == (2, 2, 2)
    assert found["lateness_s"] == {"n": 2, "p50": 0.005, "p99": 0.005, "max": 0.005}


def test_from_the_kill_of_a_worker_to_the_next_lease() -> None:
    found = figures(**story())
    assert found["ready_again_s"]["max"] == 4.0
    assert found["leased_again_s"]["max"] == 5.0
    assert found["re_executions"] == 1


def test_an_end_after_the_lease_was_gone_is_a_zombies() -> None:
    found = figures(**story(ended_at_s=15.5))
    assert (found["zombies_tried"], found["zombies_rejected"], found["zombies_accepted"]) == (1, 1, 0)


def test_an_end_before_the_lease_was_gone_is_none() -> None:
    assert figures(**story(ended_at_s=14.5))["zombies_tried"] == 0


def test_a_zombies_result_that_counts_is_seen() -> None:
    over = story(ended_at_s=15.5)
    last = over["changes"][-1]
    over["changes"][-1] = replace(last, row={**last.row, "last_lease_id": LEASE})
    found = figures(**over)
    assert (found["zombies_accepted"], found["zombies_rejected"]) == (1, 0)


def test_the_extra_delay_is_the_worst_near_a_fault_of_a_server() -> None:
    late = run_row(2, 20, last_lease_id=OTHER_LEASE, created_at=T0 + 20_800_000)
    runs = [run_row(1, 10), late, run_row(3, 30)]
    near = figures(runs=runs, nemesis_lines=[nemesis("kill", 19.5, node="s2")])
    assert near["extra_delay_s"]["max"] == 0.795
    far = figures(runs=runs, nemesis_lines=[nemesis("kill", 10.2, node="s2")])
    assert far["extra_delay_s"]["max"] == 0.0


def test_from_one_leader_to_the_next() -> None:
    signs = [
        Change(seq=at, at=T0 + int(second * SECOND), table="leases", op="UPDATE", row={"name": "leader", "term": term})
        for at, (second, term) in enumerate([(1, 1), (2, 1), (3.5, 2), (4, 2)], start=200)
    ]
    for sign in signs:
        sign.row["holder_session"] = f"s{sign.row['term']}"  # type: ignore[index]
    assert figures(changes=[*sound()["changes"], *signs])["leader_failover_s"] == {
        "n": 1,
        "p50": 1.5,
        "p99": 1.5,
        "max": 1.5,
    }


def test_a_spread_of_nothing_is_nothing() -> None:
    assert spread([]) == {"n": 0}


def test_rests_lie_between_two_beats_of_one_worker() -> None:
    beats = [("s1", "worker", 1), ("s2", "worker", 2), ("s1", "worker", 3.5), ("s1", "worker", 4), ("s3", "server", 90)]
    changes = [
        Change(
            seq=100 + at,
            at=T0,
            table="nodes",
            op="UPDATE",
            row={"id": session, "kind": kind, "last_beat_at": T0 + int(second * SECOND)},
        )
        for at, (session, kind, second) in enumerate([*beats, ("s3", "server", 10), ("s2", "worker", 2)])
    ]
    assert figures(changes=[*sound()["changes"], *changes])["longest_rest_between_beats_s"] == 2.5
