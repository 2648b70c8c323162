"""How long the figures of runs are kept, as the leader forgets them."""

from foliot.domain.instants import DAY, SECOND
from foliot.domain.statistics.figures import Minutes, count, rolled_up
from foliot.domain.statistics.resolution import KEPT_US, Resolution
from foliot.engine.statistics import ForgettingFigures
from tests.conformance.building import save
from tests.conformance.test_statistics_store import counted, points_of
from tests.conformance.working import lead, trigger, worker
from tests.sql.world import World


async def test_minutes_go_after_two_days_hours_after_sixty_and_days_after_thirteen_months(world: World) -> None:
    """Each to the second: a point is kept as long as it begins no earlier than that."""
    assert {resolution.word: us // DAY for resolution, us in KEPT_US.items()} == {"minute": 2, "hour": 60, "day": 400}
    await save(world, "tick")
    anne = await worker(world)
    await trigger(world)
    await anne.complete(*await anne.lease(8))
    await counted(world)
    ran_at = believed = await world.now()
    forgetting = ForgettingFigures(world.store.statistics, lambda: believed)
    term = await lead(world)

    async def kept() -> list[int]:
        while await forgetting.forget(term) is not None:
            pass
        return [len(await points_of(world, resolution)) for resolution in Resolution]

    assert await kept() == [1, 1, 1]
    left = [1, 1, 1]
    for resolution in Resolution:
        believed = resolution.start_of(ran_at) + KEPT_US[resolution]
        assert await kept() == left, f"the last moment of a {resolution.word}"
        believed += SECOND
        left[resolution] = 0
        assert await kept() == left, f"a second later than a {resolution.word} is kept"


async def test_runs_that_are_counted_late_make_no_points_that_are_too_old(world: World) -> None:
    """A leader that counts after a long time makes none that would be forgotten at once."""
    await save(world, "tick")
    anne = await worker(world)
    await trigger(world)
    await anne.complete(*await anne.lease(8))
    ran_at = await world.now()
    statistics = world.store.statistics
    passed = await statistics.passed(after_id=0, until_id=(await statistics.progress()).newest_id, limit=10)
    minutes: Minutes = {}
    count(minutes, passed.ended)
    for resolution, kept_us in KEPT_US.items():
        last_at = resolution.start_of(ran_at) + kept_us
        coarser = {one for one in Resolution if one > resolution}
        assert {key.resolution for key in rolled_up(minutes, now=last_at)} == {resolution} | coarser
        assert {key.resolution for key in rolled_up(minutes, now=last_at + SECOND)} == coarser
