"""What a server asks of kazoo, whose client keeps every callable that waits for a change of a node."""

import asyncio
import threading
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
from kazoo.exceptions import NoNodeError

from foliot.coordination import zookeeper
from foliot.coordination.elected import LEAVE_WITHIN_S
from foliot.coordination.zookeeper import MESSAGES_KEPT, SIZE_MAX, ZookeeperLine, ended
from foliot.domain.wakeups import MISSED
from tests.clocks import settle
from tests.eventually import soon

pytestmark = pytest.mark.anyio

SAID = "/foliot/said"


class Stat(NamedTuple):
    czxid: int
    version: int


class Event(NamedTuple):
    path: str | None


class Node(NamedTuple):
    data: bytes
    stat: Stat


class Zoo:
    """A ZooKeeper that is a dictionary; it keeps watches as kazoo does, one set a node, and each is called once."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.watches: defaultdict[str, set[Callable[[Any], None]]] = defaultdict(set)
        self.asked: list[str] = []
        self._made = 0

    async def ask(self, what: str, *values: Any, **named: Any) -> Any:
        path = values[0]
        self.asked.append(what)
        if "watch" in named:
            self.watches[path].add(named["watch"])
        if what == "get_children":
            return [node.rpartition("/")[2] for node in self.nodes]
        if what == "create":
            self._made += 1
            self.nodes[path] = Node(values[1], Stat(self._made, 0))
            self._tell(SAID)
        elif path not in self.nodes:
            raise NoNodeError
        elif what == "set":
            stat = self.nodes[path].stat
            self.nodes[path] = Node(values[1], stat._replace(version=stat.version + 1))
            self._tell(path)
        return self.nodes[path]

    def end_of(self, server: str) -> None:
        """ZooKeeper dropped the session of a server."""
        path = f"{SAID}/{server}"
        del self.nodes[path]
        self._tell(path)
        self._tell(SAID)

    def _tell(self, path: str) -> None:
        for watch in self.watches.pop(path, ()):
            watch(Event(path))


class Line(ZookeeperLine):
    """A server's line on that ZooKeeper."""

    def __init__(self, zoo: Zoo, me: str) -> None:
        self._said, self._me = SAID, me
        self._messages = deque(maxlen=MESSAGES_KEPT)
        self._ask = zoo.ask  # type: ignore[method-assign]

    async def _connected(self) -> None: ...


@asynccontextmanager
async def hearing(zoo: Zoo) -> AsyncIterator[list[str]]:
    heard: list[str] = []
    task = asyncio.create_task(Line(zoo, "me").hear(heard.append))
    await settle()
    assert heard == [MISSED]
    heard.clear()
    yield heard
    task.cancel()


async def test_each_message_is_heard_once_and_a_quiet_server_gathers_no_watches() -> None:
    zoo = Zoo()
    other, quiet = Line(zoo, "other"), Line(zoo, "quiet")
    async with hearing(zoo) as heard:
        await quiet.publish(["due"])
        await settle()
        zoo.asked.clear()
        for number in range(50):
            await other.publish([f"lock:{number}", "ready"])
            await settle()
        assert heard == ["due", *(topic for number in range(50) for topic in (f"lock:{number}", "ready"))]
        assert sum(map(len, zoo.watches.values())) == 3, "one for the list of servers and one for each of them"
        assert zoo.asked.count("get") <= 51, "only the server that spoke is asked"


async def test_messages_between_two_looks_are_heard_too_and_very_many_are_one_word() -> None:
    zoo = Zoo()
    other = Line(zoo, "other")
    async with hearing(zoo) as heard:
        await other.publish(["due"])
        await settle()
        for number in range(MESSAGES_KEPT):
            await other.publish([f"lock:{number}"])
        await settle()
        assert heard == ["due", *(f"lock:{number}" for number in range(MESSAGES_KEPT))]
        heard.clear()
        for number in range(MESSAGES_KEPT + 1):
            await other.publish([f"lock:{number}"])
        await settle()
        assert heard[0] == MISSED


async def test_a_listener_half_a_second_behind_hears_each_message_of_a_busy_server() -> None:
    zoo = Zoo()
    other = Line(zoo, "other")
    async with hearing(zoo) as heard:
        await other.publish(["due"])
        await settle()
        for number in range(50):  # a server says up to 100 messages in a second
            await other.publish([f"lock:{number}"])
        await settle()
        assert heard == ["due", *(f"lock:{number}" for number in range(50))]


async def test_long_messages_do_not_make_a_node_large() -> None:
    zoo = Zoo()
    other = Line(zoo, "other")
    async with hearing(zoo) as heard:
        await other.publish(["due"])
        await settle()
        topic = "lock:" + "c" * 1000
        for _ in range(MESSAGES_KEPT):
            await other.publish([topic])
        assert len(zoo.nodes[f"{SAID}/other"].data) < SIZE_MAX + MESSAGES_KEPT
        await settle()
        assert heard[:2] == ["due", MISSED], "what no longer fits is missed, not lost without a word"


async def test_a_server_whose_session_ended_is_heard_again() -> None:
    zoo = Zoo()
    other = Line(zoo, "other")
    async with hearing(zoo) as heard:
        await other.publish(["due"])
        await settle()
        zoo.end_of("other")
        await settle()
        await other.publish(["ready"])
        await settle()
        assert heard == ["due", "ready"]


async def test_nobody_hears_itself() -> None:
    zoo = Zoo()
    async with hearing(zoo) as heard:
        await Line(zoo, "me").publish(["due"])
        await settle()
        assert heard == []


class Hanging:
    """A client that does not end while its service is away."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.thread: threading.Thread | None = None

    def stop(self) -> None:
        self.thread = threading.current_thread()
        self.may_end.wait()

    def close(self) -> None: ...


async def test_a_client_that_does_not_end_keeps_neither_the_server_nor_its_process() -> None:
    client = Hanging()
    assert not await ended(client, within_s=0.01)
    thread = await soon(lambda: client.thread, what="the client is asked to end")
    assert thread is not None
    assert thread.daemon, "the process ends without it"
    client.may_end.set()
    assert await ended(client, within_s=60)
    assert zookeeper.CLOSE_WITHIN_S + LEAVE_WITHIN_S <= 2
