"""Figures of runs: what is counted, how minutes become hours and days, and what is usual at an hour of the week."""

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.statistics.figures import (
    EVERY_JOB,
    EVERY_NODE,
    EndedRun,
    FigureKey,
    HourOfWeek,
    Minutes,
    RunFigures,
    baseline,
    count,
    hour_of_week,
    rolled_up,
)
from foliot.domain.statistics.resolution import KEPT_US, Resolution, usual_resolution

NOON: Instant = 20_514 * DAY + 12 * HOUR  # a Monday


def ended(ended_at: Instant = NOON, *, node: str = "w-1", state: str = "SUCCEEDED", took: int = SECOND) -> EndedRun:
    started_at = ended_at - took
    kind = "timeout" if state == "FAILED" else None
    return EndedRun(7, 0, node, state, kind, 1, started_at - 2 * SECOND, started_at, ended_at)


def figures_of(*runs: EndedRun) -> RunFigures:
    figures = RunFigures()
    for run in runs:
        figures.add(run)
    return figures


def test_figures_count_outcomes_durations_and_delays() -> None:
    never_started = ended(state="CANCELLED")._replace(started_at=None, node="")
    figures = figures_of(ended(), ended(state="FAILED", took=3 * SECOND), ended(NOON + 1), never_started)

    assert (figures.runs, figures.succeeded, figures.failed, figures.cancelled) == (4, 2, 1, 1)
    assert figures.success_rate == 2 / 3
    assert dict(figures.kinds) == {"timeout": 1}
    assert figures.retries == 4
    assert figures.last_at == NOON + 1
    assert (figures.took.count, figures.took.sum_us, figures.took.longest_us) == (3, 5 * SECOND, 3 * SECOND)
    assert figures.took.at(0.99) == 3 * SECOND  # no longer than the longest, although a bucket is wider
    assert figures.delay.mean_us == 2 * SECOND


def test_figures_of_nothing_say_nothing() -> None:
    figures = RunFigures()

    assert (figures.success_rate, figures.took.mean_us, figures.took.at(0.5)) == (None, None, None)


def test_a_clock_that_stepped_back_makes_no_negative_duration() -> None:
    assert figures_of(ended(took=-5 * SECOND)).took.sum_us == 0


def test_minutes_are_rolled_up_into_hours_days_and_nodes() -> None:
    minutes: Minutes = {}
    count(minutes, [ended(), ended(NOON + 30 * SECOND), ended(NOON + 2 * MINUTE), ended(NOON + HOUR, node="w-2")])
    sums = rolled_up(minutes, now=NOON)

    def runs(resolution: Resolution, start_at: Instant, job_id: int = 7, node: str = "w-1") -> int:
        return sums[FigureKey(resolution, start_at, job_id, 0, node)].runs

    assert runs(Resolution.MINUTE, NOON) == 2
    assert runs(Resolution.MINUTE, NOON + 2 * MINUTE) == 1
    assert runs(Resolution.HOUR, NOON) == 3
    assert runs(Resolution.DAY, NOON - 12 * HOUR) == 3
    assert runs(Resolution.DAY, NOON - 12 * HOUR, node="w-2") == 1
    assert runs(Resolution.HOUR, NOON, EVERY_JOB) == 3
    assert runs(Resolution.DAY, NOON - 12 * HOUR, EVERY_JOB, EVERY_NODE) == 4
    assert len(sums) == 2 * (3 + 2 + 2) + (3 + 2 + 1)  # of the job, of its nodes and of the cluster


def test_what_is_too_old_for_a_resolution_is_not_made_in_it() -> None:
    minutes: Minutes = {}
    count(minutes, [ended(NOON - KEPT_US[Resolution.MINUTE] - HOUR)])
    assert {key.resolution for key in rolled_up(minutes, now=NOON)} == {Resolution.HOUR, Resolution.DAY}
    assert rolled_up(minutes, now=NOON + 401 * DAY) == {}


def test_what_no_worker_had_counts_for_its_job_and_the_cluster_alone() -> None:
    minutes: Minutes = {}
    count(minutes, [ended(node="")])
    assert {(key.job_id, key.node) for key in rolled_up(minutes, now=NOON)} == {(7, ""), (EVERY_JOB, EVERY_NODE)}


def test_shards_count_for_their_node_and_not_again_for_the_cluster() -> None:
    minutes: Minutes = {}
    count(minutes, [ended()._replace(is_part=1)])
    owners = {(key.job_id, key.is_part, key.node) for key in rolled_up(minutes, now=NOON)}
    assert owners == {(7, 1, "w-1"), (EVERY_JOB, 0, "w-1")}


def test_an_hour_of_the_week_is_counted_from_monday() -> None:
    assert hour_of_week(NOON) == HourOfWeek(0, 12)
    assert hour_of_week(NOON - 13 * HOUR) == HourOfWeek(6, 23)


def test_the_baseline_of_an_hour_comes_from_the_same_hour_of_every_week() -> None:
    weeks = [(NOON - week * 7 * DAY, figures_of(ended(took=(week + 1) * SECOND))) for week in range(4)]
    usual = baseline([*weeks, (NOON + HOUR, figures_of(ended()))])

    assert (usual[HourOfWeek(0, 12)].runs, usual[HourOfWeek(0, 13)].runs) == (4, 1)
    assert usual[HourOfWeek(0, 12)].took.longest_us == 4 * SECOND


def test_a_range_has_the_finest_resolution_with_few_points_that_is_kept() -> None:
    def chosen(length: int, ago: int = 0) -> Resolution:
        return usual_resolution(NOON - ago - length, NOON - ago, NOON)

    assert chosen(3 * HOUR) is Resolution.MINUTE
    assert chosen(4 * HOUR) is Resolution.HOUR
    assert chosen(7 * DAY) is Resolution.HOUR
    assert chosen(30 * DAY) is Resolution.DAY
    assert chosen(3 * HOUR, ago=3 * DAY) is Resolution.HOUR
    assert chosen(3 * HOUR, ago=90 * DAY) is Resolution.DAY
