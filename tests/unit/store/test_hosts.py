"""Of several hosts the first that takes writes: whether the others are down, refuse, or say nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.store.sql.kernel.hosts import Host, Hosts, NoWritableHost

HOSTS: list[Host] = [("a", 1), ("b", 2), ("c", 3)]


class Net:
    """Hosts that answer as told."""

    def __init__(self, **answers: Callable[[], Awaitable[str]]) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.discarded: list[str] = []

    async def connect(self, host: Host) -> str:
        self.asked.append(host[0])
        return await self.answers[host[0]]()

    def hosts(self, hosts: list[Host], **options: Any) -> Hosts:
        return Hosts(
            hosts,
            self.connect,
            discard=self.discarded.append,
            is_final=lambda error: isinstance(error, PermissionError),
            **options,
        )

    async def first(self, hosts: list[Host] = HOSTS, **options: Any) -> Any:
        return await self.hosts(hosts, **options).first()

    async def highest(self, ranks: dict[str, int], hosts: list[Host] = HOSTS, **options: Any) -> Any:
        async def rank(connection: str) -> int:
            return ranks[connection]

        return await self.hosts(hosts, **options).highest(rank)


def gives(name: str) -> Callable[[], Awaitable[str]]:
    async def answer() -> str:
        return name

    return answer


def raises(error: Exception) -> Callable[[], Awaitable[str]]:
    async def answer() -> str:
        raise error

    return answer


async def silence() -> str:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def test_while_all_is_well_the_first_serves_and_no_other_is_asked() -> None:
    net = Net(a=gives("a"), b=gives("b"), c=gives("c"))
    assert await net.first() == "a"
    assert net.asked == ["a"]


async def test_those_that_refuse_are_passed_by_at_once() -> None:
    net = Net(a=raises(ConnectionRefusedError()), b=raises(RuntimeError("a standby")), c=gives("c"))
    async with asyncio.timeout(10):
        assert await net.first(patience_s=3600) == "c"


async def test_one_that_says_nothing_does_not_cost_the_others_their_turn() -> None:
    net = Net(a=silence, b=silence, c=gives("c"))
    assert await net.first(patience_s=0.01) == "c"


async def test_one_that_was_only_slow_still_serves_and_the_other_is_let_go() -> None:
    ready = asyncio.Event()

    async def slow() -> str:
        await ready.wait()
        return "a"

    async def late() -> str:
        ready.set()
        try:
            return await silence()
        except asyncio.CancelledError:
            return "b"  # it was there all the same

    net = Net(a=slow, b=late)
    assert await net.first(HOSTS[:2], patience_s=0.01) == "a"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert net.discarded == ["b"]


async def test_when_none_serves_each_says_why() -> None:
    net = Net(a=raises(ConnectionRefusedError("refused")), b=raises(TimeoutError()), c=raises(OSError("a standby")))
    with pytest.raises(NoWritableHost, match="a:1: refused; b:2: TimeoutError; c:3: a standby"):
        await net.first()


async def test_a_wrong_password_is_told_and_no_other_host_is_bothered() -> None:
    net = Net(a=raises(PermissionError("wrong password")), b=gives("b"), c=gives("c"))
    with pytest.raises(PermissionError):
        await net.first()
    assert net.asked == ["a"]


async def test_a_single_host_fails_in_its_own_words() -> None:
    with pytest.raises(ConnectionRefusedError):
        await Net(a=raises(ConnectionRefusedError())).first(HOSTS[:1])


async def test_given_up_by_the_caller_nothing_is_left_running() -> None:
    before = asyncio.all_tasks()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await Net(a=silence, b=silence, c=silence).first(patience_s=0.001)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


# -- ranked -------------------------------------------------------------------------------------------------------


async def test_of_two_that_take_writes_the_higher_serves_and_the_other_is_let_go() -> None:
    net = Net(a=gives("a"), b=gives("b"), c=raises(ConnectionRefusedError()))
    assert await net.highest({"a": 3, "b": 4}) == "b"
    assert net.discarded == ["a"]


async def test_of_equals_the_first_in_order_serves() -> None:
    net = Net(a=gives("a"), b=gives("b"), c=gives("c"))
    assert await net.highest({"a": 4, "b": 4, "c": 4}) == "a"
    assert sorted(net.discarded) == ["b", "c"]


async def test_the_silent_are_not_waited_for_once_one_serves() -> None:
    net = Net(a=silence, b=gives("b"), c=silence)
    assert await net.highest({"b": 1}, patience_s=0.01) == "b"


async def test_one_that_cannot_say_its_rank_is_no_host() -> None:
    net = Net(a=gives("a"), b=gives("b"))

    assert await net.highest({"b": 1}, HOSTS[:2]) == "b"
    assert net.discarded == ["a"]


async def test_when_none_can_be_ranked_each_says_why() -> None:
    net = Net(a=raises(OSError("a standby")), b=raises(ConnectionRefusedError("refused")))
    with pytest.raises(NoWritableHost, match="a:1: a standby; b:2: refused"):
        await net.highest({}, HOSTS[:2])


async def test_a_wrong_password_is_told_before_all_else() -> None:
    net = Net(a=raises(ConnectionRefusedError()), b=raises(PermissionError("wrong password")))
    with pytest.raises(PermissionError):
        await net.highest({}, HOSTS[:2])


async def test_a_standby_that_does_not_know_the_database_yet_is_passed_by() -> None:
    net = Net(a=raises(PermissionError("no such database")), b=gives("b"))
    assert await net.highest({"b": 1}, HOSTS[:2]) == "b"
