"""Jobs of every kind but shell while their server and their worker are killed: S7, S8, and offers that come and go."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cluster.api import ANSWER_WITHIN_S, Api, people_of
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase
from tests.servers.web_site import Seen, Visit, WebSite

pytestmark = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.services]

FENCED = "UPDATE reports SET body = 'written', fence = :fence WHERE id = :id AND fence < :fence"
DATABASES: Mapping[str, Mapping[str, str]] = {
    "pg": {
        "sleep": "SELECT pg_sleep(CASE WHEN :attempt = 1 THEN 600 ELSE 0 END)",
        "busy": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'foliot sql' AND state = 'active'"
        " AND query LIKE '%pg_sleep%' AND datname = current_database()",
    },
    "my": {
        "sleep": "SELECT sleep(CASE WHEN :attempt = 1 THEN 600 ELSE 0 END)",
        "busy": "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%sleep(%' AND db = database()"
        " AND id <> connection_id()",
    },
}
AGAIN, ONCE = {"again": "rerun"}, {"once": "fail"}
"""Names and what becomes of their runs when their worker is lost."""


@dataclass
class OtherSystem:
    """Does long work for whoever asks: it says so, is asked how far it is, and calls back when the test wants it."""

    site: WebSite
    is_done: bool = False
    names: list[str] = field(default_factory=list)

    def page(self, name: str, answer: Callable[[Visit], bool | None]) -> str:
        self.site.pages[f"/{name}"] = answer
        self.names.append(name)
        return f"{self.site.url}/{name}"

    def hang(self, visit: Visit) -> bool:
        """Give no answer to the first request, and one to each that follows."""
        if len(self.site.requests(visit.seen.path)) == 1:
            visit.gone()
        else:
            visit.answer(200, {"settled": True})
        return True

    def accept(self, visit: Visit) -> None:
        visit.answer(202, {}, location="/status" + visit.seen.path)

    def tell(self, visit: Visit) -> None:
        visit.answer(200, {"state": "done" if self.is_done else "busy"})

    def asked(self, name: str) -> list[Seen]:
        return self.site.requests(f"/{name}")


@pytest.fixture
def system() -> Iterator[OtherSystem]:
    site = WebSite()
    yield OtherSystem(site)
    site.close()


@pytest.fixture
def shops(postgres_database: MakeDatabase, mariadb_database: MakeDatabase) -> dict[str, str]:
    """Two databases for the jobs, each with a journal and a fenced report."""
    return {"pg": postgres_database(), "my": mariadb_database()}


@pytest.mark.parametrize("recorded_url", ["postgresql"], indirect=True)
async def test_runs_of_every_kind_survive_their_server_and_their_worker_as_their_job_says(
    cluster: Cluster, system: OtherSystem, shops: dict[str, str], tmp_path: Path
) -> None:
    cluster.start_server("s1")
    cluster.start_server("s2")
    for url in shops.values():
        await asked(url, "CREATE TABLE journal (run_id VARCHAR(40) NOT NULL, attempt INTEGER NOT NULL)")
        await asked(url, "CREATE TABLE reports (id INTEGER PRIMARY KEY, body VARCHAR(40), fence BIGINT NOT NULL)")
        await asked(url, "INSERT INTO reports VALUES (1, 'old', 0), (2, 'old', 0)")
    await asyncio.gather(cluster.answers("s1"), cluster.answers("s2"))
    async with people_of(cluster, "s1") as first, people_of(cluster, "s2") as second:
        scene = Scene(cluster, {"s1": first, "s2": second}, system, shops, tmp_path)
        await scene.nobody_offers_the_kinds()
        await scene.a_worker_offers_them()
        await scene.statements_are_cancelled_and_limited_on_their_database()
        await scene.the_server_of_the_worker_is_killed()
        await scene.the_worker_is_killed()
        await scene.another_worker_offers_sql_alone()
        await scene.it_offers_http_as_well()
        await scene.what_failed_is_written_down()


class Scene:
    """Two servers, runs that wait or work for long, and workers that come and go. Steps are told in their order."""

    def __init__(
        self, cluster: Cluster, apis: Mapping[str, Api], system: OtherSystem, shops: Mapping[str, str], folder: Path
    ) -> None:
        self.cluster, self.apis, self.system, self.shops = cluster, apis, system, shops
        self.left = "s2"  # the server that is asked: not killed, or not yet
        self.folder = folder
        self.runs: dict[str, str] = {}
        self.lanes: Sequence[Mapping[str, Any]] = ()

    # -- steps ----------------------------------------------------------------------------------------------------

    async def nobody_offers_the_kinds(self) -> None:
        """Jobs are saved all the same, with a lane each, and their runs are held."""
        for shop in self.shops:
            for number, (end, on_lost) in enumerate((AGAIN | ONCE).items(), start=1):
                await self.create(f"{shop}-{end}", self.slow_sql(shop), params={"id": number}, on_lost=on_lost)
            await self.create(f"{shop}-stopped", self.slow_sql(shop), params={"id": 1})
            limited = {"sql": {"connection": shop, "query": DATABASES[shop]["sleep"], "timeout": "300ms"}}
            await self.create(f"{shop}-limited", limited)
        for end, on_lost in (AGAIN | ONCE).items():
            await self.create(f"call-{end}", self.http(f"call-{end}", self.system.hang), on_lost=on_lost)
            callback = self.http(f"back-{end}", self.system.accept, callback=True)
            await self.create(f"back-{end}", callback, on_lost=on_lost)
            self.system.site.pages[f"/status/poll-{end}"] = self.system.tell
            poll = {"every": 0.1, "until": '$.state == "done"'}
            await self.create(f"poll-{end}", self.http(f"poll-{end}", self.system.accept, poll=poll), on_lost=on_lost)
        for name in ("told", "told-late"):
            await self.create(name, self.http(name, self.system.accept, callback=True))
        self.lanes = await self.cluster.rows("SELECT * FROM lanes ORDER BY id")
        for name in self.at_work:
            self.runs[name] = await self.trigger(name)
        assert {(await self.run(name))["hold"] for name in self.runs} == {"nobody"}

    async def a_worker_offers_them(self) -> None:
        self.cluster.start_worker("w1", slots=16, jobs="", options=self.enabled("http", "sql"))
        await self.busy(dict.fromkeys(self.shops, 2))
        await soon(lambda: all(self.system.asked(name) for name in self.system.names), what="every call arrived")
        await soon(lambda: self.system.asked("status/poll-again") and self.system.asked("status/poll-once"))
        await self.lanes_are_as_they_were()

    async def statements_are_cancelled_and_limited_on_their_database(self) -> None:
        stopped = {shop: await self.trigger(f"{shop}-stopped") for shop in self.shops}
        await self.busy(dict.fromkeys(self.shops, 3))
        for run in stopped.values():
            assert (await self.api.ask("POST", f"/api/v1/runs/{run}:cancel", {})).status_code == 200
            assert (await self.api.ended(run))["state"] == "CANCELLED"
        await self.busy(dict.fromkeys(self.shops, 2))
        for shop in self.shops:
            late = await self.api.ended(await self.trigger(f"{shop}-limited"))
            assert (late["state"], "took longer than 0.3 s" in late["error"]) == ("FAILED", True), late

    async def the_server_of_the_worker_is_killed(self) -> None:
        """The other server takes the callback, and questions go on."""
        (told,) = self.system.asked("told")
        its_server = next(name for name in self.apis if self.is_of(name, told.headers["foliot-callback"]))
        self.left = next(name for name in self.apis if name != its_server)
        self.cluster.kill(its_server)
        before = len(self.system.asked("status/poll-again"))
        done = {"state": "SUCCEEDED", "result": {"rows": 7}}
        assert await self.call_back(told, done) == 200
        assert await self.call_back(told, done) == 200, "the same end again"
        assert await self.call_back(told, {"state": "FAILED", "error": "no"}) == 409
        ended = await self.ended("told")
        assert (ended["state"], ended["result"], ended["attempt"]) == ("SUCCEEDED", {"rows": 7}, 1), ended
        await soon(lambda: len(self.system.asked("status/poll-again")) > before, what="it goes on asking")

    async def the_worker_is_killed(self) -> None:
        """A callback that comes before anybody misses the worker still ends its run; what runs on PostgreSQL ends."""
        (late,) = self.system.asked("told-late")
        self.cluster.kill("w1")
        assert await self.call_back(late, {"state": "SUCCEEDED", "result": 8}) == 200
        ended = await self.ended("told-late")
        assert (ended["state"], ended["result"], ended["attempt"]) == ("SUCCEEDED", 8, 1), ended
        await self.busy({"pg": 0})

    async def another_worker_offers_sql_alone(self) -> None:
        """It executes again what may be; calls are held, because nobody offers http any more."""
        self.cluster.start_worker("w2", jobs="", options=self.enabled("sql"))
        for shop, url in self.shops.items():
            again, once = await self.ended(f"{shop}-again"), await self.ended(f"{shop}-once")
            assert (again["state"], again["attempt"]) == ("SUCCEEDED", 2), again
            assert (once["state"], once["kind"], once["attempt"]) == ("FAILED", "lost", 1), once
            first, last = [int(one["fence"]) for one in await self.attempts(f"{shop}-again")]
            assert first < last
            written = "SELECT count(*) FROM reports WHERE id = 1 AND body = 'written' AND fence"
            assert await asked(url, f"{written} = {last}") == 1
            assert await asked(url, f"{written} < {first}") == 0, "a late write of the first attempt finds nothing"
            assert await asked(url, "SELECT count(*) FROM reports WHERE id = 2 AND body = 'old'") == 1
            assert await asked(url, "SELECT min(attempt) FROM journal") == 2, "what was not committed is gone"
            assert await asked(url, "SELECT count(*) FROM journal") == 1
        for name in ("call-again", "back-again", "poll-again"):
            run = await self.run(name)
            assert (run["state"], run["hold"]) == ("PENDING", "handler"), run
        await self.lanes_are_as_they_were()

    async def it_offers_http_as_well(self) -> None:
        """The same worker, started again: the runs that waited for the kind start, in the lanes that they had."""
        polled = len(self.system.asked("status/poll-once"))
        self.system.is_done = True
        assert self.cluster.processes["w2"].stop() == 0
        self.cluster.start_worker("w2", jobs="", options=self.enabled("http", "sql"))
        await soon(lambda: len(self.system.asked("back-again")) == 2, what="it is asked for again")
        void, valid = self.system.asked("back-again")
        assert await self.call_back(void, {"state": "SUCCEEDED"}) == 410
        assert await self.call_back(valid, {"state": "SUCCEEDED"}) == 200
        for name in ("call-again", "back-again", "poll-again"):
            run = await self.ended(name)
            assert (run["state"], run["attempt"]) == ("SUCCEEDED", 2), run
            first, second = (seen.headers for seen in self.system.asked(name))
            assert first["idempotency-key"] == second["idempotency-key"]
            assert int(first["foliot-fence"]) < int(second["foliot-fence"])
        for name in ("call-once", "back-once", "poll-once"):
            run = await self.ended(name)
            assert (run["state"], run["kind"], run["attempt"]) == ("FAILED", "lost", 1), run
        for name in ("call-once", "back-once", "poll-once", "told", "told-late"):
            assert len(self.system.asked(name)) == 1, name
        assert len(self.system.asked("status/poll-once")) == polled, "nobody asks for a run that is over"
        await self.lanes_are_as_they_were()

    async def what_failed_is_written_down(self) -> None:
        """Two crashes, each one row from its beginning to its end; whoever was stopped in order is in none."""
        found: list[Mapping[str, Any]] = []

        async def all_are_over() -> bool:
            found[:] = (await self.api.get("/api/v1/failovers?type=worker_crash,server_crash")).json()["items"]
            return len(found) > 1 and all(one["ended_at"] is not None for one in found)

        await soon(all_are_over, what="the crashes are over")
        by_type = {one["type"]: one for one in found}
        assert len(found) == len(by_type) == 2, found
        worker, server = by_type["worker_crash"], by_type["server_crash"]
        assert (worker["subject"], worker["outcome"], worker["done"]["lost"]) == ("w1", "losses", 5), worker
        assert worker["done"]["returned"] == worker["affected"]["runs"] - 5 >= 5, worker
        assert (server["subject"], server["outcome"]) == ({"s1": "s2", "s2": "s1"}[self.left], "recovered"), server
        for one in found:
            assert one["began_at"] < one["detected_at"] <= one["ended_at"], one

    # -- words ----------------------------------------------------------------------------------------------------

    @property
    def api(self) -> Api:
        return self.apis[self.left]

    def is_of(self, server: str, url: str) -> bool:
        return url.startswith(f"http://127.0.0.1:{self.cluster.port_of(server)}/")

    @property
    def at_work(self) -> list[str]:
        """The jobs whose runs are on their way when the worker is killed."""
        of_shops = [f"{shop}-{end}" for shop in self.shops for end in AGAIN | ONCE]
        return [*of_shops, *self.system.names]

    def slow_sql(self, shop: str) -> dict[str, Any]:
        """The first attempt sleeps in the middle of its transaction."""
        note = "INSERT INTO journal VALUES (:run_id, :attempt)"
        return {"sql": {"connection": shop, "statements": [note, DATABASES[shop]["sleep"], FENCED]}}

    def http(self, name: str, answer: Callable[[Visit], bool | None], **options: Any) -> dict[str, Any]:
        return {"http": {"url": self.system.page(name, answer), "method": "POST", **options}}

    def enabled(self, *kinds: str) -> tuple[str, str]:
        """Settings of a worker that offers these kinds."""
        lines = {
            "http": ["[handlers.http]", 'allow = ["loopback"]'],
            "sql": [f"[handlers.sql.connections.{shop}]\nurl = '{url}'" for shop, url in self.shops.items()],
        }
        file = self.folder / f"{'-'.join(kinds)}.toml"
        file.write_text("\n".join(line for kind in kinds for line in lines[kind]), "utf-8")
        file.chmod(0o600)
        return "--handler-settings", str(file)

    async def create(self, name: str, run: Mapping[str, Any], **fields: Any) -> None:
        body = {"name": name, "definition": {"run": run, "overlap": "allow", **fields}}
        created = await self.api.ask("POST", "/api/v1/jobs", body)
        assert created.status_code == 201, json.dumps(created.json())

    async def trigger(self, name: str) -> str:
        return str((await self.api.trigger(name)).json()["id"])

    async def run(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = (await self.api.get(f"/api/v1/runs/{self.runs[name]}")).json()
        return found

    async def ended(self, name: str) -> Mapping[str, Any]:
        return await self.api.ended(self.runs[name])

    async def attempts(self, name: str) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = (await self.api.get(f"/api/v1/runs/{self.runs[name]}/attempts")).json()[
            "items"
        ]
        return found

    async def call_back(self, seen: Seen, said: Mapping[str, Any]) -> int:
        """What the system does when it is done: it calls the server that is left."""
        path = seen.headers["foliot-callback"].split("/", maxsplit=3)[3]
        headers = {"Authorization": f"Bearer {seen.headers['foliot-callback-token']}"}
        url = f"http://127.0.0.1:{self.cluster.port_of(self.left)}/{path}"
        async with httpx2.AsyncClient(timeout=ANSWER_WITHIN_S, trust_env=False) as http:
            return (await http.post(url, json=said, headers=headers)).status_code

    async def busy(self, wanted: Mapping[str, int]) -> None:
        """Until as many statements run on these databases."""

        async def counted() -> bool:
            counts = {shop: await asked(self.shops[shop], DATABASES[shop]["busy"]) for shop in wanted}
            return counts == wanted

        await soon(counted, step_s=0.1, what=f"statements at work: {wanted}")

    async def lanes_are_as_they_were(self) -> None:
        assert await self.cluster.rows("SELECT * FROM lanes ORDER BY id") == self.lanes
