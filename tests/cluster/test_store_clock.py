"""The store's clock is put two minutes (in short: less) ahead and back under a running cluster (F08, R7, C1, S3).

The database server runs under a wall clock of its own; everybody else's is true. So a run created before its instant by
the true time was created early, whatever the store believed.
"""

import asyncio
import contextlib
import itertools
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pymysql
import pytest

from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.failover_table import FailoverTable
from tests.cluster.journals import lines_of
from tests.cluster.process import ROOT
from tests.cluster.recording import record
from tests.eventually import soon
from tests.servers.faketime import FakeTime
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.sql import SqlServer
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

STEP_S = 120.0
SHORT_STEP_S = 35.0  # where what it skips is run in the end
SEEN_STEP_S = 15.0  # enough where servers see it: only what nobody saw must be far from every wall clock
EARLY_US = 500_000
SECOND_US = 1_000_000
TTL_S = 4.0  # of the test profile, as the cluster runs by it
AT_ALL_WITHIN_S = 60.0

NEWEST = "SELECT coalesce(max(due_at), 0) FROM runs WHERE fire_key LIKE 's:%'"
SUSPECT = "SELECT clock_suspect FROM store_meta"
DEAD = "SELECT count(*) FROM nodes WHERE state = 'dead'"
LONGEST = "SELECT max(until) FROM nodes WHERE state <> 'dead'"


@pytest.mark.parametrize("make", [pytest.param(Postgres, id="postgresql"), pytest.param(MariaDB, id="mariadb")])
async def test_a_store_clock_that_jumps_fires_nothing_early_and_loses_nothing(
    make: Callable[..., SqlServer], size: Size, tmp_path: Path
) -> None:
    steps = {"ahead", "back", "outage"} if size == "full" else {"ahead"} if make is Postgres else {"back", "outage"}
    with FakeTime() as clock, make(fast=True, environment=clock.environment) as store:
        url = await asyncio.to_thread(recorded, store)
        with Cluster(url, tmp_path) as cluster:
            for name in ("s1", "s2", "s3"):
                cluster.start_server(name)
            for name in ("w1", "w2"):
                cluster.start_worker(name)
            await cluster.wait_for_runs(15)
            async with nothing_early(url):
                if "ahead" in steps:
                    await ahead_and_put_right(cluster, clock, by_s=STEP_S if size == "full" else SEEN_STEP_S)
                if "back" in steps:
                    await back_and_put_right(cluster, clock)
                if "outage" in steps:
                    await ahead_after_an_outage(cluster, clock, store)
            if "outage" in steps:
                await trusted(cluster)
            await judged(cluster)
            await found_in_the_table(cluster, steps)


async def judged(cluster: Cluster) -> None:
    """As after every fault; and what ran when is told by the journals too, which know nothing of the store's clock."""
    # What was to be tried again in a moment when the clock was put back waits as long as the step was (C1).
    await cluster.judged("F08", settle_within_s=STEP_S + 90)
    assert not overlapping(cluster)


async def found_in_the_table(cluster: Cluster, steps: set[str]) -> None:
    """Each doubt is one row of the table of failovers, in the time that most servers believed in."""
    noted = [json.loads(line) for line in (cluster.folder / "nemesis.jsonl").read_text("utf-8").splitlines()]
    ahead = [line["at"] for line in noted if line["what"] == "clock" and line["step_s"] > 0]
    first, last = ahead[0], ahead[-1]
    table = FailoverTable(cluster)
    if "ahead" in steps:
        table.expect("clock_step", "store", at=first, outcome="recovered", done={"trusted": False})
    if "outage" in steps:
        table.expect("clock_step", "store", at=last, outcome="recovered", done={"trusted": True})
    print("failovers:", await table.is_right())


def overlapping(cluster: Cluster) -> list[tuple[str, str, str]]:
    """Runs of one exclusive job that were executed at the same time."""
    began: dict[tuple[str, int], float] = {}
    spans: dict[str, list[tuple[float, float, str]]] = {}
    for noted in lines_of(cluster):
        key = (noted["run"], noted["attempt"])
        if noted["what"] == "start":
            began[key] = noted["mono"]
        elif noted["what"] == "end" and key in began and "exclusive" in noted["job"]:
            spans.setdefault(noted["job"], []).append((began[key], noted["mono"], str(noted["run"])))
    assert spans, "exclusive jobs were executed"
    return [
        (job, first[2], second[2])
        for job, each in spans.items()
        for first, second in itertools.pairwise(sorted(each))
        if second[0] < first[1]
    ]


async def ahead_and_put_right(cluster: Cluster, clock: FakeTime, *, by_s: float) -> None:
    """Most servers see the step: an alarm, and the schedule goes on as if there had been none, until they agree."""
    cluster.note("clock", step_s=by_s)
    clock.step(by_s)
    cluster.figures["suspect_after_s"] = await until_suspect(cluster)
    shown = await asked_api(cluster, "/api/v1/cluster")
    assert shown["clock_suspect"] is True
    assert shown["clock_ahead_s"] == pytest.approx(by_s, abs=5)

    def every_server_raises_the_alarm() -> bool:
        return all("clock.suspect" in cluster.tail(name, 500) for name in ("s1", "s2", "s3"))

    await soon(every_server_raises_the_alarm, within_s=AT_ALL_WITHIN_S)

    async def gauge_shows_it() -> bool:
        return "foliot_store_clock_suspect 1.0" in await asked_text(cluster, "/metrics")

    await soon(gauge_shows_it, within_s=AT_ALL_WITHIN_S)
    await goes_on(cluster)

    async def offsets_shown() -> bool:
        nodes = (await asked_api(cluster, "/api/v1/nodes"))["items"]
        offsets = [node["clock_offset_s"] for node in nodes if node["clock_offset_s"] is not None]
        return len(offsets) == 5 and all(abs(offset + by_s) < 5 for offset in offsets)

    await soon(offsets_shown, within_s=AT_ALL_WITHIN_S, step_s=0.2, what="every clock shown as far behind the store's")
    cluster.note("clock", step_s=-by_s)
    clock.step(-by_s)
    await until_trusted(cluster)
    await goes_on(cluster)


