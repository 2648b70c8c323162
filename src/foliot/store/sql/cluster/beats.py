"""Beats: a session is renewed, and what its worker says of its runs is compared with what the store has (R17)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.health import Band, BeatSigns, FellBy, Health, HealthRules, after_beat
from foliot.domain.instants import Instant, Micros
from foliot.domain.load import score, sound, strain
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Beat, BeatAnswer
from foliot.store.sql.cluster import drills
from foliot.store.sql.cluster.codes import ASKED
from foliot.store.sql.ending.locked_runs import REPLACED
from foliot.store.sql.ending.settlement import Claim
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

SETTLED_ALL: Final = 2**63 - 1
"""`nodes.settled` of a session that left in peace: whatever still turns up under it never reached its worker."""

HELD: Final = Statement(
    f"""
    SELECT n.state, n.beat_no, {{now}}, c.whole, n.slots, n.until, n.band, n.band_turn_at, n.band_cause, n.drill,
           n.role, m.reap_after, m.last_tick_at,
           r.id, r.lease_id, r.request_no, r.job_id, r.version, r.started_at, r.leased_at,
           CASE WHEN r.cancel_at IS NOT NULL AND r.deadline_at <= {{now}} THEN 2
                WHEN r.cancel_at IS NOT NULL OR ({REPLACED}) THEN 1 ELSE 0 END
    FROM nodes n JOIN store_meta m ON m.id = 1 LEFT JOIN codes c ON c.hash = n.code
    LEFT JOIN runs r ON r.{{held_by}} = n.id AND r.state = 'RUNNING'
    WHERE n.id = :session
    """
)
"""The session (`_Session`) beside each run that the store thinks it has (`_Held`); of a session without runs, beside
nulls. What the worker says is compared with it."""

FREE: Final = Statement(
    """
    SELECT r.id FROM runs r
    WHERE r.id IN (SELECT d.id FROM {d})
      AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = :session AND n.beat_no = :beat_no)
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)
"""Runs whose news can be written at once, while theirs is the newest beat."""

