"""The load of nodes: a minute is added to its row, its hour's and its day's, and how far load is kept moves with it.

Two statements for all nodes: rows that are not there yet are inserted empty, then the figures are added to every row.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from foliot.domain.instants import Instant
from foliot.domain.statistics.node_load import BANDS, GAUGES, TALLIES, Gauge, LoadPoint, NodeLoad
from foliot.domain.statistics.resolution import KEPT_US, Resolution
from foliot.ports.store.node_loads import LoadProgress
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

SUBJECT: Final = "load"

_COUNTS: Final = tuple(f"{name}_count" for name in GAUGES)
_SUMS: Final = tuple(f"{name}_sum" for name in GAUGES)
_HIGHEST: Final = tuple(f"{name}_max" for name in GAUGES)
_LOOKS: Final = tuple(band.lower() for band in BANDS)
_ADDED: Final = ("samples", *_LOOKS, *TALLIES, *_COUNTS, *_SUMS)
FIGURES: Final = (*_ADDED, *_HIGHEST)
"""The columns of figures, in the order of a row."""

_KEY: Final = ("resolution", "start_at", "node")
_SET: Final = RowSet("d", resolution=BIGINT, start_at=BIGINT, node=TEXT, kind=TEXT, **dict.fromkeys(FIGURES, BIGINT))
_SAME: Final = " AND ".join(f"node_loads.{column} = d.{column}" for column in _KEY)
_CHANGES: Final = (
    *(f"{column} = node_loads.{column} + d.{column}" for column in _ADDED),
    *(f"{one} = CASE WHEN d.{one} > node_loads.{one} THEN d.{one} ELSE node_loads.{one} END" for one in _HIGHEST),
)

INSERT: Final = Statement(
    f"""
    {{insert_ignore}} node_loads (resolution, start_at, node, kind, {", ".join(FIGURES)})
    SELECT d.resolution, d.start_at, d.node, d.kind, {", ".join("0" for _ in FIGURES)} FROM {{d}}
    WHERE true {{ignore_duplicates}}
    """,
    RowSet("d", resolution=BIGINT, start_at=BIGINT, node=TEXT, kind=TEXT),
)
ADD: Final = Statement(f"UPDATE node_loads SET {', '.join(_CHANGES)} FROM {{d}} WHERE {_SAME}", _SET)

FIRST: Final = Statement(
    """
    {insert_ignore} history_progress (subject, ver, at, after_id, noted)
    SELECT d.subject, 0, 0, 0, NULL FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", subject=TEXT),
)
MOVE: Final = Statement(
    """
    UPDATE history_progress SET ver = ver + 1, at = :minute, noted = :noted
    WHERE subject = 'load' AND at = :since
    """
)
PROGRESS: Final = Statement("SELECT at, noted FROM history_progress WHERE subject = 'load'")

_READ: Final = ", ".join(f"s.{column}" for column in FIGURES)
_OF_NODE: Final = f"""
    SELECT s.start_at, s.kind, {_READ} FROM {{d}} JOIN node_loads s
    ON s.resolution = :resolution AND s.start_at = d.start_at AND s.node = :node
"""
OF_NODE: Final = Statement(
    _OF_NODE,
    RowSet("d", start_at=BIGINT),
    mysql=_OF_NODE.replace("} JOIN node_loads", "} STRAIGHT_JOIN node_loads"),
    sqlite=_OF_NODE.replace("} JOIN node_loads", "} CROSS JOIN node_loads"),
)
TOTALS: Final = ", ".join(
    (*(f"sum(s.{column}) AS {column}" for column in _ADDED), *(f"max(s.{one}) AS {one}" for one in _HIGHEST))
)
OF_ALL: Final = Statement(
    f"""
    SELECT s.node, max(s.kind) AS kind, {TOTALS} FROM node_loads s
    WHERE s.resolution = :resolution AND s.start_at >= :from_at AND s.start_at < :to_at
    GROUP BY s.node ORDER BY s.node LIMIT :rows
    """
)

OLDEST: Final = Statement(
    """
    SELECT start_at FROM node_loads WHERE resolution = :resolution AND start_at < :before
    ORDER BY resolution, start_at LIMIT 1 OFFSET :rows
    """
)
DELETE: Final = Statement("DELETE FROM node_loads WHERE resolution = :resolution AND start_at < :before")


