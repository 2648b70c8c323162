"""Sessions of servers and workers: they introduce themselves, beat, drain and leave (`ports.store.nodes.NodeStore`)."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any, Final

import msgspec

from foliot.domain.access import ForeignSession, TooManySessions, TooMuchOffered
from foliot.domain.health import HealthRules, usual_rules
from foliot.domain.instants import SECOND, Micros
from foliot.domain.maintenance import Maintenance
from foliot.domain.roles import Promotion, Role, SeenServers
from foliot.domain.run import Landing
from foliot.domain.texts import SESSION_BYTES_MAX, is_key
from foliot.domain.verdict import Cause, Judge
from foliot.ports.store.actor import Actor
from foliot.ports.store.errors import StoreBusy
from foliot.ports.store.nodes import SESSION_TTL_US, Registered, Term
from foliot.ports.worker_link import (
    OFFERS_BYTES_FEW,
    OFFERS_BYTES_MAX,
    SESSIONS_MAX,
    Beat,
    BeatAnswer,
    HandlerOffer,
    Hello,
    Leaving,
)
from foliot.store.sql.cluster import beats, clock, codes, failures, kinds, leadership, maintenance, roles
from foliot.store.sql.cluster.beats import SETTLED_ALL, unknown, waiting_in
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.settlement import Claim
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

LEAVE_STEP: Final = 500
LEAVE_STEPS_MAX: Final = 100
ADDRESSES_MAX: Final = 32

REGISTER: Final = Statement(
    """
    {insert_ignore} nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, slots,
                           version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes,
                           offer_hash, code, kinds, begun_at, asked_at, address, drills, role, weight)
    SELECT d.id, d.name, d.kind, 'live', {now} + :ttl, {now}, {now}, 0, 0, d.group_name, d.slots,
           d.version, d.protocol, d.host, d.pid, d.labels, d.handlers, d.namespace, d.owner, d.offer_bytes,
           d.offer_hash, d.code, d.kinds, {now} - d.up_us, {now} - d.asked_us_ago, d.address, d.drills, d.role,
           d.weight
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", id=TEXT, name=TEXT, kind=TEXT, group_name=TEXT, slots=BIGINT, version=TEXT, protocol=BIGINT, host=TEXT,
           pid=BIGINT, labels=TEXT, handlers=TEXT, namespace=TEXT, owner=TEXT, offer_bytes=BIGINT,
           offer_hash=TEXT, code=TEXT, kinds=TEXT, up_us=BIGINT, asked_us_ago=BIGINT, address=TEXT, drills=TEXT,
           role=TEXT, weight=BIGINT),
)  # fmt: skip

REGISTER_AGAIN: Final = Statement(
    """
    UPDATE nodes SET offers_at = CASE WHEN offer_hash = :offer_hash AND labels = :labels THEN offers_at ELSE {now} END,
                     until = {now} + :ttl, slots = :slots, version = :version, labels = :labels, handlers = :handlers,
                     offer_bytes = :offer_bytes, offer_hash = :offer_hash, code = :code, kinds = :kinds,
                     weight = :weight
    WHERE id = :session AND kind = :kind AND state <> 'dead'
          AND coalesce(owner, '') = :owner
    """
)
"""What a session may say anew of itself; its name, group, namespace and owner are its own for good.

MariaDB sets the columns one after another: `offers_at` comes before what it compares.
"""

WHOSE: Final = Statement("SELECT kind, owner FROM nodes WHERE id = :session")

LIVE: Final = Statement("SELECT count(*) FROM nodes WHERE state IN ('live', 'draining')")
"""By an index alone, where the rows are not looked at: what they say of handlers may be long."""

LIVE_OF: Final = Statement(
    "SELECT count(*) FROM nodes WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner"
)

OFFERED_BY: Final = Statement(
    """
    SELECT offer_hash, max(offer_bytes) AS bytes, sum(CASE WHEN id = :session THEN 0 ELSE 1 END) AS others FROM nodes
    WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner AND offer_bytes > :few
    GROUP BY offer_hash
    """
)
"""Each different text once: servers keep it once, however many workers have the same code."""

IS_OFFERED_BY: Final = Statement(
    """
    SELECT 1 FROM nodes
    WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner AND offer_hash = :offer_hash
    LIMIT 1
    """
)

