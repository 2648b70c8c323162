"""Health: the band of a node, by the age of its last beat and by what its beats said. A worker's band is its share of
work.

A band changes slowly: strain must last for some beats, and so must calm. Two beats in a row that are late are enough,
and one is not: a store or a network that stood still for a moment makes one beat of many nodes late. The bounds of
strain and of calm lie apart, so that a node between them keeps its band. That holds for a node that fell by its load:
one that fell by late beats is well again when its beats come in time and it is not strained.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import MILLISECOND, SECOND, Instant, Micros, format_duration
from foliot.domain.load import CONNECTIONS_MAX, LoadWeights

BEATS_PER_TTL: Final = 3
BEATS_MAX: Final = 100
_WRITTEN: Final = "write --health warning_after=7s,offline_after=11s,warning_share=0.5,score=0.9,calm=0.8,beats=3"
_MEMORY_WRITTEN: Final = "write --health memory=0.95,memory_calm=0.9"


class Health(StrEnum):
    """How a node is."""

    ONLINE = "ONLINE"
    WARNING = "WARNING"  # gets less work
    OFFLINE = "OFFLINE"  # gets none
    DEAD = "DEAD"  # its runs were moved
    LEFT = "LEFT"  # it ended in order

    @property
    def is_gone(self) -> bool:
        """It takes no more part."""
        return self in (Health.DEAD, Health.LEFT)


class BadHealthRules(InvalidInput):
    """Thresholds of health that cannot work together."""

    code = "FOL-1186"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthRules:
    """When a node is in which band, and what share of its slots a worker in WARNING gets."""

    ttl_us: Micros = 15 * SECOND  # how long a session lives without a beat
    warning_after_us: Micros = 7_500 * MILLISECOND  # without a beat
    offline_after_us: Micros = 11_250 * MILLISECOND
    score: float = 0.9  # a strain from here on is too much
    calm: float = 0.8  # a strain below this is well again
    memory: float = 0.95  # memory is short from this share on, of the machine or of what the container may use
    memory_calm: float = 0.9  # below this share there is enough of it again
    beats: int = 3  # how many beats strain or calm must last
    warning_share: float = 0.5
    connections_max: int = CONNECTIONS_MAX  # open sockets that count as a full share
    weights: LoadWeights = field(default_factory=LoadWeights)

    def __post_init__(self) -> None:
        if not 0 < self.calm < self.score <= 1:
            raise BadHealthRules("calm must be below score, and both are above 0 and at most 1.", hint=_WRITTEN)
        if not 0 < self.memory_calm < self.memory <= 1:
            raise BadHealthRules(
                "memory_calm must be below memory, and both are above 0 and at most 1.", hint=_MEMORY_WRITTEN
            )
        if not 1 <= self.beats <= BEATS_MAX:
            raise BadHealthRules(f"beats must be from 1 to {BEATS_MAX}.", hint=_WRITTEN)
        if not 0 <= self.warning_share <= 1:
            raise BadHealthRules("warning_share must be from 0 to 1.", hint=_WRITTEN)
        if self.connections_max < 1:
            raise BadHealthRules("connections_max must be at least 1.", hint=_WRITTEN)

        if not self.beat_every_us < self.warning_after_us < self.offline_after_us <= self.ttl_us:
            beat, ttl = format_duration(self.beat_every_us), format_duration(self.ttl_us)
            raise BadHealthRules(
                "warning_after must be longer than a beat and shorter than offline_after; offline_after is at most "
                "the time of a session.",
                hint=f"a beat is {beat}, the time of a session {ttl}",
            )

    @property
    def beat_every_us(self) -> Micros:
        """How often a session beats."""
        return self.ttl_us // BEATS_PER_TTL

    def quiet_us(self, until: Instant, now: Instant, *, waited_us: Micros = 0) -> Micros:
        """How long nothing was heard of a session that lives until then. A beat renews it, and so does registering.

        `waited_us`: how long a beat waited for the store. Its session was heard of when the beat reached the server.
        """
        return self.ttl_us - (until - now) - waited_us

    def minds_silence(self, now: Instant, *, reap_after: Instant, last_tick_at: Instant) -> bool:
        """Whether silence is the session's own. It is not when the store was away, or no leader ticks (R8)."""
        return now >= reap_after and 2 * (now - last_tick_at) <= self.ttl_us

    def by_quiet(self, quiet_us: Micros) -> Health:
        """The band of a live session of which nothing was heard for this long."""
        if quiet_us > self.offline_after_us:
            return Health.OFFLINE
        return Health.WARNING if quiet_us > self.warning_after_us else Health.ONLINE

    def slots_given(self, slots: int, health: Health) -> int:
        """How many of its slots a worker in this band gets runs for; in WARNING at least one, unless the share is 0."""
        if health is Health.ONLINE:
            return slots
        if health is not Health.WARNING or not self.warning_share:
            return 0
        return min(slots, max(1, int(slots * self.warning_share)))


