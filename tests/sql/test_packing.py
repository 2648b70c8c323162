"""Numbers that travel packed: Python and every database take them apart alike, and the bits are those of before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.store.sql.firing.line_counts import CAP, LineCounts
from foliot.store.sql.firing.run_shape import CATCH_UP, PARKED, RunShape
from foliot.store.sql.kernel.packing import Packing
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from tests.sql.world import World


def up_to(bits: int) -> st.SearchStrategy[int]:
    return st.integers(0, 2**bits - 1)


SHAPES = st.builds(
    RunShape,
    catch_up=up_to(1),
    parked=up_to(1),
    serial=up_to(2),
    follow=up_to(8),
    priority=up_to(4),
    lane=up_to(31),
)
COUNTS = st.builds(LineCounts, up_to(15), up_to(15), up_to(15), up_to(15), st.just(0))  # queued is asked for by itself

EDGES = [
    RunShape(catch_up=0, parked=0, serial=0, follow=0, priority=0, lane=1),
    RunShape(catch_up=1, parked=1, serial=3, follow=255, priority=15, lane=2**31 - 1),
    RunShape(catch_up=1, parked=0, serial=2, follow=127, priority=5, lane=70_000),
    RunShape(catch_up=0, parked=1, serial=1, follow=128, priority=9, lane=1),
]
COUNTED = [
    LineCounts(0, 0, 0, 0),
    LineCounts(1, 2, 3, 4),
    LineCounts(CAP, CAP, CAP, CAP),
    LineCounts(32767, 0, 1, 32767),
]


@given(SHAPES)
def test_a_shape_comes_back_as_it_was_packed(shape: RunShape) -> None:
    assert RunShape.unpacked(shape.packed) == shape


@given(COUNTS)
def test_counts_come_back_as_they_were_packed(counts: LineCounts) -> None:
    assert LineCounts.unpacked(counts.packed) == counts


@given(SHAPES)
def test_the_bits_of_a_shape_are_those_that_servers_of_other_versions_write(shape: RunShape) -> None:
    lane = shape.lane << 16 | shape.priority << 12 | shape.follow << 4 | shape.serial << 2
    assert shape.packed == lane | shape.parked << 1 | shape.catch_up


@given(SHAPES)
def test_the_bits_of_a_fire_are_added_to_the_shape_of_its_job(shape: RunShape) -> None:
    of_job = shape._replace(parked=0, catch_up=0).packed
    assert RunShape.unpacked(of_job | PARKED | CATCH_UP) == shape._replace(parked=1, catch_up=1)


def test_a_value_that_does_not_fit_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="small = 4 does not fit"):
        Packing(small=2, rest=None).packed(small=4, rest=0)


async def test_the_database_takes_a_shape_apart_as_we_do(world: World) -> None:
    columns = ", ".join(f"{RunShape.column(name, of='d.shape')} AS {name}" for name in RunShape._fields)
    statement = Statement(f"SELECT d.n, {columns} FROM {{d}} ORDER BY d.n", RowSet("d", n=BIGINT, shape=BIGINT))
    packed = [(n, shape.packed) for n, shape in enumerate(EDGES)]
    rows = await world.database.read(lambda tx: tx.rows(statement, d=packed))
    assert [RunShape(*map(int, row[1:])) for row in rows] == EDGES


async def test_the_database_packs_counts_as_we_do(world: World) -> None:
    counted = LineCounts.counted(open="sum(d.o)", waiting="sum(d.w)", catch_up="sum(d.c)", scheduled="sum(d.s)")
    statement = Statement(
        f"SELECT d.n, {counted} FROM {{d}} GROUP BY d.n ORDER BY d.n",
        RowSet("d", n=BIGINT, o=BIGINT, w=BIGINT, c=BIGINT, s=BIGINT),
    )
    counts = [(n, *counts[:4]) for n, counts in enumerate(COUNTED)]  # all but queued
    rows = await world.database.read(lambda tx: tx.rows(statement, d=counts))
    assert [LineCounts.unpacked(int(number)) for _, number in rows] == COUNTED
