"""Health: the band of a node by its beats. A table of cases each, and no flapping."""

import pytest

from foliot.domain.health import (
    USUAL_RULES,
    BadHealthRules,
    Band,
    BandCause,
    BeatSigns,
    FellBy,
    Health,
    HealthRules,
    after_beat,
    band_cause,
    usual_rules,
    worse,
)
from foliot.domain.instants import SECOND
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Beat
from foliot.store.sql.cluster.beats import renew
from foliot.store.sql.kernel.statement import Statement

EVERY = 5 * SECOND
LATE = -1.0
ONLINE, WARNING, OFFLINE = Health.ONLINE, Health.WARNING, Health.OFFLINE


def bands(strains: list[float | None], *, every_us: int = EVERY, rules: HealthRules = USUAL_RULES) -> str:
    """The band after each beat, as one letter a beat: o or W."""
    band, shown = Band(), ""
    for number, strain in enumerate(strains):
        signs = BeatSigns(at=number * every_us, strain=0.1 if strain == LATE else strain, is_late=strain == LATE)
        band = after_beat(band, signs, rules)
        shown += "W" if band.health is WARNING else "o"
    return shown


@pytest.mark.parametrize(
    ("strains", "expected"),
    [
        ([0.1, 0.2, 0.89], "ooo"),
        ([0.9, 0.95, 1.0], "ooW"),
        ([0.9, 0.9, 0.85, 0.9, 0.9], "ooooo"),  # one beat in between: it did not last
        ([0.9, 0.9, 0.9, 0.85, 0.85, 0.85, 0.85], "ooWWWWW"),  # neither strained nor calm: it stays
        ([0.9, 0.9, 0.9, 0.7, 0.7, 0.7], "ooWWWo"),
        ([0.9, 0.9, 0.9, 0.7, 0.7, 0.9, 0.7, 0.7, 0.7], "ooWWWWWWo"),
        ([0.9, 0.9, None, 0.9], "oooo"),  # a beat that says nothing is no strain
        ([0.9, 0.9, 0.9, None, None, None], "ooWWWo"),  # and it is calm
        ([0.1, LATE, 0.1, LATE, 0.1], "ooooo"),  # one late beat may be the store's or the network's
        ([0.1, LATE, LATE, 0.1, 0.1, 0.1], "ooWWWo"),  # two in a row are enough, and three in time are needed
        ([LATE, LATE, 0.1, LATE, 0.1, LATE, 0.1, 0.1, 0.1], "oWWWWWWWo"),  # a slow network: no flapping
        ([LATE, LATE, 0.1, 0.1, 0.95, 0.1, 0.1, 0.1], "oWWWWWWo"),
        ([0.9, LATE], "oW"),  # strained, and then late
        ([LATE, LATE, 0.85, 0.85, 0.85, 0.85], "oWWWoo"),  # late beats alone: a load that is no strain holds nobody
        ([LATE, LATE, 0.95, 0.85, 0.85, 0.85], "oWWWWo"),  # one strained beat is no strain that lasts
        ([LATE, LATE, 0.95, 0.95, 0.95, 0.85, 0.85, 0.85, 0.85], "oWWWWWWWW"),  # it lasted: now the load holds it
        ([LATE, LATE, 0.95, 0.95, 0.95, 0.7, 0.7, 0.7], "oWWWWWWo"),
        ([0.9, 0.9, 0.9, LATE, LATE, 0.85, 0.85, 0.85, 0.85], "ooWWWWWWW"),  # by its load, whatever comes later
        ([LATE, LATE, LATE, 0.85, 0.85, LATE, 0.85, 0.85, 0.85], "oWWWWWWWo"),
    ],
)
def test_a_band_changes_when_strain_or_calm_lasts(strains: list[float | None], expected: str) -> None:
    assert bands(strains) == expected


