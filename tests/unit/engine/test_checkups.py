"""The leader's checkup while the store is busy or away: the next round comes a minute later, not at once."""

from typing import cast

import pytest

from foliot.domain.checkup import Finding
from foliot.engine.checkups import EVERY_S, Checkups
from foliot.engine.leader_duties import LeaderDuty
from foliot.engine.leadership import Leadership
from foliot.ports.store.checkup import CheckupStore
from foliot.ports.store.errors import StoreBusy, StoreUnavailable


class Leads:
    """A server that leads."""

    term = 1


@pytest.mark.parametrize("trouble", [StoreBusy("too busy"), StoreUnavailable("away")])
async def test_a_store_that_is_busy_or_away_is_not_examined_in_a_hurry(trouble: Exception) -> None:
    async def examine() -> list[Finding]:
        raise trouble

    checkups = Checkups(cast("CheckupStore", None), examine, on_graded=lambda _term, _grades: None)
    duty = LeaderDuty("checkups", cast("Leadership", Leads()), checkups.check_up, every_s=EVERY_S)

    assert await duty.step() == EVERY_S
