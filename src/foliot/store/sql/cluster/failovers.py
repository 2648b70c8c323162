"""Failovers in SQL (`ports.store.failovers.FailoverStore`): noted, listed and escalated; and the policies of users."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from foliot.domain.failover import (
    DEFAULTS,
    Detected,
    FailoverEnd,
    FailoverPolicy,
    FailoverType,
    PolicyChanged,
    Urgency,
)
from foliot.domain.instants import Instant, Micros
from foliot.domain.roles import RulesChanged, ServerRules
from foliot.ports.store.actor import Actor
from foliot.ports.store.failovers import Escalation, Failover, FailoverFilter, FailoverPage
from foliot.store.sql.cluster import failures, roles
from foliot.store.sql.cluster.failover_rows import COLUMNS, OF_IDS, detect, end, failover_of, is_known, json_text, tell
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

LOOK_MAX: Final = 2000  # rows looked at for one page, whatever the filter lets through
_ID_MAX: Final = 2**63 - 1

ESCALATE: Final = Statement(
    """
    UPDATE failovers SET ver = failovers.ver + 1, escalated_at = {now}, level = d.level, channel = d.channel
    FROM {d} WHERE failovers.id = d.id AND failovers.escalated_at IS NULL
    """,
    RowSet("d", id=BIGINT, level=TEXT, channel=TEXT),
)
STILL_OPEN: Final = Statement(
    f"""
    SELECT {COLUMNS} FROM failovers f WHERE f.ended_at IS NULL OR f.ended_at > {{now}} - :within
    ORDER BY f.id LIMIT :rows
    """
)
BEFORE: Final = Statement(f"SELECT {COLUMNS} FROM failovers f WHERE f.id < :before ORDER BY f.id DESC LIMIT :rows")
OPEN_BEFORE: Final = Statement(
    f"SELECT {COLUMNS} FROM failovers f WHERE f.ended_at IS NULL AND f.id < :before ORDER BY f.id DESC LIMIT :rows"
)
OLD: Final = Statement("SELECT id FROM failovers WHERE ended_at < :before ORDER BY ended_at, id LIMIT :rows")
FORGET: Final = Statement(
    "DELETE FROM failovers WHERE id IN (SELECT d.id FROM {d}) AND ended_at < :before", RowSet("d", id=BIGINT)
)

POLICIES: Final = Statement("SELECT type, version, document FROM failover_policies")
FIRST_POLICY: Final = Statement(
    """
    {insert_ignore} failover_policies (type, version, document, updated_at, updated_by, reason)
    SELECT d.type, 1, d.document, {now}, d.made_by, d.reason FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", type=TEXT, document=TEXT, made_by=TEXT, reason=TEXT),
)
NEXT_POLICY: Final = Statement(
    """
    UPDATE failover_policies SET version = version + 1, document = :document, updated_at = {now}, updated_by = :made_by,
                                 reason = :reason
    WHERE type = :type AND version = :version
    """
)