@pytest.mark.parametrize(
    ("memory", "strains", "expected"),
    [
        ([0.96, 0.97, 0.95], [0.2, 0.2, 0.2], "ooW"),  # whatever else there is plenty of
        ([0.94, 0.94, 0.94, 0.94], [0.2, 0.2, 0.2, 0.2], "oooo"),
        ([0.96, 0.5, 0.96, 0.96], [0.2, 0.2, 0.2, 0.2], "oooo"),  # it did not last
        ([0.96, 0.96, 0.96, 0.92, 0.92, 0.92, 0.92], [0.2] * 7, "ooWWWWW"),  # neither short nor enough: it stays
        ([0.96, 0.96, 0.96, 0.89, 0.89, 0.89], [0.2] * 6, "ooWWWo"),
        ([0.96, 0.96, 0.96, 0.89, 0.89, 0.93, 0.89, 0.89, 0.89], [0.2] * 9, "ooWWWWWWo"),
        ([0.96, 0.5, 0.96], [0.2, 0.95, 0.2], "ooW"),  # one or the other, and never calm in between
        ([0.96, 0.96, 0.96, 0.5, 0.5, 0.5], [0.2, 0.2, 0.2, 0.85, 0.85, 0.85], "ooWWWW"),  # now its load holds it
        ([None, None, None], [0.2, 0.2, 0.2], "ooo"),  # a system that does not say
        ([0.96, 0.96, 0.96, None, None, None], [0.2] * 6, "ooWWWo"),
        ([0.92, 0.92, 0.92, 0.92, 0.92], [LATE, LATE, 0.2, 0.2, 0.2], "oWWWo"),  # by late beats: that much is no bar
        ([0.96, 0.96, 0.96, 0.96, 0.96, 0.92, 0.92], [LATE, LATE, 0.2, 0.2, 0.2, 0.2, 0.2], "oWWWWWW"),
    ],
)
def test_memory_that_is_short_for_some_beats_is_strain(
    memory: list[float | None], strains: list[float], expected: str
) -> None:
    band, shown = Band(), ""
    for number, (share, strain) in enumerate(zip(memory, strains, strict=True)):
        is_late = strain == LATE
        signs = BeatSigns(at=number * EVERY, strain=0.1 if is_late else strain, is_late=is_late, memory=share)
        band = after_beat(band, signs, USUAL_RULES)
        shown += "W" if band.health is WARNING else "o"
    assert shown == expected


