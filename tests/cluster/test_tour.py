"""A tour of faults, each in its short size: F01 to F05, F10, F17 and F26 on three servers and four workers.

One cluster suffers them one after another, and the checker judges all of it at the end. The table of failovers must say
what failed, when, and how it ended. At full size each fault has a test of its own (`make faults`).
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.api import people_of
from tests.cluster.cluster import Cluster
from tests.cluster.elected import Electorate
from tests.cluster.failover_table import FailoverTable, now_us
from tests.cluster.journals import caught_in
from tests.cluster.lines import CUT, DELAY, HALF_OPEN, RESET, SLACK_S, strike_server, strike_worker, through, works
from tests.cluster.lock_scene import Scene
from tests.cluster.nemesis import ENOUGH_S, Nemesis
from tests.cluster.places import cut_off_at, killed_at, stand_still_at
from tests.cluster.recording import record
from tests.cluster.standstills import leader_stands_still, stopped_at_work, woken
from tests.cluster.timing import (
    EXTRA_DELAY_MAX_S,
    HOUSEKEEPING_WITHIN_S,
    LEASED_AGAIN_WITHIN_S,
    SESSION_TTL_S,
    SLACK,
)
from tests.cluster.trap import Trap
from tests.coordination.services import OneRedis
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.redis import RedisServer
from tests.servers.sql import SqlServer
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

SECRET = "s3cret-canary"
SERVERS, WORKERS = ("s1", "s2", "s3"), ("w1", "w2", "w3", "w4")
STORE_AWAY_S = 3.0
RAGES_S = 15.0
LOCKS = ("first", "second")


class Tour:
    """Three servers and four workers; every server has lines of its own to the store and to Redis, and w1 to them."""

    def __init__(self, cluster: Cluster, store: SqlServer, redis: OneRedis, make_proxy: MakeProxy) -> None:
        self.cluster = cluster
        self.table = FailoverTable(cluster)
        self._store = store
        self._trap = Trap(cluster)
        self._electorate = Electorate(cluster, redis, make_proxy)
        self._to_store = {name: make_proxy(store.port) for name in SERVERS}
        for name, line in self._to_store.items():
            options = self._electorate.options_for(name)
            cluster.start_server(name, fault=self._trap.fault, url=line.url(cluster.url), options=options)
        self._to_servers = [make_proxy(cluster.port_of(name)) for name in SERVERS]
        for name in WORKERS:
            servers = through(self._to_servers) if name == "w1" else ""
            jobs = "tests.cluster.workload tests.cluster.tour_jobs"
            cluster.start_worker(name, server=servers, jobs=jobs, environment={"WORKER": name})

    # -- steps ----------------------------------------------------------------------------------------------------

    async def everybody_works(self) -> None:
        await self.cluster.wait_for_runs(15)
        await self._electorate.agree()

    async def a_run_overruns_its_time(self) -> None:
        """Its worker kills it. The occurrence is over when a minute has passed without another."""
        began_at = now_us()
        await self.cluster.trigger("hangs", 1)

        async def is_ended() -> bool:
            return await self.cluster.count("kind = 'timeout' AND fire_key = 'm:hangs-0'") == 1

        await soon(is_ended, within_s=60, what="the run was ended")
        self.table.expect("run_timeout", "hangs", at=began_at, outcome="recovered", attempts=1, done={"ended": 1})

    async def two_runs_wait_for_each_other(self) -> None:
        """The one that asked last is told so, and both end well."""
        async with people_of(self.cluster, "s2") as people:
            scene = Scene(self.cluster, people)
            first, second = LOCKS
            began_at = now_us()
            runs = []
            for one, other in ((first, second), (second, first)):
                runs.append(await scene.trigger("cross_over", first=one, second=other))
                await scene.has(one)
            for lock in LOCKS:
                scene.open(lock)
            await scene.ended_well(runs)
            (broken,) = scene.lines("broken")
            self.table.expect(
                "lock_deadlock", broken["lock"], at=began_at, outcome="recovered", done={"waits_ended": 1}
            )

    async def lines_limp(self) -> None:
        """F10: what costs no session."""
        for fault in (RESET, HALF_OPEN):
            await strike_worker(self.cluster, "w1", fault, self._to_servers, slack_s=SLACK_S["short"])
            await strike_server(self.cluster, "s1", fault, self._to_store["s1"])

    async def servers_are_killed(self) -> None:
        """F01: the leader, then another."""
        leader = await self.cluster.leader()
        other = self.cluster.chance.choice([name for name in SERVERS if name != leader])
        for victim in (leader, other):
            struck_at = now_us()
            self.cluster.kill(victim)
            await self.cluster.load(self.cluster.chance.uniform(0.5, 2.0))
            self.cluster.start_again(victim)
            await self.cluster.answers(victim)
            self.table.expect("server_crash", victim, at=struck_at, outcome="recovered")

    async def servers_break_inside_their_transactions(self) -> None:
        """F01: one stands still, one is cut off. F03: one is killed before, in and after a call of the store."""
        await stand_still_at(self.cluster, self._trap, "ending.runs_written")
        await cut_off_at(self.cluster, self._trap, "firing.recorded", self._to_store, in_silence=False)
        for place in ("firing_store.decide_due.asked", "leasing.leased", "beats.renew.committed"):
            struck_at = now_us()
            victim = await killed_at(self.cluster, self._trap, place)
            await self.cluster.answers(victim)
            self.table.expect("server_crash", victim, at=struck_at, outcome="recovered")

    async def the_leader_stands_still(self) -> None:
        """F05."""
        await leader_stands_still(self.cluster, self._trap)

    async def the_coordination_service_breaks(self) -> None:
        """F17: it forgets everything, then it is away and the leader dies.

        A server that misses it at the first blow already opens the row, and the second blow is the same failure then.
        """
        struck_at = now_us()
        await self._electorate.it_forgets_everything()
        await self._electorate.it_is_away_and_the_leader_is_killed()
        self.table.expect("coordination_unreachable", "redis", at=struck_at, outcome="recovered")

    async def workers_are_killed_and_stand_still(self) -> None:
        """F02 and F04 on different workers: one is killed at work, two stand still until their session is over."""
        victim = (await caught_in(self.cluster, "long_one")).worker
        killed_at = now_us()
        self.cluster.kill(victim)
        self.cluster.start_again(victim)
        self.table.expect("worker_crash", victim, at=killed_at)
        struck_at = now_us()
        workers, child = await stopped_at_work(self.cluster)
        await self.cluster.load(2 * SESSION_TTL_S)
        await woken(self.cluster, workers, child)
        for name in workers:
            self.table.expect("network_partition", name, at=struck_at)

    async def a_worker_and_a_server_are_cut_off(self) -> None:
        """F10: the worker respects its trust window; the server comes back."""
        await soon(partial(works, self.cluster, "w1"), within_s=60, what="w1 is at work")
        await strike_server(self.cluster, "s1", DELAY, self._to_store["s1"])
        struck_at = now_us()
        await asyncio.gather(
            strike_worker(self.cluster, "w1", CUT, self._to_servers, slack_s=SLACK_S["short"]),
            strike_server(self.cluster, "s1", CUT, self._to_store["s1"], lasts_s=4.0),
        )
        self.table.expect("network_partition", "w1", at=struck_at)

    async def the_store_is_away(self) -> None:
        struck_at = now_us()
        self.cluster.note("store", way="kill")
        await asyncio.to_thread(self._store.kill)
        await self.cluster.load(STORE_AWAY_S)
        await asyncio.to_thread(self._store.restart)
        self.table.expect("store_unreachable", "store", at=struck_at, outcome="recovered")

    async def chance_breaks_everything(self) -> None:
        """F26."""
        nemesis = Nemesis(self.cluster, self._store, self._to_store["s1"], self._to_servers)
        await nemesis.rage(RAGES_S)
        print("done:", dict(nemesis.done))
        assert nemesis.done.total() >= RAGES_S / ENOUGH_S, nemesis.done


@contextmanager
def on_tour(make: Callable[..., SqlServer], folder: Path, make_proxy: MakeProxy) -> Iterator[Tour]:
    password_file = folder / "password"
    password_file.write_text(SECRET)
    with make(fast=True) as store, RedisServer(password=SECRET) as redis:
        url = store.database(migrate)
        record(url)
        with Cluster(url, folder) as cluster:
            yield Tour(cluster, store, OneRedis(redis, password_file), make_proxy)


@pytest.mark.parametrize("make", [pytest.param(Postgres, id="postgresql"), pytest.param(MariaDB, id="mariadb")])
async def test_f01_to_f05_f10_f17_and_f26_in_turn(
    make: Callable[..., SqlServer], tmp_path: Path, fault_proxy: MakeProxy
) -> None:
    with on_tour(make, tmp_path, fault_proxy) as tour:
        await tour.everybody_works()
        await tour.a_run_overruns_its_time()
        await tour.two_runs_wait_for_each_other()
        await tour.lines_limp()
        await tour.servers_are_killed()
        await tour.servers_break_inside_their_transactions()
        await tour.the_leader_stands_still()
        await tour.the_coordination_service_breaks()
        await tour.the_store_is_away()
        await tour.workers_are_killed_and_stand_still()
        await tour.a_worker_and_a_server_are_cut_off()
        print("failovers:", await tour.table.is_right())
        await tour.chance_breaks_everything()
        await tour.cluster.judged("tour", at_least=500)
        figures = tour.cluster.figures
        assert figures["reports_fenced"] >= 1, "what a worker reported late was refused"
        assert figures["leased_again_s"]["max"] <= SLACK["short"] * LEASED_AGAIN_WITHIN_S
        assert figures["extra_delay_s"]["max"] <= SLACK["short"] * EXTRA_DELAY_MAX_S
        assert figures["leader_failover_s"]["max"] <= SLACK["short"] * HOUSEKEEPING_WITHIN_S
    written = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "password"]
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []
