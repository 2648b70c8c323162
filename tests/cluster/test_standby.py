"""A standby waits, takes the place of a server that is killed, and nobody misses a fire (F04, C5, C6)."""

import asyncio
from functools import partial
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner, Result

from foliot.cli import main
from foliot.cli.refusal import TOOK_TOO_LONG
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.redis import RedisServer

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

BACK_WITHIN_S = 60.0  # usually about eight: the time of a session and some beats of the test's timing
SESSION_OF = "SELECT id FROM nodes WHERE name = '{name}' AND kind = 'server' AND state = 'live'"
ROLE_OF = "SELECT role FROM nodes WHERE name = '{name}' AND kind = 'server' AND state = 'live'"
TERM = "SELECT term FROM leases WHERE name = 'leader'"
ENDED_RUNS = "SELECT count(*) FROM runs WHERE state = 'SUCCEEDED'"
ENDED_CRASHES = "SELECT count(*) FROM failovers WHERE type = 'server_crash' AND ended_at IS NOT NULL"


async def answered(cluster: Cluster, server: str, method: str, path: str, **body: Any) -> Any:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {cluster.token}"}, timeout=60) as http:
        url = f"http://127.0.0.1:{cluster.port_of(server)}{path}"
        answer = await http.request(method, url, json=body or None)
    assert answer.status_code == 200, answer.text
    return answer.json() if path.startswith("/api") else answer.text


async def figure(cluster: Cluster, server: str, name: str) -> float:
    """A number of a server's metrics; 0 when it has none."""
    lines = (await answered(cluster, server, "GET", "/metrics")).splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))


async def has_fired(cluster: Cluster, server: str) -> bool:
    return await figure(cluster, server, "foliot_runs_created_total") > 0


async def commanded(cluster: Cluster, server: str, *words: str) -> Result:
    """A command of a user that this server answers."""
    token = cluster.folder / "user.token"
    token.touch(0o600)
    token.write_text(cluster.token)
    command = [*words, "--server", cluster.address_of(server), "--token-file", str(token)]
    return await asyncio.to_thread(CliRunner().invoke, main, command, prog_name="foliot", env={"LC_ALL": "C.UTF-8"})


async def drained_and_taken_back(cluster: Cluster, server: str, *, by: str) -> None:
    """A user takes a server out of service: it leads no more and fires nothing, and the others go on.

    While it stands still it does not hear of the wish, and the user does not wait for ever.
    """
    await answered(cluster, server, "PUT", "/api/v1/cluster/servers", active_min=1)
    drain = ("node", "drain", server, "--reason", "a test", "--wait-for")
    cluster.pause(server)
    unheard = await commanded(cluster, by, *drain, "1s")
    cluster.resume(server)
    assert unheard.exit_code == TOOK_TOO_LONG, unheard.output
    assert f"{server} is not idle yet" in unheard.output
    heard = await commanded(cluster, by, *drain, f"{BACK_WITHIN_S}s")
    assert (heard.exit_code, f"{server} is drained" in heard.output) == (0, True), heard.output
    found = await answered(cluster, by, "GET", f"/api/v1/nodes/{server}")
    assert (found["load"]["drained"], found["is_leader"]) == (1, False)
    fired = await figure(cluster, server, "foliot_runs_created_total")
    ended = await asked(cluster.url, ENDED_RUNS)

    async def goes_on() -> bool:
        return bool(await asked(cluster.url, ENDED_RUNS) >= ended + 20)

    await soon(goes_on, within_s=BACK_WITHIN_S, what="20 more runs ended")
    assert await figure(cluster, server, "foliot_runs_created_total") == fired, "the other server fired them all"
    await answered(cluster, by, "POST", f"/api/v1/nodes/{server}:undrain", reason="a test")
    await soon(partial(fires_on, cluster, server, fired), within_s=BACK_WITHIN_S, what="it fires again")


async def fires_on(cluster: Cluster, server: str, fired: float) -> bool:
    return await figure(cluster, server, "foliot_runs_created_total") > fired


@pytest.mark.parametrize("recorded_url", [pytest.param("postgresql", marks=pytest.mark.services)], indirect=True)
async def test_a_standby_takes_the_place_of_a_killed_server(cluster: Cluster) -> None:
    cluster.start(servers=2, workers=2)
    cluster.start_server("s3", options=["--standby"])
    for server in cluster.servers:
        await cluster.answers(server)
    await answered(cluster, "s3", "PUT", "/api/v1/cluster/servers", active_min=2, standby_count=1)
    await cluster.wait_for_runs(20)
    assert await asked(cluster.url, ROLE_OF.format(name="s3")) == "standby"
    assert not await has_fired(cluster, "s3"), "it serves the API and fires nothing"
    assert await figure(cluster, "s3", "foliot_standby") == 1

    killed = "s1" if await cluster.leader() == "s1" else "s2"
    dead = await asked(cluster.url, SESSION_OF.format(name=killed))
    standby = await asked(cluster.url, SESSION_OF.format(name="s3"))
    last_beat = await asked(cluster.url, f"SELECT last_beat_at FROM nodes WHERE id = '{dead}'")
    cluster.kill(killed)

    await soon(partial(asked, cluster.url, ENDED_CRASHES), within_s=BACK_WITHIN_S, what="the crash is over")
    (crash,) = (await answered(cluster, "s3", "GET", "/api/v1/failovers?type=server_crash"))["items"]
    assert (crash["subject"], crash["action"], crash["done"]) == (killed, "promote_standby", {"promoted": "s3"})
    assert crash["outcome"] == "recovered"
    times = f"SELECT {{0}} FROM failovers WHERE occurrence = 'session:{dead}'"
    began_at, ended_at = [await asked(cluster.url, times.format(name)) for name in ("began_at", "ended_at")]
    role_at = await asked(cluster.url, f"SELECT role_at FROM nodes WHERE id = '{standby}'")
    assert last_beat <= began_at, "it began with the last beat before the kill"
    assert ended_at == role_at, "it was over with the promotion, by the store's clock"
    await soon(partial(has_fired, cluster, "s3"), within_s=BACK_WITHIN_S, what="the promoted server fires")

    await drained_and_taken_back(cluster, "s3", by=next(name for name in ("s1", "s2") if name != killed))

    await cluster.settle()
    findings = await cluster.judge()
    assert not {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
    assert findings["I1"].looked_at >= 20, "the load was real"


@pytest.mark.parametrize("recorded_url", [pytest.param("postgresql", marks=pytest.mark.services)], indirect=True)
async def test_a_standby_follows_the_leader_that_redis_chose_and_that_was_killed(cluster: Cluster) -> None:
    """The standby is no candidate at the service while it stands by; promoted, it is chosen and leads."""
    with RedisServer() as redis:
        coord = ["--coord", redis.url]
        cluster.start_server("s1", options=coord)
        await cluster.answers("s1")
        assert await cluster.leader() == "s1"
        cluster.start_server("s2", options=[*coord, "--standby"])
        await cluster.answers("s2")
        term = await asked(cluster.url, TERM)
        cluster.kill("s1")

        async def leads() -> bool:
            return await figure(cluster, "s2", "foliot_leading") == 1

        await soon(leads, within_s=BACK_WITHIN_S, what="the promoted server leads")
        assert await asked(cluster.url, ROLE_OF.format(name="s2")) == "active"
        assert await asked(cluster.url, TERM) > term
        chosen = partial(figure, cluster, "s2", "foliot_coordinator_chosen")
        await soon(chosen, within_s=BACK_WITHIN_S, what="Redis chose the promoted server")