def test_beats_that_hurry_do_not_make_strain_last() -> None:
    assert bands([0.9] * 7, every_us=EVERY // 5) == "ooooooo"
    assert bands([0.9] * 9, every_us=EVERY // 5)[-1] == "W"


def test_the_number_of_beats_can_be_set() -> None:
    assert bands([0.9, 0.7], rules=HealthRules(beats=1)) == "Wo"
    assert bands([0.9, 0.9, 0.7, 0.7], rules=HealthRules(beats=2)) == "oWWo"


@pytest.mark.parametrize(("quiet_s", "expected"), [(0, ONLINE), (7.5, ONLINE), (7.6, WARNING), (11.3, OFFLINE)])
def test_silence_makes_a_band(quiet_s: float, expected: Health) -> None:
    assert USUAL_RULES.by_quiet(int(quiet_s * SECOND)) is expected


def test_a_beat_that_waited_at_the_server_was_heard_when_it_reached_it() -> None:
    until = 100 * SECOND  # the last beat was at 85
    assert USUAL_RULES.quiet_us(until, 95 * SECOND) == 10 * SECOND
    assert USUAL_RULES.quiet_us(until, 95 * SECOND, waited_us=5 * SECOND) == 5 * SECOND


@pytest.mark.parametrize(
    ("last_beats", "waited_s", "expected"),
    [
        ([85, 77], 0, WARNING),  # the one before was late as well
        ([85, 77], 5, ONLINE),  # this one reached the server in time, and the store stood still
    ],
)
def test_a_store_that_stands_still_makes_no_beat_late(last_beats: list[int], waited_s: int, expected: Health) -> None:
    last_beat, turn = (at * SECOND for at in last_beats)
    row = SessionRow(now=95 * SECOND, until=last_beat + 15 * SECOND, turn_at=turn)
    beat = Beat(session="s", beat_no=2, settled=0, held=())
    renewed = renew(row, beat, rules=USUAL_RULES, waited_us=lambda: waited_s * SECOND)  # type: ignore[arg-type]
    assert renewed.answer.health == expected
    assert row.written == expected


class SessionRow:
    """A transaction in which one session without runs is found, and written."""

    def __init__(self, *, now: int, until: int, turn_at: int) -> None:
        session = ("live", 1, now, None, 8, until, "ONLINE", turn_at, None, None, None, 0, now)
        self._row = (*session, *[None] * 8)
        self.written = ""

    def tuples(self, _statement: Statement, _values: object) -> list[tuple[object, ...]]:
        return [self._row]

    def change(self, _statement: Statement, values: dict[str, str]) -> int:
        self.written = values["band"]
        return 1

    def point(self, _name: str) -> None:
        """No accident."""


def test_the_worse_band_counts() -> None:
    assert worse(WARNING, ONLINE) is WARNING
    assert worse(WARNING, OFFLINE) is OFFLINE


@pytest.mark.parametrize(
    ("slots", "health", "share", "given"),
    [
        (8, ONLINE, 0.5, 8),
        (8, WARNING, 0.5, 4),
        (9, WARNING, 0.5, 4),
        (1, WARNING, 0.5, 1),  # at least one
        (8, WARNING, 0.0, 0),  # unless nobody wants that
        (8, WARNING, 1.0, 8),
        (8, OFFLINE, 0.5, 0),
        (8, Health.DEAD, 0.5, 0),
        (0, WARNING, 0.5, 0),  # a server has none
    ],
)
def test_a_band_is_a_share_of_the_slots(slots: int, health: Health, share: float, given: int) -> None:
    assert HealthRules(warning_share=share).slots_given(slots, health) == given


def test_the_usual_rules_are_those_of_the_usual_session() -> None:
    assert usual_rules(SESSION_TTL_US) == USUAL_RULES


@pytest.mark.parametrize(
    "rules",
    [
        {"score": 0.8, "calm": 0.8},
        {"score": 1.1},
        {"calm": 0.0},
        {"memory": 0.9, "memory_calm": 0.9},
        {"memory": 1.1},
        {"memory_calm": 0.0},
        {"beats": 0},
        {"warning_share": 1.5},
        {"warning_share": -0.1},
        {"connections_max": 0},
    ],
)
def test_rules_that_contradict_each_other_are_refused(rules: dict[str, float]) -> None:
    with pytest.raises(BadHealthRules):
        HealthRules(**rules)  # type: ignore[arg-type]


@pytest.mark.parametrize(("warning_s", "offline_s"), [(5, 11), (11, 11), (12, 11), (7, 16)])
def test_thresholds_must_fit_to_beats_and_the_time_of_a_session(warning_s: int, offline_s: int) -> None:
    with pytest.raises(BadHealthRules, match="longer than a beat"):
        HealthRules(warning_after_us=warning_s * SECOND, offline_after_us=offline_s * SECOND)


@pytest.mark.parametrize(
    ("band", "quiet", "strain", "expected"),
    [
        (Band(ONLINE), ONLINE, 0.95, None),  # it did not last yet
        (Band(ONLINE), WARNING, None, BandCause.SILENT),
        (Band(WARNING), OFFLINE, 0.95, BandCause.SILENT),  # silence says more than the last beat
        (Band(WARNING), ONLINE, 0.85, BandCause.STRAINED),
        (Band(WARNING), ONLINE, 0.1, BandCause.WATCHED),
        (Band(WARNING), ONLINE, None, BandCause.WATCHED),
        (Band(WARNING, fell_by=FellBy.LATENESS), ONLINE, 0.85, BandCause.WATCHED),  # that load holds it not back
        (Band(WARNING, fell_by=FellBy.LATENESS), ONLINE, 0.95, BandCause.STRAINED),
    ],
)
def test_a_band_has_its_cause(band: Band, quiet: Health, strain: float | None, expected: BandCause | None) -> None:
    assert band_cause(band, quiet, strain, USUAL_RULES) is expected


@pytest.mark.parametrize(
    ("band", "quiet", "memory", "expected"),
    [
        (Band(ONLINE), ONLINE, 0.99, None),  # it did not last yet
        (Band(WARNING), OFFLINE, 0.99, BandCause.SILENT),
        (Band(WARNING, fell_by=FellBy.LOAD), ONLINE, 0.97, BandCause.MEMORY),
        (Band(WARNING, fell_by=FellBy.LOAD), ONLINE, 0.91, BandCause.MEMORY),  # it is still what holds the node back
        (Band(WARNING, fell_by=FellBy.LOAD), ONLINE, 0.89, BandCause.STRAINED),
        (Band(WARNING, fell_by=FellBy.LATENESS), ONLINE, 0.91, BandCause.WATCHED),
        (Band(WARNING, fell_by=FellBy.LATENESS), ONLINE, 0.97, BandCause.MEMORY),
    ],
)
def test_memory_is_named_before_the_rest_of_the_load(
    band: Band, quiet: Health, memory: float, expected: BandCause | None
) -> None:
    assert band_cause(band, quiet, 0.85, USUAL_RULES, memory=memory) is expected
