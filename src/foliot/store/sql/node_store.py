"""Sessions of servers and workers: they introduce themselves, beat, drain and leave (`ports.store.nodes.NodeStore`)."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.access import ForeignSession, TooManySessions, TooMuchOffered
from foliot.domain.instants import Instant, Micros
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
from foliot.store.sql.cluster import clock, codes, leadership
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.locked_runs import REPLACED
from foliot.store.sql.ending.settlement import Claim
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

SETTLED_ALL: Final = 2**63 - 1
"""`nodes.settled` of a session that left in peace: whatever still turns up under it never reached its worker."""

LEAVE_STEP: Final = 500
LEAVE_STEPS_MAX: Final = 100

REGISTER: Final = Statement(
    """
    {insert_ignore} nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, slots,
                           version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes,
                           offer_hash, code)
    SELECT d.id, d.name, d.kind, 'live', {now} + :ttl, {now}, {now}, 0, 0, d.group_name, d.slots,
           d.version, d.protocol, d.host, d.pid, d.labels, d.handlers, d.namespace, d.owner, d.offer_bytes,
           d.offer_hash, d.code
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", id=TEXT, name=TEXT, kind=TEXT, group_name=TEXT, slots=BIGINT, version=TEXT, protocol=BIGINT, host=TEXT,
           pid=BIGINT, labels=TEXT, handlers=TEXT, namespace=TEXT, owner=TEXT, offer_bytes=BIGINT,
           offer_hash=TEXT, code=TEXT),
)  # fmt: skip

REGISTER_AGAIN: Final = Statement(
    """
    UPDATE nodes SET until = {now} + :ttl, slots = :slots, version = :version, labels = :labels, handlers = :handlers,
                     offer_bytes = :offer_bytes, offer_hash = :offer_hash, code = :code
    WHERE id = :session AND kind = :kind AND state <> 'dead'
          AND coalesce(owner, '') = :owner
    """
)
"""What a session may say anew of itself; its name, group, namespace and owner are its own for good."""

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
    SELECT id, name, group_name, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash
    FROM nodes
    WHERE id = :session AND kind = 'worker' AND state <> 'dead'
    """
)

HELD: Final = Statement(
    f"""
    SELECT n.state, n.beat_no, {{now}},
           r.id, r.lease_id, r.request_no, r.job_id, r.version, r.started_at, r.leased_at,
           CASE WHEN r.cancel_at IS NOT NULL AND r.deadline_at <= {{now}} THEN 2
                WHEN r.cancel_at IS NOT NULL OR ({REPLACED}) THEN 1 ELSE 0 END
    FROM nodes n LEFT JOIN runs r ON r.{{held_by}} = n.id AND r.state = 'RUNNING'
    WHERE n.id = :session
    """
)
"""The session (`_Session`) beside each run that the store thinks it has (`_Held`); of a session without runs, beside
nulls. What the worker says is compared with it."""

FREE: Final = Statement(
    """
    SELECT r.id FROM runs r
    WHERE r.id IN (SELECT d.id FROM {d})
      AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = :session AND n.beat_no = :beat_no)
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)
"""Runs whose news can be written at once, while theirs is the newest beat."""

