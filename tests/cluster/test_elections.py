"""How soon another server leads after the leader died or stepped down, by every coordinator: at full size alone."""

from pathlib import Path

import pytest

from bench.elections import SERVICES, bars, figures_of
from foliot.app.settings import TIMINGS
from foliot.domain.instants import SECOND

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio, pytest.mark.matrix]

KILLS = 5


@pytest.mark.parametrize("recorded_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("coordinator", SERVICES)
async def test_another_leads_soon_by_every_coordinator(coordinator: str, recorded_url: str, tmp_path: Path) -> None:
    figures = await figures_of(recorded_url, coordinator, kills=KILLS, timing="test", folder=tmp_path)
    told = bars({coordinator: figures}, TIMINGS["test"].leader_ttl_us / SECOND)
    assert [one for one in told if not one["reached"]] == []