def progress(tx: Tx) -> LoadProgress:
    """Up to which minute load is kept."""
    rows = tx.rows(PROGRESS)
    if not rows:
        return LoadProgress(0, {})
    noted: Mapping[str, Mapping[str, int]] = msgspec.json.decode(rows[0].noted) if rows[0].noted else {}
    return LoadProgress(int(rows[0].at), noted)


def add_minute(
    tx: Tx, progress: LoadProgress, nodes: Mapping[str, NodeLoad], *, since: Instant, term: int | None
) -> bool:
    """Add a minute, unless somebody else has kept one since; whether it was added."""
    if not holds_term(tx, term):
        return False
    if not since:
        tx.change(FIRST, d=[(SUBJECT,)])
    noted = msgspec.json.encode(progress.tallies).decode()
    if not tx.change(MOVE, {"minute": progress.minute_at, "noted": noted, "since": since}):
        return False
    tx.point("loads.moved")
    rows = sorted(_rows(progress.minute_at, nodes, now=tx.now()))
    for first in range(0, len(rows), tx.dialect.max_rowset):
        some = rows[first : first + tx.dialect.max_rowset]
        tx.change(INSERT, d=[row[:4] for row in some])
        tx.change(ADD, d=some)
    return True


def of_node(tx: Tx, node: str, resolution: Resolution, starts: range) -> Sequence[LoadPoint]:
    """The load of a node, in the order of time."""
    asked = {"resolution": int(resolution), "node": node}
    points = [
        LoadPoint(int(start_at), figures_of(str(kind), numbers))
        for start_at, kind, *numbers in tx.tuples(OF_NODE, asked, d=keys(starts))
    ]
    return sorted(points, key=lambda point: point.start_at)


def of_all(tx: Tx, resolution: Resolution, starts: range, *, limit: int) -> Mapping[str, NodeLoad]:
    """The load of each node over a range."""
    asked = {
        "resolution": int(resolution),
        "from_at": starts[0],
        "to_at": starts[-1] + resolution.length_us,
        "rows": limit,
    }
    return {node: figures_of(kind, numbers) for node, kind, *numbers in tx.tuples(OF_ALL, asked)}


def forget(tx: Tx, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
    """Delete about this many of the oldest figures; whether there are more. All nodes of an instant go together."""
    asked = {"resolution": int(resolution), "before": before}
    beyond = tx.rows(OLDEST, {**asked, "rows": limit})
    if not holds_term(tx, term):
        return False
    until = before
    if beyond:
        until = beyond[0].start_at + 1
    tx.change(DELETE, {"resolution": int(resolution), "before": until})
    return bool(beyond)


def _rows(minute_at: Instant, nodes: Mapping[str, NodeLoad], *, now: Instant) -> Iterator[tuple[Any, ...]]:
    for node, figures in nodes.items():
        numbers = numbers_of(figures)
        for resolution in Resolution:
            start_at = resolution.start_of(minute_at)
            if start_at >= now - KEPT_US[resolution]:
                yield int(resolution), start_at, node, figures.kind, *numbers


def numbers_of(figures: NodeLoad) -> tuple[int, ...]:
    """Figures in the order of `FIGURES`."""
    gauges = [figures.gauges[name] for name in GAUGES]
    return (
        figures.samples,
        *(figures.bands[band] for band in BANDS),
        *(figures.tallies[name] for name in TALLIES),
        *(gauge.count for gauge in gauges),
        *(gauge.sum for gauge in gauges),
        *(gauge.most for gauge in gauges),
    )


def figures_of(kind: str, numbers: Sequence[Any]) -> NodeLoad:
    """The figures that `numbers_of` wrote."""
    by_column: dict[str, int] = defaultdict(int, zip(FIGURES, map(int, numbers), strict=True))
    figures = NodeLoad(kind)
    figures.samples = by_column["samples"]
    figures.bands = {band: by_column[band.lower()] for band in BANDS}
    figures.tallies = {name: by_column[name] for name in TALLIES}
    figures.gauges = {
        name: Gauge(by_column[f"{name}_count"], by_column[f"{name}_sum"], by_column[f"{name}_max"]) for name in GAUGES
    }
    return figures