ADOPT: Final = Statement("UPDATE nodes SET owner = :owner WHERE id = :session AND kind = 'worker' AND owner IS NULL")

HELLO: Final = Statement(
    """
    SELECT id, name, group_name, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash,
           weight
    FROM nodes
    WHERE id = :session AND kind = 'worker' AND state <> 'dead'
    """
)

ADDRESSES: Final = Statement(
    f"""
    SELECT DISTINCT address FROM nodes
    WHERE state = 'live' AND until >= {{now}} AND kind = 'server' AND address IS NOT NULL
          AND coalesce(role, 'active') = 'active'
    ORDER BY address LIMIT {ADDRESSES_MAX}
    """
)

UNDRAIN: Final = Statement(
    "UPDATE nodes SET state = 'live', drained_by = NULL, draining_at = NULL "
    "WHERE id = :session AND state = 'draining' AND drained_by IS NOT NULL"
)

LEFT: Final = Statement(
    """
    SELECT r.id, r.lease_id, r.request_no, r.started_at, n.progress
    FROM nodes n JOIN runs r ON r.{held_by} = n.id AND r.state = 'RUNNING'
    WHERE n.id = :session ORDER BY r.id LIMIT :limit
    """
)

LEAVE: Final = Statement(
    """
    UPDATE nodes SET state = 'dead', ended_at = {now}, settled = :settled WHERE id = :session AND state <> 'dead'
    """
)


