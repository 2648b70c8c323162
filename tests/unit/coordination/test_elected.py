"""Who bids when a service beside the store chooses, lies, is silent or comes back; time is in the test's hands."""

from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from foliot.coordination.elected import ElectedCoordinator
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import CLAIMS_NAMED_MAX
from foliot.ports.coordinator import ELECTION, ElectionParts, ElectionTimes, LeaderRow
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.nodes import Term
from tests.clocks import CountingChance, DrivenClock, settle

pytestmark = pytest.mark.anyio

TERM_S = 5
NOW = 1_000 * SECOND


class Row:
    """The leader's row, as far as a coordinator asks for it (`ports.store.nodes.NodeStore`)."""

    def __init__(self) -> None:
        self.is_away = False
        self.live = {"me", "other"}

    async def campaign(self, session: str, *, ttl_us: int, session_ttl_us: int) -> Term | None:
        if self.is_away:
            raise StoreUnavailable("away")
        return Term(number=1, until=NOW + ttl_us, now=NOW)

    async def appoint(self, heir: str, *, session: str, term: int, ttl_us: int) -> int | None:
        return term + 1 if heir in self.live else None

    async def resign(self, session: str, *, term: int) -> None: ...


class Chooser:
    """`Backend` that chooses whom the test wants."""

    def __init__(self) -> None:
        self.is_away = False
        self.chosen: str | None = None
        self.stood: list[tuple[str, bool]] = []
        self.left: list[str] = []
        self.preferred: list[str] = []
        self.published: list[Sequence[str]] = []
        self.woken: Callable[[str], None] | None = None

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        if self.is_away:
            raise ConnectionError("away")
        self.stood.append((session, may_be_first))
        return self.chosen

    async def prefer(self, heir: str, *, session: str) -> None:
        self.preferred.append(heir)

    async def leave(self, session: str) -> None:
        if self.is_away:
            raise ConnectionError("away")
        self.left.append(session)

    async def publish(self, topics: Sequence[str]) -> None:
        if self.is_away:
            raise ConnectionError("away")
        self.published.append(topics)

    async def hear(self, woken: Callable[[str], None]) -> None:
        self.woken = woken

    async def close(self) -> None: ...


class Scene:
    """One server's coordinator, its service, its row and its clock."""

    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.row = Row()
        self.service = Chooser()
        self.woken: list[str] = []
        times = ElectionTimes(term_us=TERM_S * SECOND, session_us=15 * SECOND)
        row: object = self.row
        parts = ElectionParts(terms=row, times=times, wakeups=None, clock=self.clock, chance=CountingChance())  # type: ignore[arg-type]
        self.coordinator = ElectedCoordinator(parts, self.service, name="chooser")

    def may_bid(self, *, holder: str | None = None, for_s: float = -1) -> bool:
        """Ask whether this server may bid, while this session holds the row."""
        row = LeaderRow(session=holder, until=NOW + int(for_s * SECOND), now=NOW)
        return self.coordinator.may_bid("me", row)

    async def look(self, chosen: str | None) -> None:
        """Let the service choose, and the server see it."""
        self.service.chosen = chosen
        await self.clock.advance(TERM_S / 4)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    scene = Scene()
    await scene.coordinator.listen(scene.woken.append)
    scene.may_bid()
    await settle()
    yield scene
    await scene.coordinator.close()


async def test_only_the_chosen_server_bids_for_a_free_row(scene: Scene) -> None:
    await scene.look("other")
    assert not scene.may_bid()
    await scene.look("me")
    assert scene.may_bid()
    assert not scene.may_bid(holder="other", for_s=3), "the row is not free"
    assert scene.woken == [ELECTION]


async def test_a_server_that_has_seen_no_row_yet_bids_when_it_is_chosen(scene: Scene) -> None:
    await scene.look("other")
    assert not scene.coordinator.may_bid("me", None)
    await scene.look("me")
    assert scene.coordinator.may_bid("me", None)


async def test_everybody_bids_when_the_service_has_been_silent_for_a_term(scene: Scene) -> None:
    await scene.look("other")
    scene.service.is_away = True
    await scene.clock.advance(TERM_S - 1)
    assert not scene.may_bid()
    await scene.clock.advance(2.5)
    assert scene.may_bid()
    health = scene.coordinator.health()
    assert health is not None
    assert (health.is_up, health.is_chosen, health.outages) == (False, False, 1)
    assert scene.woken == [ELECTION], "the server hears of it once"
    await scene.clock.advance(10 * TERM_S)
    assert scene.woken == [ELECTION]


async def test_everybody_bids_when_the_row_has_been_free_for_two_terms(scene: Scene) -> None:
    await scene.look("other")
    assert not scene.may_bid()
    await scene.clock.advance(2 * TERM_S - TERM_S / 4 - 0.5)
    assert not scene.may_bid()
    await scene.clock.advance(1)
    assert scene.may_bid()
    assert scene.coordinator.heir("me") is None, "the chosen server does not lead: it is not handed to"
    await scene.look("third")
    assert scene.coordinator.heir("me") == "third"


