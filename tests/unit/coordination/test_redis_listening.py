"""How a listener of Redis finds out that nobody is there any more."""

from types import TracebackType
from typing import Any, Self

import pytest

from foliot.coordination.redis import RedisKey
from foliot.domain.wakeups import MISSED

pytestmark = pytest.mark.anyio


class Channel:
    """A subscription, as far as a listener uses it: it has these messages, and None where nothing came in time."""

    def __init__(self, *types: str | None) -> None:
        self._types = list(types)
        self.pings = 0

    def pubsub(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def subscribe(self, channel: str) -> None: ...

    async def ping(self) -> None:
        self.pings += 1

    async def get_message(self, *, timeout: float) -> dict[str, Any] | None:
        kind = self._types.pop(0)
        return None if kind is None else {"type": kind, "data": "other:ready due"}


class Key(RedisKey):
    """A server's key whose subscription is the test's."""

    def __init__(self, channel: Channel) -> None:
        self._listener, self._channel, self._me = channel, "foliot:wake", "me"


async def test_a_quiet_channel_is_asked_and_one_that_does_not_answer_is_given_up() -> None:
    heard: list[str] = []
    channel = Channel("subscribe", None, "pong", "message", None, "message", None, "pong", None, None)
    with pytest.raises(TimeoutError):
        await Key(channel).hear(heard.append)
    assert channel.pings == 4
    assert heard == [MISSED, "ready", "due", "ready", "due"]
