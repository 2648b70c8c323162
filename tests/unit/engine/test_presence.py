"""The session of a server: what its beats cost the store."""

from typing import Any

import pytest

from foliot.app.system import SystemChance
from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.engine.presence import OwnSession, Presence
from foliot.ports.store.errors import StoreBusy
from foliot.ports.worker_link import BeatAnswer, Hello

pytestmark = pytest.mark.anyio


class Counting:
    """A store that counts how often it is asked for addresses, and is busy when told."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_busy = False

    async def register(self, hello: Hello, **_how: Any) -> None:
        """It is known."""

    async def beat(self, *_beat: Any, **_how: Any) -> BeatAnswer:
        return BeatAnswer(alive=True)

    async def addresses(self) -> list[str]:
        self.asked += 1
        if self.is_busy:
            raise StoreBusy("Busy.")
        return [f"https://s{self.asked}"]


async def test_the_addresses_of_servers_are_read_once_in_the_time_of_a_session_and_fail_no_beat() -> None:
    store = Counting()

    def hello(session: str) -> Hello:
        return Hello(session=session, name="s1", group="", slots=0, handlers=(), address="https://s1")

    presence = Presence(
        store,  # type: ignore[arg-type]
        OwnSession(SystemChance()),
        hello,
        judge,
        ttl_us=15 * SECOND,
        clock_offset=lambda: None,
    )
    for _ in range(1 + 3):  # it registers, and beats
        await presence.step()
    assert (store.asked, presence.addresses) == (1, ("https://s1",))
    store.is_busy = True
    for _ in range(3):
        assert await presence.step() == 5.0, "the beat counts"
    assert (store.asked, presence.addresses) == (2, ("https://s1",))
    store.is_busy = False
    await presence.step()
    assert presence.addresses == ("https://s3",)
