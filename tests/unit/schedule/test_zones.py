"""Zones: every change of every clock is found, and odd days are what they were."""

import pytest

from foliot.domain.instants import isoformat
from foliot.domain.schedule import tzdata_version
from foliot.domain.schedule.zones import HORIZON_S, Gap, RepeatedTime, zone, zone_names
from tests.property.clockwork import zone_of
from tests.unit.schedule.asking import fires, instant


def pure_transitions(name: str) -> list[int]:
    """What the data file itself lists, read by the standard library's own Python code."""
    from importlib import resources
    from zoneinfo import _zoneinfo  # type: ignore[attr-defined]

    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        data = _zoneinfo.ZoneInfo.from_file(file, key=name)
    offset = data._tti_before.utcoff if data._tti_before else None
    found = []
    for at, after in zip(data._trans_utc, data._ttinfos, strict=True):
        if after.utcoff != offset and at >= 0:
            found.append(at)
        offset = after.utcoff
    return found


@pytest.mark.parametrize("name", ["Europe/Berlin", "Africa/Casablanca", "America/Recife", "Asia/Gaza", "Pacific/Apia"])
def test_every_change_the_data_lists_is_found(name: str) -> None:
    listed = pure_transitions(name)
    last = max(listed) + 1
    assert [change.at for change in zone(name).transitions(0, last)] == listed


@pytest.mark.slow
def test_no_zone_changes_faster_than_the_search_looks() -> None:
    """All 600 zones as far as they are listed: the search looks every three days, so changes must be further apart."""
    for name in sorted(zone_names()):
        listed = pure_transitions(name)
        if listed:
            assert [change.at for change in zone(name).transitions(0, listed[-1] + 1)] == listed, name


def test_stretches_tile_the_years_without_a_hole() -> None:
    for name in ("Europe/Berlin", "Africa/Casablanca", "UTC", "Pacific/Apia"):
        at, where = 0, zone(name)
        while at < HORIZON_S:
            stretch = where.stretch_from(at, RepeatedTime.BOTH)
            assert stretch is not None
            assert stretch.start == at
            assert where.stretch_to(at, RepeatedTime.BOTH) == stretch
            at = stretch.end
        assert where.stretch_from(HORIZON_S, RepeatedTime.BOTH) is None


def test_the_unwanted_pass_is_cut_away() -> None:
    berlin = zone("Europe/Berlin")
    change = instant("2026-10-25T01:00:00Z") // 1_000_000
    first = berlin.stretch_from(change, RepeatedTime.FIRST)
    second = berlin.stretch_to(change - 1, RepeatedTime.SECOND)
    assert first is not None
    assert first.start == change + 3600
    assert second is not None
    assert second.end == change - 3600


def test_the_instant_of_a_wall_reading() -> None:
    berlin = zone("Europe/Berlin")
    plain, missing, twice = (
        instant(at) // 1_000_000 for at in ("2026-06-01 12:00", "2026-03-29 02:30", "2026-10-25 02:30")
    )
    assert berlin.instants_of(plain) == (plain - 7200,)
    assert berlin.instants_of(missing) == ()
    assert berlin.instants_of(twice) == (twice - 7200, twice - 3600)
    assert isoformat((berlin.instant_of(missing) or 0) * 1_000_000) == "2026-03-29T01:00:00Z"
    assert berlin.instant_of(missing, Gap.SKIP) is None
    assert berlin.instant_of(twice) == twice - 7200
    assert berlin.instant_of(twice, overlap=RepeatedTime.SECOND) == twice - 3600


def test_zones_come_from_the_package_and_its_release_is_known() -> None:
    assert tzdata_version()[:2] == "20"
    assert tzdata_version()[-1].isalpha()
    assert {"UTC", "Asia/Shanghai", "Asia/Calcutta", "Etc/GMT-8"} <= zone_names()
    for name in ("Asia/Shanghai", "Asia/Calcutta"):
        assert zone(name).offset_at(0) == zone_of(name).utcoffset(None) or zone(name).offset_at(1_769_875_200) > 0


# Days that were not there


