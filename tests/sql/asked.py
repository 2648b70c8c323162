"""Counts what a store asks of its database."""

from collections import Counter
from typing import Any

import pytest

from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement


class Asked:
    """The statements of a test, and the rows that were sent with them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: Counter[Statement] = Counter()
        self.rows: Counter[Statement] = Counter()
        for name in ("rows", "tuples", "change"):
            monkeypatch.setattr(Tx, name, self._counting(getattr(Tx, name)))

    def _counting(self, real: Any) -> Any:
        def counted(tx: Tx, statement: Statement, *values: Any, **sets: Any) -> Any:
            self.times[statement] += 1
            self.rows[statement] += sum(map(len, sets.values()))
            return real(tx, statement, *values, **sets)

        return counted

    def forget(self) -> None:
        self.times.clear()
        self.rows.clear()
