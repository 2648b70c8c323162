"""Fault tests: real processes, broken while they work; the checker judges what happened (F00, F01, F02, F04)."""

from collections.abc import Mapping

import pytest

from foliot_check.findings import Finding
from foliot_check.report import as_table
from tests.cluster.cluster import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


def servers_of(cluster: Cluster) -> list[str]:
    """SQLite serves one machine: one server, started again after a kill."""
    return ["s1"] if cluster.url.startswith("sqlite") else ["s1", "s2", "s3"]


def start(cluster: Cluster) -> None:
    for name in servers_of(cluster):
        cluster.start_server(name)
    for name in ("w1", "w2"):
        cluster.start_worker(name)


async def judged(cluster: Cluster) -> Mapping[str, Finding]:
    await cluster.settle()
    findings = await cluster.judge()
    assert all(finding.holds for finding in findings.values()), as_table(findings)
    assert findings["I1"].looked_at > 30, "the load was real"
    return findings


async def test_f00_nothing_is_broken(cluster: Cluster) -> None:
    start(cluster)
    await cluster.wait_for_runs(60)
    findings = await judged(cluster)
    assert findings["I3"].figures["lateness_s_p50"] < 1.0


async def test_f01_servers_are_killed(cluster: Cluster) -> None:
    start(cluster)
    await cluster.wait_for_runs(15)
    for round_ in range(3):
        victim = servers_of(cluster)[round_ % len(servers_of(cluster))]
        cluster.kill(victim)
        cluster.start_server(victim)
        await cluster.wait_for_runs(30 + 15 * round_)
    await judged(cluster)


async def test_f01_a_server_dies_inside_the_firing_transaction(cluster: Cluster) -> None:
    start(cluster)
    await cluster.wait_for_runs(10)
    servers = servers_of(cluster)
    for place in ("firing.taken", "firing.recorded", "ending.runs_written"):
        for name in servers:
            cluster.note("kill", node=name, place=place)
            cluster.processes[name].stop()
        dying = [cluster.start_server(name, fault=f"kill:{place}:2") for name in servers]
        await cluster.wait_dead(dying)  # one of them at least; whoever the workers talk to
        for name in servers:
            cluster.processes[name].close()
            cluster.start_server(name)
    await cluster.wait_for_runs(40)
    await judged(cluster)


async def test_f02_workers_are_killed(cluster: Cluster) -> None:
    start(cluster)
    await cluster.wait_for_runs(15)
    for round_, victim in enumerate(["w1", "w2", "w1"]):
        cluster.kill(victim)
        cluster.start_worker(victim)
        await cluster.wait_for_runs(30 + 15 * round_)
    await judged(cluster)
