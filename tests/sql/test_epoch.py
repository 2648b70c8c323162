"""The epoch rises when the database behind the store is not the one it was, and fences with it (R6, S8)."""

import asyncio
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.store.sql.kernel.database import GreenletRunner
from foliot.store.sql.kernel.epoch import origin
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.servers.postgres import Postgres
from tests.sql.world import World

EPOCH_BITS = 28


async def meta(world: World) -> dict[str, Any]:
    return dict((await world.rows("SELECT epoch, fingerprint FROM store_meta"))[0])


async def become_another(world: World, **changes: Any) -> None:
    """As if the database had been replaced since anybody looked."""
    await world.change("UPDATE store_meta SET fingerprint = 'of a server that is gone'")
    for column, value in changes.items():
        await world.change(f"UPDATE store_meta SET {column} = :value", value=value)


async def test_the_first_connection_remembers_the_database(world: World) -> None:
    found = await meta(world)
    kind = {"mysql": "mariadb"}.get(world.engine, world.engine)
    assert found["fingerprint"].startswith(f"{kind}/")
    assert (await origin(world.database)).is_known


async def test_another_server_on_the_same_database_changes_nothing(world: World) -> None:
    before = await meta(world)
    await (await world.open()).firing.admit(limit=1)
    after = await meta(world)
    if world.engine == "sqlite":  # there the process that opens the file is the database server
        assert after["epoch"] == before["epoch"] + 1
    else:
        assert after == before


async def test_a_database_that_is_not_the_same_raises_the_epoch_once(world: World) -> None:
    before = await meta(world)
    far = await world.now() // SECOND + 1000
    await become_another(world, epoch=far)
    others = [await world.open() for _ in range(3)]
    await asyncio.gather(*(other.firing.admit(limit=1) for other in others))
    after = await meta(world)
    if world.engine == "sqlite":
        assert after["epoch"] == far + len(others)
    else:
        assert after == {"epoch": far + 1, "fingerprint": before["fingerprint"]}


async def test_an_epoch_is_never_behind_store_time(world: World) -> None:
    await become_another(world, epoch=7)
    await (await world.open()).firing.admit(limit=1)
    assert abs((await meta(world))["epoch"] - await world.now() // SECOND) < 60


async def test_an_epoch_from_a_faster_clock_still_rises(world: World) -> None:
    far = await world.now() // SECOND + 1000
    await become_another(world, epoch=far)
    await (await world.open()).firing.admit(limit=1)
    assert (await meta(world))["epoch"] == far + 1


async def test_nothing_is_leased_on_a_connection_that_has_not_compared(world: World) -> None:
    await save(world)
    await trigger(world)
    await become_another(world, epoch=7)
    other = await world.open()
    run = await (await worker(world, other)).lease_one()
    assert run.fence >> EPOCH_BITS == (await meta(world))["epoch"] > 7


async def test_fences_rise_across_a_failover_that_forgot_the_lease(world: World) -> None:
    await save(world, exclusive=True, overlap="queue_all")
    await trigger(world)
    cursor = (await world.rows("SELECT job_id, fence_seq FROM cursors"))[0]
    lost = await (await worker(world)).lease_one()
    # The new primary has none of it: the run waits as before and the job's counter is where it was.
    await world.change(
        "UPDATE runs SET state = 'PENDING', ver = ver + 1, attempt = 0, lease_id = NULL, session_id = NULL, "
        "request_no = NULL, fence = NULL, leased_at = NULL, deadline_at = NULL"
    )
    await world.change("UPDATE cursors SET fence_seq = :seq", seq=cursor["fence_seq"])
    await become_another(world)
    other = await world.open()
    again = await (await worker(world, other)).lease_one()
    assert again.run_id == lost.run_id
    assert again.fence > lost.fence


async def test_connections_compare_when_they_are_made_and_not_again(world: World) -> None:
    before = await meta(world)
    await become_another(world)
    await world.store.firing.admit(limit=1)
    assert (await meta(world))["epoch"] == before["epoch"]
    if isinstance(world.database.runner, GreenletRunner):
        await world.database.runner.close()  # its pools make new connections when asked
        await world.store.firing.admit(limit=1)
        assert (await meta(world))["epoch"] > before["epoch"]


@pytest.mark.services
async def test_a_standby_that_is_away_makes_the_store_lossy_too(
    postgres_server: Postgres, postgres_world: World
) -> None:
    assert (await origin(postgres_world.database)).lossy == ""
    slot = "SELECT pg_create_physical_replication_slot('of_a_standby')"
    await asyncio.to_thread(postgres_server._admin, lambda connection: connection.execute(slot))
    try:
        assert (await origin(postgres_world.database)).lossy == "its standbys are not synchronous"
    finally:
        gone = "SELECT pg_drop_replication_slot('of_a_standby')"
        await asyncio.to_thread(postgres_server._admin, lambda connection: connection.execute(gone))
