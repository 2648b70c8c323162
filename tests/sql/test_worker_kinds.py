"""What workers say of their kinds of handlers: kept once, counted with their offers, forgotten when nobody says it."""

from typing import Any

from foliot.domain.instants import DAY, HOUR
from foliot.domain.verdict import judge
from foliot.ports.worker_link import HandlerOffer, Hello, KindFailure, KindOffer, Leaving, StatedKinds
from tests.sql.world import World

WEATHER = KindOffer(kind="weather", version="1.2", options={"properties": {"zip": {}, "city": {}}})
BROKEN = KindFailure(kind="grpc", package="foliot-grpc", version="0.3", why="ImportError: grpc")
KEPT = "SELECT count(*) FROM worker_kinds"


def hello(session: str, **fields: Any) -> Hello:
    usual = {"handlers": (HandlerOffer(name="weather"),), "kinds": (WEATHER,), "failed_kinds": (BROKEN,)}
    return Hello(session=session, name=session, group="default", slots=1, owner="t-1", **{**usual, **fields})


async def register(world: World, *hellos: Hello) -> list[str]:
    registered = [await world.store.nodes.register(one, kind="worker", ttl_us=3 * DAY) for one in hellos]
    return [one.offer_hash for one in registered]


async def kinds(world: World) -> dict[str, StatedKinds]:
    return {node.name: node.kinds for node in await world.store.lookups.nodes()}


async def test_workers_that_say_the_same_share_one_row(world: World) -> None:
    first, second, third, older = await register(
        world, hello("a"), hello("b"), hello("c", failed_kinds=()), hello("d", kinds=(), failed_kinds=())
    )
    assert first == second, "the same is offered"
    assert len({first, third, older}) == 3, "what differs in its kinds alone is told apart"
    assert await world.value(KEPT) == 2
    said = await kinds(world)
    assert said["a"] == said["b"] == StatedKinds(loaded=(WEATHER,), failed=(BROKEN,))
    assert list((said["a"].loaded[0].options or {})["properties"]) == ["zip", "city"], "in the order of its author"
    assert said["c"] == StatedKinds(loaded=(WEATHER,))
    assert said["d"] == StatedKinds(loaded=(KindOffer(kind="weather"),)), "by its offers"


async def test_a_session_says_anew_what_its_kinds_are(world: World) -> None:
    await register(world, hello("a"), hello("a", kinds=(), failed_kinds=()))
    assert await kinds(world) == {"a": StatedKinds(loaded=(KindOffer(kind="weather"),))}


async def test_what_nobody_says_any_more_is_forgotten_and_what_somebody_says_stays(world: World) -> None:
    await register(world, hello("a"), hello("b", failed_kinds=()))
    term = await world.store.nodes.campaign("a", ttl_us=3 * DAY)
    assert term is not None
    forget = world.store.code.forget
    await world.elapse(2 * HOUR)
    await register(world, hello("c"))  # the row is old: its use is noted
    await world.elapse(DAY - HOUR)
    for session in ("a", "b", "c"):
        await world.store.nodes.leave(Leaving(session=session), judge)
    assert await forget(unused_us=DAY, limit=10, term=term.number + 1) == 0, "not the leader"
    assert await forget(unused_us=DAY, limit=10, term=term.number) == 1
    assert await world.value(KEPT) == 1, "some session said it less than a day ago"
    await register(world, hello("d"))
    await world.elapse(2 * DAY)
    assert await forget(unused_us=DAY, limit=10, term=term.number) == 0, "a live session says it"
