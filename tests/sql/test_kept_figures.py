"""How long the figures of runs are kept, as the leader forgets them."""

from foliot.domain.instants import DAY
from foliot.domain.statistics.resolution import Resolution
from foliot.engine.statistics import ForgettingFigures
from tests.conformance.building import save
from tests.conformance.test_statistics_store import counted, points_of
from tests.conformance.working import lead, trigger, worker
from tests.sql.world import World


async def test_days_are_kept_for_thirteen_months(world: World) -> None:
    await save(world, "tick")
    anne = await worker(world)
    await trigger(world)
    await anne.complete(*await anne.lease(8))
    await counted(world)
    ran_at = await world.now()
    believed = ran_at
    forgetting = ForgettingFigures(world.store.statistics, lambda: believed)
    term = await lead(world)

    async def kept() -> list[int]:
        while await forgetting.forget(term) is not None:
            pass
        return [len(await points_of(world, resolution)) for resolution in Resolution]

    assert await kept() == [1, 1, 1]
    believed = ran_at + 3 * DAY
    assert await kept() == [0, 1, 1]
    believed = ran_at + 399 * DAY
    assert await kept() == [0, 0, 1]
    believed = ran_at + 402 * DAY
    assert await kept() == [0, 0, 0]
