"""The store's row behind every coordinator: terms, transfers and the wake-ups of a database, on every store."""

from collections.abc import Callable

import pytest

from foliot.app.plugins import load
from foliot.domain.instants import HOUR, SECOND, Micros
from foliot.ports.coordinator import Coordinator, ElectionParts, ElectionTimes, LeaderRow
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.wakeups import Wakeups
from foliot.ports.worker_link import Hello
from tests.conformance.working import worker
from tests.conformance.world import CHANCE, CLOCK, World

TTL = 5 * SECOND


class Remembered:
    """Wake-ups that are only written down."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.woken: Callable[[str], None] | None = None
        self.closed = False

    def send(self, topic: str) -> None:
        self.sent.append(topic)

    async def listen(self, woken: Callable[[str], None]) -> None:
        self.woken = woken

    async def close(self) -> None:
        self.closed = True


def made(world: World, wakeups: Wakeups | None = None) -> Coordinator:
    times = ElectionTimes(term_us=TTL, session_us=SESSION_TTL_US)
    parts = ElectionParts(terms=world.store.nodes, times=times, wakeups=wakeups, clock=CLOCK, chance=CHANCE)
    coordinator: Coordinator = load("foliot.coordinators", "store")(parts, url="store")
    return coordinator


@pytest.fixture
def coordinator(world: World) -> Coordinator:
    """The store's own coordinator, as one server has it. Every other one asks it for the term (`test_elections.py`)."""
    return made(world)


async def _server(world: World, session: str) -> str:
    hello = Hello(session=session, name=session, group="", slots=0, handlers=())
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
    return session


async def test_one_wins_and_the_other_does_not(coordinator: Coordinator) -> None:
    term = await coordinator.campaign("a")
    assert term is not None
    assert term.number == 1
    assert TTL - SECOND < term.until - term.now <= TTL
    assert await coordinator.campaign("b") is None


async def test_the_term_is_the_one_of_the_stores_row(coordinator: Coordinator, world: World) -> None:
    term = await coordinator.campaign("a")
    pulse = await world.store.firing.pulse()
    assert term is not None
    assert (pulse.leader, pulse.term) == ("a", term.number)


async def test_the_holder_renews_its_term(coordinator: Coordinator, world: World) -> None:
    first = await coordinator.campaign("a")
    await world.elapse(3 * SECOND)
    again = await coordinator.campaign("a")
    assert first is not None
    assert again is not None
    assert again.number == first.number
    assert again.until >= first.until + 3 * SECOND


async def test_a_term_that_ran_out_is_followed_by_a_higher_one(coordinator: Coordinator, world: World) -> None:
    await coordinator.campaign("a")
    await world.elapse(TTL + SECOND)
    other = await coordinator.campaign("b")
    assert other is not None
    assert other.number == 2
    assert await coordinator.campaign("a") is None


async def test_a_server_whose_own_term_ran_out_gets_a_new_one(coordinator: Coordinator, world: World) -> None:
    await coordinator.campaign("a")
    await world.elapse(TTL + SECOND)
    again = await coordinator.campaign("a")
    assert again is not None
    assert again.number == 2


async def test_stepping_down_lets_another_win_at_once(coordinator: Coordinator) -> None:
    term = await coordinator.campaign("a")
    assert term is not None
    await coordinator.resign("a", term=term.number + 1)  # not a term it holds
    assert await coordinator.campaign("b") is None
    await coordinator.resign("a", term=term.number)
    other = await coordinator.campaign("b")
    assert other is not None
    assert other.number == 2


async def test_leadership_is_handed_over_under_the_next_term(coordinator: Coordinator, world: World) -> None:
    heir = await _server(world, "b")
    first = await coordinator.campaign("a")
    assert first is not None
    assert await coordinator.transfer(heir, session="a", term=first.number) == first.number + 1
    assert await coordinator.campaign("a") is None, "the server that led does not win it back"
    second = await coordinator.campaign(heir)
    assert second is not None
    assert second.number == first.number + 1


async def test_an_heir_that_does_not_come_is_not_waited_for(coordinator: Coordinator, world: World) -> None:
    heir = await _server(world, "b")
    first = await coordinator.campaign("a")
    assert first is not None
    await coordinator.transfer(heir, session="a", term=first.number)
    await world.elapse(TTL + SECOND)
    again = await coordinator.campaign("a")
    assert again is not None
    assert again.number == first.number + 2


async def test_only_the_holder_of_the_term_hands_over_and_only_to_a_live_server(
    coordinator: Coordinator, world: World
) -> None:
    heir, anne = await _server(world, "b"), await worker(world)
    first = await coordinator.campaign("a")
    assert first is not None
    assert await coordinator.transfer("nobody", session="a", term=first.number) is None
    assert await coordinator.transfer(anne.session, session="a", term=first.number) is None
    assert await coordinator.transfer(heir, session="a", term=first.number + 1) is None
    assert await coordinator.transfer(heir, session="x", term=first.number) is None, "it is not its to give"
    await world.elapse(SESSION_TTL_US + SECOND)
    assert await coordinator.transfer(heir, session="a", term=first.number) is None, "it has been silent for too long"


@pytest.mark.parametrize(
    ("holder", "ahead", "may"),
    [
        (None, -SECOND, True),
        ("me", SECOND, True),
        ("another", SECOND, False),
        ("another", -SECOND, True),  # it ran out
        ("another", HOUR, True),  # from before a clock step: nobody renews it
    ],
)
async def test_a_server_bids_when_the_row_is_free(
    coordinator: Coordinator, holder: str, ahead: Micros, may: bool
) -> None:
    row = LeaderRow(session=holder, until=HOUR + ahead, now=HOUR)
    assert coordinator.may_bid("me", row) is may


async def test_a_server_that_knows_nothing_of_the_row_bids(coordinator: Coordinator) -> None:
    assert coordinator.may_bid("me", None)


async def test_wake_ups_may_be_sent_although_nobody_carries_them(coordinator: Coordinator) -> None:
    heard: list[str] = []
    await coordinator.listen(heard.append)
    coordinator.send("ready")
    await coordinator.close()
    assert heard == []


async def test_wake_ups_of_the_database_are_sent_and_heard(world: World) -> None:
    carrier, heard = Remembered(), list[str]()
    coordinator = made(world, carrier)
    await coordinator.listen(heard.append)
    coordinator.send("ready")
    assert carrier.woken is not None
    carrier.woken("due")
    await coordinator.close()
    assert (carrier.sent, heard, carrier.closed) == (["ready"], ["due"], True)
