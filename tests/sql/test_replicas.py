"""The test servers' replicas: they follow their primary, fall behind on command, and answer when it is dead."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.checkup import Grade, examine
from foliot.domain.checkup.facts import Facts
from foliot.store.sql.store import SqlStore
from tests.cluster.asking import asked
from tests.eventually import soon
from tests.servers.ports import HOST
from tests.servers.replicas import replicated_mariadb, replicated_postgres
from tests.sql.world import migrate
from tests.unit.servers.clients import client_for

pytestmark = [pytest.mark.services, pytest.mark.anyio]

TICK = "SELECT last_tick_at FROM store_meta"
Replicated = Callable[[], AbstractContextManager[tuple[Any, Any]]]


@pytest.mark.parametrize("replicated", [replicated_postgres, replicated_mariadb])
async def test_a_replica_follows_falls_behind_and_outlives_its_primary(replicated: Replicated) -> None:
    with replicated() as (primary, replica):
        url = primary.database(migrate)
        copy = replica.url(url.rpartition("/")[2])
        replica.catch_up()
        assert await asked(copy, TICK) == await asked(url, TICK)

        replica.hold()
        await changed(url, "UPDATE store_meta SET last_tick_at = last_tick_at + 7")
        assert await asked(copy, TICK) == await asked(url, TICK) - 7, "it is held, and behind"
        await soon(partial(the_doctor_sees_it, primary, url), within_s=60, what="the doctor finds the held replica")

        replica.go_on()
        replica.catch_up()
        tick = await asked(url, TICK)
        primary.kill()
        assert await asked(copy, TICK) == tick, "the replica answers alone"
        with pytest.raises(Exception, match=r"read.only"):
            await changed(copy, "UPDATE store_meta SET last_tick_at = 0")


async def the_doctor_sees_it(primary: Any, url: str) -> bool:
    """PostgreSQL's primary learns how far the replica is from what it says; MariaDB's knows that one is there."""
    is_postgresql = url.startswith("postgresql")
    if is_postgresql:
        primary._admin(lambda connection: connection.execute("GRANT pg_read_all_stats TO foliot"))
        await changed(url, "UPDATE store_meta SET epoch = epoch")  # the replica answers to what is written
    store = await SqlStore.open(url, clock=SystemClock(), chance=SystemChance())
    try:
        facts = Facts(readings=await store.checkup.readings())
    finally:
        await store.close()
    found = next((one for one in examine(facts) if one.check == "database.replication"), None)
    if found is None:
        return False  # it is connecting
    if is_postgresql:
        return found.case == "" and (found.value or 0) > 0.5
    return (found.case, found.subject, found.grade) == ("follows", HOST, Grade.UNKNOWN)


async def changed(url: str, sql: str) -> None:
    async with client_for(url) as client:
        await client.run(sql)
