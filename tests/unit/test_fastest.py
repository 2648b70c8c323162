"""The route `fastest`: its case table, ten thousand runs while one worker joins and one leaves, and what a pace is."""

from collections import Counter
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.routing import FittingWorker, Ready
from foliot.domain.routing.fastest import PROBE_EVERY, route
from foliot.domain.statistics.pace import WorkerHour, pace_us

RUNS = 10_000
NAMES = ("anne", "bert", "cleo", "dora", "emil")


def worker(name: str, pace_s: float | None, **more: Any) -> FittingWorker:
    pace = None if pace_s is None else round(pace_s * SECOND)
    return FittingWorker(f"s-{name}", name, 10, slots=10, pace_us=pace)._replace(**more)


def given(runs: int, workers: list[FittingWorker], state: str | None = None) -> tuple[list[str], str | None]:
    routed = route(Ready(7, [f"s:{at}" for at in range(runs)], state), workers)
    return [str(session).removeprefix("s-") for session in routed.sessions], routed.state


CASES = [
    ("the quickest", [worker("anne", 2), worker("bert", 1)], "bert"),
    ("of two that are as quick the first", [worker("anne", 1), worker("bert", 1)], "anne"),
    ("a full worker as often as its slots fill", [worker("anne", 2), worker("bert", 1, running=25)], "anne"),
    ("as long as that is sooner", [worker("anne", 3), worker("bert", 1, running=25)], "bert"),
    ("WARNING counts twice", [worker("anne", 1, is_in_warning=True), worker("bert", 1.9)], "bert"),
    ("who has no figure and nothing to do is tried", [worker("anne", 1), worker("bert", None)], "bert"),
    ("and not when it has a run", [worker("anne", 1), worker("bert", None, running=1)], "anne"),
    (
        "where nobody has a figure, who is the least full",
        [worker("anne", None, running=3), worker("bert", None)],
        "bert",
    ),
]


@pytest.mark.parametrize(("workers", "chosen"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_who_gets_the_next_run(workers: list[FittingWorker], chosen: str) -> None:
    assert given(1, workers)[0] == [chosen]


def shares(workers: list[FittingWorker], state: str | None = None, *, at_once: int = 1) -> Counter[str]:
    """Ten thousand runs, so many ready at once; each is over before the next come."""
    counts: Counter[str] = Counter()
    for _ in range(RUNS // at_once):
        names, state = given(at_once, workers, state)
        counts.update(names)
    return counts


def test_ten_thousand_runs_while_one_joins_and_one_leaves() -> None:
    """One in twenty is a probe, by turns; the others go to the quickest."""
    five = [worker(name, 1 + at) for at, name in enumerate(NAMES)]
    probes = RUNS // PROBE_EVERY
    each = probes // 5
    assert shares(five) == {"anne": RUNS - 4 * each, **dict.fromkeys(NAMES[1:], each)}
    newcomer = given(PROBE_EVERY - 1, [*five, worker("finn", None)])[0]
    assert Counter(newcomer) == {"finn": 1, "anne": PROBE_EVERY - 2}, "tried with one run at a time"
    joined = shares([*five, worker("finn", 0.5)])
    assert joined["finn"] == RUNS - probes + probes // 6
    assert {joined[name] for name in NAMES} == {probes // 6, probes // 6 + 1}
    left = shares([*five[1:], worker("finn", 0.5)])
    assert (left["anne"], left["finn"]) == (0, RUNS - 4 * each)


def test_many_at_once_are_shared_so_that_all_are_over_soonest() -> None:
    two = [worker("anne", 1), worker("bert", 2)]
    found = shares(two, at_once=100)
    fair = RUNS * 2 / 3
    assert abs(found["anne"] - fair) < RUNS / PROBE_EVERY


HOUR = WorkerHour(hours_ago=0, succeeded=10, failed=0, took=10, took_us=20 * SECOND, delays=10, delay_us=10 * SECOND)
PACES = [
    ("durations and answers", [HOUR], 3 * SECOND),
    ("an hour ago counts half", [HOUR, HOUR._replace(hours_ago=1, took_us=50 * SECOND)], 4 * SECOND),
    ("half of them failed", [HOUR._replace(succeeded=5, failed=5)], 6 * SECOND),
    ("all of them failed", [HOUR._replace(succeeded=0, failed=10)], 300 * SECOND),
    ("cancelled ones are not judged", [HOUR._replace(succeeded=0)], 3 * SECOND),
    ("none was started", [HOUR._replace(took=0, took_us=0)], None),
    ("nothing is known", [], None),
]


@pytest.mark.parametrize(("hours", "expected"), [case[1:] for case in PACES], ids=[case[0] for case in PACES])
def test_a_pace_is_a_moving_average(hours: list[WorkerHour], expected: int | None) -> None:
    assert pace_us(hours) == expected
