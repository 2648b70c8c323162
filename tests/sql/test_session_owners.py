"""Owners of sessions in the tables."""

from typing import Any

import pytest

from foliot.domain.access import ForeignSession, TooManySessions, TooMuchOffered
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, Hello, Leaving
from foliot.store.sql import node_store
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from tests.conformance.working import Worker, register
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


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """3000 bytes for what an owner's sessions say of their handlers; up to 100 do not count."""
    monkeypatch.setattr(node_store, "OFFERS_BYTES_FEW", 100)
    monkeypatch.setattr(node_store, "OFFERS_BYTES_MAX", 3000)


async def say(world: World, session: str, words: str, owner: str = "t-1") -> None:
    offers = (HandlerOffer(name="python:m:f", parameters={"enum": [words]}),)
    hello = Hello(session=session, name="w", group="default", slots=8, handlers=offers, owner=owner)
    await world.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)


@pytest.mark.usefixtures("little_room")
async def test_the_sessions_of_an_owner_say_only_so_much_of_their_handlers(world: World) -> None:
    """Every server holds in memory what workers offer."""
    await say(world, "a", "a" * 1000)
    await say(world, "b", "b" * 1000)
    with pytest.raises(TooMuchOffered):
        await say(world, "c", "c" * 1000)
    assert await world.value("SELECT count(*) FROM nodes") == 2, "it did not begin"
    with pytest.raises(TooMuchOffered):
        await say(world, "b", "b" * 2000)
    await say(world, "b", "b" * 1100)
    await say(world, "c", "c" * 10)
    await say(world, "d", "d" * 1000, "t-2")
    await world.store.nodes.leave(Leaving(session="b"), judge)
    await say(world, "c", "c" * 1000)


@pytest.mark.usefixtures("little_room")
async def test_workers_that_say_the_same_count_once(world: World) -> None:
    """A fleet with the same code is one text in the memory of a server, however large the fleet is."""
    for number in range(8):
        await say(world, f"w{number}", "x" * 1200)
    for number in range(8):
        await say(world, f"w{number}", "y" * 1200)  # one after the other reloads its code
    await say(world, "other", "z" * 1200)
    with pytest.raises(TooMuchOffered):
        await say(world, "w0", "x" * 1200)
    await say(world, "w0", "z" * 1200)


async def test_a_session_whose_owner_says_too_much_already_may_say_as_much_or_less(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with a larger bound let them in."""
    await say(world, "a", "a" * 20_000)
    await say(world, "b", "b" * 20_000)
    monkeypatch.setattr(node_store, "OFFERS_BYTES_MAX", 3000)
    await say(world, "a", "a" * 20_000)
    await say(world, "a", "c" * 20_000)
    await say(world, "b", "b" * 19_000)
    with pytest.raises(TooMuchOffered):
        await say(world, "b", "b" * 19_001)


async def test_a_text_that_many_workers_say_is_read_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of workers may say megabytes each: a server must not have them all in memory while it reads."""
    for number in range(6):
        await say(world, f"w{number}", "x" * 1000 if number % 2 else "y" * 1000)
    read = list[int]()
    rows = Tx.rows

    def weighed(tx: Tx, statement: Statement, *values: Any, **sets: Any) -> Any:
        found = rows(tx, statement, *values, **sets)
        read.append(sum(len(str(value)) for row in found for value in row))
        return found

    monkeypatch.setattr(Tx, "rows", weighed)
    nodes = await world.store.lookups.nodes()
    said = {node.session: node.handlers["python:m:f"] for node in nodes}
    assert said == {f"w{n}": {"enum": ["x" * 1000 if n % 2 else "y" * 1000]} for n in range(6)}
    assert 2 * 1000 < sum(read) < 2 * 1000 + 6 * 300
