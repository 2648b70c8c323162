"""A log at its limit: its tail and the windows before it are read from near their place, not from the log's head."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LogChunk
from tests.api.asking import Api
from tests.api.stage import Stage

LINES = 6000
CHUNK = 500  # lines
LONG = 900  # one line in a hundred is longer than usual, and its letters have three bytes


def line(number: int) -> str:
    return f"2026-03-02T06:02:00.000Z  INFO  {number} " + "结" * (LONG if number % 100 == 0 else 3)


@pytest.fixture
async def run(api: Api, stage: Stage) -> str:
    """A run whose second attempt wrote a long log."""
    await api.create_job("tick", retries=1)
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    made = str((await api.post("/jobs/tick:trigger")).json()["id"])
    for text, cause in (("first try\n", Cause.ERROR), ("", Cause.SUCCEEDED)):
        for _ in range(12):  # the second try comes after a while
            stage.elapse("5s")
            await worker.beat()
        leased = await worker.lease()
        assert leased is not None
        texts = (
            [text] if text else ["".join(f"{line(at + n)}\n" for n in range(CHUNK)) for at in range(0, LINES, CHUNK)]
        )
        offset = 0
        for one in texts:
            chunk = LogChunk(
                run_id=leased.run_id, lease_id=leased.lease_id, attempt=leased.attempt, offset=offset, text=one
            )
            await stage.store.runs.write_logs(worker.session, [chunk])
            offset += len(one.encode())
        await worker.end(cause, after_us=SECOND)
    return made


@pytest.fixture
def read(stage: Stage) -> list[int]:
    """How many letters of the log the store gave out, call by call."""
    counted: list[int] = []
    logs = stage.services.store.lookups.logs

    async def counting(*how: Any, **more: Any) -> Sequence[LogChunk]:
        found = await logs(*how, **more)
        counted.append(sum(len(chunk.text) for chunk in found))
        return found

    object.__setattr__(stage.services.store.lookups, "logs", counting)
    return counted


async def test_the_tail_is_read_without_the_head(api: Api, run: str, read: list[int]) -> None:
    stream = (await api.get(f"/runs/{run}/logs", follow=True, tail=100)).text
    data = re.findall(r"^data: (.+)$", stream, re.MULTILINE)
    assert data == [line(number) for number in range(LINES - 100, LINES)]
    whole = sum(len(line(number)) + 1 for number in range(LINES))
    assert 0 < sum(read) < whole / 3


async def test_windows_go_back_to_the_first_try_and_miss_no_line(api: Api, run: str, read: list[int]) -> None:
    found: list[str] = []
    before: str | None = None
    is_begin = False
    while not is_begin:
        window = (await api.get(f"/runs/{run}/lines", before=before, limit=700)).json()
        found = [one["text"] for one in window["items"]] + found
        before, is_begin = window["items"][0]["position"], window["is_begin"]
    assert found == ["first try", *(line(number) for number in range(LINES))]