STARTED: Final = Statement(
    """
    UPDATE runs SET ver = runs.ver + 1, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
           started_at = coalesce(runs.started_at, d.started_at),
           deadline_at = CASE WHEN runs.started_at IS NULL AND d.started_at IS NOT NULL
                                   AND NOT (runs.cancel_at IS NOT NULL AND runs.deadline_at <= {now})
                              THEN d.deadline_at ELSE runs.deadline_at END
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
      AND (runs.started_at IS NULL AND d.started_at IS NOT NULL
           OR d.checkpoint IS NOT NULL AND (runs.checkpoint IS NULL OR runs.checkpoint <> d.checkpoint))
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, started_at=BIGINT, deadline_at=BIGINT, checkpoint=TEXT),
)

BEAT: Final = Statement(
    """
    UPDATE nodes SET until = {now} + :ttl, last_beat_at = {now}, beat_no = :beat_no, settled = :settled, load = :load,
           progress = :progress, wall_offset_us = coalesce(:wall_offset, wall_offset_us),
           band_at = CASE WHEN coalesce(band, 'ONLINE') = :band THEN band_at ELSE {now} END,
           band = :band, band_turn_at = :band_turn_at, band_cause = :band_cause,
           ready_at = CASE WHEN ready_at IS NULL AND :syncing = 0 THEN {now} ELSE ready_at END,
           draining_at = CASE WHEN state = 'live' AND :draining = 1 THEN {now} ELSE draining_at END,
           state = CASE WHEN state = 'live' AND :draining = 1 THEN 'draining' ELSE state END
    WHERE id = :session AND state <> 'dead' AND beat_no < :beat_no
    """
)
"""MariaDB sets the columns one after another: `band_at` comes before `band`, and `draining_at` before `state`."""


class _Session(NamedTuple):
    """The first columns of `HELD`."""

    state: str
    beat_no: int
    now: Instant
    code: int | None  # `codes.whole` of what its worker's code declares
    slots: int
    until: Instant
    band: str | None
    band_turn_at: Instant | None
    band_cause: str | None
    drill: str | None  # the order of its drill
    role: str | None  # of a server
    reap_after: Instant
    last_tick_at: Instant


class _Held(NamedTuple):
    """The other columns of `HELD`: a run that the session has."""

    run_id: int
    lease_id: str
    request_no: int
    job_id: int
    version: int
    started_at: Instant | None
    leased_at: Instant
    unwanted: int  # 1: ask it to stop, 2: end it at once


class News(NamedTuple):
    """What a worker says of a run that the store may not know."""

    run: _Held
    started_at: Instant | None
    checkpoint: str | None


class Renewed(NamedTuple):
    """What came of a beat."""

    answer: BeatAnswer
    news: Sequence[News] = ()
    not_known: Sequence[Claim] = ()  # runs that the worker should know, and does not


def renew(tx: Tx, beat: Beat, *, rules: HealthRules, waited_us: Callable[[], Micros] = int) -> Renewed:
    """Renew the session, and compare what its worker says with what the store thinks it has.

    `waited_us`: how long ago the beat reached the server. It is asked after the store gave its time: a store that
    stands still makes no beat late.
    """
    session, held = _held_by(tx, beat.session)
    if session is None or session.state == "dead":
        return Renewed(BeatAnswer(alive=False))
    now = int(session.now)
    is_news = beat.beat_no > session.beat_no
    beat, band = _judged(beat, session, rules, waited_us())
    tx.point("nodes.beat_compared")
    if is_news and not tx.change(BEAT, _beat_values(beat, rules.ttl_us, held, now) | _band_values(band)):
        raise TryAgain("a newer beat or the reaper was quicker")
    begin = drills.heard(tx, beat) if beat.drill else 0
    named = {lease.lease_id for lease in beat.held}
    answer = BeatAnswer(
        alive=True,
        cancel=tuple(lease_id for lease_id, run in held.items() if run.unwanted and lease_id in named),
        kill=tuple(lease_id for lease_id, run in held.items() if run.unwanted > 1 and lease_id in named),
        invalid=tuple(lease.lease_id for lease in beat.held if lease.lease_id not in held),
        draining=session.state == "draining" or beat.draining,
        store_now=now,
        declare=session.code == ASKED,
        health=band.health,
        slots=rules.slots_given(session.slots, band.health),
        drill=None if beat.drill else drills.order_in(session.drill),
        drill_begin=begin,
        role=session.role,
    )
    if not is_news:
        return Renewed(answer)
    not_known = [
        unknown(run.run_id, lease_id, run.started_at)
        for lease_id, run in held.items()
        if lease_id not in named and run.request_no <= beat.settled
    ]
    return Renewed(answer, _news(beat, held, now), not_known)


def note(tx: Tx, definitions: Definitions, beat: Beat, *, news: Sequence[News]) -> None:
    """Write starts and checkpoints; a run somebody else is writing is left to the next beat."""
    tx.point("nodes.renewed")
    asked = {"session": beat.session, "beat_no": beat.beat_no}
    rows = tx.rows(FREE, asked, d=keys(sorted(one.run.run_id for one in news)))
    free = {row.id for row in rows}
    jobs = definitions.find(tx, {(one.run.job_id, one.run.version) for one in news}).jobs
    started: list[tuple[Any, ...]] = []
    for run, started_at, checkpoint in news:
        if run.run_id not in free:
            continue
        job = jobs.get((run.job_id, run.version))
        timeout_us = job.definition.timeout_us if job else None
        deadline_at = None if started_at is None or timeout_us is None else started_at + timeout_us
        started.append((run.run_id, run.lease_id, started_at, deadline_at, checkpoint))
    if started:
        tx.change(STARTED, d=sorted(started, key=itemgetter(0)))
    tx.point("nodes.starts_noted")


def _held_by(tx: Tx, session: str) -> tuple[_Session | None, dict[str, _Held]]:
    """The session, and its runs by their leases; None: the store does not know it."""
    rows = tx.tuples(HELD, {"session": session})
    if not rows:
        return None, {}
    of_run = len(_Session._fields)  # where the columns of a run begin, with its id
    runs = [_Held._make(row[of_run:]) for row in rows if row[of_run] is not None]
    return _Session._make(rows[0][:of_run]), {run.lease_id: run for run in runs}


def _judged(beat: Beat, session: _Session, rules: HealthRules, waited_us: Micros) -> tuple[Beat, Band]:
    """The beat with its score, and the band of the session after it."""
    beat = msgspec.structs.replace(beat, load=sound(beat.load))
    scored = score(beat.load, slots=session.slots, weights=rules.weights, connections_max=rules.connections_max)
    is_late = _is_late(session, rules, waited_us)
    fell_by = FellBy(session.band_cause) if session.band_cause else None
    before = Band(Health(session.band or Health.ONLINE), session.band_turn_at, fell_by)
    signs = BeatSigns(
        at=int(session.now),
        strain=strain(beat.load, scored),
        is_late=is_late,
        memory=beat.load.get("memory"),
    )
    band = after_beat(before, signs, rules)
    if scored is not None:
        beat = msgspec.structs.replace(beat, load={**beat.load, "score": round(scored, 4)})
    return beat, band


def _is_late(session: _Session, rules: HealthRules, waited_us: Micros) -> bool:
    now = int(session.now)
    is_minded = rules.minds_silence(now, reap_after=session.reap_after, last_tick_at=session.last_tick_at)
    quiet_us = rules.quiet_us(session.until, now, waited_us=waited_us)
    return is_minded and rules.by_quiet(quiet_us) is not Health.ONLINE


def _band_values(band: Band) -> dict[str, Any]:
    return {"band": band.health.value, "band_turn_at": band.turn_at, "band_cause": band.fell_by}


def unknown(run_id: int, lease_id: str, started_at: Instant | None) -> Claim:
    """A run of a settled request that its worker does not name; it may have named it as started before."""
    started = started_at is not None
    error = "Its worker had started it and knows nothing of it any more." if started else None
    return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.UNKNOWN_TO_WORKER, started=started, error=error)


def _beat_values(beat: Beat, ttl_us: Micros, held: Collection[str], now: Instant) -> dict[str, Any]:
    return {
        "session": beat.session,
        "ttl": ttl_us,
        "beat_no": beat.beat_no,
        "settled": beat.settled,
        "load": msgspec.json.encode(beat.load).decode(),
        "progress": _told(beat, held, now),
        "draining": int(beat.draining),
        "syncing": int(beat.syncing),
        "wall_offset": beat.clock_offset_us,
    }


def _news(beat: Beat, held: Mapping[str, _Held], now: Instant) -> list[News]:
    """Starts and checkpoints that may be news to the store. A start is never before its lease."""
    news: list[News] = []
    for lease in beat.held:
        run = held.get(lease.lease_id)
        if run is None:
            continue
        started_at = None
        if run.started_at is None and lease.started_us_ago is not None:
            started_at = max(now - lease.started_us_ago, run.leased_at)
        if started_at is not None or lease.checkpoint is not None:
            news.append(News(run, started_at, lease.checkpoint))
    return news


def _told(beat: Beat, held: Collection[str], now: Instant) -> str:
    """`nodes.progress`: leases named as not started (reaping asks), and what runs say of themselves (people ask).

    `waits`: for what a run waits without a slot, and since when.

    Only leases that the session has: of others nobody ever asks.
    """
    waiting: list[str] = []
    runs: dict[str, str] = {}
    waits: dict[str, tuple[str, Instant]] = {}
    for lease in beat.held:
        if lease.lease_id not in held:
            continue
        if lease.started_us_ago is None:
            waiting.append(lease.lease_id)
        if lease.progress is not None:
            runs[str(lease.run_id)] = lease.progress
        if lease.waits_for is not None:
            waits[str(lease.run_id)] = (lease.waits_for, now - lease.waits_us_ago)
    told: dict[str, Any] = {"waiting": waiting, "runs": runs}
    if waits:
        told["waits"] = waits
    return msgspec.json.encode(told).decode()


def waiting_in(progress: str | None) -> frozenset[str]:
    """The leases a session's last beat named as not started."""
    return frozenset(msgspec.json.decode(progress)["waiting"]) if progress else frozenset()
