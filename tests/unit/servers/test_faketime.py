"""A moved wall clock moves nothing else: waits end in time, other clocks stay true, databases show it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.servers.faketime import FakeTime
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.unit.servers.clients import client_for

pytestmark = pytest.mark.services

HOUR_S = 3600.0

CLOCKS = """
import json, sys, time
for line in sys.stdin:
    print(json.dumps([time.time(), time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME)]), flush=True)
"""

WAITS = """
import asyncio, queue, subprocess, sys, threading, time
began = time.monotonic()
time.sleep(0.05)
threading.Event().wait(0.05)
threading.Lock().acquire(timeout=0.05)
held = threading.Lock()
held.acquire()
held.acquire(timeout=0.05)
try:
    queue.Queue().get(timeout=0.05)
except queue.Empty:
    pass
asyncio.run(asyncio.sleep(0.05))
subprocess.run([sys.executable, "-c", ""], timeout=30)
print(time.monotonic() - began)
"""


def clocks_of(process: "subprocess.Popen[str]") -> list[float]:
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    answer: list[float] = json.loads(process.stdout.readline())
    return answer


def true_clocks() -> tuple[float, float, float]:
    return time.time(), time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME)


def test_the_wall_clock_of_a_running_process_can_be_stepped_and_no_other() -> None:
    with FakeTime(HOUR_S) as clock:
        environment = {**os.environ, **clock.environment}
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", CLOCKS], env=environment, text=True, **pipes) as process:
            for offset_s in (HOUR_S, -HOUR_S, 0.25, 0.0):
                clock.set(offset_s)
                before = true_clocks()
                wall, monotonic, boot = clocks_of(process)
                for least, told, most in zip(before, (wall - offset_s, monotonic, boot), true_clocks(), strict=True):
                    assert least - 0.01 <= told <= most + 0.01
            clock.step(-90)
            clock.step(30)
            began_at = time.time()
            assert began_at - 60.01 <= clocks_of(process)[0] <= time.time() - 59.99
            assert clock.offset_s == -60
            assert process.stdin
            process.stdin.close()
        assert process.returncode == 0


@pytest.mark.parametrize("offset_s", [HOUR_S, -HOUR_S])
def test_waits_of_a_process_with_a_moved_clock_end_in_time(offset_s: float) -> None:
    with FakeTime(offset_s) as clock:
        done = subprocess.run(
            [sys.executable, "-c", WAITS],
            env={**os.environ, **clock.environment},
            timeout=60,
            check=True,
            capture_output=True,
            text=True,
        )
    assert 0.2 < float(done.stdout) < 30


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        (Postgres, "SELECT extract(epoch FROM statement_timestamp())::float8"),
        (MariaDB, "SELECT unix_timestamp(now(6))"),
    ],
)
async def test_a_database_server_shows_the_moved_clock(kind: type[Postgres] | type[MariaDB], query: str) -> None:
    with FakeTime(120) as clock, kind(fast=True, environment=clock.environment) as server:
        async with client_for(server.database()) as client:
            for offset_s in (120.0, -120.0, 0.0):
                clock.set(offset_s)
                least = time.time()
                told = float(await client.value(query)) - offset_s
                assert least - 1.0 <= told <= time.time() + 1.0
        clock.set(60)
        server.stop()


def test_closed_it_leaves_no_files() -> None:
    with FakeTime() as clock:
        library = Path(clock.environment["LD_PRELOAD"])
        assert library.exists()
    assert eventually(lambda: not library.parent.exists())
