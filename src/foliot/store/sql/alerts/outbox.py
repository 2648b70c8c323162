"""The outbox in SQL: notices are written once by their key, claimed for some time, and settled by their claim."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.channels import (
    ChannelKey,
    ClaimedNotices,
    Delivery,
    DeliveryState,
    RecentlySent,
    SendOutcome,
)
from foliot.store.sql.alerts.notices import put
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.kernel.tables_of_alerts import NO_NAMESPACE

ERROR_MAX: Final = 500
_ID_MAX: Final = 2**63 - 1
_KINDS: Final = frozenset(map(str, NoticeKind))
_LEVELS: Final = frozenset(map(str, AlertLevel))

COLUMNS: Final = (
    "o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, "
    "o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error"
)


class _Settled(NamedTuple):
    """A row of `SETTLE`."""

    id: int
    claim: str
    state: str
    retry_in: int | None
    error: str | None
    tries_back: int
    repeats: int
    is_final: int


class _Sign(NamedTuple):
    """A row of `HEALTH`: what the tries of one settling say of a channel."""

    namespace: str
    name: str
    is_well: int
    failures: int
    error: str | None


DUE: Final = Statement(
    "SELECT id, state FROM outbox WHERE next_at <= {now} ORDER BY next_at, id LIMIT :rows {skip_locked}"
)
CLAIM: Final = Statement(
    """
    UPDATE outbox SET state = 'sending', claim = :claim, sent_by = :sent_by, attempt = outbox.attempt + 1,
                      next_at = {now} + :for_us, is_repeat = CASE WHEN d.ran_out = 1 THEN 1 ELSE outbox.is_repeat END
    FROM {d} WHERE outbox.id = d.id AND outbox.next_at <= {now}
    """,
    RowSet("d", id=BIGINT, ran_out=BIGINT),
)
"""A claim that ran out: its server died, or its answer was lost. Nobody knows whether the message was sent."""

OF_IDS: Final = Statement(
    f"SELECT {COLUMNS} FROM outbox o WHERE o.id IN (SELECT d.id FROM {{d}})", RowSet("d", id=BIGINT)
)
SETTLE: Final = Statement(
    """
    UPDATE outbox SET state = d.state, next_at = {now} + d.retry_in, error = d.error, claim = NULL,
                      attempt = outbox.attempt - d.tries_back,
                      is_repeat = CASE WHEN d.repeats = 1 THEN 1 ELSE outbox.is_repeat END,
                      settled_at = CASE WHEN d.is_final = 1 THEN {now} END
    FROM {d} WHERE outbox.id = d.id AND outbox.claim = d.claim AND outbox.state = 'sending'
    """,
    RowSet.of("d", _Settled),
)
HEALTH: Final = Statement(
    """
    UPDATE channels SET last_sent_at = CASE WHEN d.is_well = 1 THEN {now} ELSE channels.last_sent_at END,
                        failures = CASE WHEN d.is_well = 1 THEN 0 ELSE channels.failures + d.failures END,
                        failing_since = CASE WHEN d.is_well = 0 THEN coalesce(channels.failing_since, {now}) END,
                        last_error = d.error
    FROM {d} WHERE channels.namespace = d.namespace AND channels.name = d.name
    """,
    RowSet.of("d", _Sign),
)
SENT_LATELY: Final = Statement(
    """
    SELECT d.namespace, d.name, count(*) AS sent, min(o.settled_at) AS oldest_at
    FROM {d} JOIN outbox o ON o.settled_at > {now} - d.within AND o.namespace = d.namespace AND o.channel = d.name
    WHERE o.state = 'sent' GROUP BY d.namespace, d.name
    """,
    RowSet("d", namespace=TEXT, name=TEXT, within=BIGINT),
)
BEFORE: Final = Statement(f"SELECT {COLUMNS} FROM outbox o WHERE o.id < :before ORDER BY o.id DESC LIMIT :rows")
OF_ALERT: Final = Statement(
    f"SELECT {COLUMNS} FROM outbox o WHERE o.alert_id = :alert_id AND o.id < :before ORDER BY o.id DESC LIMIT :rows"
)
NEXT: Final = Statement("SELECT min(next_at) FROM outbox WHERE next_at > 0")
WAITING: Final = Statement(
    "SELECT namespace, channel, count(*) AS waiting FROM outbox WHERE next_at > 0 GROUP BY namespace, channel"
)
OLD: Final = Statement("SELECT id FROM outbox WHERE settled_at < :before ORDER BY settled_at, id LIMIT :rows")
FORGET: Final = Statement(
    "DELETE FROM outbox WHERE id IN (SELECT d.id FROM {d}) AND settled_at < :before", RowSet("d", id=BIGINT)
)


def put_under(tx: Tx, *, notices: Sequence[Notice], term: int | None) -> int:
    """Write notices whose key is not there yet, if the term lasts; how many."""
    return put(tx, notices) if holds_term(tx, term) else 0


def claim(tx: Tx, *, claim: str, by: str, limit: int, for_us: Micros, term: int | None) -> ClaimedNotices:
    """Take what is due under the leader's term."""
    now = tx.now()
    due = tx.rows(DUE, {"rows": limit})
    if not due or not holds_term(tx, term):
        return ClaimedNotices(now=now, until=now, deliveries=())
    rows = sorted((row.id, int(row.state == DeliveryState.SENDING)) for row in due)
    values = {"claim": claim, "sent_by": by, "for_us": for_us}
    if tx.change(CLAIM, values, d=rows) != len(rows):
        raise TryAgain("another server claimed the same notices")
    tx.point("outbox.claimed")
    taken = tx.rows(OF_IDS, d=keys([row[0] for row in rows]))
    deliveries = tuple(delivery_of(row) for row in sorted(taken, key=_id) if is_known(row))
    return ClaimedNotices(now=now, until=now + for_us, deliveries=deliveries)


