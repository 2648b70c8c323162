"""What rests while a server is a standby, and when its looks promote."""

import asyncio

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.roles import Promotion, Role, SeenServer, SeenServers
from foliot.engine.roles import LOOKS_IN_A_ROW, OwnRole, Promoting, WhileActive

pytestmark = pytest.mark.anyio


def seen(*roles: Role) -> SeenServers:
    servers = [
        SeenServer(session=f"{number}", name=f"s-{number}", role=role, started_at=number, is_live=True)
        for number, role in enumerate(roles)
    ]
    return SeenServers(servers=servers)


class Roles:
    """A store that counts looks, and promotes when it is asked to."""

    def __init__(self, servers: SeenServers) -> None:
        self.now = servers
        self.looks = 0
        self.promotions = 0

    async def servers(self) -> SeenServers:
        self.looks += 1
        return self.now

    async def promote(self) -> Promotion | None:
        self.promotions += 1
        chosen = self.now.next_active
        return None if chosen is None else Promotion(session=chosen.session, name=chosen.name, at=0)


def promoting(store: Roles, *, role: Role, leads: bool = False) -> Promoting:
    return Promoting(store, OwnRole(role), leads=lambda: leads, every_us=5 * SECOND)  # type: ignore[arg-type]


async def test_a_standby_that_misses_an_active_server_once_may_be_wrong() -> None:
    store = Roles(seen(Role.STANDBY))
    duty = promoting(store, role=Role.STANDBY)
    assert await duty.step() == 5.0
    store.now = seen(Role.ACTIVE, Role.STANDBY)  # it beat again: the store was away
    assert await duty.step() == 5.0
    store.now = seen(Role.STANDBY)
    for _ in range(LOOKS_IN_A_ROW - 1):
        await duty.step()
    assert store.promotions == 0
    assert await duty.step() == 0, "there may be one more to promote"
    assert store.promotions == 1


async def test_active_servers_that_do_not_lead_ask_nothing_and_the_leader_seldom_when_there_is_no_standby() -> None:
    store = Roles(seen(Role.ACTIVE))
    assert await promoting(store, role=Role.ACTIVE).step() == 5.0
    assert store.looks == 0
    assert await promoting(store, role=Role.ACTIVE, leads=True).step() == 60.0
    assert store.looks == 1


class Counting:
    """A duty that counts its steps."""

    name = "counting"

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.steps = 0

    async def step(self) -> float:
        self.steps += 1
        return 0.25


async def test_a_duty_rests_while_its_server_is_a_standby_or_drained() -> None:
    role, duty, changes = OwnRole(Role.STANDBY), Counting(), []
    role.on_change.append(lambda: changes.append(role.current))
    resting = WhileActive(duty, role)
    assert (await resting.step(), duty.steps) == (1.0, 0)
    role.learn("active", is_drained=False)
    assert (await resting.step(), duty.steps) == (0.25, 1)
    for _ in range(2):
        role.learn("standby", is_drained=False)
    assert (await resting.step(), duty.steps) == (1.0, 1)
    role.learn(None, is_drained=False)  # an older server wrote the row
    assert changes == [Role.ACTIVE, Role.STANDBY, Role.ACTIVE]
    role.learn(None, is_drained=True)
    assert (await resting.step(), duty.steps) == (1.0, 1)
    role.learn(None, is_drained=False)
    assert (await resting.step(), duty.steps, len(changes)) == (0.25, 2, 5)
