"""Locks in SQL (`ports.store.locks.LockStore`): claimed, renewed, given back, taken away, swept."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from foliot.domain.deadlocks import Deadlock
from foliot.domain.failover import Detected
from foliot.domain.instants import Instant
from foliot.domain.lock_order import LocksTaken
from foliot.ports.store.locks import LockAnswer, LockRound, LockShown, LocksSwept, LockStep, LockWaits
from foliot.store.sql.cluster.failures import note_deadlocks
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Database, Pool, RefusedForData, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.locking import reads
from foliot.store.sql.locking.decisions import IN_DOUBT, MAKE, claim_of, draw, settle
from foliot.store.sql.locking.steps import OVER, NotTogether, carry_out

_OWN: Final = "lock_claims.line = :line AND coalesce(lock_claims.session_id, '') = :session"
_HOLDS: Final = f"lock_claims.token IS NOT NULL AND (lock_claims.until > {{now}} OR {IN_DOUBT} = 1)"

RENEW: Final = Statement(
    f"""
    UPDATE lock_claims SET until = {{now}} + lock_claims.ttl_us
    FROM {{d}} WHERE lock_claims.id = d.id AND {_HOLDS} AND {_OWN}
    """,
    RowSet("d", id=TEXT),
)
HELD: Final = Statement(
    f"""
    SELECT lock_claims.id FROM lock_claims
    WHERE lock_claims.id IN (SELECT d.id FROM {{d}}) AND {_HOLDS} AND {_OWN}
    """,
    RowSet("d", id=TEXT),
)
UNDER_TOKEN: Final = Statement(
    """
    SELECT c.id, c.lock_id FROM locks l JOIN lock_claims c ON c.lock_id = l.id
    WHERE l.namespace = :namespace AND l.name = :name AND c.token = :token
    """
)
BREAK: Final = Statement(
    "UPDATE lock_claims SET broken = d.cycle FROM {d} WHERE lock_claims.id = d.id", RowSet("d", id=TEXT, cycle=TEXT)
)

_TOO_OLD: Final = f"c.until <= {{now}} AND {IN_DOUBT} = 0"
_FAR: Final = "CASE WHEN c.token IS NOT NULL AND c.until > {now} + c.ttl_us THEN 1 ELSE 0 END"

ENDED: Final = Statement(
    f"""
    SELECT c.id, c.lock_id, {_FAR} AS far,
           CASE WHEN r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
                     OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
                THEN 2
                WHEN {_TOO_OLD} THEN 1 ELSE 0 END AS fate
    FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN nodes n ON n.id = c.session_id
    WHERE c.token IS NULL OR {_TOO_OLD} OR {_FAR} = 1
       OR r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
       OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
    ORDER BY fate DESC, c.lock_id LIMIT :limit
    """
)
"""Claims whose attempt or session is over (2), or whose time is (1); and those that wait or end too far ahead (0)."""

CLAMP: Final = Statement(
    """
    UPDATE lock_claims SET until = {now} + lock_claims.ttl_us
    FROM {d}
    WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND lock_claims.until > {now} + lock_claims.ttl_us
    """,
    RowSet("d", id=TEXT),
)
"""After a step of the clock back, a time from the future would keep a lock by the step (R7)."""

IDLE: Final = Statement(
    """
    SELECT l.id, l.token FROM locks l
    WHERE l.used_at < :before AND l.name <> '' AND NOT EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
    ORDER BY l.used_at LIMIT :limit
    """
)
KEEP_HIGHEST: Final = Statement(
    "UPDATE locks SET token = :token, used_at = {now} WHERE namespace = '' AND name = '' AND token < :token"
)
FORGET: Final = Statement(
    "DELETE FROM locks WHERE id IN (SELECT d.id FROM {d}) AND used_at < :before", RowSet("d", id=BIGINT)
)


class SqlLocks:
    """`ports.store.locks.LockStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def carry_out(self, steps: Sequence[LockStep], *, patient: bool = True) -> LockRound:
        try:
            return await self._database.transact(partial(carry_out, steps=steps, patient=patient), pool=Pool.API)
        except NotTogether:
            return LockRound(answers=[OVER if len(steps) == 1 else None] * len(steps))
        except RefusedForData:
            if len(steps) == 1:
                raise
            return LockRound(answers=[None] * len(steps))

    async def look(self, claims: Sequence[str]) -> dict[str, LockAnswer]:
        return await self._database.read(partial(reads.answers, claims=claims)) if claims else {}

    async def renew(self, claims: Sequence[str], *, session: str | None = None, line: str = "") -> Sequence[str]:
        """Two guarded statements, each by itself: the second is needed only when a claim is not held any more."""
        if not claims:
            return []
        values = _own(session, line)
        ids = keys(sorted(set(claims)))

        def work(tx: Tx) -> Sequence[str]:
            if tx.change(RENEW, values, d=ids) == len(ids):
                return []
            held = {row.id for row in tx.rows(HELD, values, d=ids)}
            return [claim for claim in claims if claim not in held]

        return await self._database.step(work, pool=Pool.RENEW)

    async def take_away(self, namespace: str, name: str, *, token: int) -> tuple[int, Sequence[str]]:
        values = {"namespace": namespace, "name": name, "token": token}

        def work(tx: Tx) -> tuple[int, Sequence[str]]:
            rows = tx.rows(UNDER_TOKEN, values)
            return len(rows), _without(tx, rows)

        return await self._database.transact(work, pool=Pool.API)

    async def sweep(self, *, limit: int, term: int | None = None) -> LocksSwept:
        """What is over stays over, so a look outside of the transaction is enough to say what to drop."""
        rows = await self._database.read(lambda tx: tx.rows(ENDED, {"limit": limit}), pool=Pool.CONTROL)
        over = [row for row in rows if row.fate]
        far = keys(sorted(row.id for row in rows if row.far and not row.fate))
        waiting = len(rows) - len(over) - len(far)
        if not over and not far:
            return LocksSwept(waiting=waiting)
        dropped = {row.id for row in over if row.fate > 1}

        def work(tx: Tx) -> Sequence[str]:
            if not holds_term(tx, term):
                return []
            woken = settle(tx, draw(tx, {row.lock_id for row in over}), without=dropped) if over else []
            if far:
                tx.change(CLAMP, d=far)
            return woken

        woken = await self._database.transact(work)
        return LocksSwept(dropped=len(over), woken=woken, waiting=waiting)

    async def waits(self) -> LockWaits:
        return await self._database.read(reads.waits, pool=Pool.CONTROL)

    async def break_waits(
        self,
        deadlocks: Sequence[tuple[Deadlock, str]],
        *,
        failures: Mapping[str, Detected] | None = None,
        term: int | None = None,
    ) -> tuple[Sequence[str], Sequence[str]]:
        cycles = {deadlock.victim.id: words for deadlock, words in deadlocks}
        locks = {deadlock.victim.lock for deadlock, _ in deadlocks}

        def work(tx: Tx) -> tuple[Sequence[str], Sequence[str]]:
            if not locks or not holds_term(tx, term):
                return [], []
            drawn = draw(tx, locks)
            waiting = [claim.id for lock in drawn for claim in map(claim_of, lock.claims) if claim.waits]
            broken = sorted(set(waiting) & set(cycles))
            if broken:
                tx.change(BREAK, d=[(claim, cycles[claim]) for claim in broken])
            woken = settle(tx, drawn, broken=broken)
            if broken and failures:
                note_deadlocks(tx, [failures[claim] for claim in broken], term=term)
            return broken, woken

        return await self._database.transact(work)

    async def list(self, *, namespace: str | None, after: tuple[str, str], limit: int) -> Sequence[LockShown]:
        work = partial(reads.page, namespace=namespace, after=after, limit=limit)
        return await self._database.read(work)

    async def find(self, namespace: str, name: str) -> LockShown | None:
        return await self._database.read(partial(reads.one, namespace=namespace, name=name))

    async def awaited_by(self, run_id: int) -> Sequence[LockShown]:
        return await self._database.read(partial(reads.awaited, run_id=run_id))

    async def orders(self, namespace: str, name: str) -> Sequence[LocksTaken]:
        return await self._database.read(partial(reads.orders, namespace=namespace, name=name))

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        def work(tx: Tx) -> int:
            idle = tx.rows(IDLE, {"before": before, "limit": limit})
            if not idle or not holds_term(tx, term):
                return 0
            tx.change(MAKE, d=[("", "")])
            tx.change(KEEP_HIGHEST, {"token": max(row.token for row in idle)})
            return tx.change(FORGET, {"before": before}, d=keys(sorted(row.id for row in idle)))

        return await self._database.transact(work)


def _own(session: str | None, line: str) -> dict[str, str]:
    return {"session": session or "", "line": line}


def _without(tx: Tx, rows: Sequence[Any]) -> Sequence[str]:
    """Take these claims out of their locks; return the claims that hold theirs since."""
    if not rows:
        return []
    return settle(tx, draw(tx, {row.lock_id for row in rows}), without={row.id for row in rows})
