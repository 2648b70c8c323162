"""The session of a server: what its beats cost the store."""

from typing import Any

import pytest

from foliot.app.system import SystemChance
from foliot.domain.instants import SECOND
from foliot.domain.roles import Role
from foliot.domain.verdict import judge
from foliot.engine.presence import OwnSession, Presence
from foliot.engine.roles import OwnRole
from foliot.ports.store.errors import StoreBusy
from foliot.ports.worker_link import BeatAnswer, Hello

pytestmark = pytest.mark.anyio


class Counting:
    """A store that counts how often it is asked for addresses, and is busy when told."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_busy = False
        self.registered: list[tuple[str, Role]] = []  # sessions, and the roles they began with
        self.answer = BeatAnswer(alive=True)

    async def register(self, hello: Hello, *, role: Role, **_how: Any) -> None:
        self.registered.append((hello.session, role))

    async def beat(self, *_beat: Any, **_how: Any) -> BeatAnswer:
        return self.answer

    async def addresses(self) -> list[str]:
        self.asked += 1
        if self.is_busy:
            raise StoreBusy("Busy.")
        return [f"https://s{self.asked}"]


def hello(session: str) -> Hello:
    return Hello(session=session, name="s1", group="", slots=0, handlers=(), address="https://s1")


def presence_on(store: Counting, role: OwnRole | None = None) -> Presence:
    return Presence(
        store,  # type: ignore[arg-type]
        OwnSession(SystemChance()),
        hello,
        judge,
        ttl_us=15 * SECOND,
        clock_offset=lambda: None,
        role=role,
    )


async def test_the_addresses_of_servers_are_read_once_in_the_time_of_a_session_and_fail_no_beat() -> None:
    store = Counting()
    presence = presence_on(store)
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


@pytest.mark.parametrize("given", list(Role))
async def test_a_session_that_begins_anew_keeps_the_role_that_the_process_was_given(given: Role) -> None:
    started_as = Role.ACTIVE if given is Role.STANDBY else Role.STANDBY
    store, role = Counting(), OwnRole(started_as)
    presence = presence_on(store, role)
    await presence.step()
    store.answer = BeatAnswer(alive=True, role=given)
    await presence.step()
    store.answer = BeatAnswer(alive=False)  # it stood still for long, and the others gave it up
    for _ in range(2):
        await presence.step()
    (first, began_as), (second, goes_on_as) = store.registered
    assert first != second
    assert (began_as, goes_on_as, role.current) == (started_as, given, given)