STARTED: Final = Statement(
    """
    UPDATE runs SET ver = runs.ver + 1, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
           started_at = coalesce(runs.started_at, d.started_at),
           deadline_at = CASE WHEN runs.started_at IS NULL AND d.started_at IS NOT NULL
                                   AND NOT (runs.cancel_at IS NOT NULL AND runs.deadline_at <= {now})
                              THEN d.deadline_at ELSE runs.deadline_at END
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
      AND (runs.started_at IS NULL AND d.started_at IS NOT NULL
           OR d.checkpoint IS NOT NULL AND (runs.checkpoint IS NULL OR runs.checkpoint <> d.checkpoint))
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, started_at=BIGINT, deadline_at=BIGINT, checkpoint=TEXT),
)

BEAT: Final = Statement(
    """
    UPDATE nodes SET until = {now} + :ttl, last_beat_at = {now}, beat_no = :beat_no, settled = :settled, load = :load,
           progress = :progress, wall_offset_us = coalesce(:wall_offset, wall_offset_us),
           state = CASE WHEN state = 'live' AND :draining = 1 THEN 'draining' ELSE state END
    WHERE id = :session AND state <> 'dead' AND beat_no < :beat_no
    """
)

UNDRAIN: Final = Statement(
    "UPDATE nodes SET state = 'live', drained_by = NULL "
    "WHERE id = :session AND state = 'draining' AND drained_by IS NOT NULL"
)
DRAIN: Final = Statement("UPDATE nodes SET state = 'draining', drained_by = :by WHERE id = :session AND state = 'live'")

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


class _Session(NamedTuple):
    """The first columns of `HELD`."""

    state: str
    beat_no: int
    now: Instant


class _Held(NamedTuple):
    """The other columns of `HELD`: a run that the session has."""

    run_id: int
    lease_id: str
    request_no: int
    job_id: int
    version: int
    started_at: Instant | None
    leased_at: Instant
    unwanted: int  # 1: ask it to stop, 2: end it at once


class _News(NamedTuple):
    run: _Held
    started_at: Instant | None
    checkpoint: str | None


class SqlNodeStore:
    """`ports.store.nodes.NodeStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions, ending: Ending) -> None:
        self._database = database
        self._definitions = definitions
        self._ending = ending

    async def register(self, hello: Hello, *, kind: str, ttl_us: Micros, code: str | None = None) -> Registered:
        """A repeated call renews the session, which its worker trusts from then on, and tells of its newest code."""
        assert is_key(hello.session, SESSION_BYTES_MAX), hello.session

        def work(tx: Tx) -> Registered:
            handlers = msgspec.json.encode(hello.handlers).decode()
            labels = msgspec.json.encode(hello.labels).decode()
            size = len(handlers.encode())
            offer_hash = sha256(handlers.encode()).hexdigest()
            row = (hello.session, hello.name, kind, hello.group, hello.slots, hello.version, hello.protocol,
                   hello.host, hello.pid, labels, handlers, hello.namespace, hello.owner, size,
                   offer_hash, code)  # fmt: skip
            again = {"session": hello.session, "ttl": ttl_us, "slots": hello.slots, "version": hello.version,
                     "labels": labels, "handlers": handlers, "kind": kind, "owner": hello.owner or "",
                     "offer_bytes": size, "offer_hash": offer_hash, "code": code}  # fmt: skip
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

    async def beat(self, beat: Beat, *, ttl_us: Micros, judge: Judge) -> BeatAnswer:
        """Renew first: no row but the session's own may keep a worker from living on.

        What it says of its runs follows, and what it does not know goes back (adopt). Each stands by itself: the
        renewal holds when the others find the store busy, and the next beat says the same of the runs again.
        """
        answer, news, not_known = await self._database.step(partial(self._renew, beat, ttl_us), pool=Pool.RENEW)
        with suppress(StoreBusy):
            if news:
                await self._database.transact(partial(self._note, beat, news), pool=Pool.RENEW)
            if not_known:
                await self._ending.settle(self._database, not_known, judge)
        return answer

    def _renew(self, beat: Beat, ttl_us: Micros, tx: Tx) -> tuple[BeatAnswer, list[_News], list[Claim]]:
        session, held = _held_by(tx, beat.session)
        if session is None or session.state == "dead":
            return BeatAnswer(alive=False), [], []
        now = int(session.now)
        is_news = beat.beat_no > session.beat_no
        tx.point("nodes.beat_compared")
        if is_news and not tx.change(BEAT, _beat_values(beat, ttl_us, held)):
            raise TryAgain("a newer beat or the reaper was quicker")
        named = {lease.lease_id for lease in beat.held}
        answer = BeatAnswer(
            alive=True,
            cancel=tuple(lease_id for lease_id, run in held.items() if run.unwanted and lease_id in named),
            kill=tuple(lease_id for lease_id, run in held.items() if run.unwanted > 1 and lease_id in named),
            invalid=tuple(lease.lease_id for lease in beat.held if lease.lease_id not in held),
            draining=session.state == "draining" or beat.draining,
            store_now=now,
        )
        if not is_news:
            return answer, [], []
        not_known = [
            unknown(run.run_id, lease_id, run.started_at)
            for lease_id, run in held.items()
            if lease_id not in named and run.request_no <= beat.settled
        ]
        return answer, _news(beat, held, now), not_known

    def _note(self, beat: Beat, news: Sequence[_News], tx: Tx) -> None:
        """Write starts and checkpoints; a run somebody else is writing is left to the next beat."""
        tx.point("nodes.renewed")
        asked = {"session": beat.session, "beat_no": beat.beat_no}
        free = {row[0] for row in tx.rows(FREE, asked, d=sorted((one.run.run_id,) for one in news))}
        jobs = self._definitions.find(tx, {(one.run.job_id, one.run.version) for one in news}).jobs
        rows: list[tuple[Any, ...]] = []
        for run, started_at, checkpoint in news:
            if run.run_id not in free:
                continue
            job = jobs.get((run.job_id, run.version))
            timeout_us = job.definition.timeout_us if job else None
            deadline_at = None if started_at is None or timeout_us is None else started_at + timeout_us
            rows.append((run.run_id, run.lease_id, started_at, deadline_at, checkpoint))
        if rows:
            tx.change(STARTED, d=sorted(rows, key=itemgetter(0)))
        tx.point("nodes.starts_noted")

    # -- the way out ----------------------------------------------------------------------------------------------

    async def drain(self, session: str, *, by: Actor) -> bool:
        said = msgspec.json.encode({"by": by.name, "reason": by.reason}).decode()
        return await self._database.transact(lambda tx: tx.change(DRAIN, {"session": session, "by": said}) == 1)

    async def undrain(self, session: str) -> bool:
        return await self._database.transact(lambda tx: tx.change(UNDRAIN, {"session": session}) == 1)

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
        return await self._database.transact(clock.judge, pool=Pool.RENEW) if seen is None else seen


def _held_by(tx: Tx, session: str) -> tuple[_Session | None, dict[str, _Held]]:
    """The session, and its runs by their leases; None: the store does not know it."""
    rows = tx.tuples(HELD, {"session": session})
    if not rows:
        return None, {}
    of_run = len(_Session._fields)  # where the columns of a run begin, with its id
    runs = [_Held._make(row[of_run:]) for row in rows if row[of_run] is not None]
    return _Session._make(rows[0][:of_run]), {run.lease_id: run for run in runs}


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


def unknown(run_id: int, lease_id: str, started_at: Instant | None) -> Claim:
    """A run of a settled request that its worker does not name; it may have named it as started before."""
    started = started_at is not None
    error = "Its worker had started it and knows nothing of it any more." if started else None
    return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.UNKNOWN_TO_WORKER, started=started, error=error)


def _beat_values(beat: Beat, ttl_us: Micros, held: Collection[str]) -> dict[str, Any]:
    return {
        "session": beat.session,
        "ttl": ttl_us,
        "beat_no": beat.beat_no,
        "settled": beat.settled,
        "load": msgspec.json.encode(beat.load).decode(),
        "progress": _told(beat, held),
        "draining": int(beat.draining),
        "wall_offset": beat.clock_offset_us,
    }


def _news(beat: Beat, held: Mapping[str, _Held], now: Instant) -> list[_News]:
    """Starts and checkpoints that may be news to the store. A start is never before its lease."""
    news: list[_News] = []
    for lease in beat.held:
        run = held.get(lease.lease_id)
        if run is None:
            continue
        started_at = None
        if run.started_at is None and lease.started_us_ago is not None:
            started_at = max(now - lease.started_us_ago, run.leased_at)
        if started_at is not None or lease.checkpoint is not None:
            news.append(_News(run, started_at, lease.checkpoint))
    return news


def _told(beat: Beat, held: Collection[str]) -> str:
    """`nodes.progress`: leases named as not started (reaping asks), and what runs say of themselves (people ask).

    Only leases that the session has: of others nobody ever asks.
    """
    own = [lease for lease in beat.held if lease.lease_id in held]
    waiting = [lease.lease_id for lease in own if lease.started_us_ago is None]
    runs = {str(lease.run_id): lease.progress for lease in own if lease.progress is not None}
    return msgspec.json.encode({"waiting": waiting, "runs": runs}).decode()


def waiting_in(progress: str | None) -> frozenset[str]:
    """The leases a session's last beat named as not started."""
    return frozenset(msgspec.json.decode(progress)["waiting"]) if progress else frozenset()


def _check_room(tx: Tx, owner: str) -> None:
    """`TooManySessions` when the owner has as many as it may. Some at the same moment may pass together: it is a bound
    against floods, and nobody waits for another's registration.
    """
    if tx.rows(LIVE)[0][0] < SESSIONS_MAX:
        return
    if tx.rows(LIVE_OF, {"owner": owner})[0][0] >= SESSIONS_MAX:
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
    session, name, group, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash = row
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
    )