async def back_and_put_right(cluster: Cluster, clock: FakeTime) -> None:
    """Late, and nothing else: nobody who lives is given up, and who died does not linger by the length of the step."""
    dead = await asked(cluster.url, DEAD)
    cluster.kill("w2")
    cluster.note("clock", step_s=-STEP_S)
    clock.step(-STEP_S)
    began_at = time.monotonic()

    async def noticed() -> bool:
        return bool(await asked(cluster.url, DEAD) == dead + 1)

    await soon(noticed, within_s=AT_ALL_WITHIN_S, step_s=0.1, what="the death of w2")
    cluster.figures["dead_noticed_after_s"] = round(time.monotonic() - began_at, 2)
    longest = await asked(cluster.url, LONGEST)
    assert longest <= now_us() + (TTL_S + 1 - STEP_S) * SECOND_US, "deadlines were brought back to now + ttl"
    assert await asked(cluster.url, NEWEST) <= now_us()
    cluster.note("clock", step_s=STEP_S)
    clock.step(STEP_S)
    await goes_on(cluster)
    await until_trusted(cluster)  # every wall clock was far from the store's; it was only put right
    assert await asked(cluster.url, DEAD) == dead + 1


async def ahead_after_an_outage(cluster: Cluster, clock: FakeTime, store: SqlServer) -> None:
    """A failover to a host whose clock is ahead: nobody could watch it jump."""
    cluster.note("store", way="fast")
    await asyncio.to_thread(store.stop)
    cluster.note("clock", step_s=SHORT_STEP_S)
    clock.step(SHORT_STEP_S)
    await asyncio.to_thread(store.restart)
    await until_suspect(cluster)
    await goes_on(cluster)


async def trusted(cluster: Cluster) -> None:
    """A person says that the clock is right as it is; then what is due by it is decided, and nobody doubts it again."""
    command = [sys.executable, "-m", "foliot", "db", "trust-clock", "--db", cluster.url]
    run = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await run.communicate()
    assert (run.returncode, said) == (0, b"The store's clock is trusted again.\n")

    async def caught_up() -> bool:
        assert not await asked(cluster.url, SUSPECT)
        return bool(await asked(cluster.url, NEWEST) > now_us() + (SHORT_STEP_S - 10) * SECOND_US)

    await soon(caught_up, within_s=AT_ALL_WITHIN_S, step_s=0.1, what="what is due by the trusted clock is decided")
    await cluster.load(2.5 * TTL_S / 3)  # two beats, in which everybody says again how far the clocks are apart
    assert not await asked(cluster.url, SUSPECT)


# ------------------------------------------------------------------------------------------------------------- watching


@asynccontextmanager
async def nothing_early(url: str) -> AsyncIterator[None]:
    """While it lasts, no run is there before its instant by the true time."""
    seen: list[tuple[int, int]] = []
    over = threading.Event()

    async def look() -> None:
        away = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, pymysql.MySQLError)
        with contextlib.suppress(*away):  # being restarted
            newest = await asyncio.wait_for(asked(url, NEWEST), 10)
            seen.append((newest, now_us()))

    def watch() -> None:
        while not over.wait(0.05):
            asyncio.run(look())

    watching = threading.Thread(target=watch, name="nothing early")
    watching.start()
    try:
        yield
    finally:
        over.set()
        await asyncio.to_thread(watching.join)
    early = [(due - now) / SECOND_US for due, now in seen if due > now + EARLY_US]
    assert not early, f"created up to {max(early)} s early"
    assert len(seen) > 20


async def until_suspect(cluster: Cluster) -> float:
    """Seconds until the clock was flagged: a pulse or two on a machine that has time."""
    began_at = time.monotonic()

    async def flagged() -> bool:
        return bool(await asked(cluster.url, SUSPECT))

    await soon(flagged, within_s=AT_ALL_WITHIN_S, step_s=0.05, what="the clock is suspect")
    return round(time.monotonic() - began_at, 2)


async def until_trusted(cluster: Cluster) -> None:
    async def cleared() -> bool:
        return not await asked(cluster.url, SUSPECT)

    await soon(cleared, within_s=AT_ALL_WITHIN_S, step_s=0.05, what="the clock is trusted again")


async def goes_on(cluster: Cluster) -> None:
    """Instants from now on are decided when they are due by the true time."""
    began_at = now_us()

    async def decided() -> bool:
        return bool(await asked(cluster.url, NEWEST) >= began_at)

    await soon(decided, within_s=AT_ALL_WITHIN_S, step_s=0.05, what="the schedule goes on")


async def asked_api(cluster: Cluster, path: str) -> Any:
    return (await _got(cluster, path)).json()


async def asked_text(cluster: Cluster, path: str) -> str:
    return (await _got(cluster, path)).text


async def _got(cluster: Cluster, path: str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {cluster.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
        response = await client.get(f"{cluster.server_urls[0]}{path}")
    assert response.status_code == 200, response.text
    return response


def recorded(store: SqlServer) -> str:
    url = store.database(migrate)
    record(url)
    return url


def now_us() -> int:
    """The true time."""
    return int(time.time() * SECOND_US)
