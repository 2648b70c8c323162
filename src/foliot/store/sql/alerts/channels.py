"""Channels in SQL (`ports.store.channels.ChannelStore`), with the outbox behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from foliot.domain.alerts.alert import Notice
from foliot.domain.alerts.channel import Channel, ChannelChanged, ChannelExists, channel_from, written_channel
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.actor import Actor
from foliot.ports.store.channels import ChannelHealth, ChannelKey, ClaimedNotices, Delivery, RecentlySent, SendOutcome
from foliot.store.sql.alerts import outbox
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement
from foliot.store.sql.kernel.tables_of_alerts import NO_NAMESPACE

CHANNELS_MAX: Final = 1000
LOOK_MAX: Final = 2000  # rows of the outbox looked at for one page, whatever the filter lets through

_COLUMNS: Final = (
    "namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, "
    "last_error"
)
ALL: Final = Statement(f"SELECT {_COLUMNS} FROM channels ORDER BY namespace, name LIMIT {CHANNELS_MAX}")
OF: Final = Statement(
    f"SELECT {_COLUMNS} FROM channels WHERE namespace = '{NO_NAMESPACE}' OR namespace = :namespace "
    f"ORDER BY namespace, name LIMIT {CHANNELS_MAX}"
)
FIND: Final = Statement(
    f"SELECT {_COLUMNS} FROM channels WHERE name = :name AND (namespace = '{NO_NAMESPACE}' OR namespace = :namespace) "
    "ORDER BY namespace DESC LIMIT 1"
)
ADD: Final = Statement(
    """
    {insert_ignore} channels (namespace, name, kind, version, document, updated_at, updated_by, reason, failures)
    SELECT d.namespace, d.name, d.kind, 1, d.document, {now}, d.made_by, d.reason, 0 FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, kind=TEXT, document=TEXT, made_by=TEXT, reason=TEXT),
)
CHANGE: Final = Statement(
    """
    UPDATE channels SET kind = :kind, version = version + 1, document = :document, updated_at = {now},
                        updated_by = :made_by, reason = :reason, failures = 0, failing_since = NULL, last_error = NULL
    WHERE namespace = :namespace AND name = :name AND version = :version
    """
)
"""A changed channel begins anew: what failed may be mended."""

VERSION: Final = Statement("SELECT version FROM channels WHERE namespace = :namespace AND name = :name")
REMOVE: Final = Statement("DELETE FROM channels WHERE namespace = :namespace AND name = :name")