class SqlNodeStore:
    """`ports.store.nodes.NodeStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions, ending: Ending) -> None:
        self._database = database
        self._definitions = definitions
        self._ending = ending

    async def register(
        self,
        hello: Hello,
        *,
        kind: str,
        ttl_us: Micros,
        code: str | None = None,
        asked_us_ago: Micros = 0,
        role: Role | None = None,
    ) -> Registered:
        """A repeated call renews the session, which its worker trusts from then on, and tells of its newest code."""
        assert is_key(hello.session, SESSION_BYTES_MAX), hello.session

        def work(tx: Tx) -> Registered:
            handlers = msgspec.json.encode(hello.handlers).decode()
            labels = msgspec.json.encode(hello.labels).decode()
            stated = kinds.text_of(hello) or ""
            offered = f"{handlers}{stated}".encode()
            size = len(offered)
            offer_hash = sha256(offered).hexdigest()
            kinds_hash = kinds.use(tx, stated or None)
            row = (hello.session, hello.name, kind, hello.group, hello.slots, hello.version, hello.protocol,
                   hello.host, hello.pid, labels, handlers, hello.namespace, hello.owner, size,
                   offer_hash, code, kinds_hash, hello.up_us, asked_us_ago, hello.address or None,
                   ",".join(hello.drills) or None, role, hello.weight)  # fmt: skip
            again = {"session": hello.session, "ttl": ttl_us, "slots": hello.slots, "version": hello.version,
                     "labels": labels, "handlers": handlers, "kind": kind, "owner": hello.owner or "",
                     "offer_bytes": size, "offer_hash": offer_hash, "code": code, "kinds": kinds_hash,
                     "weight": hello.weight}  # fmt: skip
            if code is not None:
                codes.use(tx, code)
            if kind == "worker" and hello.owner and size > OFFERS_BYTES_FEW:
                _check_offers(tx, hello.owner, hello.session, size, offer_hash)
            if not tx.change(REGISTER_AGAIN, again):
                if kind == "worker" and hello.owner:
                    _check_room(tx, hello.owner)
                tx.change(REGISTER, {"ttl": ttl_us}, d=[row])
                (whose,) = tx.rows(WHOSE, {"session": hello.session})
                if whose.kind != kind or whose.owner not in (None, hello.owner):
                    raise ForeignSession
            return Registered(tx.now(), offer_hash)

        return await self._database.transact(work)

    async def hello_of(self, session: str) -> Hello | None:
        rows = await self._database.read(lambda tx: tx.rows(HELLO, {"session": session}), pool=Pool.CONTROL)
        try:
            return _hello(rows[0]) if rows else None
        except msgspec.DecodeError:  # an older server kept what no worker may say any more: it registers anew
            return None

    async def adopt(self, session: str, *, owner: str) -> bool:
        def work(tx: Tx) -> bool:
            tx.change(ADOPT, {"session": session, "owner": owner})
            rows = tx.rows(WHOSE, {"session": session})
            return bool(rows) and tuple(rows[0]) == ("worker", owner)

        return await self._database.transact(work)

    # -- beats ----------------------------------------------------------------------------------------------------

    async def beat(self, beat: Beat, *, ttl_us: Micros, judge: Judge, health: HealthRules | None = None) -> BeatAnswer:
        """Renew first: no row but the session's own may keep a worker from living on.

        What it says of its runs follows, and what it does not know goes back (adopt). Each stands by itself: the
        renewal holds when the others find the store busy, and the next beat says the same of the runs again.
        """
        rules = health or usual_rules(ttl_us)
        clock = self._database.clock
        reached_at = clock.monotonic()

        def waited_us() -> Micros:
            return int((clock.monotonic() - reached_at) * SECOND)

        renew = partial(beats.renew, beat=beat, rules=rules, waited_us=waited_us)
        renewed = await self._database.step(renew, pool=Pool.RENEW)
        with suppress(StoreBusy):
            if renewed.news:
                note = partial(beats.note, definitions=self._definitions, beat=beat, news=renewed.news)
                await self._database.transact(note, pool=Pool.RENEW)
            if renewed.not_known:
                await self._ending.settle(self._database, renewed.not_known, judge)
            if not renewed.answer.alive:
                await self._database.transact(lambda tx: failures.came_back(tx, beat.session), pool=Pool.RENEW)
        return renewed.answer

    async def addresses(self) -> Sequence[str]:
        rows = await self._database.read(lambda tx: tx.rows(ADDRESSES), pool=Pool.CONTROL)
        return [row.address for row in rows]

    # -- roles ----------------------------------------------------------------------------------------------------

    async def servers(self) -> SeenServers:
        return await self._database.read(roles.seen_servers, pool=Pool.CONTROL)

    async def promote(self) -> Promotion | None:
        return await self._database.transact(roles.promote, pool=Pool.RENEW)

    async def set_role(self, session: str, role: Role) -> bool:
        return await self._database.transact(lambda tx: roles.set_role(tx, session, role))

    # -- the way out ----------------------------------------------------------------------------------------------

    async def drain(self, session: str, *, by: Actor) -> bool:
        return await self._database.transact(lambda tx: roles.drain(tx, session, by=by))

    async def drain_server(self, session: str, *, by: Actor) -> bool:
        return await self._database.transact(lambda tx: roles.drain_server(tx, session, by=by))

    async def undrain(self, session: str) -> bool:
        undrained = await self._database.transact(lambda tx: tx.change(UNDRAIN, {"session": session}))
        return undrained == 1

    async def leave(self, leaving: Leaving, judge: Judge) -> int:
        """What it holds goes back in steps; then the session is over. What turns up later never reached it."""
        returned = 0
        for _ in range(LEAVE_STEPS_MAX):
            claims = await self._database.read(partial(_left, leaving), pool=Pool.CONTROL)
            if not claims:
                break
            landings = await self._ending.settle(self._database, claims, judge)
            returned += sum(landing is Landing.RECORDED for landing in landings)
        left = {"session": leaving.session, "settled": SETTLED_ALL}
        await self._database.transact(lambda tx: tx.change(LEAVE, left))
        return returned

    # -- leadership -----------------------------------------------------------------------------------------------

    async def campaign(self, session: str, *, ttl_us: Micros, session_ttl_us: Micros = SESSION_TTL_US) -> Term | None:
        work = partial(_campaign, session, ttl_us, session_ttl_us)
        return await self._database.step(work, pool=Pool.RENEW)

    async def wish(self, heir: str, *, ttl_us: Micros) -> None:
        await self._database.transact(lambda tx: leadership.wish(tx, heir, ttl_us=ttl_us))

    async def begin_maintenance(self, *, lasts_us: Micros | None, by: Actor) -> Maintenance:
        return await self._database.transact(lambda tx: maintenance.begin(tx, lasts_us=lasts_us, by=by))

    async def end_maintenance(self) -> Maintenance | None:
        return await self._database.transact(maintenance.end)

    async def close_maintenance(self, *, term: int) -> bool:
        return await self._database.transact(lambda tx: maintenance.close(tx, term=term))

    async def appoint(self, heir: str, *, session: str, term: int, ttl_us: Micros) -> int | None:
        work = partial(_appoint, heir, session, term, ttl_us)
        return await self._database.transact(work, pool=Pool.RENEW)

    async def resign(self, session: str, *, term: int) -> None:
        await self._database.transact(lambda tx: leadership.resign(tx, session, term), pool=Pool.RENEW)

    async def report_clock(
        self, session: str, *, ahead_us: Micros | None, offset_us: Micros | None = None, suspect: bool = False
    ) -> bool:
        told = clock.Told(session=session, ahead_us=ahead_us, offset_us=offset_us, suspect=suspect)
        await self._database.transact(lambda tx: clock.report(tx, told), pool=Pool.RENEW)
        seen = await self._database.read(clock.looked_at, pool=Pool.RENEW)
        if seen is not None:
            return seen
        return await self._database.transact(clock.judge, pool=Pool.RENEW)


def _appoint(heir: str, session: str, term: int, ttl_us: Micros, tx: Tx) -> int | None:
    return leadership.appoint(tx, heir, session=session, term=term, ttl_us=ttl_us)


def _campaign(session: str, ttl_us: Micros, session_ttl_us: Micros, tx: Tx) -> Term | None:
    return leadership.campaign(tx, session, ttl_us=ttl_us, session_ttl_us=session_ttl_us)


def _left(leaving: Leaving, tx: Tx) -> list[Claim]:
    """What is to be said of the runs that a leaving session still has, by run id."""
    rows = tx.rows(LEFT, {"session": leaving.session, "limit": LEAVE_STEP})
    waiting = _not_started(leaving, rows[0].progress) if rows else frozenset()
    named = {lease.lease_id for lease in leaving.held}
    settled = -1 if leaving.settled is None else leaving.settled
    claims: list[Claim] = []
    for run_id, lease_id, request_no, started_at, _ in rows:
        if lease_id not in named and request_no <= settled:
            claims.append(unknown(run_id, lease_id, started_at))
            continue
        started = started_at is not None or lease_id not in waiting
        claims.append(Claim(run_id=run_id, lease_id=lease_id, cause=Cause.RELEASED, started=started))
    return claims


def _not_started(leaving: Leaving, progress: str | None) -> frozenset[str]:
    """The leases a leaving session has not started; what an older worker's last beat named as such it has not."""
    if leaving.settled is None:
        return waiting_in(progress)
    return frozenset(lease.lease_id for lease in leaving.held if lease.started_us_ago is None)


