"""What handlers write reaches the server: routed to its run, in order, once, and never cut in silence."""

import asyncio
import contextvars
import json
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from foliot.app.system import SystemClock
from foliot.domain.errors import InvalidInput
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LogChunk
from foliot.sdk.handler import Handler
from foliot.worker.capture import _RecordHandler, captured, current_attempt, records_taken
from foliot.worker.handlers.python import PythonHandlers
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import working


def lines(text: str) -> list[str]:
    return [line.split("  ", 1)[1] for line in text.splitlines()]


async def test_async_runs_side_by_side_do_not_mix_their_output() -> None:
    async with working(slots=20) as house:
        rows = [house.add("talk", params='{"lines": 3}') for _ in range(20)]
        await house.done()
        expected = [f"{word} {i}" for i in range(3) for word in ("OUT  line", "INFO  jobs: record", "ERR  error")]
        assert all(lines(row.log) == expected for row in rows)


async def test_a_thread_writes_to_its_own_run(tmp_path: Path) -> None:
    async with working() as house:
        rows = [
            house.add("thread_work", params=json.dumps({"path": str(tmp_path / "go")}), isolation="thread")
            for _ in range(3)
        ]
        await house.until(lambda: house.worker.figures.started == 3)
        (tmp_path / "go").touch()
        await house.done()
        assert all(lines(row.log) == ["OUT  in a thread"] for row in rows)
        assert all(str(row.reports[0].result).startswith('"run r-') for row in rows)


async def test_a_thread_is_asked_to_stop() -> None:
    async with working() as house:
        row = house.add("thread_work", isolation="thread", timeout_us=100_000)
        await house.done()
        assert row.cause is Cause.TIMEOUT


async def test_lines_are_shipped_while_the_run_goes_on(tmp_path: Path) -> None:
    async with working() as house:
        row = house.add("patient")
        await house.until(lambda: "INFO  waiting" in row.log)
        assert not row.state.is_final


@pytest.mark.slow
async def test_lost_answers_repeat_chunks_and_lose_or_double_nothing() -> None:
    async with working(slots=4) as house:
        house.server.lose["logs"] = 5
        rows = [house.add("talk", params='{"lines": 200}') for _ in range(4)]
        await house.done(within_s=90)
        assert all(row.log.count("\n") == 600 for row in rows)
        assert house.server.fenced_logs == []


async def test_logs_that_are_refused_do_not_hold_up_the_end() -> None:

    class Picky(FakeServer):
        async def write_logs(self, session: str, chunks: object) -> None:
            raise InvalidInput("No.")

    async with working(Picky(SystemClock())) as house:
        row = house.add("talk")
        await house.done(row)
        assert house.worker._logs.refused >= 1
        assert house.worker._logs.pending == 0


async def test_a_chunk_that_is_refused_does_not_cost_the_others() -> None:
    class Picky(FakeServer):
        async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
            if any(chunk.run_id == 3 for chunk in chunks):
                raise InvalidInput("No.")
            await super().write_logs(session, chunks)

    async with working(Picky(SystemClock()), slots=8) as house:
        rows = [house.add("talk", params='{"lines": 3}') for _ in range(8)]
        await house.done()
        assert [row.run.run_id for row in rows if row.log.count("line ") != 3] == [3]


async def test_memory_for_logs_is_bounded_while_no_server_takes_them() -> None:
    server = FakeServer(SystemClock(), ttl_s=60, beat_every_s=20, margin_s=1)
    async with working(server, log_pending_max_bytes=200_000, flush_within_s=0.1) as house:
        rows = [house.add("print_much", params='{"bytes_": 1000000}', isolation="process") for _ in range(3)]
        server.lose["logs"] = 10**9
        await house.until(lambda: house.worker.figures.ended.get(Cause.SUCCEEDED) == 3, within_s=90)
        assert house.worker._logs.pending < 1_000_000
        server.lose.clear()
        await house.done(within_s=90)
        cut = [row for row in rows if "no server takes the logs" in row.log]
        assert cut, "and it is said where lines are missing"
        assert all(row.log.endswith("OUT  the last line\n") for row in rows)


async def test_a_context_does_not_leak_from_one_run_to_the_next() -> None:
    var: contextvars.ContextVar[str] = contextvars.ContextVar("var", default="")
    seen: list[str] = []

    async def leaky() -> None:
        seen.append(var.get())
        var.set("left behind")

    async with working(slots=1) as house:
        handler = Handler(leaky, job="leaky")
        await house.until(lambda: house.worker.session is not None)
        await house.worker.reload(PythonHandlers(handlers={handler.name: handler}, offered=(handler.offer(),)))
        for _ in range(5):
            house.server.add(handler.name)
        await house.done()
        assert seen == [""] * 5


async def test_outside_of_runs_output_goes_where_it_always_went(capsys: pytest.CaptureFixture[str]) -> None:
    with captured():
        print("to the console")
        print("to the error console", file=sys.stderr)
        logging.getLogger("quiet").info("nobody asked for it")
    out, err = capsys.readouterr()
    assert out == "to the console\n"
    assert "to the error console" in err
    assert current_attempt.get(None) is None


def test_a_program_that_logs_to_the_console_is_captured_once(capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[str] = []

    own = logging.StreamHandler(sys.stderr)
    with records_taken(_keep_in(taken)):
        logging.getLogger("lib").warning("taken")
        logging.getLogger().addHandler(own)
        try:
            logging.getLogger("lib").warning("written by its own handler")
        finally:
            logging.getLogger().removeHandler(own)
    assert taken == ["WARNING lib: taken"]
    assert "written by its own handler" in capsys.readouterr().err


def test_a_record_whose_arguments_do_not_fit_is_written_all_the_same() -> None:
    taken: list[str] = []

    handler = _RecordHandler(_keep_in(taken))
    handler.emit(logging.LogRecord("lib", logging.INFO, "", 1, "arguments %d", ("do not fit",), None))
    assert taken == ["INFO lib: 'arguments %d' (its arguments do not fit)"]


def _keep_in(taken: list[str]) -> Callable[[str, str], bool]:
    def take(level: str, text: str) -> bool:
        taken.append(f"{level} {text}")
        return True

    return take


async def test_a_console_set_up_for_the_worker_gets_no_record_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    console = logging.StreamHandler(sys.stderr)  # as a program sets it up before the worker runs
    root.addHandler(console)
    level = root.level
    root.setLevel(logging.WARNING)
    try:
        async with working() as house:
            row = house.add("talk")
            await house.done(row)
            logging.getLogger("worker").info("too little to be said")
            logging.getLogger("worker").warning("said on the console")
    finally:
        root.removeHandler(console)
        root.setLevel(level)
    assert lines(row.log) == ["OUT  line 0", "INFO  jobs: record 0", "ERR  error 0"]
    said = capsys.readouterr().err
    assert "said on the console" in said
    assert "record 0" not in said
    assert "too little" not in said


async def test_the_streams_are_put_back() -> None:
    before = (sys.stdout, sys.stderr, logging.getLogger().handlers[:], logging.getLogger().level)
    async with working() as house:
        row = house.add("talk")
        await house.done(row)
        assert sys.stdout is not before[0]
    assert (sys.stdout, sys.stderr, logging.getLogger().handlers[:], logging.getLogger().level) == before
    await asyncio.sleep(0)
