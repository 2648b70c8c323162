"""Each kind of anomaly by a table of cases: what is told, what is not, and in which words."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind, Facts
from foliot.domain.anomalies.course import QUIET_MAX, course, judge
from foliot.domain.anomalies.history import DAYS, WEEK, WEEKS, JobHistory, Usual
from foliot.domain.anomalies.tails import binomial_at_least, poisson_at_least, poisson_at_most
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.statistics.figures import EndedRun, RunFigures
from foliot.words.anomalies import anomaly_sentence
from foliot.words.language import Language
from tests.latin import latin_words

NOON: Instant = 20_514 * DAY + 12 * HOUR


def runs(count: int, *, took: int = 10 * SECOND, delay: int = 0, failed: int = 0, at: Instant = NOON) -> RunFigures:
    figures = RunFigures()
    for n in range(count):
        state, kind = ("FAILED", "timeout") if n < failed else ("SUCCEEDED", None)
        started_at = at + 40 * MINUTE - took
        figures.add(EndedRun(7, 0, "w", state, kind, 0, started_at - delay, started_at, started_at + took))
    return figures


def history(
    latest: RunFigures | None, *, an_hour: int = 6, usual: Callable[..., RunFigures] = runs, is_scheduled: bool = True
) -> JobHistory:
    """A job that ran so often in each hour of the weeks before."""
    hours: dict[Instant, RunFigures] = {} if latest is None else {NOON: latest}
    for week in range(1, WEEKS + 1):
        for back in range(3):
            hours[NOON - week * WEEK - back * HOUR] = usual(an_hour)
    if latest is not None:
        hours |= {NOON - back * HOUR: usual(an_hour) for back in range(1, 6)}
    today = NOON - 12 * HOUR
    days = {today - back * DAY: usual(24 * an_hour) for back in range(1, DAYS + 1)}
    return JobHistory(job_id=7, hour_at=NOON, hours=hours, usual=Usual(days, today), is_scheduled=is_scheduled)


@pytest.mark.parametrize(
    ("latest", "found"),
    [
        (runs(6), {}),
        (runs(6, took=14 * SECOND), {}),
        (runs(6, took=40 * SECOND), {"duration"}),
        (runs(6, failed=1), {}),
        (runs(6, failed=5), {"failures"}),
        (runs(6, delay=20 * SECOND), {}),
        (runs(6, delay=2 * MINUTE), {"lateness"}),
        (runs(15), {}),
        (runs(60), {"count"}),
        (None, {"silence"}),
        (runs(6, took=40 * SECOND, delay=MINUTE, failed=6), {"duration", "failures", "lateness"}),
    ],
)
def test_an_hour_is_told_when_it_differs_by_far(latest: RunFigures | None, found: set[str]) -> None:
    assert set(judge(history(latest))) == set(found)


def test_a_job_without_a_past_is_not_judged() -> None:
    young = JobHistory(job_id=7, hour_at=NOON, hours={NOON: runs(60, failed=60)}, usual=Usual({}, NOON - 12 * HOUR))
    assert judge(young) == {}


def test_a_new_version_may_have_another_schedule() -> None:
    edited = replace(history(None), since_at=NOON - 2 * WEEK)
    assert judge(edited) == {}


def test_a_paused_job_is_not_silent_and_users_need_not_come() -> None:
    assert judge(replace(history(None), is_active=False)) == {}
    assert judge(history(None, is_scheduled=False)) == {}


def test_what_a_job_does_each_week_at_this_hour_is_usual() -> None:
    weekly = history(runs(6, took=40 * SECOND))
    hours: Mapping[Instant, RunFigures] = {
        at: runs(6, took=38 * SECOND) if at < NOON - DAY else figures for at, figures in weekly.hours.items()
    }
    assert judge(replace(weekly, hours=hours)) == {}


def test_a_short_job_that_takes_some_milliseconds_more_matters_to_nobody() -> None:
    def quick(count: int, took: int = 5_000) -> RunFigures:
        return runs(count, took=took)

    assert judge(history(quick(6, 50_000), usual=quick)) == {}


def test_an_anomaly_goes_on_as_one_and_ends_after_some_usual_hours() -> None:
    bad, good = history(runs(6, failed=6)), history(runs(6))
    (opened,) = course(bad, ()).opened
    (again,) = course(bad, [opened]).continued
    assert (again.began_at, again.quiet, course(bad, [opened]).opened) == (opened.began_at, 0, [])
    for quiet in range(1, QUIET_MAX):
        (again,) = course(good, [again]).continued
        assert again.quiet == quiet
    assert [one.ended_at for one in course(good, [again]).ended] == [NOON + HOUR]


def test_silence_lasts_until_the_next_run() -> None:
    (silent,) = course(history(None), ()).opened
    later = replace(history(None), hour_at=NOON + 6 * HOUR)  # at this hour nothing is due
    assert course(later, [silent]) == ([], [], [])
    assert [one.kind for one in course(history(runs(1)), [silent]).ended] == ["silence"]
    assert len(course(replace(later, is_active=False), [silent]).ended) == 1


def test_every_anomaly_has_its_sentence_in_both_languages() -> None:
    seen = {
        **judge(history(runs(6, took=40 * SECOND, delay=MINUTE, failed=6))),
        **judge(history(None)),
        **judge(history(runs(60))),
    }
    fewer: Facts = {"way": "fewer", "runs": 3, "usual": 40, "hours": 3}
    assert set(seen) == set(AnomalyKind)
    facts = [(kind, deviation.facts) for kind, deviation in seen.items()] + [(AnomalyKind.COUNT, fewer)]
    for kind, numbers in facts:
        anomaly = Anomaly(job_id=7, kind=kind, began_at=NOON, seen_at=NOON, facts=numbers)
        assert anomaly_sentence(anomaly, Language.ENGLISH).endswith(".")
        chinese = anomaly_sentence(anomaly, Language.CHINESE)
        assert not set(latin_words(chinese)) - {"timeout"}, chinese
    duration = Anomaly(
        job_id=7, kind=AnomalyKind.DURATION, began_at=0, seen_at=0, facts=seen[AnomalyKind.DURATION].facts
    )
    assert anomaly_sentence(duration, Language.ENGLISH).startswith("Runs take 4")


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (poisson_at_least(10, 3.0), 0.001102),
        (poisson_at_most(2, 10.0), 0.002769),
        (binomial_at_least(5, 10, 0.1), 0.001635),
        (binomial_at_least(3, 3, 0.01), 1e-6),
        (poisson_at_least(2, 3.0), 1.0),
    ],
)
def test_tails_are_those_of_the_tables(tail: float, expected: float) -> None:
    assert tail == pytest.approx(expected, rel=1e-3)
