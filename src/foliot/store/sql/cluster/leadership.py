"""Leadership in the store: a lease with a term that only rises (R16), and the tick that goes with it (R7, R8)."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.instants import Micros
from foliot.ports.store.nodes import Term
from foliot.store.sql.kernel.database import Row, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

_RENEW: Final = """
    UPDATE leases SET until = {now} + :ttl
    WHERE name = 'leader' AND holder_session = :session AND until >= {now} AND until <= {now} + :ttl + :ttl
    """
RENEW: Final = Statement(_RENEW)
RENEW_AND_SAY: Final = Statement(
    f"{_RENEW} RETURNING term, until, {{now}}, (SELECT m.last_tick_at FROM store_meta m WHERE m.id = 1)"
)
"""`RENEW` and `HELD` in one: a leader renews all the time, and most databases need one statement for it."""

WIN: Final = Statement(
    """
    UPDATE leases SET holder_session = :session, term = term + 1, until = {now} + :ttl
    WHERE name = 'leader' AND (until < {now} OR until > {now} + :ttl + :ttl)
    """
)
"""An `until` far ahead is one from before a clock step: nobody will renew it (R16)."""

HELD: Final = Statement(
    """
    SELECT l.term, l.until, {now}, m.last_tick_at FROM leases l JOIN store_meta m ON m.id = 1
    WHERE l.name = 'leader'
    """
)

TICK: Final = Statement(
    """
    UPDATE store_meta SET
      reap_after = CASE WHEN 2 * ({now} - last_tick_at) > :session_ttl OR last_tick_at > {now}
                        THEN {now} + :session_ttl ELSE reap_after END,
      last_tick_at = {now}
    WHERE id = 1
    """
)
"""R8: after a gap (outage, stop, clock step) sessions get the time to be heard again before anyone is declared dead."""

TICKS_PER_TTL: Final = 8
"""A gap is one of half a session's time: ticks come often enough when there are some more of them in that time."""

CLAMP: Final = Statement(
    "UPDATE nodes SET until = {now} + :session_ttl WHERE state <> 'dead' AND until > {now} + :session_ttl"
)
"""R7: after a step back, deadlines from the future would keep the dead alive by the step."""

RESIGN: Final = Statement(
    "UPDATE leases SET until = {now} - 1 WHERE name = 'leader' AND holder_session = :session AND term = :term"
)

WISH: Final = Statement(
    "UPDATE leases SET holder_session = :heir, term = term + 1, until = {now} + :ttl WHERE name = 'heir'"
)
FIRST_WISH: Final = Statement(
    """
    {insert_ignore} leases (name, holder_session, term, until)
    SELECT 'heir', d.heir, 0, 0 FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", heir=TEXT),
)
"""A lease nobody holds: its row names who is wanted, its term counts the wishes. The pulse reads it."""

APPOINT: Final = Statement(
    """
    UPDATE leases SET holder_session = :heir, term = term + 1, until = {now} + :ttl
    WHERE name = 'leader' AND holder_session = :session AND term = :term AND EXISTS (
      SELECT 1 FROM nodes n WHERE n.id = :heir AND n.kind = 'server' AND n.state = 'live' AND n.until > {now}
        AND coalesce(n.role, 'active') = 'active'
    )
    """
)
"""A new term in somebody else's hands. It finds out by its pulse and renews; if it does not, the lease runs out."""

IN_TERM: Final = "EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term)"
"""Guard of the leader's writes: at most one statement already under way may still land."""

UNDER_TERM: Final = f"({IN_TERM} OR :term IS NULL)"
"""The same for what others may do as well, who give no term.

Never in a DELETE, nor in an UPDATE with a set of rows: MariaDB would lock the leader's row there until the commit, and
the leader could not renew its lease meanwhile. Those ask `holds_term` first.
"""

IS_TERM: Final = Statement("SELECT l.term FROM leases l WHERE l.name = 'leader' AND l.term = :term")


def campaign(tx: Tx, session: str, *, ttl_us: Micros, session_ttl_us: Micros) -> Term | None:
    """Renew the term this session holds, or take the next one if nobody does; None: another holds it.

    Each statement may stand by itself: a term without its tick only makes reaping wait (R8).
    """
    values: dict[str, Any] = {"session": session, "ttl": ttl_us}
    held = _renewed(tx, values)
    if not held and tx.change(WIN, values):
        held = tx.rows(HELD)
    if not held:
        return None
    term, until, now, last_tick_at = held[0]
    if 0 <= now - last_tick_at < session_ttl_us // TICKS_PER_TTL:
        return Term(number=term, until=until, now=now)
    tx.change(TICK, {"session_ttl": session_ttl_us})
    if last_tick_at > now:
        tx.change(CLAMP, {"session_ttl": session_ttl_us})
    return Term(number=term, until=until, now=now)


def _renewed(tx: Tx, values: dict[str, Any]) -> Sequence[Row]:
    """The lease after its renewal; nothing when this session does not hold it."""
    if tx.dialect.returns_changes:
        return tx.rows(RENEW_AND_SAY, values)
    return tx.rows(HELD) if tx.change(RENEW, values) else ()


def holds_term(tx: Tx, term: int | None) -> bool:
    """Whether this term still is the leader's; who gives no term needs none. It locks nothing (R16).

    A write right after it may still land when the term ends in between. So it is for writes that are right whoever does
    them: deletes of what is old, and corrections of rows that are locked.
    """
    return term is None or bool(tx.rows(IS_TERM, {"term": term}))


def wish(tx: Tx, heir: str, *, ttl_us: Micros) -> None:
    """Name who is to lead."""
    values: dict[str, Any] = {"heir": heir, "ttl": ttl_us}
    if not tx.change(WISH, values):
        tx.change(FIRST_WISH, d=[(heir,)])
        tx.change(WISH, values)


def appoint(tx: Tx, heir: str, *, session: str, term: int, ttl_us: Micros) -> int | None:
    """Hand the term over; the next term's number, or None when this one is over or nobody is there to take it."""
    values: dict[str, Any] = {"heir": heir, "session": session, "term": term, "ttl": ttl_us}
    return term + 1 if tx.change(APPOINT, values) else None


def resign(tx: Tx, session: str, term: int) -> None:
    """Give the term up at once; somebody else may win the next (R18)."""
    tx.change(RESIGN, {"session": session, "term": term})
