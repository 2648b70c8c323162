"""Hand-over without loss: each node in turn is stopped with SIGTERM and started again, while the others work.

F25 starts the same version again. F24 goes from the version before the newest migration to the present one, and back.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.earlier import foliot, unpacked
from tests.cluster.journals import lines_of
from tests.cluster.recording import record
from tests.cluster.rolling_jobs import QUICK
from tests.cluster.timing import EXTRA_DELAY_MAX_S
from tests.servers.fixtures import MakeDatabase

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

JOBS = "tests.cluster.rolling_jobs"
PER_SECOND: Mapping[Size, int] = {"short": 10, "full": 200}
NODES: Mapping[Size, int] = {"short": 2, "full": 3}
SLOTS = 16
UNHURRIED = ("--timing", "prod")
"""The times of every day: who leaves in order says so, and a machine that is busy starves no session to death."""
PRESENT: Mapping[str, str] = {}


class Rolling:
    """A cluster whose nodes are replaced one by one."""

    def __init__(self, cluster: Cluster, size: Size) -> None:
        self.cluster = cluster
        self.servers = [f"s{number + 1}" for number in range(1 if cluster.is_sqlite else NODES[size])]
        self.workers = [f"w{number + 1}" for number in range(NODES[size] + (size == "full"))]
        self._quick = {QUICK: str(PER_SECOND[size])}

    async def begin(self, version: Mapping[str, str]) -> None:
        """Start every node, and wait until all work."""
        for name in (*self.servers, *self.workers):
            self._start(name, version)
        await self.cluster.wait_for_runs(30)

    async def replace(self, *names: str, version: Mapping[str, str]) -> None:
        """Stop each of these nodes in order, then start it in this version, before the next one is stopped."""
        for name in names:
            process = self.cluster.processes[name]
            self.cluster.note("stop", node=name)
            assert process.stop() == 0, self.cluster.tail(name)
            self._start(name, version)
            if name in self.servers:
                await self.cluster.answers(name)
        await self.cluster.wait_for_runs(30)

    async def judged(self, fault: str, size: Size) -> None:
        """Every invariant holds, nobody was counted dead, and nothing was executed twice."""
        await self.cluster.load(1)
        await self.cluster.judged(fault)
        figures = self.cluster.figures
        assert figures["deaths"] == figures["abandoned"] == figures["zombies_tried"] == 0
        finished = Counter((line["job"], line["run"]) for line in lines_of(self.cluster) if line["what"] == "end")
        assert finished
        assert [one for one, times in finished.items() if times > 1] == [], "finished work was executed again"
        print("worst extra delay:", figures["extra_delay_s"]["max"])
        if size == "full" and not self.cluster.is_sqlite:  # there the one server is the store's only way in
            assert figures["extra_delay_s"]["max"] <= EXTRA_DELAY_MAX_S

    def _start(self, name: str, version: Mapping[str, str]) -> None:
        if name in self.servers:
            self.cluster.start_server(name, environment=version, options=UNHURRIED)
        else:
            environment = {**version, **self._quick}
            self.cluster.start_worker(name, slots=SLOTS, jobs=JOBS, environment=environment)


@on("postgresql")
async def test_f25_every_node_is_restarted(cluster: Cluster, size: Size) -> None:
    rolling = Rolling(cluster, size)
    await rolling.begin(PRESENT)
    await rolling.replace(*rolling.servers, *rolling.workers, version=PRESENT)
    await rolling.judged("F25", size)


def earlier_database(request: pytest.FixtureRequest, store: str, earlier: Mapping[str, str]) -> str:
    """A store with the schema of the earlier version, made by its own command."""
    databases = {"postgresql": "postgres_database", "mariadb": "mariadb_database"}
    make: MakeDatabase = request.getfixturevalue(databases[store])
    url = make()
    foliot(earlier, "db", "upgrade", "--db", url)
    record(url)
    return url


CASES = [
    pytest.param("postgresql", "servers", "short"),
    *(
        pytest.param(store, first, "full", marks=pytest.mark.matrix)
        for store in SERVICES
        for first in ("servers", "workers")
    ),
]


@pytest.mark.services
@pytest.mark.parametrize(("store", "first", "size"), CASES, indirect=["size"])
async def test_f24_nodes_are_upgraded_one_by_one_and_taken_back(
    store: str, first: str, size: Size, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The schema is upgraded while nodes of the earlier version work; I20 holds on the way there and back."""
    earlier = unpacked(tmp_path / "earlier")
    url = earlier_database(request, store, earlier)
    with Cluster(url, tmp_path) as cluster:
        rolling = Rolling(cluster, size)
        await rolling.begin(earlier)
        foliot(PRESENT, "db", "upgrade", "--db", url)
        groups = [rolling.servers, rolling.workers] if first == "servers" else [rolling.workers, rolling.servers]
        for names in groups:
            await rolling.replace(*names, version=PRESENT)
        back = (
            [name for names in groups for name in names] if size == "full" else [rolling.servers[0], rolling.workers[0]]
        )
        await rolling.replace(*back, version=earlier)
        await rolling.judged("F24" if first == "servers" else "F24-workers-first", size)
