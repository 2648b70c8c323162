"""What a server asks of kazoo, whose client keeps every callable that waits for a change of a node."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from foliot.coordination.zookeeper import ZookeeperLine
from tests.clocks import settle

pytestmark = pytest.mark.anyio


class Stat(NamedTuple):
    version: int


class Watched(ZookeeperLine):
    """The line of a server whose ZooKeeper is a dictionary; it keeps watches as kazoo does, one set a node."""

    def __init__(self) -> None:
        self._wake = "/foliot/wake"
        self._me = "me"
        self._woken: Callable[[str], None] | None = None
        self.versions = {"due": 0, "quiet": 0}
        self.watches: defaultdict[str, set[Callable[[object], None]]] = defaultdict(set)

    async def _connected(self) -> None: ...

    async def _ask(self, what: str, *values: Any, **named: Any) -> Any:
        node = values[0]
        self.watches[node].add(named["watch"])
        if what == "get_children":
            return list(self.versions)
        return b"other", Stat(self.versions[node.rpartition("/")[2]])

    def change(self, topic: str) -> None:
        self.versions[topic] += 1
        for watch in self.watches.pop(f"{self._wake}/{topic}"):
            watch(None)


async def test_a_quiet_topic_gathers_no_watches() -> None:
    line = Watched()
    heard: list[str] = []
    hearing = asyncio.create_task(line.hear(heard.append))
    for number in range(1, 51):
        await settle()
        line.change("due")
        await settle()
        assert heard == ["due"] * number
    assert [len(waiting) for waiting in line.watches.values()] == [1, 1, 1]
    hearing.cancel()
