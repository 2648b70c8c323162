"""Wake-ups: they reach the others, come back after a cut, and are few."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from foliot.domain.wakeups import MISSED, SENDS_PER_S
from foliot.store.sql.kernel.wakeups import PostgresWakeups
from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.sql.world import CHANCE, CLOCK

pytestmark = pytest.mark.services


@asynccontextmanager
async def listening(url: str) -> AsyncIterator[tuple[PostgresWakeups, list[str]]]:
    heard: list[str] = []
    wakeups = PostgresWakeups(url, clock=CLOCK, chance=CHANCE)
    await wakeups.listen(heard.append)
    try:
        await soon(lambda: wakeups.connections, within_s=60)
        yield wakeups, heard
    finally:
        await wakeups.close()


async def until_heard(wakeups: PostgresWakeups, heard: list[str], topic: str) -> None:
    """Send until it is heard: a listener that has just connected may miss the first."""

    def sent_and_heard() -> bool:
        wakeups.send(topic)
        return topic in heard

    await soon(sent_and_heard, within_s=60, step_s=0.1)


async def test_the_others_hear_it_and_the_sender_does_not(postgres_database: MakeDatabase) -> None:
    url = postgres_database()
    async with listening(url) as (one, heard_by_one), listening(url) as (_, heard_by_two):
        await until_heard(one, heard_by_two, "ready")
        assert set(heard_by_one) == {MISSED}, "nobody wakes itself; what came before it listened is lost"


async def test_it_comes_back_after_a_cut(postgres_server: Postgres, postgres_database: MakeDatabase) -> None:
    url = postgres_database()
    with FaultProxy(postgres_server.port) as proxy:
        async with listening(proxy.url(url)) as (far, heard_far), listening(url) as (near, _):
            await until_heard(near, heard_far, "before")
            proxy.reset()
            await until_heard(near, heard_far, "after")
            assert far.connections == 2
            assert heard_far.count(MISSED) == 2, "after each new connection"


async def test_claims_that_were_granted_together_are_all_named(postgres_database: MakeDatabase) -> None:
    url = postgres_database()
    async with listening(url) as (one, _), listening(url) as (_, heard):
        await until_heard(one, heard, "ready")
        claims = {f"lock:{number}" for number in range(40)}
        for claim in claims:
            one.send(claim)
        await soon(lambda: claims <= set(heard), within_s=60)


async def test_a_storm_of_wake_ups_is_a_few_notifications(postgres_database: MakeDatabase) -> None:
    url = postgres_database()
    async with listening(url) as (one, _), listening(url) as (_, heard):
        await until_heard(one, heard, "ready")
        heard.clear()
        began_at = CLOCK.monotonic()
        while CLOCK.monotonic() - began_at < 1:
            for _ in range(1000):
                one.send("due")
            await asyncio.sleep(0)
        one.send("last")
        await soon(lambda: "last" in heard, within_s=60)
        took_s = CLOCK.monotonic() - began_at
        told = [topic for topic in heard if topic != "ready"]  # some of which may still have been on their way
        assert 1 <= len(told) <= took_s * SENDS_PER_S + 2


async def test_sending_without_a_database_harms_nobody() -> None:
    wakeups = PostgresWakeups("postgresql://foliot@127.0.0.1:1/nowhere", clock=CLOCK, chance=CHANCE)
    await wakeups.listen(lambda _topic: None)
    wakeups.send("ready")
    await wakeups.close()
