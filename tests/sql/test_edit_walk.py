"""Edits at every point of a run's life, at random: on SQLite many, on the networked stores some."""

import asyncio

import pytest

from foliot_check.findings import verify
from foliot_check.reader import read_history
from tests.cluster.recording import record_sqlite
from tests.sql.edit_walk import EditWalk
from tests.sql.world import World

STEPS = 120
JUDGED = frozenset({"I4", "I5", "I6", "I8", "I9"})


async def walked(world: World, seed: int, monkeypatch: pytest.MonkeyPatch) -> EditWalk:
    walk = EditWalk(world, seed, monkeypatch)
    await walk.begin()
    for _ in range(STEPS):
        await walk.step()
    await walk.calm()
    assert walk.edits > 5
    assert len(walk.begun) > 2
    return walk


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("seed", range(1, 7))
async def test_whatever_is_edited_when_what_waits_is_whole_and_in_its_line(
    world: World, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_sqlite(world.url.removeprefix("sqlite:///"))
    await walked(world, seed, monkeypatch)
    findings = verify(await asyncio.to_thread(read_history, world.url), JUDGED)
    assert {number: finding.wrong for number, finding in findings.items() if not finding.holds} == {}


@pytest.mark.services
@pytest.mark.parametrize("store_url", ["postgresql", "mariadb"], indirect=True)
async def test_whatever_is_edited_when_the_networked_stores_do_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await walked(world, 20260302, monkeypatch)
