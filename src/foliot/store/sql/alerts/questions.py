"""Questions of a round of alerts that are asked only when a rule needs them: counts, figures, what jobs ask for."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import msgspec

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import HOUR, Instant, Micros
from foliot.domain.policies.alert import PERCENTILES, alert_from
from foliot.domain.statistics.figures import EVERY_JOB, EVERY_NODE
from foliot.domain.statistics.resolution import Resolution
from foliot.domain.statistics.sketch import Sketch
from foliot.ports.store.alert_rounds import EndedLately, FailureQuestion, JobPolicy
from foliot.store.sql.firing.follow import is_no_test
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.statistics.figure_rows import by_set_first

SILENT_MAX: Final = 1000
NAMED_MAX: Final = 100
"""Jobs of rules that compare a metric of one job."""
FEW_RUNS: Final = 10
"""With fewer runs the percentiles of a job say nothing."""
_MINUTES_US: Final[Micros] = 6 * HOUR
"""A longer silence is read from the figures of hours."""

LAST_RUNS: Final = Statement(
    f"""
    SELECT d.job_id, d.of_last, r.id, r.state FROM {{d}} JOIN runs r ON r.job_id = d.job_id AND r.shard = -1
      AND r.id >= coalesce((SELECT x.id FROM runs x WHERE x.job_id = d.job_id AND x.shard = -1
                              AND x.state IN ('SUCCEEDED', 'FAILED') AND {is_no_test("x")}
                            ORDER BY x.id DESC LIMIT 1 OFFSET :depth), 0)
    WHERE r.state IN ('SUCCEEDED', 'FAILED') AND {is_no_test("r")} AND r.parent_id IS NULL
    """,
    RowSet("d", job_id=BIGINT, of_last=BIGINT),
)
FAILED_SINCE: Final = Statement(
    f"""
    SELECT d.job_id, d.within_us, count(DISTINCT coalesce(r.parent_id, r.id)) AS failed
    FROM {{d}} JOIN attempts a ON a.job_id = d.job_id AND a.ended_at > {{now}} - d.within_us
    JOIN runs r ON r.id = a.run_id AND r.state = 'FAILED' AND {is_no_test("r")}
    GROUP BY d.job_id, d.within_us
    """,
    RowSet("d", job_id=BIGINT, within_us=BIGINT),
)
SILENT: Final = Statement(
    """
    SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
    WHERE j.deleted_at = 0 AND c.state = 'active' AND c.next_at IS NOT NULL AND j.created_at < {now} - :lasts
      AND j.id NOT IN (SELECT s.job_id FROM stats s
                       WHERE s.resolution = :resolution AND s.start_at >= :since AND s.succeeded > 0)
    ORDER BY j.id LIMIT :rows
    """
)
_SKETCHES: Final = f"""
    SELECT s.job_id, s.took_sketch FROM {{d}} JOIN stats s
    ON s.resolution = {int(Resolution.HOUR)} AND s.start_at = d.start_at AND s.job_id = d.job_id
    WHERE s.is_part = 0 AND s.took > 0
"""
SKETCHES: Final = Statement(_SKETCHES, RowSet("d", start_at=BIGINT, job_id=BIGINT), **by_set_first(_SKETCHES))
NAMED: Final = Statement(
    """
    SELECT j.id, j.namespace, j.name FROM jobs j
    WHERE j.deleted_at = 0 AND j.name IN (SELECT d.name FROM {d}) ORDER BY j.id LIMIT :rows
    """,
    RowSet("d", name=TEXT),
)
_ENDED: Final = f"""
    SELECT s.job_id, s.succeeded, s.failed, s.retries, s.delay_max_us FROM {{d}} JOIN stats s
    ON s.resolution = {int(Resolution.MINUTE)} AND s.start_at = d.start_at AND s.job_id = d.job_id
    WHERE s.is_part = 0 AND (s.job_id > {EVERY_JOB} OR s.node = '{EVERY_NODE}')