def usual_rules(ttl_us: Micros) -> HealthRules:
    """The rules for sessions that live this long without a beat."""
    return HealthRules(ttl_us=ttl_us, warning_after_us=ttl_us // 2, offline_after_us=ttl_us * 3 // 4)


USUAL_RULES: Final = HealthRules()


class FellBy(StrEnum):
    """Why the beats of a session put it into WARNING."""

    LATENESS = "late"
    LOAD = "load"
    BOTH = "straining"  # by late beats, and since the turn each beat is strained: when that lasts, its load holds it


class Band(NamedTuple):
    """How a live session is by what its beats said. It stands in the session's row: any server goes on from it."""

    health: Health = Health.ONLINE  # or WARNING
    turn_at: Instant | None = None  # since then each beat spoke for a change
    fell_by: FellBy | None = None  # None: ONLINE, or an older server did not write it down


class BeatSigns(NamedTuple):
    """What one beat says of how its session is."""

    at: Instant
    strain: float | None  # None: it says nothing of its load
    is_late: bool = False
    memory: float | None = None  # the share in use; None: it does not say


def after_beat(band: Band, beat: BeatSigns, rules: HealthRules) -> Band:
    """The band after one more beat."""
    if band.health is Health.ONLINE:
        return _after_online(band, beat, rules)
    if band.fell_by in (FellBy.LATENESS, FellBy.BOTH):
        return _after_lateness(band, beat, rules)
    is_calm = not beat.is_late and not (_reaches(beat.strain, rules.calm) or _reaches(beat.memory, rules.memory_calm))
    return _turned(band, beat, rules, to=Band()) if is_calm else band._replace(turn_at=None)


def _after_online(band: Band, beat: BeatSigns, rules: HealthRules) -> Band:
    if beat.is_late and band.turn_at is not None:  # the beat before spoke for WARNING, too
        return Band(Health.WARNING, fell_by=FellBy.LATENESS)
    is_strained = _is_strained(beat, rules)
    if not is_strained and not beat.is_late:
        return Band()
    fell_by = FellBy.LOAD if is_strained else FellBy.LATENESS
    return _turned(band, beat, rules, to=Band(Health.WARNING, fell_by=fell_by))


def _after_lateness(band: Band, beat: BeatSigns, rules: HealthRules) -> Band:
    """Beats in time bring the session back. Strain that lasts makes its load the cause, which calm alone ends.

    `turn_at` counts for one of the two at a time: no beat speaks for both.
    """
    if _is_strained(beat, rules):
        turn_at = band.turn_at if band.fell_by is FellBy.BOTH else None
        straining = Band(Health.WARNING, turn_at, FellBy.BOTH)
        return _turned(straining, beat, rules, to=Band(Health.WARNING, fell_by=FellBy.LOAD))
    if beat.is_late:
        return Band(Health.WARNING, fell_by=FellBy.LATENESS)
    turn_at = band.turn_at if band.fell_by is FellBy.LATENESS else None
    return _turned(Band(Health.WARNING, turn_at, FellBy.LATENESS), beat, rules, to=Band())


def _is_strained(beat: BeatSigns, rules: HealthRules) -> bool:
    return _reaches(beat.strain, rules.score) or _reaches(beat.memory, rules.memory)


def _reaches(figure: float | None, bound: float) -> bool:
    return figure is not None and figure >= bound


def _turned(band: Band, beat: BeatSigns, rules: HealthRules, *, to: Band) -> Band:
    """The band after a beat that speaks for a change: the new one when the beats spoke for it long enough.

    A worker with news beats more often than it must, so the beats are counted as time: the third of three beats comes
    two beats' time after the first, and half a beat may be missing, since no beat comes exactly in time.
    """
    turn_at = beat.at if band.turn_at is None else band.turn_at
    lasts_us = (2 * rules.beats - 3) * rules.beat_every_us // 2
    is_over = rules.beats == 1 or beat.at - turn_at >= lasts_us
    return to if is_over else band._replace(turn_at=turn_at)


class BandCause(StrEnum):
    """Why a live session is not ONLINE."""

    SILENT = "silent"  # no beat for too long
    MEMORY = "memory"  # its last beat still told of too little memory
    STRAINED = "strained"  # its last beat still told of too much load
    WATCHED = "watched"  # its last beats are well, and not yet for long enough


def band_cause(
    band: Band, quiet: Health, strain: float | None, rules: HealthRules, *, memory: float | None = None
) -> BandCause | None:
    """Why a session has its band; `band` by what its beats said, `quiet` by the age of the last one.

    Memory is named before the rest: more runs would end by the lack of it, while a lack of CPU only slows them.
    """
    if quiet is not Health.ONLINE:
        return BandCause.SILENT
    if band.health is Health.ONLINE:
        return None
    is_by_lateness = band.fell_by is FellBy.LATENESS
    if _reaches(memory, rules.memory if is_by_lateness else rules.memory_calm):
        return BandCause.MEMORY
    is_strained = _reaches(strain, rules.score if is_by_lateness else rules.calm)
    return BandCause.STRAINED if is_strained else BandCause.WATCHED


_WORSE: Final = (Health.ONLINE, Health.WARNING, Health.OFFLINE, Health.DEAD, Health.LEFT)


def worse(one: Health, other: Health) -> Health:
    """The band of the two that gets less work."""
    return max(one, other, key=_WORSE.index)
