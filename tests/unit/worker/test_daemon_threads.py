"""Daemon threads: work is done by a few of them, and none of them keeps a process alive."""

import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future

import pytest

from foliot.worker.daemon_threads import DaemonThreads


def name_of_thread() -> str:
    return threading.current_thread().name


def test_work_is_done_by_at_most_some_threads_and_an_error_is_its_callers() -> None:
    threads = DaemonThreads(2, "few")
    barrier, release = threading.Barrier(3), threading.Event()
    busy = [threads.submit(barrier.wait, 60) for _ in range(2)]
    late = [threads.submit(name_of_thread) for _ in range(20)]
    assert not any(future.done() for future in late)
    barrier.wait(60)
    assert sorted(future.result(60) for future in busy) != []
    assert {future.result(60) for future in late} <= {"few_1", "few_2"}
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(60)

    def hold() -> bool:
        barrier.wait(60)
        return release.wait(60)

    held: list[Future[bool]] = [threads.submit(hold) for _ in range(2)]
    barrier.wait(60)
    waits = threads.submit(name_of_thread)
    threads.shutdown(cancel_futures=True)
    with pytest.raises(CancelledError):
        waits.result(60)
    with pytest.raises(RuntimeError):
        threads.submit(name_of_thread)
    release.set()
    assert all(future.result(60) for future in held)


HANGS = """
import asyncio, threading
from foliot.worker.handlers.http import names

async def main():
    at_work = threading.Event()
    names.looked_up = lambda host: (at_work.set(), threading.Event().wait())
    known = names.HostNames(2)
    lookup = asyncio.ensure_future(known.addresses("nowhere.example"))
    await asyncio.to_thread(at_work.wait)
    lookup.cancel()
    known.close()

asyncio.run(main())
print("over")
"""


def test_a_name_server_that_does_not_answer_keeps_no_process_alive() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, timeout=120, check=True)
    assert ended.stdout == b"over\n"
