"""Code of workers and the jobs that it declares no more (`ports.store.code.CodeStore`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from foliot.domain.changes import Plans
from foliot.domain.instants import Micros
from foliot.domain.sources import Code, Source
from foliot.ports.store.code import LiveCodes, RetiredPage, RetirementWords, RetiringJob
from foliot.ports.store.journal import Happening
from foliot.store.sql.cluster import codes, kinds
from foliot.store.sql.jobs import retirement, strays
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Database, Pool, Tx


class SqlCodeStore:
    """`ports.store.code.CodeStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions) -> None:
        self._database = database
        self._definitions = definitions

    async def keep(self, code: Code) -> None:
        await codes.keep(self._database, code)

    async def live(self) -> LiveCodes:
        return await self._database.read(codes.live, pool=Pool.CONTROL)

    async def sources(self, hashes: Collection[str]) -> Mapping[str, Sequence[Source]]:
        return await self._database.read(lambda tx: codes.sources(tx, hashes), pool=Pool.CONTROL)

    async def modules_with_jobs(self, modules: Collection[str]) -> frozenset[str]:
        return await self._database.read(lambda tx: retirement.modules_with_jobs(tx, modules), pool=Pool.CONTROL)

    async def mark(self, source: Source, *, after: int, limit: int, term: int) -> int | None:
        def work(tx: Tx) -> int | None:
            return retirement.mark(tx, source, after=after, limit=limit, term=term)

        return await self._database.transact(work)

    async def retire(
        self,
        source: Source,
        *,
        after: int,
        limit: int,
        plans: Plans,
        words: Callable[[RetiringJob], RetirementWords],
        term: int,
    ) -> RetiredPage:
        retiring = retirement.RetirementStep(self._definitions, plans, words, term=term)

        def work(tx: Tx) -> RetiredPage:
            return retiring.step(tx, source, after, limit)

        return await self._database.transact(work)

    async def declared_again(
        self,
        code: str | None,
        *,
        limit: int,
        plans: Plans,
        note: Callable[[RetiringJob], Happening],
        term: int | None = None,
    ) -> RetiredPage:
        def work(tx: Tx) -> RetiredPage:
            return retirement.declared_again(
                tx, self._definitions, code, limit=limit, plans=plans, note=note, term=term
            )

        return await self._database.transact(work, pool=Pool.API)

    async def ask_again(self, *, limit: int, term: int) -> Sequence[str]:
        return await self._database.transact(lambda tx: strays.ask_again(tx, limit=limit, term=term))

    async def forget(self, *, unused_us: Micros, limit: int, term: int) -> int:
        deleted = await self._database.transact(partial(codes.forget, unused_us, limit, term))
        if deleted:
            return deleted
        return await self._database.transact(partial(kinds.forget, unused_us, limit, term))
