"""Process isolation with real children: whatever a function does, it is stopped, and nobody else notices."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvloop

from foliot.domain.instants import MILLISECOND, SECOND
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.worker.isolation.wire import ChildLimits
from tests.eventually import soon
from tests.unit.worker.fake_server import Row
from tests.unit.worker.house import House, working

pytestmark = pytest.mark.slow  # real child processes, one after the other

GRACE_US = 600 * MILLISECOND
LONG_US = 600 * SECOND  # for what is to stop by itself
TIMEOUT_US = 2 * SECOND  # by then a function has begun and written something, also on a crowded machine


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def timed_out(house: House, function: str, *, params: str | None = None) -> tuple[Row, float]:
    """Run it until its timeout stops it; the run, and how long the stop took."""
    row = house.add(function, params=params, timeout_us=TIMEOUT_US, grace_us=GRACE_US)
    await house.done(row)
    report = row.reports[0]
    assert report.took_us is not None
    return row, (report.took_us - TIMEOUT_US) / 1_000_000


@pytest.mark.parametrize(
    ("function", "wrote"),
    [
        ("sleeper", "sleeping"),
        ("spin_in_c", "spinning"),
        ("spin_in_regex", "matching"),
        ("ignore_sigterm", "ignoring"),
    ],
)
async def test_a_function_that_will_not_stop_is_stopped_within_grace(function: str, wrote: str) -> None:
    async with working(slots=3) as house:
        neighbour = house.add("patient", grace_us=GRACE_US)
        await house.until(lambda: "waiting" in neighbour.log)
        row, stop_s = await timed_out(house, function)
        assert row.cause is Cause.TIMEOUT
        assert row.state is RunState.FAILED
        assert stop_s <= GRACE_US / 1_000_000 + 10.0
        assert wrote in row.log
        assert "jobs.py" in row.log, "where it was is in the log"
        assert f"in {function}" in row.log
        assert row.reports[0].error is not None
        assert row.reports[0].error.startswith("Timed out after 2 s; ")
        assert neighbour.state is RunState.RUNNING
        house.server.cancel(neighbour)
        await house.done(neighbour)
        assert neighbour.cause is Cause.CANCELLED


async def test_one_that_looks_leaves_tidily_and_its_result_is_kept() -> None:
    async with working() as house:
        row = house.add("patient", grace_us=LONG_US)
        await house.until(lambda: "waiting" in row.log)
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        assert row.reports[0].result == '"tidy"'


@pytest.mark.parametrize("asked_before", [False, True], ids=["at once", "after it was asked"])
async def test_a_forced_cancel_does_not_wait_for_the_grace(asked_before: bool) -> None:
    async with working() as house:
        row = house.add("ignore_sigterm", grace_us=600_000_000)
        await house.until(lambda: "ignoring" in row.log)
        if asked_before:
            house.server.cancel(row)
            await house.until(lambda: any(one.stop_cause for one in house.worker._execution.running.values()))
        house.server.cancel(row, force=True)
        await house.done(row)
        assert row.cause is Cause.CANCELLED


async def test_every_process_a_function_started_goes_with_it(tmp_path: Path) -> None:
    async with working() as house:
        pids_file = tmp_path / "pids"
        row = house.add("fork_children", params=f'{{"path": "{pids_file}"}}', grace_us=GRACE_US)
        await house.until(lambda: "forked" in row.log)
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        pids = [int(pid) for pid in pids_file.read_text().split()]
        await house.until(lambda: not any(map(is_alive, pids)), what="its processes gone")


@pytest.mark.parametrize(
    ("function", "params", "wrote", "words"),
    [
        ("kill_itself", '{"number": 9}', "goodbye", "SIGKILL"),
        ("crash", None, "crashing", "SIGSEGV"),
        ("leave", '{"code": 3}', "leaving", "code 3"),
    ],
)
async def test_a_child_that_dies_is_an_error_of_its_run_alone(
    function: str, params: str | None, wrote: str, words: str
) -> None:
    async with working(slots=3) as house:
        neighbour = house.add("patient", grace_us=GRACE_US)
        await house.until(lambda: "waiting" in neighbour.log)
        row = house.add(function, params=params)
        await house.done(row)
        report = row.reports[0]
        assert row.cause is Cause.ERROR
        assert report.error_type == "ProcessDied"
        assert report.error is not None
        assert words in report.error
        assert wrote in row.log
        after = house.add("add", params='{"a": 1}')
        await house.done(after)
        assert after.cause is Cause.SUCCEEDED
        assert neighbour.state is RunState.RUNNING


async def test_the_stack_of_a_crash_in_native_code_is_in_the_log() -> None:
    async with working() as house:
        row = house.add("crash")
        await house.done(row)
        assert "Fatal Python error: Segmentation fault" in row.log
        assert "in crash" in row.log


async def test_memory_beyond_the_limit_is_refused_to_the_run() -> None:
    async with working(limits=ChildLimits(memory_bytes=400 * 1024 * 1024)) as house:
        row = house.add("allocate", params='{"bytes_": 1073741824}')
        small = house.add("allocate", params='{"bytes_": 1048576}')
        await house.done()
        assert row.cause is Cause.ERROR
        assert row.reports[0].error_type == "MemoryError"
        assert "allocating" in row.log
        assert small.cause is Cause.SUCCEEDED


async def test_processor_time_beyond_the_limit_ends_the_run() -> None:
    async with working(limits=ChildLimits(cpu_s=1)) as house:
        row = house.add("burn_cpu")
        await house.done(row)
        assert row.cause is Cause.ERROR
        assert "SIGXCPU" in str(row.reports[0].error)
        assert "burning" in row.log


async def test_open_files_beyond_the_limit_are_refused_to_the_run() -> None:
    async with working(limits=ChildLimits(open_files=64)) as house:
        row = house.add("open_files", params='{"count": 100}')
        few = house.add("open_files", params='{"count": 10}')
        await house.done()
        assert row.cause is Cause.ERROR
        assert row.reports[0].error_type == "OSError"
        assert few.cause is Cause.SUCCEEDED


async def test_a_hundred_megabytes_of_output_are_cut_and_harm_nobody(tmp_path: Path) -> None:
    async with working(slots=3) as house:
        row = house.add("print_much", params=json.dumps({"bytes_": 100_000_000, "path": str(tmp_path / "go")}))
        neighbours = [house.add("add", params=f'{{"a": {i}}}') for i in range(20)]
        await house.done(*neighbours)
        assert not row.state.is_final, "they did not wait for the flood"
        (tmp_path / "go").touch()
        await house.done(row, within_s=120)
        assert row.cause is Cause.SUCCEEDED
        assert len(row.log.encode()) < 1024 * 1024 + 1000
        assert "… truncated: the limit of 1048576 bytes" in row.log
        assert "bytes are not kept" in row.log
        assert row.log.endswith("OUT  the last line\n")


async def test_output_that_is_no_utf8_is_made_safe() -> None:
    async with working() as house:
        row = house.add("print_bad")
        await house.done(row)
        assert row.cause is Cause.SUCCEEDED
        assert "OUT  caf\\xe9 \\x00 \\xff\n" in row.log
        assert "OUT  fine again \\udc80\n" in row.log


async def test_everything_a_run_writes_is_captured_in_order() -> None:
    async with working() as house:
        row = house.add("print_everywhere")
        await house.done(row)
        said = [line.split("  ", 1)[1] for line in row.log.splitlines()]
        assert said == [
            "OUT  1 print",
            "OUT  2 puts",
            "OUT  3 shell",
            "OUT  4 shell error",
            "INFO  5 ctx  day=3",
            "WARNING  lib: 6 logging",
            "ERR  7 stderr",
            "OUT  8 unfinished",
        ]


async def test_a_run_that_wrote_nothing_sends_nothing() -> None:
    async with working() as house:
        house.add("add", params='{"a": 1}')
        house.add("noop")
        await house.done()
        assert house.server.log_calls == 0


async def test_an_error_is_reported_with_its_traceback_in_the_log() -> None:
    async with working() as house:
        row = house.add("plain_fail")
        await house.done(row)
        assert row.cause is Cause.ERROR
        assert row.reports[0].error == "RuntimeError: broken"
        assert row.reports[0].error_type == "RuntimeError"
        assert "Traceback (most recent call last)" in row.log
        assert "jobs.py" in row.log


async def test_progress_and_checkpoints_reach_the_server_while_it_runs(tmp_path: Path) -> None:
    async with working(beat_every_s=0.5) as house:
        row = house.add("track", params=f'{{"path": "{tmp_path / "go"}"}}')
        await house.until(lambda: row.progress is not None and row.checkpoint is not None)
        assert row.progress == '{"done":7,"total":10,"note":"seven"}'
        assert row.checkpoint == '{"i":7}'
        (tmp_path / "go").touch()
        await house.done(row)
        assert row.reports[0].checkpoint == '{"i":7}'


async def test_a_warm_child_executes_many_runs_and_is_replaced_in_time() -> None:
    async with working(slots=1, process_runs_max=3) as house:
        pids = []
        for _ in range(7):
            row = house.add("whoami")
            await house.done(row)
            pids.append(_result(row)["pid"])
        assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [3, 3, 1]
        await house.until(lambda: not is_alive(pids[0]), what="the first child gone")


async def test_a_child_that_grew_is_replaced() -> None:
    async with working(slots=1, process_growth_max_bytes=50 * 1024 * 1024) as house:
        rows = []
        for size in (1_000_000, 100_000_000, 1_000_000):
            rows.append(house.add("grow", params=f'{{"bytes_": {size}}}'))
            await house.done(rows[-1])
        first, second, third = (_result(row) for row in rows)
        assert first == second != third


async def test_a_child_leads_its_own_group_and_is_the_workers() -> None:
    async with working() as house:
        row = house.add("whoami")
        await house.done(row)
        found = _result(row)
        assert found["group"] == found["pid"] != os.getpid()
        assert found["parent"] == os.getpid()


async def test_no_process_serves_two_namespaces() -> None:
    async with working(slots=1) as house:
        pids = []
        for namespace in ("a", "b", "a"):
            row = house.add("whoami", namespace=namespace)
            await house.done(row)
            pids.append(_result(row)["pid"])
        assert len(set(pids)) == 3
        again = house.add("whoami", namespace="a")
        await house.done(again)
        assert _result(again)["pid"] == pids[2]


async def test_what_one_run_does_to_its_process_the_next_does_not_feel() -> None:
    async with working(slots=1) as house:
        rows = []
        for function in ("mess_up", "where"):
            rows.append(house.add(function))
            await house.done(rows[-1])
        assert rows[1].reports[0].result == f'"{Path.cwd()}"'
        assert [line.split("  ", 1)[1] for line in rows[1].log.splitlines()] == [
            "OUT  still captured",
            "ERR  this too",
            "OUT  and this",
        ]


async def test_an_async_function_in_a_process_is_cancelled_at_its_await() -> None:
    async with working() as house:
        row = house.add("in_a_process", isolation="process", grace_us=LONG_US)
        await house.until(lambda: "waiting" in row.log)
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        assert "tidied up" in row.log


async def test_a_child_killed_from_outside_while_idle_is_replaced_when_needed() -> None:
    async with working(slots=1) as house:
        row = house.add("whoami")
        await house.done(row)
        pid = _result(row)["pid"]
        os.kill(pid, signal.SIGKILL)
        await house.until(lambda: not is_alive(pid))
        after = house.add("whoami")
        await house.done(after)
        assert after.cause is Cause.SUCCEEDED
        assert _result(after)["pid"] != pid


async def test_a_stopped_worker_leaves_no_process() -> None:
    others = set(psutil.Process().children())  # servers of other tests, whose children come and go
    async with working(slots=4, processes_warm=2) as house:
        row = house.add("whoami")
        await house.done(row)
        children = set(psutil.Process().children()) - others
        assert len(children) >= 2
        await house.stop()
        await soon(lambda: not [child for child in children if is_alive(child.pid)], what="every process gone")


def test_children_live_and_die_the_same_way_on_uvloop() -> None:
    async def main() -> None:
        async with working(slots=2) as house:
            row, stop_s = await timed_out(house, "ignore_sigterm")
            assert row.cause is Cause.TIMEOUT
            assert "ignoring" in row.log
            assert stop_s <= GRACE_US / 1_000_000 + 10.0
            dead = house.add("kill_itself", params='{"number": 9}')
            good = house.add("add", params='{"a": 1}')
            await house.done()
            assert (dead.cause, good.cause) == (Cause.ERROR, Cause.SUCCEEDED)

    uvloop.run(main())


def _result(row: Row) -> Any:

    assert row.reports[-1].result is not None, row.reports
    return json.loads(row.reports[-1].result)