"""
ENDED: Final = Statement(_ENDED, RowSet("d", start_at=BIGINT, job_id=BIGINT), **by_set_first(_ENDED))
POLICIES: Final = Statement(
    """
    SELECT a.job_id, j.namespace, a.document FROM job_alerts a
    JOIN jobs j ON j.id = a.job_id AND j.deleted_at = 0 AND j.version = a.version
    """
)
ACTED: Final = Statement(
    """
    SELECT e.subject AS rule, count(*) AS acts FROM events e
    WHERE e.subject IN (SELECT d.rule FROM {d}) AND e.kind = 'alert.acted' AND e.at > {now} - :hour GROUP BY e.subject
    """,
    RowSet("d", rule=TEXT),
)


def failures(tx: Tx, asked: Sequence[FailureQuestion]) -> dict[FailureQuestion, int]:
    """How many failed, for each question."""
    counts = dict.fromkeys(asked, 0)
    last = sorted({(one.job_id, one.of_last) for one in asked if one.of_last})
    if last:
        counts |= _of_the_last(tx, last)
    within = sorted({(one.job_id, one.within_us) for one in asked if not one.of_last})
    for row in tx.found(FAILED_SINCE, d=within):
        counts[FailureQuestion(row.job_id, 0, row.within_us)] = int(row.failed)
    return counts


def _of_the_last(tx: Tx, asked: Sequence[tuple[int, int]]) -> dict[FailureQuestion, int]:
    """How many of the last runs of a job failed, by the job and how many runs are meant."""
    states: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    depth = max(of_last for _, of_last in asked) - 1
    for row in tx.rows(LAST_RUNS, {"depth": depth}, d=asked):
        states[row.job_id, row.of_last].append((row.id, row.state))
    counts: dict[FailureQuestion, int] = {}
    for (job_id, of_last), runs in states.items():
        newest = sorted(runs, reverse=True)[:of_last]
        question = FailureQuestion(job_id, of_last, 0)
        counts[question] = sum(state == "FAILED" for _, state in newest)
    return counts


def silent(tx: Tx, *, for_us: Micros, now: Instant) -> list[tuple[int, Instant | None]]:
    """Active jobs without a success for so long. When the last one was is not looked for."""
    resolution = Resolution.MINUTE if for_us <= _MINUTES_US else Resolution.HOUR
    since = resolution.start_of(now - for_us)
    values = {"lasts": for_us, "resolution": int(resolution), "since": since, "rows": SILENT_MAX}
    return [(row.id, None) for row in tx.rows(SILENT, values)]


def percentiles(tx: Tx, job_ids: Sequence[int], *, since: Instant, now: Instant) -> dict[int, dict[int, Micros]]:
    """What runs of these jobs take."""
    starts = Resolution.HOUR.starts(since, now)
    wanted = [(start, job_id) for start in starts for job_id in sorted(set(job_ids))]
    sketches: dict[int, Sketch] = defaultdict(Sketch)
    for job_id, written in tx.tuples(SKETCHES, d=wanted) if wanted else ():
        sketches[job_id].merge(Sketch.read(written))
    found: dict[int, dict[int, Micros]] = {}
    for job_id, sketch in sketches.items():
        if sketch.total >= FEW_RUNS:
            found[job_id] = {one: sketch.at(one / 100) or 0 for one in PERCENTILES}
    return found


def ended_lately(tx: Tx, *, names: Sequence[str], now: Instant) -> list[EndedLately]:
    """What ended in the last hour: of all jobs, and of those with these names."""
    rows = tx.found(NAMED, {"rows": NAMED_MAX}, d=keys(sorted(set(names)))) if names else ()
    jobs: dict[int, tuple[str, str] | None] = {row.id: (row.namespace, row.name) for row in rows}
    jobs[EVERY_JOB] = None
    starts = Resolution.MINUTE.starts(now - HOUR, now)
    sums = {job_id: EndedLately(job, 0, 0, 0, 0) for job_id, job in jobs.items()}
    for row in tx.rows(ENDED, d=[(start, job_id) for start in starts for job_id in sorted(jobs)]):
        was = sums[row.job_id]
        sums[row.job_id] = EndedLately(
            was.job,
            was.succeeded + int(row.succeeded),
            was.failed + int(row.failed),
            was.retries + int(row.retries),
            max(was.delay_max_us, int(row.delay_max_us)),
        )
    return list(sums.values())


def policies(tx: Tx) -> list[JobPolicy]:
    """What every job asks for. A policy of a newer Foliot is passed over."""
    found: list[JobPolicy] = []
    for row in tx.rows(POLICIES):
        try:
            policy = alert_from(msgspec.json.decode(row.document))
        except (InvalidInput, msgspec.DecodeError):
            continue
        if policy is not None:
            found.append(JobPolicy(row.job_id, row.namespace, policy))
    return found


def acted_lately(tx: Tx, rules: Sequence[str]) -> dict[str, int]:
    """How often Foliot did something by itself in the last hour, by rule."""
    return {row.rule: int(row.acts) for row in tx.found(ACTED, {"hour": HOUR}, d=keys(sorted(set(rules))))}
