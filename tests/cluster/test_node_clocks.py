"""The wall clocks of servers and workers show anything, and nothing changes (F07, C2)."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size, on
from tests.servers.faketime import FakeTime

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

HOUR_S = 3600.0
STEP_EVERY_S = 5.0


@pytest.fixture
def clocks() -> Iterator[list[FakeTime]]:
    """One an hour ahead, one an hour behind, one that jumps."""
    with ExitStack() as stack:
        yield [stack.enter_context(FakeTime(offset_s)) for offset_s in (HOUR_S, -HOUR_S, 0.0)]


@on("postgresql")
async def test_f07_node_clocks_are_wrong(cluster: Cluster, size: Size, clocks: list[FakeTime]) -> None:
    """The same decisions as with true clocks. On SQLite the server's clock is the store's: workers alone are moved."""
    ahead, behind, jumping = clocks
    if cluster.is_sqlite:
        cluster.start_server("s1")
    else:
        for name, clock in zip(("s1", "s2", "s3"), clocks, strict=True):
            cluster.start_server(name, environment=clock.environment)
    for name, clock in zip(("w1", "w2", "w3"), (jumping, ahead, behind), strict=True):
        cluster.start_worker(name, environment=clock.environment)
    await cluster.wait_for_runs(15)
    for _ in range(8 if size == "full" else 2):
        jumping.set(cluster.chance.uniform(-2 * HOUR_S, 2 * HOUR_S))
        cluster.figures["clock_steps"] = cluster.figures.get("clock_steps", 0) + 1
        await cluster.load(STEP_EVERY_S)
    findings = await cluster.judged("F07")
    assert findings["I3"].figures["lateness_s_p50"] < 1.0
    assert cluster.figures["abandoned"] == cluster.figures["deaths"] == cluster.figures["zombies_tried"] == 0
