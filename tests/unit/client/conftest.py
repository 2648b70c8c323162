"""Servers that answer as told, and both clients behind one face."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from foliot import AsyncFoliot, Foliot
from foliot.client.machine import Machine
from tests.unit.client.answering import Answering, answering


class FastMachine(Machine):
    """Pauses take no time, and time passes by them alone."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    async def pause_async(self, seconds: float) -> None:
        self.pause(seconds)


class Waited:
    """An async object seen from plain code: what it would await is waited for."""

    def __init__(self, runner: asyncio.Runner, behind: Any) -> None:
        self._runner = runner
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._behind, name)
        return (lambda *args, **kwargs: self._seen(value(*args, **kwargs))) if callable(value) else self._seen(value)

    def _seen(self, value: Any) -> Any:
        if asyncio.iscoroutine(value):
            return self._seen(self._runner.run(value))
        if hasattr(value, "__aiter__"):
            return self._runner.run(_listed(value))
        return Waited(self._runner, value) if type(value).__name__.startswith("Async") else value


async def _listed(items: Any) -> list[Any]:
    return [item async for item in items]


Connect = Callable[..., Any]


@pytest.fixture
def machine() -> FastMachine:
    return FastMachine()


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        yield here


@pytest.fixture
def other_server() -> Iterator[Answering]:
    with answering() as here:
        yield here


@pytest.fixture(params=["plain", "async"])
def connect(request: pytest.FixtureRequest, machine: FastMachine) -> Iterator[Connect]:
    """Makes a client; each test sees both kinds."""
    with ExitStack() as stack:
        if request.param == "plain":
            yield lambda url, **options: stack.enter_context(Foliot(url, "t0ken", machine=machine, **options))
        else:
            runner = stack.enter_context(asyncio.Runner())

            def connected(url: Any, **options: Any) -> Any:
                client = AsyncFoliot(url, "t0ken", machine=machine, **options)
                stack.callback(lambda: runner.run(client.close()))
                return Waited(runner, client)

            yield connected
