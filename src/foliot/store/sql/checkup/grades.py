"""The grades of the leader's last checkup: one row, written under its term."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from foliot.domain.checkup import Grade
from foliot.domain.checkup.steadiness import SteadyGrade
from foliot.ports.store.checkup import KeptCheckup
from foliot.ports.store.journal import Happening
from foliot.store.sql.cluster.leadership import IN_TERM
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.people.journal import note

KEEP: Final = Statement(f"UPDATE checkups SET at = {{now}}, grades = :grades WHERE id = 1 AND {IN_TERM}")
KEEP_FIRST: Final = Statement(
    f"""
    {{insert_ignore}} checkups (id, at, grades)
    SELECT d.id, {{now}}, d.grades FROM {{d}} WHERE {IN_TERM} {{ignore_duplicates}}
    """,
    RowSet("d", id=BIGINT, grades=TEXT),
)
KEPT: Final = Statement("SELECT at, grades FROM checkups WHERE id = 1")


def keep(tx: Tx, grades: Mapping[str, SteadyGrade], happenings: Sequence[Happening], *, term: int) -> bool:
    """Put the grades in place of the last ones; False: the term is over."""
    written = msgspec.json.encode(grades).decode()
    if not tx.change(KEEP, {"grades": written, "term": term}):
        first = tx.change(KEEP_FIRST, {"term": term}, d=[(1, written)])
        if not first:
            return False
    note(tx, happenings, term=term)
    return True


def kept(tx: Tx) -> KeptCheckup | None:
    """The last grades. A grade that only a newer Foliot knows is left out."""
    rows = tx.rows(KEPT)
    if not rows:
        return None
    known = frozenset(Grade)
    written: dict[str, tuple[str, str, int]] = msgspec.json.decode(rows[0].grades)
    grades = {
        check: SteadyGrade(Grade(grade), Grade(seen), rounds)
        for check, (grade, seen, rounds) in written.items()
        if {grade, seen} <= known
    }
    return KeptCheckup(rows[0].at, grades)
