"""Stray jobs in SQL: live workers declare them, but none from the module that they belong to.

A worker that took a job over has left, or its new code declares the job no more. Workers of another module declare it
still, and they do not know: they declared it when they registered. So the leader asks for their code.
"""

from collections.abc import Sequence
from typing import Final

from foliot.store.sql.cluster.codes import ASKED, LIVE_WORKER
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.jobs.retirement import ALLOWED, PERHAPS_DECLARED
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

_FROM_ITS_OWN: Final = """
    EXISTS (SELECT 1 FROM code_jobs o JOIN nodes n ON n.code = o.code
            WHERE o.namespace = j.namespace AND o.name = j.name AND o.module = j.source_module AND """
WITH_STRAYS: Final = Statement(
    f"""
    SELECT DISTINCT c.hash
    FROM codes c JOIN code_jobs cj ON cj.code = c.hash
    JOIN jobs j ON j.namespace = cj.namespace AND j.name = cj.name AND j.deleted_at = 0
    WHERE c.whole = 1 AND EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND {LIVE_WORKER})
      AND j.source = 'code' AND j.source_module <> cj.module AND {ALLOWED}
      AND NOT {_FROM_ITS_OWN}{LIVE_WORKER}) AND NOT {PERHAPS_DECLARED}
    ORDER BY c.hash LIMIT :rows
    """
)
ASK: Final = Statement(
    f"UPDATE codes SET ver = codes.ver + 1, whole = {ASKED} FROM {{d}} WHERE codes.hash = d.hash AND codes.whole = 1",
    RowSet("d", hash=TEXT),
)
"""A worker that registered meanwhile has answered already or does so next time: it is asked once too often then."""


def ask_again(tx: Tx, *, limit: int, term: int) -> Sequence[str]:
    """Ask for the code of live workers that declare stray jobs; which."""
    found = [row.hash for row in tx.rows(WITH_STRAYS, {"rows": limit})]
    if not found or not holds_term(tx, term):
        return ()
    tx.change(ASK, d=[(code,) for code in found])
    return found
