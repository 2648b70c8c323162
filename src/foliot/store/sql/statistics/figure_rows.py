"""Adding figures: those that are there and the new ones are merged, and the progress moves in the same transaction."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import FigureKey, RunFigures, Spell
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.statistics import Counted, CountProgress, LeftPage
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.statistics.uncounted_runs import look_at, written_ids

ROWS_AT_ONCE: Final = 100
"""Figures of one statement, which take some milliseconds: between two of them the server does other things."""


def by_set_first(text: str) -> Mapping[str, str]:
    """The variants of a join for databases that else might read the table first, for all of its times."""
    return {
        "mysql": text.replace("} JOIN stats", "} STRAIGHT_JOIN stats"),
        "sqlite": text.replace("} JOIN stats", "} CROSS JOIN stats"),
    }


FIRST: Final = Statement(
    """
    {insert_ignore} stats_progress (id, ver, counted_id)
    SELECT d.id, 0, 0 FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", id=BIGINT),
)
MOVE: Final = Statement(
    "UPDATE stats_progress SET ver = ver + 1, counted_id = :counted_id WHERE id = 1 AND ver = :seen"
)


class FigureRow(NamedTuple):
    """A row of `stats`."""

    start_at: Instant
    resolution: int
    job_id: int
    is_part: int
    node: str
    runs: int
    succeeded: int
    failed: int
    retries: int
    last_at: Instant
    took: int
    took_us: int
    took_max_us: int
    took_sketch: str
    delays: int
    delay_us: int
    delay_max_us: int
    delay_sketch: str
    kinds: str | None


_KEY: Final = ("resolution", "start_at", "job_id", "is_part", "node")
_VALUES: Final = [column for column in FigureRow._fields if column not in _KEY]
_SAME: Final = " AND ".join(f"stats.{column} = d.{column}" for column in _KEY)
_COLUMNS: Final = ", ".join(FigureRow._fields)
VALUES: Final = ", ".join(f"s.{column}" for column in FigureRow._fields)

_THERE: Final = f"SELECT {VALUES} FROM {{d}} JOIN stats s ON {_SAME.replace('stats.', 's.')}"
THERE: Final = Statement(
    _THERE,
    RowSet("d", start_at=BIGINT, resolution=BIGINT, job_id=BIGINT, is_part=BIGINT, node=TEXT),
    **by_set_first(_THERE),
)
CHANGE: Final = Statement(
    f"UPDATE stats SET {', '.join(f'{column} = d.{column}' for column in _VALUES)} FROM {{d}} WHERE {_SAME}",
    RowSet.of("d", FigureRow),
)
INSERT: Final = Statement(
    f"INSERT INTO stats ({_COLUMNS}) SELECT {', '.join(f'd.{column}' for column in FigureRow._fields)} FROM {{d}}",
    RowSet.of("d", FigureRow),
)

