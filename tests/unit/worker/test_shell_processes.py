"""Processes of commands: every one of them ends with its run, in whichever way the run ends."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from foliot.domain.verdict import Cause
from tests.eventually import soon
from tests.unit.worker.shell_runs import argv, commands, error_of, marked_processes, result_of, seconds, wait_until_gone

MARK = f"foliot-shell-{os.getpid()}"

TREE = """
sh -c 'exec sleep 601' {mark}-child &
setsid sh -c 'sleep 602; :' {mark}-away >/dev/null 2>&1 &
(setsid sh -c 'sleep 603; :' {mark}-orphan >/dev/null 2>&1 &)
trap '{on_term}' TERM
echo at work
while :; do sleep 0.1; done
"""


def tree(mark: str, *, on_term: str = "") -> dict[str, object]:
    """A command with a child and two processes that left its group. Without `on_term` it ignores SIGTERM."""
    text = TREE.format(mark=mark, on_term=on_term or ":")
    return argv("bash", "-c", text)


async def test_a_timeout_ends_the_whole_tree_also_what_left_the_group() -> None:
    mark = f"{MARK}-timeout"
    async with commands() as bench:
        row = await bench.run(tree(mark), timeout_us=seconds(1), grace_us=seconds(0.5))
        assert row.cause is Cause.TIMEOUT
        assert error_of(row).endswith("; its process was killed.")
        assert "at work" in row.log
        assert marked_processes(mark) == []


async def test_a_command_that_is_asked_may_leave_tidily_within_the_grace() -> None:
    mark = f"{MARK}-asked"
    async with commands() as bench:
        row = bench.start(tree(mark, on_term="echo tidy; exit 0"), grace_us=seconds(30))
        await bench.first_line(row)
        bench.bench.server.cancel(row)
        assert await bench.bench.end_of(row) is Cause.CANCELLED
        assert error_of(row).endswith("; it stopped when asked.")
        assert "tidy" in row.log
        assert marked_processes(mark) == []


async def test_a_forced_cancel_does_not_wait_for_the_grace() -> None:
    mark = f"{MARK}-forced"
    async with commands() as bench:
        row = bench.start(tree(mark), grace_us=seconds(300))
        await bench.first_line(row)
        bench.bench.server.cancel(row, force=True)
        assert await asyncio.wait_for(bench.bench.end_of(row), 60) is Cause.CANCELLED
        assert marked_processes(mark) == []


async def test_the_run_is_over_with_its_main_process_whoever_holds_the_pipe() -> None:
    mark = f"{MARK}-left"
    text = f"setsid sh -c 'sleep 600; :' {mark} & sh -c 'sleep 600; :' {mark} & echo done"
    async with commands() as bench:
        left = await bench.run(argv("sh", "-c", text))
        silent = await bench.run(argv("sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 4"))
        assert result_of(left) == "done"
        assert marked_processes(mark) == []
        assert error_of(silent).startswith("ExitCode4")


async def test_a_flood_is_capped_and_the_loop_goes_on() -> None:
    size = 100_000_000
    lines = argv("sh", "-c", f"yes some words of output | head -c {size}; echo; echo the end")
    one_line = argv("sh", "-c", f"head -c {size} /dev/zero | tr '\\0' x; echo; echo the end >&2")
    async with commands() as bench:
        rows = [bench.start(lines), bench.start(one_line)]
        turns = 0
        longest = 0.0
        while not all(row.state.is_final for row in rows):
            before = time.monotonic()
            await asyncio.sleep(0)
            longest = max(longest, time.monotonic() - before)
            turns += 1
    assert [row.cause for row in rows] == [Cause.SUCCEEDED] * 2
    for row in rows:
        assert "the end" in row.log
        assert len(row.log) < 1_300_000
    assert "bytes of this line are not kept" in rows[1].log
    assert turns > 1000
    assert longest < 2.0


async def test_a_drained_worker_gives_a_run_back_and_ends_its_processes() -> None:
    mark = f"{MARK}-drained"
    async with commands() as bench:
        row = bench.start(tree(mark), grace_us=seconds(0.5))
        once = bench.start(argv("sh", "-c", f"echo once; sleep 0.5; : {mark}"), at_most_once=True)
        await bench.first_line(row)
        await bench.first_line(once)
    assert row.cause is Cause.RELEASED
    assert once.cause is Cause.SUCCEEDED, "what must not run twice was not left to finish"
    assert marked_processes(mark) == []


VICTIM = """
import asyncio, json, sys
from tests.unit.worker.shell_runs import commands
async def main():
    async with commands(**json.loads(sys.argv[2])) as bench:
        row = bench.start(json.loads(sys.argv[1]))
        print(await bench.first_line(row), flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("sandbox", ["none", "all"])
def test_nothing_outlives_a_worker_that_is_killed(sandbox: str) -> None:
    mark = f"{MARK}-killed-{sandbox}"
    order = json.dumps(tree(mark))
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM, order, json.dumps({"sandbox": sandbox})],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        text=True,
    ) as worker:
        assert worker.stdout is not None
        assert "at work" in iter(lambda: worker.stdout.readline().strip(), "")  # type: ignore[union-attr]
        assert len(marked_processes(mark)) >= 4
        worker.send_signal(signal.SIGKILL)
    wait_until_gone(f"{mark}-")


async def test_a_launcher_that_is_killed_fails_the_run_and_ends_the_command() -> None:
    mark = f"{MARK}-launcher"
    async with commands() as bench:
        row = bench.start(argv("sh", "-c", "echo $HOME; sleep 600; :", mark))
        home = Path(await bench.first_line(row))
        assert home.is_dir()
        (main,) = [one for one in marked_processes(mark) if one.name() == "sh"]
        launcher = psutil.Process(main.ppid())
        assert mark not in " ".join(launcher.cmdline()), "the order stands in the launcher's arguments"
        launcher.kill()
        assert await bench.bench.end_of(row) is Cause.ERROR
        assert "launcher was killed" in error_of(row)
        wait_until_gone(mark)
        await soon(lambda: not home.parent.exists(), what="the end of the private folder")


async def test_the_loop_does_not_wait_for_a_launcher_that_is_about_to_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    reaping: list[threading.Thread] = []
    wait = subprocess.Popen.wait

    def noted(process: "subprocess.Popen[bytes]", timeout: float | None = None) -> int:
        reaping.append(threading.current_thread())
        return wait(process, timeout)

    async with commands() as bench:
        await bench.run(argv("true"))  # the worker has tried out by now whether a sandbox can be had
        monkeypatch.setattr(subprocess.Popen, "wait", noted)
        monkeypatch.setattr(subprocess.Popen, "poll", lambda _process: None)  # as in the moment before its end
        row = await bench.run(argv("true"))
        assert row.cause is Cause.SUCCEEDED
        await soon(lambda: reaping)
    assert threading.current_thread() not in reaping
