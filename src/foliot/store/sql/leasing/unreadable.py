"""Runs whose definition this server cannot read: they step aside for a while.

Other servers may read it, and what is behind such runs must not wait for them.
"""

from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

PUT_OFF_US: Final[Micros] = 30 * SECOND

PUT_OFF: Final = Statement(
    """
    UPDATE runs SET not_before = :not_before, ver = runs.ver + 1 FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT),
)


def put_off(tx: Tx, runs: Sequence[tuple[int, int]], now: Instant) -> None:
    """Let these runs (id, version of the row) start later."""
    tx.change(PUT_OFF, {"not_before": now + PUT_OFF_US}, d=sorted(runs))
