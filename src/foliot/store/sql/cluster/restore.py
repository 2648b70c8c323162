"""After a restore: a database from a backup has forgotten what was handed out since, so none of it counts (R6, S8).

The database's own tools put the backup back; this makes it safe to go on with. The epoch rises, so every fence from now
on is above all before. Leases change hands to nobody and sessions are over: whoever still works on a run is refused,
and reaping decides about it (at-least-once runs again, at-most-once ends lost). Ids and terms move on by more than the
forgotten time can have used, so that none is ever given out twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from foliot.domain.errors import Conflict
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.epoch import REMEMBERED
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people.journal import SqlJournal

TERMS_APART: Final = 1000
COUNTED_MAX: Final = 10_001

LIVE_SERVERS: Final = Statement(
    "SELECT name FROM nodes WHERE kind = 'server' AND state <> 'dead' AND until > {now} ORDER BY name"
)
SESSIONS: Final = Statement("SELECT count(*) FROM nodes WHERE state <> 'dead'")
IN_HANDS: Final = Statement("SELECT count(*) FROM runs WHERE state = 'RUNNING' AND {held_by} > ''")
OVERDUE: Final = Statement(
    """
    SELECT count(*), min(o.next_due_at) FROM (
      SELECT c.next_due_at FROM cursors c WHERE c.next_at <= {now} AND c.next_due_at IS NOT NULL
      ORDER BY c.next_at LIMIT :limit
    ) o
    """
)
TERM: Final = Statement("SELECT term FROM leases WHERE name = 'leader'")

RAISE: Final = Statement(
    """
    UPDATE store_meta SET epoch = :epoch, reap_after = {now} + :session_ttl, clock_suspect = 0, clock_ahead_us = NULL
    WHERE id = 1 AND epoch = :seen
    """
)
FENCE: Final = Statement("UPDATE runs SET ver = ver + 1, lease_id = :nobody WHERE state = 'RUNNING' AND {held_by} > ''")
END_SESSIONS: Final = Statement("UPDATE nodes SET state = 'dead', ended_at = {now} WHERE state <> 'dead'")
NO_LEADER: Final = Statement(
    "UPDATE leases SET holder_session = NULL, term = term + :apart, until = {now} - 1 WHERE name = 'leader'"
)


class Ids(NamedTuple):
    """The ids that a table gives out."""

    apart: int  # more than the forgotten time can have given out
    last: Statement
    go_on: Statement  # with ids above `:beyond`


def _ids_of(table: str, *, apart: int) -> Ids:
    sequence = f"pg_get_serial_sequence('{table}', 'id')"
    last = Statement(
        f"SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table}'",
        postgresql=f"SELECT nextval({sequence})",
        mysql=f"""
        SELECT greatest((SELECT coalesce(max(id), 0) FROM {table}),
                        coalesce((SELECT max(t.auto_increment) FROM information_schema.tables t
                                  WHERE t.table_schema = database() AND t.table_name = '{table}'), 0))
        """,
    )
    # SQLite has no row there for a table that never had one: a row without a `rowid` is a new one.
    go_on = Statement(
        f"""
        INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
        VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = '{table}'), '{table}', :beyond)
        """,
        postgresql=f"SELECT setval({sequence}, :beyond)",
        mysql=f"ALTER TABLE {table} AUTO_INCREMENT = :beyond",
    )
    return Ids(apart, last, go_on)


RUN_IDS: Final = _ids_of("runs", apart=2**32)
EVENT_IDS: Final = _ids_of("events", apart=2**32)
JOB_IDS: Final = _ids_of("jobs", apart=2**16)


class ServersLive(Conflict):
    """Servers work on the store that is to be declared restored."""

    code = "FOL-3030"

    def __init__(self, servers: Sequence[str]) -> None:
        named = ", ".join(servers[:3]) + (" …" if len(servers) > 3 else "")
        super().__init__(
            f"Servers are live on this store: {named}.",
            hint="stop them first; --force goes on all the same, and then each must be restarted",
            count=len(servers),
            servers=list(servers),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore means for a store: found (`--plan`), or done."""

    now: Instant
    epoch_before: int
    epoch: int
    term: int  # the last one; the next leader's is above it
    servers: tuple[str, ...]  # live ones; they must be restarted
    sessions: int  # that are over
    runs: int  # taken from whoever had them
    overdue: int  # jobs with undecided instants, at most 10 001
    oldest_due_at: Instant | None  # the first undecided instant of all

    @property
    def behind_us(self) -> Micros:
        """How far the cursors are behind store time: so much will be decided again."""
        return 0 if self.oldest_due_at is None else max(0, self.now - self.oldest_due_at)


async def restored(
    database: Database, *, force: bool = False, plan: bool = False, session_ttl_us: Micros = SESSION_TTL_US
) -> Restored:
    """Make a restored store safe to go on with; `plan`: only look. `ServersLive` while servers are, unless forced."""
    found = await database.read(_looked_at, pool=Pool.CONTROL)
    if plan:
        return found
    if found.servers and not force:
        raise ServersLive(found.servers)
    await database.transact(_skip_ids)
    done = await database.transact(partial(_begin_anew, session_ttl_us))
    await SqlJournal(database).note(
        [
            Happening(
                key=f"restored:{done.epoch}",
                topic=Topic.CLUSTER,
                kind="store.restored",
                subject="store",
                data={"epoch": done.epoch, "before": done.epoch_before, "runs": done.runs, "sessions": done.sessions},
            )
        ]
    )
    return done


def _looked_at(tx: Tx) -> Restored:
    epoch, _, now = tx.rows(REMEMBERED)[0]
    overdue, oldest_due_at = tx.rows(OVERDUE, {"limit": COUNTED_MAX})[0]
    return Restored(
        now=int(now),
        epoch_before=epoch,
        epoch=max(epoch + 1, int(now) // SECOND),
        term=tx.value(TERM) + TERMS_APART,
        servers=tuple(row[0] for row in tx.rows(LIVE_SERVERS)),
        sessions=int(tx.value(SESSIONS)),
        runs=int(tx.value(IN_HANDS)),
        overdue=int(overdue),
        oldest_due_at=oldest_due_at,
    )


def _begin_anew(session_ttl_us: Micros, tx: Tx) -> Restored:
    """In the order of locks (R3): the store's row, runs, sessions, the leader's lease."""
    found = _looked_at(tx)
    values = {"epoch": found.epoch, "seen": found.epoch_before, "session_ttl": session_ttl_us}
    if not tx.change(RAISE, values):
        raise TryAgain("somebody else raised the epoch")
    tx.change(FENCE, {"nobody": f"restored-{found.epoch}"})
    tx.change(END_SESSIONS)
    tx.change(NO_LEADER, {"apart": TERMS_APART})
    return found


def _skip_ids(tx: Tx) -> None:
    """Let ids go on beyond any that the forgotten time can have given out. To do it twice does no harm."""
    for ids in (RUN_IDS, EVENT_IDS, JOB_IDS):
        last = int(tx.value(ids.last))
        tx.change(ids.go_on, {"beyond": last + ids.apart})
