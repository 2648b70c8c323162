"""time_travel: the real planner on virtual time."""

from datetime import UTC, datetime, timedelta

import pytest

from foliot import Ctx, at, cron, every, job
from foliot.domain.errors import JobNotFound
from foliot.domain.policies.misfire import Misfire
from foliot.domain.schedule.errors import UnknownZone
from foliot.misfire import all as catch_up_all
from foliot.misfire import latest, skip
from foliot.testing import time_travel


@job(cron("30 2 * * *", tz="Europe/Berlin"))
def night(ctx: Ctx) -> str:
    return ctx.due.isoformat()


@job(every("1h"))
def hourly() -> None: ...


def test_the_example_of_the_documentation() -> None:
    with time_travel("2026-03-28 00:00", tz="Europe/Berlin", jobs=[night]) as t:
        t.advance("2d")
        assert [f.at.hour for f in t.fires("night")] == [2, 3]  # 29 March has no 02:30


def test_a_repeated_hour_fires_once() -> None:
    with time_travel("2026-10-24 00:00", tz="Europe/Berlin", jobs=[night]) as t:
        t.advance("3d")
        assert [f.at.strftime("%d %H:%M") for f in t.fires("night")] == ["24 02:30", "25 02:30", "26 02:30"]


def test_now_and_next() -> None:
    with time_travel("2026-01-31 00:30", jobs=[hourly]) as t:
        assert t.now == datetime(2026, 1, 31, 0, 30, tzinfo=UTC)
        assert t.next("hourly") == datetime(2026, 1, 31, 1, tzinfo=UTC)
        t.advance(timedelta(minutes=30))
        assert t.next("hourly") == datetime(2026, 1, 31, 2, tzinfo=UTC)
        assert t.next("hourly") != t.now


def test_a_fire_can_be_run() -> None:
    with time_travel("2026-03-28 00:00", tz="Europe/Berlin", jobs=[night]) as t:
        t.advance("1d")
        assert t.fires("night")[0].run().result == "2026-03-28T02:30:00+01:00"


def test_runs_that_take_long_get_in_the_way() -> None:
    with time_travel("2026-01-31 00:00", jobs=[hourly], took="90m") as t:
        t.advance("5h")
        assert [f.at.hour for f in t.fires("hourly")] == [1, 3, 5]
        assert [(s.at.hour, s.count, s.reason) for s in t.skips("hourly")] == [(2, 1, "overlap"), (4, 1, "overlap")]


def test_overlap_policies_by_job() -> None:
    @job(every("1h"), overlap="allow")
    def side_by_side() -> None: ...

    @job(every("1h"), overlap="queue")
    def one_waits() -> None: ...

    @job(every("1h"), overlap="replace")
    def newest_wins() -> None: ...

    with time_travel("2026-01-31 00:00", jobs=[side_by_side, one_waits, newest_wins], took={"one_waits": "3h"}) as t:
        t.advance("6h")
        assert len(t.fires("side_by_side")) == 6
        assert [f.at.hour for f in t.fires("one_waits")] == [1, 2, 4]
        assert len(t.fires("newest_wins")) == 6


def test_an_interval_from_the_end_counts_from_the_end() -> None:
    @job(every("10m", from_end=True))
    def again() -> None: ...

    with time_travel("2026-01-31 00:00", jobs=[again], took="5m") as t:
        t.advance("1h")
        assert [f.at.minute for f in t.fires("again")] == [0, 15, 30, 45, 0]


@pytest.mark.parametrize(
    ("policy", "caught_up", "left_out"),
    [(latest(within="2h"), [6], 5), (catch_up_all(within="3h"), [4, 5, 6], 3), (skip, [], 6)],
)
def test_an_outage_is_caught_up_by_the_misfire_policy(policy: Misfire, caught_up: list[int], left_out: int) -> None:
    @job(every("1h"), overlap="allow", misfire=policy)
    def meters() -> None: ...

    with time_travel("2026-01-31 00:30", jobs=[meters]) as t:
        t.outage("6h")
        assert [f.at.hour for f in t.fires("meters")] == caught_up
        assert all(f.is_late and f.created_at == t.now for f in t.fires("meters"))
        assert sum(s.count for s in t.skips("meters")) == left_out
        assert {s.reason for s in t.skips("meters")} == {"misfire"}
        t.advance("1h")
        assert t.fires("meters")[-1].at.hour == 7
        assert not t.fires("meters")[-1].is_late


def test_a_pause_is_one_skip() -> None:
    with time_travel("2026-01-31 00:00", jobs=[hourly]) as t:
        t.pause("hourly")
        t.advance("5h")
        t.resume("hourly")
        t.advance("1h")
        assert [f.at.hour for f in t.fires("hourly")] == [6]
        assert [(s.count, s.reason) for s in t.skips("hourly")] == [(5, "paused")]


def test_a_calendar_rules() -> None:
    @job(cron("0 9 * * *", calendar="weekdays"))
    def office() -> None: ...

    with time_travel("2026-01-30 00:00", jobs=[office]) as t:  # a Friday
        t.advance("4d")
        assert [f.at.strftime("%a") for f in t.fires("office")] == ["Fri", "Mon"]
        assert sum(s.count for s in t.skips("office") if s.reason == "calendar") == 2


def test_a_schedule_that_is_over_fires_no_more() -> None:
    @job(at("2026-01-31T01:00:00Z"))
    def once() -> None: ...

    with time_travel("2026-01-31 00:00", jobs=[once, hourly]) as t:
        t.advance("1d")
        assert len(t.fires("once")) == 1
        assert t.next("once") is None


def test_mistakes_are_told() -> None:
    with pytest.raises(UnknownZone):
        time_travel("2026-01-31", tz="Asia/Beijing", jobs=[])
    with time_travel("2026-01-31", jobs=[hourly]) as t, pytest.raises(JobNotFound, match="did you mean hourly"):
        t.fires("hurly")


def test_a_month_of_minutes_passes_quickly() -> None:
    @job(cron("* * * * *"))
    def minutely() -> None: ...

    with time_travel("2026-01-01", jobs=[minutely]) as t:
        t.advance("30d")
        assert len(t.fires("minutely")) == 30 * 24 * 60
