"""Two servers that promote at once: both chose the same standby, and the second update matches nothing (R1)."""

import pytest

from foliot.domain.roles import Role
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.sql.interleavings.halting import halting
from tests.sql.world import World

pytestmark = pytest.mark.services


async def test_a_standby_that_another_promoted_meanwhile_is_not_followed_by_a_second(postgres_world: World) -> None:
    world = postgres_world
    for name in ("s1", "s2"):
        hello = Hello(session=name, name=name, group="", slots=0, handlers=())
        await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US, role=Role.STANDBY)
    slow = await halting(world, "roles.chosen")
    await slow.start(slow.store.nodes.promote())  # it has seen that nobody is active
    quick = await world.store.nodes.promote()
    assert quick is not None
    assert quick.name == "s1"
    assert await slow.finish() is None
    rows = await world.rows("SELECT name, role FROM nodes ORDER BY name")
    assert [(row["name"], row["role"]) for row in rows] == [("s1", "active"), ("s2", "standby")]
