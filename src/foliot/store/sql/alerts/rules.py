"""Rules that users made, in SQL: one row a rule, changed version by version."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
import structlog

from foliot.domain.alerts.errors import AlertRuleChanged, TooManyAlertRules
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import rule_from, written_rule
from foliot.domain.errors import InvalidInput
from foliot.domain.payload import canonical_json
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement
from foliot.store.sql.kernel.tables_of_alerts import NO_NAMESPACE
from foliot.store.sql.people.journal import note

RULES_MAX: Final = 1000

ALL: Final = Statement(
    "SELECT namespace, name, version, document FROM alert_rules ORDER BY namespace, name LIMIT :rows"
)
VISIBLE: Final = Statement(
    "SELECT namespace, name, version, document FROM alert_rules WHERE namespace IN ('', :namespace) "
    "ORDER BY namespace, name LIMIT :rows"
)
ONE: Final = Statement(
    "SELECT namespace, name, version, document FROM alert_rules WHERE namespace = :namespace AND name = :name"
)
COUNT: Final = Statement("SELECT count(*) FROM alert_rules")
FIRST: Final = Statement(
    """
    {insert_ignore} alert_rules (namespace, name, version, document, updated_at, updated_by, reason)
    SELECT d.namespace, d.name, 1, d.document, {now}, d.made_by, d.reason FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, document=TEXT, made_by=TEXT, reason=TEXT),
)
NEXT: Final = Statement(
    """
    UPDATE alert_rules SET version = version + 1, document = :document, updated_at = {now}, updated_by = :made_by,
                           reason = :reason
    WHERE namespace = :namespace AND name = :name AND version = :version
    """
)
REMOVE: Final = Statement("DELETE FROM alert_rules WHERE namespace = :namespace AND name = :name")

log = structlog.get_logger("foliot.store")


def rules(tx: Tx, *, namespace: str | None) -> list[Rule]:
    """Those of the cluster and of this namespace (None: of every)."""
    if namespace is None:
        rows = tx.rows(ALL, {"rows": RULES_MAX})
    else:
        rows = tx.rows(VISIBLE, {"namespace": namespace, "rows": RULES_MAX})
    return list(_readable(rows))


def find(tx: Tx, name: str, *, namespace: str | None) -> Rule | None:
    """The rule of this name, of a namespace or of the whole cluster."""
    rows = tx.rows(ONE, {"namespace": namespace or NO_NAMESPACE, "name": name})
    return next(_readable(rows), None)


def save(tx: Tx, *, rule: Rule, by: Actor) -> Rule:
    """Keep it as its next version, if its version is the present one."""
    namespace = rule.namespace or NO_NAMESPACE
    document = canonical_json(written_rule(rule))
    values = {"namespace": namespace, "name": rule.name, "document": document, "made_by": by.name, "reason": by.reason}
    if rule.version == 0:
        if int(tx.value(COUNT)) >= RULES_MAX:
            raise TooManyAlertRules(most=RULES_MAX)
        is_kept = tx.change(FIRST, d=[tuple(values.values())]) == 1
    else:
        is_kept = tx.change(NEXT, {**values, "version": rule.version}) == 1
    if not is_kept:
        rows = tx.rows(ONE, {"namespace": namespace, "name": rule.name})
        raise AlertRuleChanged(rule.name, version=rows[0].version if rows else 0)
    saved = replace(rule, version=rule.version + 1)
    _tell(tx, "rule.saved", saved.name, namespace, f"{namespace}/{rule.name}:{saved.version}:{tx.now()}", by)
    return saved


def remove(tx: Tx, *, name: str, namespace: str | None, by: Actor) -> bool:
    """Forget it; whether it was there."""
    key = namespace or NO_NAMESPACE
    if not tx.change(REMOVE, {"namespace": key, "name": name}):
        return False
    _tell(tx, "rule.removed", name, key, f"{key}/{name}:{tx.now()}", by)
    return True


def _tell(tx: Tx, kind: str, name: str, namespace: str, key: str, by: Actor) -> None:
    data = {"reason": by.reason} if by.reason else {}
    happening = Happening(
        key=f"{kind}:{key}",
        topic=Topic.CLUSTER,
        kind=kind,
        subject=name,
        by=by.name,
        namespace=namespace or None,
        data=data,
    )
    note(tx, [happening])


def _readable(rows: Sequence[Any]) -> Iterator[Rule]:
    """A rule of a newer Foliot is passed over while servers are updated."""
    for row in rows:
        try:
            document = msgspec.json.decode(row.document)
            yield rule_from(document, name=row.name, namespace=row.namespace or None, version=row.version)
        except (InvalidInput, msgspec.DecodeError) as trouble:
            log.warning("alert_rule.unreadable", rule=row.name, namespace=row.namespace, why=str(trouble))
