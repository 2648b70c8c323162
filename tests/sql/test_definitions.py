"""The cache of compiled definitions: right, bounded, and read in batches."""

from typing import Any

from foliot.domain.definition import from_document
from foliot.store.sql.jobs.definitions import Definitions, Found
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from tests.conformance.building import every, save
from tests.sql.world import World


async def find(world: World, definitions: Definitions, *keys: tuple[int, int]) -> Found:
    return await world.database.read(lambda tx: definitions.find(tx, keys))


async def test_a_version_is_compiled_once(world: World) -> None:
    job = await every(world)
    definitions = Definitions()
    first = await find(world, definitions, (job.job_id, 1))
    again = await find(world, definitions, (job.job_id, 1))
    assert again.jobs[job.job_id, 1] is first.jobs[job.job_id, 1]
    assert first.jobs[job.job_id, 1].definition == from_document(job.document, job=job.name)


async def test_the_least_used_go_first(world: World) -> None:
    jobs = [await save(world, f"job-{n}") for n in range(5)]
    keys = [(job.job_id, 1) for job in jobs]
    definitions = Definitions(count_max=3)
    kept = (await find(world, definitions, *keys[:3])).jobs
    await find(world, definitions, keys[0], keys[3])  # the first is used again, the fourth comes in
    assert len(definitions) == 3
    again = (await find(world, definitions, keys[0], keys[3])).jobs
    assert again[keys[0]] is kept[keys[0]]
    assert (await find(world, definitions, keys[1])).jobs[keys[1]] is not kept[keys[1]]


async def test_what_is_asked_for_is_found_even_when_it_is_more_than_is_kept(world: World) -> None:
    keys = [((await save(world, f"job-{n}")).job_id, 1) for n in range(5)]
    definitions = Definitions(count_max=2)
    assert set((await find(world, definitions, *keys)).jobs) == set(keys)
    assert len(definitions) == 2


async def test_big_definitions_are_bounded_by_their_bytes(world: World) -> None:
    keys = [((await save(world, f"job-{n}", params={"text": "x" * 10_000})).job_id, 1) for n in range(5)]
    definitions = Definitions(bytes_max=25_000)
    await find(world, definitions, *keys)
    assert len(definitions) == 2


async def test_one_that_is_missing_or_broken_harms_no_other(world: World) -> None:
    good, bad = await save(world, "good"), await save(world, "bad")
    await world.change("UPDATE job_versions SET definition = '{}' WHERE job_id = :id", id=bad.job_id)
    found = await find(world, Definitions(), (good.job_id, 1), (bad.job_id, 1), (99, 1))
    assert set(found.jobs) == {(good.job_id, 1)}
    assert set(found.troubles) == {(bad.job_id, 1), (99, 1)}


async def test_misses_are_read_in_one_statement(world: World) -> None:
    keys = [((await save(world, f"job-{n}")).job_id, 1) for n in range(3)]
    counting: list[_Counting] = []

    def work(tx: Tx) -> None:
        counting.append(_Counting(tx))
        definitions = Definitions()
        definitions.find(counting[0], keys * 5)  # type: ignore[arg-type]
        definitions.find(counting[0], keys)  # type: ignore[arg-type]

    await world.database.read(work)
    assert counting[0].statements == 1


class _Counting:
    """A transaction that counts its statements."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self.statements = 0

    def rows(self, statement: Statement, **sets: Any) -> Any:
        self.statements += 1
        return self._tx.rows(statement, **sets)
