"""Fault tests: real processes, broken while they work; the checker judges what happened (F00)."""

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


async def test_f00_nothing_is_broken(cluster: Cluster, size: Size) -> None:
    cluster.start()
    await cluster.wait_for_runs(15)
    await cluster.load(40 if size == "full" else 8)
    findings = await cluster.judged("F00")
    assert findings["I3"].figures["lateness_s_p50"] < 1.0
    assert cluster.figures["abandoned"] == cluster.figures["deaths"] == cluster.figures["zombies_tried"] == 0
