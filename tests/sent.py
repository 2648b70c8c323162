"""Every statement that is sent to a database, however the store sends it.

Some go through SQLAlchemy, which tells of them; those of hot paths go straight to the driver's cursor.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement


@contextmanager
def sent() -> Iterator[list[str]]:
    """The texts, in one line each, of all that is sent meanwhile; without what begins and ends transactions."""
    texts: list[str] = []
    straight = Tx._executed

    def note(text: str) -> None:
        if not text.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            texts.append(" ".join(text.split()))

    def heard(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        note(text)

    def executed(
        tx: Tx,
        statement: Statement,
        values: Mapping[str, Any] | None,
        sets: Mapping[str, Sequence[Sequence[Any]]],
    ) -> Any:
        note(statement.rendered(tx.dialect).text)
        return straight(tx, statement, values, sets)

    sa.event.listen(sa.Engine, "before_cursor_execute", heard)
    Tx._executed = executed  # type: ignore[assignment,method-assign]
    try:
        yield texts
    finally:
        Tx._executed = straight  # type: ignore[method-assign]
        sa.event.remove(sa.Engine, "before_cursor_execute", heard)