DELETE_LEFT: Final = Statement(
    "DELETE FROM stats_left WHERE first_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)
INSERT_LEFT: Final = Statement(
    """
    INSERT INTO stats_left (first_id, run_ids, left_at, look_at)
    SELECT d.first_id, d.run_ids, d.left_at, d.look_at FROM {d}
    """,
    RowSet("d", first_id=BIGINT, run_ids=TEXT, left_at=BIGINT, look_at=BIGINT),
)

# By row and not by time alone: thousands of jobs may have figures of the same minute.
OLDEST: Final = Statement(
    """
    SELECT start_at, job_id FROM stats WHERE resolution = :resolution AND start_at < :before
    ORDER BY resolution, start_at, job_id LIMIT 1 OFFSET :rows
    """
)
DELETE: Final = Statement(
    """
    DELETE FROM stats WHERE resolution = :resolution AND start_at <= :start_at
      AND (start_at < :start_at OR job_id <= :job_id)
    """
)
DELETE_REST: Final = Statement("DELETE FROM stats WHERE resolution = :resolution AND start_at < :before")


def add(tx: Tx, seen: CountProgress, counted: Counted, *, term: int | None) -> bool:
    """Add figures unless somebody else has counted since; whether they were added."""
    if not holds_term(tx, term):
        return False
    if not seen.ver:
        tx.change(FIRST, d=[(1,)])
    if not tx.change(MOVE, {"seen": seen.ver, "counted_id": counted.counted_id}):
        return False
    tx.point("statistics.moved")
    in_order = sorted(counted.figures)
    for first in range(0, len(in_order), ROWS_AT_ONCE):
        some = in_order[first : first + ROWS_AT_ONCE]
        _merge(tx, {key: counted.figures[key] for key in some})
    _leave(tx, counted)
    return True


def _merge(tx: Tx, figures: Mapping[FigureKey, RunFigures]) -> None:
    wanted = [(key.start_at, key.resolution, key.job_id, key.is_part, key.node) for key in figures]
    there = {key_of(row): row for row in map(FigureRow._make, tx.tuples(THERE, d=wanted))}
    changed: list[FigureRow] = []
    new: list[FigureRow] = []
    for key, added in figures.items():
        row = there.get(key)
        if row is None:
            new.append(row_of(key, added))
            continue
        both = figures_of(row)
        both.merge(added)
        changed.append(row_of(key, both))
    if changed:
        tx.change(CHANGE, d=changed)
    if new:
        tx.change(INSERT, d=new)


def _leave(tx: Tx, counted: Counted) -> None:
    """Put pages of left runs in the place of those with the same keys."""
    replaced = sorted({*counted.gone, *(page.first_id for page in counted.left)})
    if replaced:
        tx.change(DELETE_LEFT, d=keys(replaced))
    if counted.left:
        now = tx.now()
        tx.change(INSERT_LEFT, d=[_left_row(page, now) for page in counted.left])


def _left_row(page: LeftPage, now: Instant) -> tuple[int, str, Instant, Instant]:
    return page.first_id, written_ids(page.run_ids), page.left_at, look_at(page.left_at, now)


def forget(tx: Tx, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
    """Delete about this many of the oldest figures; whether there are more."""
    asked = {"resolution": int(resolution), "before": before}
    beyond = tx.rows(OLDEST, {**asked, "rows": limit})
    if not holds_term(tx, term):
        return False
    if not beyond:
        tx.change(DELETE_REST, asked)
        return False
    start_at, job_id = beyond[0]
    tx.change(DELETE, {"resolution": int(resolution), "start_at": start_at, "job_id": job_id})
    return True


def key_of(row: FigureRow) -> FigureKey:
    """What a row has figures of."""
    return FigureKey(row.resolution, row.start_at, row.job_id, row.is_part, row.node)


def row_of(key: FigureKey, figures: RunFigures) -> FigureRow:
    """Figures as a row."""
    took, delay = figures.took, figures.delay
    return FigureRow(
        start_at=key.start_at,
        resolution=key.resolution,
        job_id=key.job_id,
        is_part=key.is_part,
        node=key.node,
        runs=figures.runs,
        succeeded=figures.succeeded,
        failed=figures.failed,
        retries=figures.retries,
        last_at=figures.last_at,
        took=took.count,
        took_us=took.sum_us,
        took_max_us=took.longest_us,
        took_sketch=took.sketch.written(),
        delays=delay.count,
        delay_us=delay.sum_us,
        delay_max_us=delay.longest_us,
        delay_sketch=delay.sketch.written(),
        kinds=_written_kinds(figures.kinds) if figures.kinds else None,
    )


def figures_of(row: FigureRow) -> RunFigures:
    """A row as figures."""
    took = Spell(row.took, row.took_us, row.took_max_us, row.took_sketch)
    delay = Spell(row.delays, row.delay_us, row.delay_max_us, row.delay_sketch)
    figures = RunFigures(took, delay)
    figures.runs = row.runs
    figures.succeeded = row.succeeded
    figures.failed = row.failed
    figures.retries = row.retries
    figures.last_at = row.last_at
    figures.kinds.update(read_kinds(row.kinds or ""))
    return figures


def _written_kinds(kinds: Mapping[str, int]) -> str:
    return " ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))


def read_kinds(text: str) -> Mapping[str, int]:
    """Kinds of failures, and how many of each."""
    words: Sequence[str] = text.split()
    return {kind: int(count) for kind, count in zip(words[::2], words[1::2], strict=True)}
