"""A worker hides the secrets that its runs were given in everything it sends and keeps, and rejects what may not be."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.handler import JobHandler
from foliot.domain.verdict import Cause
from foliot.worker.secrets.settings import read_secret_settings
from foliot.worker.secrets.vault import Vault
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.indiscreet_kind import Indiscreet
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer, Row
from tests.unit.worker.house import code

CANARY = "s3cret-canary"
TABLES = {
    "TOKEN": {"env": "TOKEN", "namespaces": ["default"], "hosts": ["api.example.org"]},
    "FOREIGN": {"env": "TOKEN", "namespaces": ["billing"]},
    "LOST": {"file": "/nothing/here", "namespaces": ["default"]},
}
HOST = {"host": "api.example.org"}


class Desk:
    """A worker with secrets and an indiscreet kind."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server

    def add(self, text: str, **options: Any) -> Row:
        handler = JobHandler("indiscreet", {"text": text, **options})
        return self.server.add(handler.offer, options=handler.options_text())

    async def ended(self, row: Row) -> Row:
        await soon(lambda: row.state.is_final, within_s=60)
        return row


@asynccontextmanager
async def indiscreet_worker(spool: Path | None = None) -> AsyncIterator[Desk]:
    server = FakeServer(SystemClock())
    vault = Vault(read_secret_settings(TABLES), clock=SystemClock(), environment={"TOKEN": CANARY})
    settings = WorkerSettings(
        name="w-1", slots=4, processes_warm=0, drain_timeout_s=0.0, flush_within_s=0.2, spool=spool
    )
    worker = Worker(server, SystemClock(), SystemChance(), settings, code(), [Indiscreet()], vault)
    task = asyncio.create_task(worker.run())
    try:
        yield Desk(server)
    finally:
        worker.stop()
        await asyncio.wait_for(task, 60)


async def test_what_a_run_tells_of_its_secret_is_hidden_wherever_it_goes() -> None:
    async with indiscreet_worker() as desk:
        well = await desk.ended(desk.add("Bearer ${secret:TOKEN}", **HOST))
        ill = await desk.ended(desk.add("Bearer ${secret:TOKEN}", fails=True, **HOST))
        held = desk.add("Bearer ${secret:TOKEN}", waits=True, **HOST)
        await soon(lambda: held.progress is not None, within_s=60)
        desk.server.cancel(held)
        await desk.ended(held)
    assert (well.cause, ill.cause) == (Cause.SUCCEEDED, Cause.ERROR)
    assert '"length":20' in str(well.reports[0].result), "the handler had the value itself"
    for row in (well, ill, held):
        sent = [row.log, row.progress, row.checkpoint, *row.reports]
        assert "***" in str(row.log)
        assert "WARNING  the checkpoint was not saved: it holds the value of a secret" in row.log
        assert row.checkpoint is None
        assert CANARY not in str(sent)
        assert "canary" not in str(sent)
    assert "***" in str(held.progress)
    assert "***" in str(ill.reports[0].error)


async def test_a_run_that_was_handed_no_secret_cannot_tell_by_its_texts_what_others_were_handed() -> None:
    guesses = (CANARY, CANARY[:5], f"{CANARY}-42")
    async with indiscreet_worker() as desk:
        await desk.ended(desk.add("Bearer ${secret:TOKEN}", **HOST))
        rows = [await desk.ended(desk.add(guess)) for guess in guesses]
        rows += [await desk.ended(desk.add(guess, fails=True)) for guess in guesses]
    for row, guess in zip(rows, guesses * 2, strict=True):
        assert f"OUT  {guess}\n" in row.log
        assert json.loads(str(row.reports[0].checkpoint)) == {"told": guess}, "a checkpoint is never changed"
        assert "***" not in str([row.log, row.progress, *row.reports])


@pytest.mark.parametrize(
    ("text", "cause", "error"),
    [
        ("${secret:OTHER}", Cause.REJECTED, "This worker has no secret OTHER."),
        ("${secret:FOREIGN}", Cause.REJECTED, 'The secret FOREIGN may not go to the namespace "default".'),
        ("${secret:TOKEN}", Cause.REJECTED, 'The secret TOKEN may not go to the host "evil.example:443".'),
        ("${secret:LOST}", Cause.ERROR, "The secret LOST cannot be read: No such file or directory"),
    ],
)
async def test_a_secret_that_may_not_be_had_rejects_the_run_and_one_that_fails_lets_it_try_again(
    text: str, cause: Cause, error: str
) -> None:
    host = {} if "LOST" in text else {"host": "evil.example"}
    async with indiscreet_worker() as desk:
        row = await desk.ended(desk.add(text, **host))
    assert row.cause is cause
    assert error in str(row.reports[0].error)
    if cause is Cause.REJECTED:
        assert row.reports[0].started_us_ago is None
        assert "code=FOL-403" in row.log


async def test_results_that_wait_on_disk_hold_no_secret(tmp_path: Path) -> None:
    async with indiscreet_worker(tmp_path) as desk:
        row = desk.add("${secret:TOKEN}", waits=True, fails=True, **HOST)
        await soon(lambda: row.progress is not None, within_s=60)
        desk.server.is_away = True
    (spooled,) = [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size]
    kept = spooled.read_bytes()
    assert b"***" in kept
    assert b"canary" not in kept