def test_samoa_skipped_30_december_2011() -> None:
    """What was due that Friday is due at the first instant after it, once; Saturday's own fire follows."""
    assert fires("0 9 * * *", 4, since="2011-12-28", tz="Pacific/Apia") == [
        "2011-12-28 09:00",
        "2011-12-29 09:00",
        "2011-12-31 00:00",
        "2011-12-31 09:00",
    ]
    assert fires("0 9 * * FRI", 2, since="2011-12-24", tz="Pacific/Apia") == ["2011-12-31 00:00", "2012-01-06 09:00"]
    assert fires("0 9 * * *", 3, since="2011-12-29", tz="Pacific/Apia", dst_gap=Gap.SKIP) == [
        "2011-12-29 09:00",
        "2011-12-31 09:00",
        "2012-01-01 09:00",
    ]
    hourly = fires("0 * * * *", 3, since="2011-12-29 23:00", tz="Pacific/Apia")
    assert hourly == ["2011-12-29 23:00", "2011-12-31 00:00", "2011-12-31 01:00"]


def test_kwajalein_skipped_a_day_in_1993() -> None:
    assert fires("0 12 * * *", 3, since="1993-08-20", tz="Pacific/Kwajalein") == [
        "1993-08-20 12:00",
        "1993-08-22 00:00",
        "1993-08-22 12:00",
    ]


# Shifts that are not an hour


def test_lord_howe_shifts_by_half_an_hour() -> None:
    """On 4 October 2026 02:00 becomes 02:30, on 5 April 02:00 becomes 01:30."""
    tz = "Australia/Lord_Howe"
    assert fires("15 2 * * *", 2, since="2026-10-04", tz=tz) == ["2026-10-04 02:30", "2026-10-05 02:15"]
    assert fires("0,15 2 * * *", 2, since="2026-10-04", tz=tz) == ["2026-10-04 02:30", "2026-10-05 02:00"]
    assert fires("45 1 * * *", 2, since="2026-04-05", tz=tz) == ["2026-04-05 01:45", "2026-04-06 01:45"]
    assert fires("45 * * * *", 3, since="2026-04-05 01:00", tz=tz) == [
        "2026-04-05 01:45",
        "2026-04-05 01:45",
        "2026-04-05 02:45",
    ]


def test_troll_shifts_by_two_hours() -> None:
    """On 29 March 2026 01:00 UTC the clock goes from 01:00 to 03:00; all fires in between become one."""
    tz = "Antarctica/Troll"
    assert fires("0,30 1,2 * * *", 2, since="2026-03-29", tz=tz) == ["2026-03-29 03:00", "2026-03-30 01:00"]


def test_sao_paulo_had_no_midnight_on_4_november_2018() -> None:
    tz = "America/Sao_Paulo"
    assert fires("0 0 * * *", 2, since="2018-11-03 12:00", tz=tz) == ["2018-11-04 01:00", "2018-11-05 00:00"]
    assert fires("@daily", 3, since="2018-02-17", tz=tz) == ["2018-02-17 00:00", "2018-02-18 00:00", "2018-02-19 00:00"]


# Rules that changed


def test_rules_that_changed_are_followed() -> None:
    """Mexico gave summer time up in 2022, Egypt took it up in 2023, Almaty moved its clock back in 2024."""
    assert fires("30 2 * * *", 1, since="2022-04-03", tz="America/Mexico_City") == ["2022-04-03 03:00"]
    assert fires("30 2 * * *", 1, since="2023-04-02", tz="America/Mexico_City") == ["2023-04-02 02:30"]
    assert fires("30 0 * * *", 1, since="2022-04-29", tz="Africa/Cairo") == ["2022-04-29 00:30"]
    assert fires("30 0 * * *", 1, since="2023-04-28", tz="Africa/Cairo") == ["2023-04-28 01:00"]
    twice = fires("30 * * * *", 3, since="2024-02-29 23:00", tz="Asia/Almaty")
    assert twice == ["2024-02-29 23:30", "2024-02-29 23:30", "2024-03-01 00:30"]


def test_ramadan_breaks_summer_time_in_morocco() -> None:
    """Two changes within five weeks in 2026: back on 15 February, forward on 22 March."""
    assert fires("30 2 * * *", 2, since="2026-02-15", tz="Africa/Casablanca") == [
        "2026-02-15 02:30",
        "2026-02-16 02:30",
    ]
    assert fires("30 2 * * *", 2, since="2026-03-22", tz="Africa/Casablanca") == [
        "2026-03-22 03:00",
        "2026-03-23 02:30",
    ]
