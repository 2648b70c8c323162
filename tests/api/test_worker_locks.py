"""A worker's beat renews the locks of its runs: the answer names those that hold on, and those that are lost."""

from collections.abc import Sequence
from typing import Any

import pytest

from foliot.operations.worker_service import WorkerService
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.worker_link import Beat
from tests.api.stage import Stage
from tests.api.test_registering import HELLO, WORKER, Desk


def beat(number: int, *locks: str) -> Beat:
    return Beat(session=HELLO.session, beat_no=number, settled=0, held=(), locks=locks)


async def test_the_answer_names_what_was_renewed_and_a_store_that_is_away_renews_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = WorkerService(stage.services, Desk())
    await service.register(HELLO, by=WORKER)

    async def renew(claims: Sequence[str], **whose: Any) -> Sequence[str]:
        if "busy" in claims:
            raise StoreBusy("The store is busy.")
        if "away" in claims:
            raise StoreUnavailable("The store does not answer.")
        return ["gone"]

    monkeypatch.setattr(stage.services.store.locks, "renew", renew)
    answer = await service.beat(beat(1, "kept", "gone"), by=WORKER)
    assert (answer.alive, answer.renewed, answer.lost) == (True, ("kept",), ("gone",))
    for number, trouble in enumerate(("busy", "away"), start=2):
        answer = await service.beat(beat(number, "kept", trouble), by=WORKER)
        assert (answer.alive, answer.renewed, answer.lost) == (True, (), ()), trouble