async def test_the_time_of_a_free_row_begins_anew_when_somebody_holds_it(scene: Scene) -> None:
    await scene.look("other")
    await scene.clock.advance(1.5 * TERM_S)
    assert not scene.may_bid(holder="other", for_s=3)
    await scene.clock.advance(TERM_S)
    assert not scene.may_bid()


async def test_a_term_that_was_handed_to_this_server_is_renewed_whoever_is_chosen(scene: Scene) -> None:
    await scene.look("other")
    assert scene.may_bid(holder="me", for_s=3)
    assert scene.coordinator.heir("me") is None, "the service may not know of it yet"
    await scene.clock.advance(TERM_S + 0.1)
    assert scene.coordinator.heir("me") == "other"


async def test_a_leader_hands_over_to_the_server_that_the_service_chose_when_it_is_back(scene: Scene) -> None:
    scene.service.is_away = True
    await scene.clock.advance(2 * TERM_S)
    assert scene.may_bid()
    assert scene.coordinator.heir("me") is None
    scene.service.is_away = False
    await scene.look("other")
    assert scene.coordinator.heir("me") == "other"
    assert await scene.coordinator.transfer("other", session="me", term=1) == 2
    await settle()
    assert scene.service.preferred == [], "the service chose it already"


async def test_a_chosen_server_that_is_not_there_is_not_handed_to_twice(scene: Scene) -> None:
    scene.row.live = {"me"}
    await scene.look("other")
    assert await scene.coordinator.transfer("other", session="me", term=1) is None
    assert scene.coordinator.heir("me") is None
    assert scene.may_bid(), "this server leads again at once"


async def test_the_service_is_told_whom_a_person_wants(scene: Scene) -> None:
    await scene.look("me")
    assert await scene.coordinator.transfer("other", session="me", term=1) == 2
    await settle()
    assert scene.service.preferred == ["other"]


async def test_a_server_takes_an_empty_line_only_while_nobody_else_leads(scene: Scene) -> None:
    scene.may_bid(holder="other", for_s=3)
    await scene.look(None)
    assert scene.service.stood[-1] == ("me", False)
    scene.coordinator.heir("me")  # it leads
    await scene.look(None)
    assert scene.service.stood[-1] == ("me", True)


async def test_a_chosen_server_that_cannot_reach_the_store_goes_to_the_end_of_the_line(scene: Scene) -> None:
    await scene.look("me")
    scene.row.is_away = True
    with pytest.raises(StoreUnavailable):
        await scene.coordinator.campaign("me")
    await settle()
    assert scene.service.left == ["me"]
    assert scene.service.stood[-1] == ("me", False)
    await scene.clock.advance(2 * TERM_S + 1)
    assert scene.service.stood[-1] == ("me", True)


async def test_a_server_without_store_and_service_leaves_the_line_once_when_the_service_is_back(scene: Scene) -> None:
    await scene.look("me")
    scene.row.is_away = scene.service.is_away = True
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            await scene.coordinator.campaign("me")
        await scene.clock.advance(TERM_S)
    scene.service.is_away = False
    await scene.clock.advance(TERM_S)
    assert scene.service.left == ["me"]


async def test_a_server_with_a_new_session_gives_up_the_place_of_the_old_one(scene: Scene) -> None:
    await scene.look("me")
    scene.coordinator.may_bid("me again", None)
    await settle()
    assert scene.service.left == ["me"]
    assert scene.service.stood[-1][0] == "me again"


async def test_wake_ups_are_sent_at_most_ten_times_a_second_and_all_topics_in_one_message(scene: Scene) -> None:
    for _ in range(50):
        scene.coordinator.send("ready")
        scene.coordinator.send("due")
        await scene.clock.advance(0.02)
    assert 9 <= len(scene.service.published) <= 11
    assert scene.service.published[-1] == ["due", "ready"]


async def test_a_lock_that_is_granted_does_not_wait_behind_other_topics(scene: Scene) -> None:
    scene.coordinator.send("ready")
    await settle()
    scene.coordinator.send("ready")
    await scene.clock.advance(0.02)
    scene.coordinator.send("lock:a")
    await settle()
    assert scene.service.published == [["ready"], ["lock:a"]]
    await scene.clock.advance(0.1)
    assert scene.service.published[2:] == [["ready"]]


async def test_what_could_not_be_sent_is_one_word_when_the_service_is_back(scene: Scene) -> None:
    scene.service.is_away = True
    for claim in range(500):
        scene.coordinator.send(f"lock:{claim}")
        scene.coordinator.send("due")
        await scene.clock.advance(0.05)
    scene.service.is_away = False
    await scene.clock.advance(TERM_S)
    assert ["missed" in topics for topics in scene.service.published].count(True) == 1
    assert max(len(topics) for topics in scene.service.published) <= CLAIMS_NAMED_MAX + 2


async def test_wake_ups_of_other_servers_are_heard(scene: Scene) -> None:
    assert scene.service.woken is not None
    scene.service.woken("due")
    assert scene.woken == ["due"]
