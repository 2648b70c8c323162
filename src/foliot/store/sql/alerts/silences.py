"""Silences in SQL: made for a time, ended early or by themselves, and kept for a while after that."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.alerts.rule_document import subjects_from
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.silence_document import written_silence
from foliot.domain.payload import canonical_json
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people.journal import note

LISTED_MAX: Final = 1000

_COLUMNS: Final = "id, namespace, document, from_at, until, reason, made_by, ended_by"
IN_FORCE: Final = Statement(
    f"SELECT {_COLUMNS} FROM silences WHERE until > {{now}} AND ended_by IS NULL ORDER BY until, id LIMIT :rows"
)
LATEST: Final = Statement(f"SELECT {_COLUMNS} FROM silences ORDER BY id DESC LIMIT :rows")
ONE: Final = Statement(f"SELECT {_COLUMNS} FROM silences WHERE id = :id")
INSERT: Final = Statement(
    """
    INSERT INTO silences (namespace, document, from_at, until, reason, made_by)
    VALUES (:namespace, :document, :from_at, :until, :reason, :made_by)
    """
)
NEWEST: Final = Statement(
    f"SELECT {_COLUMNS} FROM silences WHERE made_by = :made_by AND from_at = :from_at ORDER BY id DESC LIMIT 1"
)
END: Final = Statement("UPDATE silences SET ended_by = :by WHERE id = :id AND ended_by IS NULL AND until > {now}")

HUSH: Final = Statement(
    """
    UPDATE alerts SET silence_id = :silence, ver = ver + 1
    WHERE id = :alert AND resolved_at IS NULL AND :from_at <= {now}
    """
)
UNHUSH: Final = Statement(
    "UPDATE alerts SET silence_id = NULL, ver = ver + 1 WHERE silence_id = :silence AND resolved_at IS NULL"
)


def silences(tx: Tx, *, namespace: str | None, with_ended: bool) -> list[Silence]:
    """Those of the cluster and of this namespace (None: of every); the newest first when ended ones are wanted."""
    rows = tx.rows(LATEST if with_ended else IN_FORCE, {"rows": LISTED_MAX})
    found = [silence_of(row) for row in rows]
    return [one for one in found if namespace is None or one.namespace in (None, namespace)]


def make(tx: Tx, *, silence: Silence, by: Actor) -> Silence:
    """Keep a new one."""
    values = {
        "namespace": silence.namespace,
        "document": canonical_json(written_silence(silence)),
        "from_at": silence.from_at,
        "until": silence.until,
        "reason": silence.reason,
        "made_by": silence.made_by,
    }
    tx.change(INSERT, values)
    rows = tx.rows(NEWEST, {"made_by": silence.made_by, "from_at": silence.from_at})
    made = replace(silence, id=rows[0].id)
    # The leader finds out by itself which alerts are silent; of the one that somebody looks at it is seen at once.
    if made.alert_id is not None:
        tx.change(HUSH, {"silence": made.id, "alert": made.alert_id, "from_at": made.from_at})
    _tell(tx, "silence.made", made, by)
    return made


def end(tx: Tx, *, silence_id: int, by: Actor) -> Silence | None:
    """End it before its time; a silence that is over stays as it is."""
    rows: Sequence[Any] = tx.rows(ONE, {"id": silence_id})
    if not rows:
        return None
    if tx.change(END, {"id": silence_id, "by": by.name or "-"}):
        tx.change(UNHUSH, {"silence": silence_id})
        ended = silence_of(tx.rows(ONE, {"id": silence_id})[0])
        _tell(tx, "silence.ended", ended, by)
        return ended
    return silence_of(rows[0])


def silence_of(row: Any) -> Silence:
    """A row of a silence."""
    document = msgspec.json.decode(row.document)
    return Silence(
        id=row.id,
        namespace=row.namespace,
        of=subjects_from(document.get("of"), "of"),
        rule=document.get("rule", ""),
        alert_id=document.get("alert"),
        from_at=row.from_at,
        until=row.until,
        reason=row.reason,
        made_by=row.made_by,
        ended_by=row.ended_by or "",
    )


def _tell(tx: Tx, kind: str, silence: Silence, by: Actor) -> None:
    happening = Happening(
        key=f"{kind}:{silence.id}",
        topic=Topic.CLUSTER,
        kind=kind,
        subject=str(silence.id),
        by=by.name,
        namespace=silence.namespace,
        data={"until": silence.until, "reason": silence.reason, **written_silence(silence)},
    )
    note(tx, [happening])
