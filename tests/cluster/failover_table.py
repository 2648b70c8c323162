"""The table of failovers, compared with what a test really did and when."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from tests.cluster.cluster import Cluster
from tests.cluster.timing import SESSION_TTL_S
from tests.eventually import soon

SECOND_US = 1_000_000
COLUMNS = "type, subject, began_at, detected_at, last_at, ended_at, outcome, evidence, affected, done, attempts"
WRITTEN_WITHIN_US = 10 * SECOND_US
"""A beat of a node that was killed may still be on its way, and a server notes what it saw some seconds later."""
SILENT = ("server_crash", "worker_crash", "network_partition")
"""Failures that show by silence: nobody knows of them before the session's time is over."""


def now_us() -> int:
    """The time of this machine, which is the store's too."""
    return int(time.time() * SECOND_US)


@dataclass(frozen=True, eq=False)
class Struck:
    """One failure that a test caused. It began and was mended between these times."""

    type: str
    subject: str
    at: int
    mended_at: int
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the row says of it: outcome, done …

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether this row can be this failure: it is over, was seen after it happened, and began near it.

        A node may be killed twice within a session's time: then the first death is seen after the second blow.
        """
        is_it = (row["type"], row["subject"]) == (self.type, self.subject)
        is_over = row["ended_at"] is not None and row["detected_at"] >= self.at
        earliest, latest = self.at - SESSION_TTL_S * SECOND_US, self.mended_at + WRITTEN_WITHIN_US
        return is_it and is_over and earliest <= row["began_at"] <= latest

    def check(self, row: Mapping[str, Any]) -> None:
        """The times are in order; the outcome is right."""
        assert row["began_at"] <= row["detected_at"] <= row["ended_at"], row
        if self.type in SILENT:
            assert row["detected_at"] - row["began_at"] >= SESSION_TTL_S * SECOND_US, f"given up too early: {row}"
        told = {name: row[name] for name in self.facts}
        assert told == self.facts, row


def rows_of(struck: Iterable[Struck], rows: Iterable[Mapping[str, Any]]) -> dict[Struck, Mapping[str, Any]]:
    """The row of each failure, as far as there is one. No row is that of two: each blow has a row of its own."""
    left = sorted(rows, key=itemgetter("began_at"))
    found = {}
    for one in sorted(struck, key=attrgetter("at")):
        row = next(filter(one.fits, left), None)
        if row is not None:
            left.remove(row)
            found[one] = row
    return found


class FailoverTable:
    """What a test did to a cluster, and what the cluster says of it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._struck: list[Struck] = []

    def expect(self, type_: str, subject: str, *, at: int, **facts: Any) -> None:
        """From `at` until now this was broken."""
        self._struck.append(Struck(type_, subject, at, now_us(), facts))

    async def is_right(self, *, within_s: float = 120.0) -> Mapping[str, int]:
        """Wait until every failure has a row that is over, and compare them; how many there are of each type."""
        missing: list[Struck] = []

        async def are_over() -> bool:
            found = rows_of(self._struck, await self.rows())
            missing[:] = [one for one in self._struck if one not in found]
            return not missing

        try:
            await soon(are_over, within_s=within_s, step_s=0.5, what="every failure is in the table, and over")
        except AssertionError as late:
            raise AssertionError(f"not in the table: {missing}\n{await self.rows()}") from late
        for one, row in rows_of(self._struck, await self.rows()).items():
            one.check(row)
        types = [one.type for one in self._struck]
        return {type_: types.count(type_) for type_ in sorted(set(types))}

    async def rows(self) -> list[dict[str, Any]]:
        found = await self._cluster.rows(f"SELECT {COLUMNS} FROM failovers ORDER BY id")
        return [_read(row) for row in found]


def _read(row: Mapping[str, Any]) -> dict[str, Any]:
    documents = {name: json.loads(row[name]) for name in ("evidence", "affected", "done") if row[name]}
    return {**row, "done": {}, **documents}