class SqlChannels:
    """`ports.store.channels.ChannelStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, namespace: str | None) -> Sequence[Channel]:
        rows = await self._database.read(partial(_rows, namespace=namespace))
        return [channel_of(row) for row in rows]

    async def find(self, name: str, *, namespace: str | None) -> Channel | None:
        values = {"name": name, "namespace": namespace or NO_NAMESPACE}
        rows = await self._database.read(lambda tx: tx.rows(FIND, values))
        return channel_of(rows[0]) if rows else None

    async def save(self, channel: Channel, *, by: Actor) -> Channel:
        return await self._database.transact(partial(_save, channel=channel, by=by), pool=Pool.API)

    async def remove(self, name: str, *, namespace: str | None) -> bool:
        values = {"name": name, "namespace": namespace or NO_NAMESPACE}
        return await self._database.transact(lambda tx: tx.change(REMOVE, values), pool=Pool.API) == 1

    async def health(self, *, namespace: str | None) -> Mapping[ChannelKey, ChannelHealth]:
        return await self._database.read(partial(_health, namespace=namespace))

    async def note_health(self, key: ChannelKey, *, error: str = "") -> None:
        await self._database.transact(partial(outbox.note_health, signs={key: [error]}))

    async def put(self, notices: Sequence[Notice], *, term: int | None = None) -> int:
        return await self._database.transact(partial(outbox.put_under, notices=notices, term=term))

    async def claim(self, *, claim: str, by: str, limit: int, for_us: Micros, term: int | None) -> ClaimedNotices:
        work = partial(outbox.claim, claim=claim, by=by, limit=limit, for_us=for_us, term=term)
        return await self._database.transact(work)

    async def settle(self, outcomes: Sequence[SendOutcome], *, by: str) -> int:
        del by  # the claim has noted it
        return await self._database.transact(partial(outbox.settle, outcomes=outcomes)) if outcomes else 0

    async def fold(self, deliveries: Sequence[Delivery], digest: Notice) -> bool:
        work = partial(_fold, deliveries=deliveries, digest=digest)
        try:
            return await self._database.transact(work)
        except _ClaimLost:
            return False

    async def recently_sent(self, since: Mapping[ChannelKey, Micros]) -> Mapping[ChannelKey, RecentlySent]:
        return await self._database.read(partial(outbox.recently_sent, since=since), pool=Pool.CONTROL)

    async def deliveries(
        self,
        *,
        namespace: str | None,
        channel: str | None = None,
        alert_id: int | None = None,
        limit: int,
        before_id: int | None = None,
    ) -> Sequence[Delivery]:
        def is_wanted(one: Delivery) -> bool:
            is_seen = namespace is None or one.notice.namespace in (None, namespace)
            return is_seen and (channel is None or one.notice.channel == channel)

        work = partial(outbox.newest, alert_id=alert_id, limit=LOOK_MAX, before_id=before_id)
        found = await self._database.read(work)
        return [one for one in found if is_wanted(one)][:limit]

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        return await self._database.transact(partial(outbox.forget, before=before, limit=limit, term=term))

    async def next_at(self) -> Instant | None:
        found = await self._database.read(lambda tx: tx.value(outbox.NEXT), pool=Pool.CONTROL)
        return None if found is None else int(found)


class _ClaimLost(Exception):
    """A digest's notices are another server's now: the transaction is undone."""


def _rows(tx: Tx, *, namespace: str | None) -> Sequence[Any]:
    return tx.rows(ALL) if namespace is None else tx.rows(OF, {"namespace": namespace})


def _health(tx: Tx, *, namespace: str | None) -> Mapping[ChannelKey, ChannelHealth]:
    waiting = outbox.waiting(tx)
    found = {}
    for row in _rows(tx, namespace=namespace):
        key = (row.namespace or None, row.name)
        found[key] = ChannelHealth(
            last_sent_at=row.last_sent_at,
            failures=row.failures,
            failing_since=row.failing_since,
            last_error=row.last_error or "",
            waiting=waiting.get(key, 0),
        )
    return found


def _fold(tx: Tx, *, deliveries: Sequence[Delivery], digest: Notice) -> bool:
    if not outbox.fold(tx, deliveries=deliveries, digest=digest):
        raise _ClaimLost
    return True


def _save(tx: Tx, *, channel: Channel, by: Actor) -> Channel:
    values = {
        "namespace": channel.namespace or NO_NAMESPACE,
        "name": channel.name,
        "kind": channel.kind,
        "document": msgspec.json.encode(written_channel(channel), order="sorted").decode(),
        "made_by": by.name,
        "reason": by.reason,
    }
    if channel.version == 0:
        if tx.change(ADD, d=[tuple(values.values())]) != 1:
            raise ChannelExists(channel.name)
    elif tx.change(CHANGE, {**values, "version": channel.version}) != 1:
        present = tx.rows(VERSION, {"namespace": values["namespace"], "name": channel.name})
        raise ChannelChanged(channel.name, version=present[0].version if present else 0)
    return replace(channel, version=channel.version + 1)


def channel_of(row: Any) -> Channel:
    """A row of a channel. What users wrote was checked when it was saved."""
    document = msgspec.json.decode(row.document)
    return channel_from(row.name, document, namespace=row.namespace or None, version=row.version)
