"""Decisions about locks in SQL: draw a token, read the claims, let `domain.locks` decide, write what it decided."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.locks import TOKEN_BITS, LockClaim, LockDecision, LockGrant, decide
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

IN_DOUBT: Final = """
    (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > {now} THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
"""
"""1 while no claim ends by its time: servers do not trust the store's clock, or it ran on while nobody could renew."""

_DRAWN: Final = "token = locks.token + 1, used_at = {now}"
"""The time of this statement is the time of the decision. While it waits for the row, holders have their time."""

DRAW: Final = Statement(f"UPDATE locks SET {_DRAWN} FROM {{d}} WHERE locks.id = d.id", RowSet("d", id=BIGINT))
DRAW_ONE: Final = Statement(f"UPDATE locks SET {_DRAWN} WHERE namespace = :namespace AND name = :name")
IN_ORDER: Final = Statement(
    "SELECT l.id FROM locks l WHERE l.id IN (SELECT d.id FROM {d}) ORDER BY l.id {for_update}", RowSet("d", id=BIGINT)
)
MAKE: Final = Statement(
    """
    {insert_ignore} locks (namespace, name, token, used_at)
    SELECT d.namespace, d.name, coalesce((SELECT f.token FROM locks f WHERE f.namespace = '' AND f.name = ''), 0), {now}
    FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT),
)
"""A new lock begins above the tokens of locks that were forgotten: the row without a name keeps the highest of them."""

RAISE: Final = Statement(
    "UPDATE locks SET token = d.drawn FROM {d} WHERE locks.id = d.id", RowSet("d", id=BIGINT, drawn=BIGINT)
)

_CLAIM: Final = "c.id, c.lock_id, c.place, c.most, c.owner, c.until, c.token, c.broken, c.asked_at, c.line"

_CLAIMS: Final = f"""
    SELECT {{asked_for}} AS asked_for, l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at, {IN_DOUBT} AS doubt,
           (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, {_CLAIM}
    FROM locks l LEFT JOIN lock_claims c ON c.lock_id = l.id
"""
_BY_ID: Final = " WHERE l.id IN (SELECT d.id FROM {d})"
_BY_NAME: Final = " WHERE l.namespace = :namespace AND l.name = :name"
_OF_PROGRAM: Final = "x.session_id IS NULL AND x.line = :asker"
_OF_WORKER: Final = "x.session_id = :asker"


def _asked_for(whose: str) -> str:
    """How many claims an asker has; not counted beyond the most it may have."""
    return f"(SELECT count(*) FROM (SELECT 1 AS one FROM lock_claims x WHERE {whose} LIMIT :most) y)"


CLAIMS: Final = Statement(_CLAIMS.replace("{asked_for}", "0") + _BY_ID, RowSet("d", id=BIGINT))
CLAIMS_FOR_PROGRAM: Final = Statement(_CLAIMS.replace("{asked_for}", _asked_for(_OF_PROGRAM)) + _BY_NAME)
CLAIMS_FOR_WORKER: Final = Statement(_CLAIMS.replace("{asked_for}", _asked_for(_OF_WORKER)) + _BY_NAME)
"""What a decision reads, in one statement: the lock that was drawn, its claims, the store's epoch and the doubt."""

GRANT: Final = Statement(
    """
    UPDATE lock_claims SET token = d.drawn, granted_at = :now, until = :now + lock_claims.ttl_us
    FROM {d} WHERE lock_claims.id = d.id AND lock_claims.token IS NULL AND lock_claims.broken IS NULL
    """,
    RowSet("d", id=TEXT, drawn=BIGINT),
)
EXPIRE: Final = Statement(
    "DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM {d}) AND until <= :now", RowSet("d", id=TEXT)
)
DROP: Final = Statement("DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM {d})", RowSet("d", id=TEXT))


class Drawn(NamedTuple):
    """A lock whose next token was drawn: nobody else decides about it until the commit."""

    lock: int
    written: int  # the token in its row
    token: int  # the same, or the least of the store's epoch: then it is written with the decision
    now: Instant
    over: Instant  # a claim whose time ends until then is over: now, or long ago while the clock is in doubt (R7, R8)
    claims: Sequence[Any]  # rows
    asked_for: int  # claims that the asker has, of every lock


def draw_one(tx: Tx, namespace: str, name: str, *, session: str | None, line: str, most: int) -> Drawn:
    """Draw the next token of a lock, which is made when there is none. `most`: as far as the asker's claims count."""
    named = {"namespace": namespace, "name": name}
    if not tx.change(DRAW_ONE, named):
        tx.change(MAKE, d=[(namespace, name)])
        tx.change(DRAW_ONE, named)
    tx.point("locks.drawn")
    statement = CLAIMS_FOR_PROGRAM if session is None else CLAIMS_FOR_WORKER
    asker = line if session is None else session
    return _drawn(tx.rows(statement, {**named, "asker": asker, "most": most}))


def draw(tx: Tx, locks: Collection[int]) -> list[Drawn]:
    """Draw the next tokens of some locks, by their ids."""
    ids = keys(sorted(locks))
    if len(ids) > 1:
        tx.rows(IN_ORDER, d=ids)
    tx.change(DRAW, d=ids)
    tx.point("locks.drawn")
    of_locks: dict[int, list[Any]] = defaultdict(list)
    for row in tx.rows(CLAIMS, d=ids):
        of_locks[row.of_lock].append(row)
    return [_drawn(rows) for _, rows in sorted(of_locks.items())]


def _drawn(rows: Sequence[Any]) -> Drawn:
    """One lock, from its row with each of its claims; a lock without claims has one row without a claim."""
    first = rows[0]
    now = int(first.drawn_at)
    return Drawn(
        lock=first.of_lock,
        written=first.drawn,
        token=max(first.drawn, first.epoch << TOKEN_BITS),
        now=now,
        over=0 if first.doubt else now,
        claims=[row for row in rows if row.id is not None],
        asked_for=first.asked_for,
    )


def claim_of(row: Any) -> LockClaim:
    """A row as the policy sees it."""
    return LockClaim(
        id=row.id,
        lock=row.lock_id,
        place=row.place,
        most=row.most,
        owner=row.owner,
        until=row.until,
        token=row.token,
        is_broken=row.broken is not None,
        asked_at=row.asked_at,
    )


def settle(tx: Tx, drawn: Iterable[Drawn], *, without: Collection[str] = (), broken: Collection[str] = ()) -> list[str]:
    """Decide about these locks and write it; return the claims that hold theirs since. `without`: given back claims."""
    decided: list[tuple[Drawn, LockDecision]] = []
    dropped: list[str] = []
    for lock in drawn:
        claims = [claim_of(row) for row in lock.claims]
        left = [replace(claim, is_broken=claim.is_broken or claim.id in broken) for claim in claims]
        dropped += [claim.id for claim in left if claim.id in without]
        left = [claim for claim in left if claim.id not in without]
        decided.append((lock, decide(left, now=lock.over, first_token=lock.token)))
    if dropped:
        tx.change(DROP, d=keys(sorted(dropped)))
    write(tx, decided)
    return [grant.claim for _, decision in decided for grant in decision.granted]


def write(tx: Tx, decided: Sequence[tuple[Drawn, LockDecision]], *, unwritten: str = "") -> None:
    """Write decisions. `unwritten`: a claim that has no row yet, which the caller inserts as it was decided."""
    gone: list[str] = []
    granted: list[LockGrant] = []
    raised: list[tuple[int, int]] = []
    for lock, decision in decided:
        gone += decision.gone
        granted += [grant for grant in decision.granted if grant.claim != unwritten]
        if decision.last_token > lock.written:
            raised.append((lock.lock, decision.last_token))
    if raised:
        tx.change(RAISE, d=raised)
    now = {"now": decided[0][0].now if decided else 0}
    if gone:  # never under doubt: here `over` is `now`
        expired = tx.change(EXPIRE, now, d=keys(sorted(gone)))
        if expired != len(gone):
            raise TryAgain("a claim was renewed meanwhile")
    if granted:
        written = tx.change(GRANT, now, d=sorted(granted))
        if written != len(granted):
            raise TryAgain("a claim was given up meanwhile")


def by_id(rows: Iterable[Any]) -> Mapping[str, Any]:
    """Rows of claims by their id."""
    return {row.id: row for row in rows}
