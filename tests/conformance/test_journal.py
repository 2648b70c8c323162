"""The journal: each happening once, read backwards in pages and forwards as it grows."""

import pytest

from foliot.domain.instants import HOUR
from foliot.ports.store.journal import EventFilter, Journal, Topic
from tests.conformance.building import happening
from tests.conformance.world import World

EVERYTHING = EventFilter()


@pytest.fixture
def journal(world: World) -> Journal:
    return world.store.journal


async def test_what_two_saw_is_noted_once(journal: Journal) -> None:
    await journal.note([happening(1), happening(2)])
    await journal.note([happening(2), happening(3), happening(3)])
    page = await journal.newest(EVERYTHING, limit=10)
    assert [event.data["n"] for event in page.items] == [3, 2, 1]
    assert page.next_before_id is None
    assert page.items[0].data["reason"] == "月底 🧾"


async def test_pages_go_back_to_the_first_event_and_miss_none(journal: Journal) -> None:
    await journal.note([happening(n) for n in range(25)])
    seen, before_id = [], None
    for _ in range(10):
        page = await journal.newest(EVERYTHING, limit=10, before_id=before_id)
        seen += [event.data["n"] for event in page.items]
        before_id = page.next_before_id
        if before_id is None:
            break
    assert seen == list(range(24, -1, -1))


async def test_a_namespace_sees_only_its_own_and_nothing_of_the_cluster(journal: Journal) -> None:
    await journal.note(
        [happening(1), happening(2, namespace="other"), happening(3, topic=Topic.CLUSTER, namespace=None)]
    )
    page = await journal.newest(EventFilter(namespace="default"), limit=10)
    assert [event.data["n"] for event in page.items] == [1]
    assert len((await journal.newest(EventFilter(subject="job2"), limit=10)).items) == 1


async def test_with_the_cluster_a_namespace_sees_what_belongs_to_none_and_nothing_of_others(journal: Journal) -> None:
    await journal.note(
        [happening(1), happening(2, namespace="other"), happening(3, topic=Topic.CLUSTER, namespace=None)]
    )
    page = await journal.newest(EventFilter(namespace="default", with_cluster=True), limit=10)
    assert [event.data["n"] for event in page.items] == [3, 1]
    alone = EventFilter(namespace="default", with_cluster=True, topics=frozenset({Topic.CLUSTER}))
    assert [event.data["n"] for event in (await journal.newest(alone, limit=10)).items] == [3]


async def test_what_comes_later_is_read_forwards(journal: Journal) -> None:
    await journal.note([happening(1)])
    last = await journal.newest_id()
    await journal.note([happening(2), happening(3)])
    assert [event.data["n"] for event in await journal.after(EVERYTHING, last, limit=10)] == [2, 3]


async def test_old_events_are_forgotten_and_only_they(world: World, journal: Journal) -> None:
    await journal.note([happening(1), happening(2)])
    await world.elapse(HOUR)
    await journal.note([happening(3)])
    now = await world.now()
    assert await journal.forget(before=now - HOUR // 2, limit=100) == 2
    assert await journal.forget(before=now - HOUR // 2, limit=100) == 0
    page = await journal.newest(EVERYTHING, limit=10)
    assert [event.data["n"] for event in page.items] == [3]
    since = EventFilter(since=now - HOUR // 2)
    assert len((await journal.newest(since, limit=10)).items) == 1