def settle(tx: Tx, *, outcomes: Sequence[SendOutcome]) -> int:
    """Write how sendings went where the claim is still the same, and what they say of the channels."""
    if not outcomes:
        return 0
    by_id = {outcome.id: outcome for outcome in outcomes}
    rows = [row for row in tx.rows(OF_IDS, d=keys(sorted(by_id))) if row.claim == by_id[row.id].claim]
    if not rows:
        return 0
    tried = [(row, by_id[row.id]) for row in rows if by_id[row.id].was_tried]
    note_health(tx, _signs(tried))
    return tx.change(SETTLE, d=[_settled_row(by_id[row.id]) for row in sorted(rows, key=_id)])


def note_health(tx: Tx, signs: Mapping[ChannelKey, Sequence[str]]) -> None:
    """Note for each channel how its tries ended: an error each, empty for one that was sent."""
    rows = [_sign(key, errors) for key, errors in signs.items()]
    if rows:
        tx.change(HEALTH, d=sorted(rows))


def fold(tx: Tx, *, deliveries: Sequence[Delivery], digest: Notice) -> bool:
    """Put a digest in the place of claimed notices: all of them, or nothing."""
    rows = [
        _settled_row(
            SendOutcome(
                id=one.id, claim=one.claim, state=DeliveryState.DROPPED, error=f"digest {digest.key}", was_tried=False
            )
        )
        for one in sorted(deliveries, key=_id)
    ]
    if tx.change(SETTLE, d=rows) != len(rows):
        return False
    put(tx, [digest])
    return True


def recently_sent(tx: Tx, *, since: Mapping[ChannelKey, Micros]) -> Mapping[ChannelKey, RecentlySent]:
    """What each channel got lately."""
    rows = [(namespace or NO_NAMESPACE, name, within) for (namespace, name), within in since.items()]
    found = {
        (row.namespace or None, row.name): RecentlySent(int(row.sent), row.oldest_at)
        for row in tx.found(SENT_LATELY, d=sorted(rows))
    }
    return {key: found.get(key, RecentlySent(0, None)) for key in since}


def waiting(tx: Tx) -> Mapping[ChannelKey, int]:
    """How many notices wait for each channel."""
    return {(row.namespace or None, row.channel): int(row.waiting) for row in tx.rows(WAITING)}


def forget(tx: Tx, *, before: Instant, limit: int, term: int | None) -> int:
    """Delete what was settled before an instant."""
    old = sorted(row.id for row in tx.rows(OLD, {"before": before, "rows": limit}))
    if not old or not holds_term(tx, term):
        return 0
    return tx.change(FORGET, {"before": before}, d=keys(old))


def newest(tx: Tx, *, alert_id: int | None, limit: int, before_id: int | None) -> Sequence[Delivery]:
    """Notices of an alert, or all of them, the newest first."""
    values: dict[str, Any] = {"before": before_id or _ID_MAX, "rows": limit}
    rows = tx.rows(BEFORE, values) if alert_id is None else tx.rows(OF_ALERT, {**values, "alert_id": alert_id})
    return [delivery_of(row) for row in rows if is_known(row)]


def is_known(row: Any) -> bool:
    """Whether every word of a row is one of this version: while servers are updated, newer ones write."""
    return row.kind in _KINDS and row.level in _LEVELS


def delivery_of(row: Any) -> Delivery:
    """A row of `COLUMNS`."""
    notice = Notice(
        key=row.notice_key,
        kind=NoticeKind(row.kind),
        channel=row.channel,
        namespace=row.namespace or None,
        level=AlertLevel(row.level),
        alert_id=row.alert_id,
        data=msgspec.json.decode(row.data),
    )
    return Delivery(
        id=row.id,
        delivery_id=row.delivery_id,
        notice=notice,
        state=DeliveryState(row.state),
        attempt=row.attempt,
        created_at=row.created_at,
        next_at=row.next_at,
        claim=row.claim or "",
        is_repeat=bool(row.is_repeat),
        settled_at=row.settled_at,
        sent_by=row.sent_by or "",
        error=row.error or "",
    )


def _settled_row(outcome: SendOutcome) -> _Settled:
    is_waiting = outcome.state is DeliveryState.WAITING
    return _Settled(
        id=outcome.id,
        claim=outcome.claim,
        state=str(outcome.state),
        retry_in=outcome.retry_in_us if is_waiting else None,
        error=outcome.error[:ERROR_MAX] or None,
        tries_back=int(not outcome.was_tried),
        repeats=int(outcome.may_have_arrived),
        is_final=int(not is_waiting),
    )


def _signs(tried: Sequence[tuple[Any, SendOutcome]]) -> Mapping[ChannelKey, Sequence[str]]:
    signs: dict[ChannelKey, list[str]] = defaultdict(list)
    for row, outcome in tried:
        is_sent = outcome.state is DeliveryState.SENT
        signs[row.namespace or None, row.channel].append("" if is_sent else outcome.error or "not sent")
    return signs


def _sign(key: ChannelKey, errors: Sequence[str]) -> _Sign:
    """One that was sent says that the channel is well."""
    namespace, name = key
    is_well = "" in errors
    error = None if is_well else errors[-1][:ERROR_MAX]
    return _Sign(namespace or NO_NAMESPACE, name, int(is_well), len(errors), error)


def _id(row: Any) -> int:
    return int(row.id)