def _check_room(tx: Tx, owner: str) -> None:
    """`TooManySessions` when the owner has as many as it may. Some at the same moment may pass together: it is a bound
    against floods, and nobody waits for another's registration.
    """
    if tx.value(LIVE) < SESSIONS_MAX:
        return
    if tx.value(LIVE_OF, {"owner": owner}) >= SESSIONS_MAX:
        raise TooManySessions(SESSIONS_MAX)


def _check_offers(tx: Tx, owner: str, session: str, size: int, offer_hash: str) -> None:
    """`TooMuchOffered` when the owner's sessions would say more of their handlers than now, and too much.

    Every server holds all of it in memory. Workers that say the same count once.
    """
    if tx.rows(IS_OFFERED_BY, {"owner": owner, "offer_hash": offer_hash}):
        return
    offered = tx.rows(OFFERED_BY, {"owner": owner, "session": session, "few": OFFERS_BYTES_FEW})
    now = sum(int(row.bytes) for row in offered)
    then = sum(int(row.bytes) for row in offered if row.others) + size
    if then > max(now, OFFERS_BYTES_MAX):
        raise TooMuchOffered(OFFERS_BYTES_MAX)


def _hello(row: Any) -> Hello:
    (
        session,
        name,
        group,
        slots,
        handlers,
        labels,
        version,
        protocol,
        pid,
        host,
        namespace,
        owner,
        offer_hash,
        weight,
    ) = row
    return Hello(
        session=session,
        name=name,
        group=group,
        slots=slots,
        handlers=tuple(msgspec.json.decode(handlers, type=Sequence[HandlerOffer])),
        labels=msgspec.json.decode(labels, type=dict[str, str]),
        version=version,
        protocol=protocol,
        pid=pid,
        host=host,
        namespace=namespace,
        owner=owner,
        offer_hash=offer_hash,
        weight=weight,
    )
