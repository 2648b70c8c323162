"""A report takes as many statements for many jobs as for one, and none of them reads runs."""

from typing import Any

import sqlalchemy as sa

from foliot.domain.instants import DAY, HOUR
from foliot.domain.statistics.resolution import Resolution
from tests.conformance.building import job_of, save
from tests.conformance.test_report_store import asked, ended, keep
from tests.conformance.world import World

STATEMENTS_MAX = 13


async def asked_of_the_database(world: World) -> list[str]:
    """What the database is asked for the report of yesterday."""
    texts: list[str] = []

    def sent(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        texts.append(text)

    today = Resolution.DAY.start_of(await world.now())
    sa.event.listen(sa.Engine, "before_cursor_execute", sent)
    try:
        await asked(world, today - DAY, today, namespace="default")
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", sent)
    return [text for text in texts if "FROM" in text]


async def test_the_number_of_statements_does_not_depend_on_the_number_of_jobs(world: World) -> None:
    today = Resolution.DAY.start_of(await world.now())
    counts = []
    for names in (["a"], [f"job-{n}" for n in range(30)]):
        for name in names:
            await save(world, name)
        await keep(world, [ended((await job_of(world, name)).job_id, today - HOUR) for name in names])
        texts = await asked_of_the_database(world)
        assert not [text for text in texts if " runs r" in text or "FROM runs" in text]
        counts.append(len(texts))
    assert 5 < counts[0] == counts[1] <= STATEMENTS_MAX
