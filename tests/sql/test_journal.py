"""The journal in the tables: pages of any size."""

import pytest

from foliot.ports.store.journal import EventFilter, Journal, Topic
from foliot.store.sql.people import journal as sql_journal
from tests.conformance.building import happening
from tests.sql.world import World


@pytest.fixture
def journal(world: World) -> Journal:
    return world.store.journal


async def test_a_filter_looks_at_a_bounded_number_of_rows_and_says_where_to_go_on(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_journal, "LOOK_MAX", 5)
    await journal.note([happening(n, topic=Topic.NODES if n < 2 else Topic.JOBS) for n in range(12)])
    wanted = EventFilter(topics=frozenset({Topic.NODES}))
    page = await journal.newest(wanted, limit=10)
    assert page.items == []
    page = await journal.newest(wanted, limit=10, before_id=page.next_before_id)
    page = await journal.newest(wanted, limit=10, before_id=page.next_before_id)
    assert [event.data["n"] for event in page.items] == [1, 0]
    assert page.next_before_id is None
