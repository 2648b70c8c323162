"""Owners of sessions in the tables."""

import pytest

from foliot.domain.access import ForeignSession, TooManySessions, TooMuchOffered
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, Hello, Leaving
from foliot.store.sql import node_store
from tests.conformance.test_session_owners import register
from tests.conformance.working import Worker
from tests.sql.world import World


async def node(world: World, worker: Worker) -> dict[str, object]:
    return dict((await world.rows("SELECT * FROM nodes WHERE id = :id", id=worker.session))[0])


@pytest.mark.parametrize(("owner", "kind"), [("t-2", "worker"), (None, "worker"), ("t-1", "server")])
async def test_a_session_cannot_be_registered_by_another(world: World, owner: str | None, kind: str) -> None:
    worker = await register(world, "t-1")
    before = await node(world, worker)
    with pytest.raises(ForeignSession):
        await register(world, owner, session=worker.session, kind=kind)
    assert await node(world, worker) == before
    await register(world, "t-1", session=worker.session)


async def test_an_owner_has_only_so_many_live_sessions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_store, "SESSIONS_MAX", 2)
    first, _ = await register(world, "t-1"), await register(world, "t-1")
    with pytest.raises(TooManySessions, match="This token has 2 live sessions"):
        await register(world, "t-1")
    await register(world, "t-1", session=first.session)
    await register(world, "t-2")
    await register(world, None, kind="server")
    await world.store.nodes.leave(Leaving(session=first.session), judge)
    await register(world, "t-1")


async def test_the_sessions_of_an_owner_say_only_so_much_of_their_handlers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every server holds in memory what workers offer."""
    monkeypatch.setattr(node_store, "OFFERS_BYTES_FEW", 100)
    monkeypatch.setattr(node_store, "OFFERS_BYTES_MAX", 3000)

    async def say(session: str, words: int, owner: str = "t-1") -> None:
        offers = (HandlerOffer(name="python:m:f", parameters={"enum": ["x" * words]}),)
        hello = Hello(session=session, name="w", group="default", slots=8, handlers=offers, owner=owner)
        await world.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)

    await say("a", 1000)
    await say("b", 1000)
    with pytest.raises(TooMuchOffered):
        await say("c", 1000)
    assert await world.value("SELECT count(*) FROM nodes") == 2, "it did not begin"
    with pytest.raises(TooMuchOffered):
        await say("b", 2000)
    await say("b", 1100)
    await say("c", 10)
    await say("d", 1000, "t-2")
    await world.store.nodes.leave(Leaving(session="b"), judge)
    await say("c", 1000)
