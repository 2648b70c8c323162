"""What a merge run gets to merge: the results of its shards, in their order, beside the run's own parameters.

They are read when it is leased, from the shards' own rows: nothing is stored twice, and a repeated lease reads the
same, because what has ended does not change. Both what one merge run takes and what one lease reads are bounded.
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from foliot.store.sql.firing.follow import MERGE
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.leasing.candidates import Candidate

PARTS: Final = "parts"
PARTS_MAX: Final = 4 * 1024 * 1024  # letters of JSON that one merge run takes
LEASED_MAX: Final = 8 * 1024 * 1024  # letters that one lease reads, or one merge run's if they are more

PARENTS: Final = Statement(
    "SELECT r.id, r.parent_id FROM runs r WHERE r.id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)

SIZES: Final = Statement(
    """
    SELECT r.parent_id, sum(coalesce(length(r.result), 4) + 1) FROM runs r
    WHERE r.parent_id IN (SELECT d.id FROM {d}) AND r.shard >= 0 GROUP BY r.parent_id
    """,
    RowSet("d", id=BIGINT),
)

RESULTS: Final = Statement(
    """
    SELECT r.parent_id, r.result FROM runs r
    WHERE r.parent_id IN (SELECT d.id FROM {d}) AND r.shard >= 0 ORDER BY r.parent_id, r.shard
    """,
    RowSet("d", id=BIGINT),
)


def sizes_of(tx: Tx, parent_ids: Collection[int]) -> dict[int, int]:
    """How much the shards of these parents left to merge."""
    sizes = tx.pairs(SIZES, d=keys(sorted(parent_ids)))
    return {parent_id: int(size) for parent_id, size in sizes.items()}


def within_reach(tx: Tx, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """These candidates without merge runs that would make the answer too large: the next lease takes them."""
    merges = [run.id for run in candidates if run.follow & MERGE]
    if len(merges) < 2:
        return candidates
    parents = _parents(tx, merges)
    sizes = sizes_of(tx, set(parents.values()))
    left = LEASED_MAX
    too_many = set()
    for at, run_id in enumerate(merges):
        left -= sizes.get(parents[run_id], 0)
        if left < 0 and at > 0:
            too_many.add(run_id)
    return [run for run in candidates if run.id not in too_many]


def parts_of(tx: Tx, merge_ids: Collection[int]) -> dict[int, str]:
    """By merge run, a JSON list of what its shards returned; null for one whose result was none or not kept."""
    if not merge_ids:
        return {}
    parents = _parents(tx, merge_ids)
    results: dict[int, list[str]] = {parent_id: [] for parent_id in parents.values()}
    for row in tx.rows(RESULTS, d=keys(sorted(results))):
        results[row.parent_id].append(row.result or "null")
    return {run_id: f"[{','.join(results[parent_id])}]" for run_id, parent_id in parents.items()}


def with_parts(params: str | None, parts: str) -> str:
    """The payload of a merge run. A parameter that is called `parts`, too, gives way."""
    payload = {PARTS: msgspec.Raw(parts.encode())}
    if params:
        given = msgspec.json.decode(params, type=dict[str, msgspec.Raw])
        given.pop(PARTS, None)
        payload |= given
    return msgspec.json.encode(payload).decode()


def _parents(tx: Tx, run_ids: Collection[int]) -> dict[int, int]:
    return tx.pairs(PARENTS, d=keys(sorted(run_ids)))
