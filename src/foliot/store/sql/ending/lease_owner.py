"""Who speaks of a run: the lease id says which attempt is meant, the token's line whether the speaker had it (SEC-25).

A lease belongs to one session for good, and a session to one line: what was read of them is as true when it is written.
A worker that was restarted reports what its last session left on disk: another session of the same line (R17).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from foliot.domain.instants import Micros
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

OWNERS: Final = Statement("SELECT n.id, n.owner FROM {d} JOIN nodes n ON n.id = d.id", RowSet("d", id=TEXT))

LEASES: Final = Statement(
    "SELECT r.lease_id, r.last_lease_id, r.session_id FROM runs r WHERE r.id IN (SELECT d.id FROM {d})",
    RowSet("d", id=BIGINT),
)


def just_now() -> Micros:
    """The reports came in at this moment."""
    return 0


class Speaker(NamedTuple):
    """Who reports: a session that is known to be the speaker's own (empty: none is), and the line of its token."""

    session: str
    owner: str | None = None
    heard_us_ago: Callable[[], Micros] = just_now
    """How long the reports have been waiting here. What they say was so long ago is longer ago by as much."""

    def strangers(self, tx: Tx, sessions: Iterable[str | None]) -> frozenset[str]:
        """Those of the sessions that are another line's. Most reports name leases of the one session: no statement.

        A session that began before lines were recorded is nobody's: there the lease id alone decides, as it did.
        """
        others = {session for session in sessions if session is not None and session != self.session}
        if not others:
            return frozenset()
        owners = tx.pairs(OWNERS, d=keys(sorted(others)))
        return frozenset(session for session, owner in owners.items() if owner not in (None, self.owner))


def own_leases(tx: Tx, leases: Sequence[tuple[int, str]], speaker: Speaker) -> frozenset[str]:
    """Those of the leases that are the speaker's, or were and are known to have ended."""
    run_ids = {run_id for run_id, _ in leases}
    rows = tx.rows(LEASES, d=keys(sorted(run_ids)))
    strangers = speaker.strangers(tx, {row.session_id for row in rows})
    known: set[str | None] = set()
    for row in rows:
        if row.session_id not in strangers:
            known |= {row.lease_id, row.last_lease_id}
    return frozenset(lease_id for _, lease_id in leases if lease_id in known)
