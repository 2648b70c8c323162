"""Causes of skips in the tables: as data, and as the text that an older Foliot reads and writes."""

from foliot.domain.instants import HOUR, MINUTE
from foliot.domain.skips import SkipCause, SkipKind
from tests.conformance.building import DECIDE, every, make_due
from tests.sql.world import World


async def test_a_skip_says_its_cause_as_data_also_where_an_older_foliot_wrote_only_its_text(world: World) -> None:
    job = await every(world, "tick", "1m")
    await make_due(world, job)
    await world.store.firing.decide_due(DECIDE, limit=10)
    await world.elapse(MINUTE)
    await world.store.firing.decide_due(DECIDE, limit=10)
    assert job.next_due_at is not None
    at = job.next_due_at + MINUTE
    skip = (await world.store.lookups.ledger(job.job_id, at)).skip
    assert skip is not None
    assert (skip.cause, skip.why) == (SkipCause(SkipKind.OPEN_RUN), "an earlier run was still open")
    assert await world.value("SELECT cause FROM skips") == '{"kind":"open_run"}'
    await world.change("UPDATE skips SET cause = NULL, why = 'missed by more than 2h'")
    old = (await world.store.lookups.ledger(job.job_id, at)).skip
    assert old is not None
    assert old.cause == SkipCause(SkipKind.BEYOND_WINDOW, within_us=2 * HOUR)
