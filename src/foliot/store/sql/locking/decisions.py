"""Decisions about locks in SQL: draw a token, read the claims, let `domain.locks` decide, write what it decided."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
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

DRAW: Final = Statement(
    "UPDATE locks SET token = locks.token + 1, used_at = {now} FROM {d} WHERE locks.id = d.id", RowSet("d", id=BIGINT)
)
"""The time of this statement is the time of the decision. While it waits for the row, holders have their time."""

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

DRAWN: Final = f"""
    l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at, {IN_DOUBT} AS doubt,
    (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
    c.token, c.broken, c.asked_at, c.line, c.session_id
"""
CLAIMS: Final = Statement(
    f"""
    SELECT {DRAWN} FROM locks l LEFT JOIN lock_claims c ON c.lock_id = l.id WHERE l.id IN (SELECT d.id FROM {{d}})
    """,
    RowSet("d", id=BIGINT),
)
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
    token: int  # the first that was drawn, or the least of the store's epoch: then it is written with the decision
    now: Instant
    over: Instant  # a claim whose time ends until then is over: now, or long ago while the clock is in doubt (R7, R8)
    claims: Sequence[Any]  # rows


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
    return [drawn_of(rows) for _, rows in sorted(of_locks.items())]


def drawn_of(rows: Sequence[Any], *, numbers: int = 1) -> Drawn:
    """One lock, from its row with each of its claims; a lock without claims has one row without a claim.

    `numbers`: how many were drawn together; the token is the first of them.
    """
    first = rows[0]
    now = int(first.drawn_at)
    return Drawn(
        lock=first.of_lock,
        written=first.drawn,
        token=max(first.drawn - numbers + 1, first.epoch << TOKEN_BITS),
        now=now,
        over=0 if first.doubt else now,
        claims=[row for row in rows if row.id is not None],
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


def write(tx: Tx, decided: Sequence[tuple[Drawn, LockDecision]]) -> None:
    """Write decisions about locks that were drawn together."""
    gone: list[str] = []
    granted: list[LockGrant] = []
    raised: list[tuple[int, int]] = []
    for lock, decision in decided:
        gone += decision.gone
        granted += decision.granted
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