class SqlFailovers:
    """`ports.store.failovers.FailoverStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def detect(self, seen: Sequence[Detected], *, term: int | None = None) -> int:
        return await self._database.transact(partial(detect, seen=seen, term=term)) if seen else 0

    async def end(self, ends: Sequence[FailoverEnd], *, term: int | None = None) -> int:
        return await self._database.transact(partial(end, ends=ends, term=term)) if ends else 0

    async def escalate(self, escalations: Sequence[Escalation], *, term: int | None = None) -> int:
        return await self._database.transact(partial(_escalate, escalations=escalations, term=term))

    async def deaths(self, *, term: int) -> int:
        noted = await self._database.transact(partial(failures.note_deaths, term=term))
        return noted + await self._database.transact(partial(failures.end_deaths, term=term))

    async def came_back(self, session: str, *, owner: str) -> bool:
        return await self._database.transact(lambda tx: failures.came_back(tx, session, owner=owner))

    async def timed_out(self, run_ids: Sequence[int], *, session: str) -> int:
        return await self._database.transact(partial(failures.note_timeouts, run_ids=run_ids, session=session))

    async def open(self, *, limit: int, within_us: Micros = 0) -> Sequence[Failover]:
        values = {"rows": limit, "within": within_us}
        rows = await self._database.read(lambda tx: tx.rows(STILL_OPEN, values), pool=Pool.CONTROL)
        return [failover_of(row) for row in rows if is_known(row)]

    async def list(self, wanted: FailoverFilter, *, limit: int, before_id: int | None = None) -> FailoverPage:
        before = _ID_MAX if before_id is None else before_id
        statement = OPEN_BEFORE if wanted.only_open else BEFORE
        values = {"before": before, "rows": LOOK_MAX}
        rows = await self._database.read(lambda tx: tx.rows(statement, values))
        known = [failover_of(row) for row in rows if is_known(row)]
        found = [one for one in known if _is_wanted(one, wanted)]
        next_before_id = None
        if len(found) > limit:
            next_before_id = found[limit - 1].id
        elif len(rows) == LOOK_MAX:
            next_before_id = rows[-1].id
        return FailoverPage(items=found[:limit], next_before_id=next_before_id)

    async def find(self, failover_id: int) -> Failover | None:
        rows = await self._database.read(lambda tx: tx.rows(OF_IDS, d=keys([failover_id])))
        return failover_of(rows[0]) if rows and is_known(rows[0]) else None

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        def work(tx: Tx) -> int:
            old = sorted(row.id for row in tx.rows(OLD, {"before": before, "rows": limit}))
            if not old or not holds_term(tx, term):
                return 0
            return tx.change(FORGET, {"before": before}, d=keys(old))

        return await self._database.transact(work)

    async def policies(self) -> Mapping[FailoverType, FailoverPolicy]:
        return await self._database.read(_policies)

    async def set_policy(self, policy: FailoverPolicy, *, by: Actor) -> FailoverPolicy:
        return await self._database.transact(partial(_set_policy, policy=policy, by=by), pool=Pool.API)

    async def server_rules(self) -> ServerRules:
        return await self._database.read(roles.rules)

    async def set_server_rules(self, rules: ServerRules, *, by: Actor) -> ServerRules:
        return await self._database.transact(partial(_set_server_rules, rules=rules, by=by), pool=Pool.API)


def _escalate(tx: Tx, *, escalations: Sequence[Escalation], term: int | None) -> int:
    if not escalations or not holds_term(tx, term):
        return 0
    rows = sorted((one.id, str(one.level), one.channel) for one in escalations)
    changed = tx.change(ESCALATE, d=rows)
    tell(tx, "failover.escalated", tx.rows(OF_IDS, d=keys([row[0] for row in rows])), term)
    return changed


def _is_wanted(one: Failover, wanted: FailoverFilter) -> bool:
    return (
        (not wanted.types or one.type in wanted.types)
        and (wanted.since is None or one.ended_at is None or one.ended_at >= wanted.since)
        and (wanted.namespace is None or one.namespace == wanted.namespace)
    )


def _policies(tx: Tx) -> Mapping[FailoverType, FailoverPolicy]:
    """What users changed, over what Foliot brings. A type of a newer Foliot is passed over."""
    found = dict(DEFAULTS)
    for row in tx.rows(POLICIES):
        if row.type in list(FailoverType):
            type_ = FailoverType(row.type)
            found[type_] = replace(found[type_], version=row.version, **_settings(row.document))
    return found


def _settings(document: str) -> dict[str, Any]:
    kept = msgspec.json.decode(document)
    return {**kept, "level": Urgency(kept["level"])}


def _set_policy(tx: Tx, *, policy: FailoverPolicy, by: Actor) -> FailoverPolicy:
    document = json_text(
        {
            "timeout_us": policy.timeout_us,
            "attempts": policy.attempts,
            "level": str(policy.level),
            "channel": policy.channel,
        }
    )
    if not _keep(tx, str(policy.type), document, version=policy.version, by=by):
        raise PolicyChanged(policy.type, version=_policies(tx)[policy.type].version)
    return replace(policy, version=policy.version + 1)


def _set_server_rules(tx: Tx, *, rules: ServerRules, by: Actor) -> ServerRules:
    document = json_text({"active_min": rules.active_min, "standby_count": rules.standby_count})
    if not _keep(tx, roles.RULES_ROW, document, version=rules.version, by=by):
        raise RulesChanged(version=roles.rules(tx).version)
    return replace(rules, version=rules.version + 1)


def _keep(tx: Tx, type_: str, document: str, *, version: int, by: Actor) -> bool:
    """Keep the version after this one; False: another user was quicker."""
    values = {"type": type_, "document": document, "made_by": by.name, "reason": by.reason}
    if version == 0:
        return tx.change(FIRST_POLICY, d=[tuple(values.values())]) == 1
    return tx.change(NEXT_POLICY, {**values, "version": version}) == 1
