"""What is not fit to run is rejected before anything starts, and no payload harms the worker (R13)."""

import json
import logging

import pytest
import structlog

from foliot.domain.verdict import Cause
from foliot.worker.isolation.wire import ChildLimits
from tests.unit.worker.house import working

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "params",
    [
        "{not json",
        "",
        "null",
        "[1, 2]",
        '"text"',
        '{"a": "no number"}',
        '{"a": 1, "unknown": 2}',
        '{"a": NaN}',
        '{"a": 1' + "0" * 5000 + ".5}",
        '{"a": ' + DEEP + "}",
        '{"a": "\\ud800"}',
    ],
    ids=range(11),
)
@pytest.mark.parametrize("isolation", ["process", "thread"])
async def test_a_payload_that_does_not_fit_is_rejected(params: str, isolation: str) -> None:
    async with working() as house:
        row = house.add("add", params=params, isolation=isolation)
        after = house.add("echo", params='{"value": 1}')
        await house.done()
        assert row.cause is Cause.REJECTED
        assert row.reports[0].error
        assert row.reports[0].started_us_ago is None
        assert after.cause is Cause.SUCCEEDED


async def test_payloads_of_every_size_are_taken_or_rejected_in_words() -> None:
    async with working() as house:
        huge = house.add("fail", params=json.dumps({"message": "x" * 3_000_000}))
        bad = house.add("echo", params='{"value": "x"}')
        await house.done()
        assert huge.cause is Cause.ERROR
        assert len(str(huge.reports[0].error)) < 5000
        assert bad.cause is Cause.REJECTED


async def test_an_unknown_handler_is_rejected() -> None:
    async with working() as house:
        row = house.server.add("python:nowhere:nothing", reason="misrouted")
        await house.done()
        assert row.cause is Cause.REJECTED
        assert row.reports[0].error == "This worker has no handler python:nowhere:nothing."


@pytest.mark.parametrize(("function", "isolation"), [("add", "loop"), ("echo", "moon")])
async def test_an_isolation_that_does_not_fit_is_rejected(function: str, isolation: str) -> None:
    async with working() as house:
        row = house.add(function, isolation=isolation)
        await house.done()
        assert row.cause is Cause.REJECTED
        assert f"cannot run in isolation {isolation}" in str(row.reports[0].error)


@pytest.mark.parametrize("function", ["interrupt"])
async def test_a_handler_that_raises_what_would_end_a_loop_ends_alone(function: str) -> None:
    async with working() as house:
        row = house.add(function)
        in_a_process = house.add(function, isolation="process")
        in_a_thread = house.add(function, isolation="thread")
        after = house.add("echo")
        await house.done()
        assert {row.cause, in_a_process.cause, in_a_thread.cause} == {Cause.ERROR}
        assert row.reports[0].error_type == "KeyboardInterrupt"
        assert after.cause is Cause.SUCCEEDED


async def test_a_secret_in_a_payload_is_in_no_line_the_worker_logs(capfd: pytest.CaptureFixture[str]) -> None:
    canary = "canary-7f3a91"
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    keep = Keep()
    logging.getLogger().addHandler(keep)
    try:
        with structlog.testing.capture_logs() as events:
            async with working(limits=ChildLimits(memory_bytes=10**9), beat_every_s=0.2) as house:
                params = json.dumps({"message": canary})
                house.add("fail", params=params)
                house.add("fail", params=params, isolation="process")
                house.add("fail", params=params, isolation="thread")
                house.add("add", params=json.dumps({"a": canary}))
                house.add("echo", params=json.dumps({"value": canary}))
                house.add("echo", params=canary)
                house.server.add("python:nowhere:nothing", params=params, reason="misrouted")
                house.add("kill_itself", params=json.dumps({"number": 9}), reason=canary)
                house.add("until", params=json.dumps({"path": canary}), timeout_us=100_000)
                house.server.refuse = lambda report: canary in str(report.error)
                house.server.lose["complete"] = 2
                house.server.lose["logs"] = 2
                await house.done()
    finally:
        logging.getLogger().removeHandler(keep)
    assert events, "the worker logged something"
    said = "\n".join([*map(str, events), *records, *capfd.readouterr()])
    assert canary not in said
