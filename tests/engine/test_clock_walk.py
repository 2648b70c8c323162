"""The store's clock wanders at random under three servers: whatever it does, nothing fires early (R7)."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from foliot.app.server import Server
from foliot.app.settings import ServerSettings, Timing
from foliot.domain.instants import SECOND, Micros, to_datetime
from tests.clocks import DrivenClock
from tests.conformance.building import every
from tests.sql.rows import runs_of
from tests.sql.world import BEGINS_AT, CHANCE, World, opened, sqlite_copy

OFFSETS_S = (-3600, -120, 0, 0, 0, 120, 3600)
SECONDS = 90
STAYS_FOR = 8
"""Seconds between two jumps: there and back between two pulses of a server, it could not know."""
PULSE_COMES = 0.8
"""How often a second's pulse comes in time; the others are answered with the next one."""


@asynccontextmanager
async def walking(template: Path, folder: Path) -> AsyncIterator[tuple[World, DrivenClock, list[Server]]]:
    async with opened(sqlite_copy(template, folder)) as world:
        clock = DrivenClock(to_datetime(BEGINS_AT))
        servers = [
            Server(
                ServerSettings(store_url=world.url, node_name=name, timing=Timing()),
                world.store,
                clock=clock,
                chance=CHANCE,
            )
            for name in ("s1", "s2", "s3")
        ]
        yield world, clock, servers


@pytest.mark.parametrize("seed", range(5))
async def test_nothing_fires_early_wherever_the_clock_goes(seed: int, migrated_sqlite: Path, tmp_path: Path) -> None:
    dice = random.Random(seed)
    async with walking(migrated_sqlite, tmp_path) as (world, clock, servers):
        await every(world, interval="5s", overlap="allow", misfire="all")
        for server in servers:
            await server.presence.step()
            await server.pulsing.step()
            await server.step_guard.step()
        offset_us: Micros = 0
        jumped_in = -STAYS_FOR
        newest = began_at = await world.now()
        for second in range(SECONDS):
            if dice.random() < 0.2 and jumped_in + STAYS_FOR <= second < SECONDS - 30:
                wanted, jumped_in = dice.choice(OFFSETS_S) * SECOND, second
                await world.elapse(wanted - offset_us)
                offset_us = wanted
            elif second == SECONDS - 30 and offset_us:
                await world.elapse(-offset_us)  # put right in the end
                offset_us = 0
            await world.elapse(SECOND)
            await clock.advance(1)
            for server in dice.sample(servers, 3):
                await server.firing.step()  # also between the jump and the pulse that shows it
                if dice.random() < PULSE_COMES:
                    await server.pulsing.step()
                    await server.step_guard.step()
                    await server.firing.step()
                if second % 5 == 0:
                    await server.presence.step()
            true_now = await world.now() - offset_us
            newest = max((run["due_at"] for run in await runs_of(world)), default=began_at)
            assert newest <= true_now + SECOND, f"second {second}: {(newest - true_now) / SECOND} s early"
        assert await world.now() - newest < 20 * SECOND, "and in the end it goes on"
        assert not await world.value("SELECT clock_suspect FROM store_meta")
