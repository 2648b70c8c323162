"""What the code of workers declares, in SQL: kept once for all workers that have the same code.

A code's rows never change. They are written in steps, and the code counts when it is `whole`. Whoever writes them, uses
them or takes them away first raises the version of the code's own row: so a code is never half there for a session.

The leader asks for a code when jobs that it declares belong to a module that no live worker declares them from. Beats
read that in the code's row, and the first worker of this code that registers again has answered for all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from foliot.domain.instants import Micros
from foliot.domain.sources import Code, Source
from foliot.ports.store.code import LiveCode, LiveCodes
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

T = TypeVar("T")

ROWS_MAX: Final = 2000  # in one transaction (R9)

LIVE_WORKER: Final = "n.state IN ('live', 'draining') AND n.kind = 'worker'"

ASKED: Final = 2
"""`codes.whole` of a whole code whose workers are asked to declare it again. A server of an older version writes the
code's rows anew when it sees that, which harms nothing."""

LIVE: Final = Statement(
    f"""
    SELECT DISTINCT n.code, n.namespace, (SELECT max(c.used_at) FROM codes c) AS newest_at
    FROM nodes n WHERE {LIVE_WORKER}
    """
)

MODULES: Final = Statement(
    "SELECT c.hash, c.namespace, c.group_name, m.module FROM {d} JOIN codes c ON c.hash = d.hash "
    "JOIN code_modules m ON m.code = c.hash",
    RowSet("d", hash=TEXT),
)

IS_KEPT: Final = Statement("SELECT 1 FROM codes WHERE hash = :code AND whole >= 1")
USE: Final = Statement("UPDATE codes SET ver = ver + 1, used_at = {now}, whole = 1 WHERE hash = :code AND whole >= 1")
TOUCH: Final = Statement("UPDATE codes SET ver = ver + 1, used_at = {now} WHERE hash = :code")
INSERT: Final = Statement(
    """
    {insert_ignore} codes (hash, namespace, group_name, whole, ver, used_at)
    SELECT d.hash, d.namespace, d.group_name, 0, 1, {now} FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", hash=TEXT, namespace=TEXT, group_name=TEXT),
)
INSERT_MODULES: Final = Statement(
    "{insert_ignore} code_modules (code, module) SELECT :code, d.module FROM {d} WHERE true {ignore_duplicates}",
    RowSet("d", module=TEXT),
)
INSERT_JOBS: Final = Statement(
    """
    {insert_ignore} code_jobs (namespace, name, code, module)
    SELECT d.namespace, d.name, :code, d.module FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, module=TEXT),
)
WHOLE: Final = Statement("UPDATE codes SET ver = ver + 1, whole = 1 WHERE hash = :code")

UNUSED: Final = Statement(
    """
    SELECT c.hash, c.ver FROM codes c
    WHERE c.used_at < {now} - :unused
      AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND n.state IN ('live', 'draining'))
    ORDER BY c.used_at LIMIT 1
    """
)
OPEN: Final = Statement("UPDATE codes SET ver = ver + 1, whole = 0 WHERE hash = :code AND ver = :seen")
"""From here on no session begins with this code before its rows are written anew."""
ITS_JOBS: Final = Statement(
    "SELECT namespace, name FROM code_jobs WHERE code = :code ORDER BY namespace, name LIMIT :rows"
)
FORGET_JOBS: Final = Statement(
    "DELETE FROM code_jobs WHERE code = :code "
    "AND (namespace < :namespace OR (namespace = :namespace AND name <= :name))"
)
FORGET_MODULES: Final = Statement("DELETE FROM code_modules WHERE code = :code")
FORGET: Final = Statement("DELETE FROM codes WHERE hash = :code")


async def keep(database: Database, code: Code) -> None:
    """Write the rows of a code, unless they are there."""
    if await database.read(lambda tx: tx.rows(IS_KEPT, {"code": code.hash}), pool=Pool.CONTROL):
        return
    parts: list[tuple[Statement, Sequence[Sequence[Any]]]] = [
        *((INSERT_MODULES, [(module,) for module in part]) for part in _parts(code.modules)),
        *((INSERT_JOBS, part) for part in _parts(code.jobs)),
    ]
    for statement, rows in parts:
        await database.transact(partial(_write_part, code, statement, rows), pool=Pool.API)
    await database.transact(partial(_finish, code), pool=Pool.API)


def _parts(rows: Sequence[T]) -> list[Sequence[T]]:
    return [rows[at : at + ROWS_MAX] for at in range(0, len(rows), ROWS_MAX)]


def _write_part(code: Code, statement: Statement, rows: Sequence[Sequence[Any]], tx: Tx) -> None:
    _touch(tx, code)
    tx.change(statement, {"code": code.hash}, d=rows)


def _finish(code: Code, tx: Tx) -> None:
    _touch(tx, code)
    tx.change(WHOLE, {"code": code.hash})


def _touch(tx: Tx, code: Code) -> None:
    """Raise the code's version, so that nobody takes its rows away meanwhile."""
    if tx.change(TOUCH, {"code": code.hash}):
        return
    tx.change(INSERT, d=[(code.hash, code.namespace, code.group)])
    if not tx.change(TOUCH, {"code": code.hash}):
        raise TryAgain("the code's row was taken away meanwhile")


def use(tx: Tx, code: str) -> None:
    """Note, in the transaction that begins a session, that the session has this code."""
    if not tx.change(USE, {"code": code}):
        raise TryAgain("the code's rows were taken away meanwhile: the worker introduces itself again")


def live(tx: Tx) -> LiveCodes:
    """The code of live workers, each once for each namespace that workers are limited to."""
    rows = tx.rows(LIVE)
    newest_at = int(rows[0].newest_at or 0) if rows else 0
    return LiveCodes(frozenset(LiveCode(row.code, row.namespace) for row in rows), newest_at)


def sources(tx: Tx, hashes: Collection[str]) -> Mapping[str, Sequence[Source]]:
    """The sources of some codes."""
    found: dict[str, list[Source]] = {code: [] for code in hashes}
    for row in tx.rows(MODULES, d=[(code,) for code in sorted(hashes)]) if hashes else ():
        found[row.hash].append(Source(row.namespace, row.group_name, row.module))
    return found


def forget(unused_us: Micros, limit: int, term: int, tx: Tx) -> int:
    """Take away some rows of one code that nobody has used for a time; how many."""
    rows = tx.rows(UNUSED, {"unused": unused_us})
    if not rows or not holds_term(tx, term):
        return 0
    code, seen = rows[0]
    if not tx.change(OPEN, {"code": code, "seen": seen}):
        raise TryAgain("a worker just said that this is its code")
    jobs = tx.rows(ITS_JOBS, {"code": code, "rows": limit})
    if jobs:
        last = jobs[-1]
        return tx.change(FORGET_JOBS, {"code": code, "namespace": last.namespace, "name": last.name})
    tx.change(FORGET_MODULES, {"code": code})
    return tx.change(FORGET, {"code": code})
