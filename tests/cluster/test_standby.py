"""A standby waits, takes the place of a server that is killed, and nobody misses a fire (F04, C5, C6)."""

from functools import partial
from typing import Any

import httpx2
import pytest

from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

BACK_WITHIN_S = 60.0  # usually about eight: the time of a session and some beats of the test's timing
SESSION_OF = "SELECT id FROM nodes WHERE name = '{name}' AND kind = 'server' AND state = 'live'"
ROLE_OF = "SELECT role FROM nodes WHERE name = '{name}' AND kind = 'server' AND state = 'live'"
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

    await cluster.settle()
    findings = await cluster.judge()
    assert not {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
    assert findings["I1"].looked_at >= 20, "the load was real"
