"""Statistics by the API: of a job and of a node, over a range."""

from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foliot.cli.output import Output
from foliot.cli.server_access import User
from foliot.cli.stats import _lines
from foliot.cli.times import Times
from foliot.domain.health import Health
from foliot.domain.instants import MINUTE, SECOND, Instant, to_instant
from foliot.domain.verdict import Cause
from foliot.engine.node_load import LoadKeeping
from foliot.engine.statistics import EVERY_S, Counting
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.api.asking import Api
from tests.api.stage import Stage

BEGAN = "2026-03-02T06:00:00Z"


async def count(stage: Stage) -> None:
    """Let a leader count what there is."""
    term = await stage.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
    assert term is not None
    counting = Counting(stage.store.statistics, stage.clock)
    for _ in range(2):
        await counting.count(term.number)
        stage.clock.at += int(EVERY_S * SECOND)


async def run_some(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    for cause in (Cause.SUCCEEDED, Cause.SUCCEEDED, Cause.TIMEOUT):
        await api.post("/jobs/tick:trigger", {})
        await worker.lease()
        await worker.end(cause, after_us=2 * SECOND)


def told(stats: dict[str, Any]) -> tuple[Any, ...]:
    return stats["runs"], stats["succeeded"], stats["failed"], stats["outcomes"], stats["duration_s"]["mean"]


async def test_a_job_and_its_node_have_the_same_figures_before_and_after_they_are_counted(
    api: Api, stage: Stage
) -> None:
    await run_some(api, stage)
    before = (await api.get("/jobs/tick/stats")).json()
    assert told(before) == (3, 2, 1, {"SUCCEEDED": 2, "FAILED:timeout": 1}, 2.0)
    assert (await api.get("/nodes/w-1/stats")).json()["runs"] == 0, "a node's figures wait for the leader"
    await count(stage)
    after = (await api.get("/jobs/tick/stats")).json()
    assert told(after) == told(before)
    assert (after["step"], [point["start"] for point in after["points"]]) == ("hour", [BEGAN])
    assert [(node["node"], node["runs"]) for node in after["nodes"]] == [("w-1", 3)]
    node = (await api.get("/nodes/w-1/stats", step="day")).json()
    assert (node["name"], node["nodes"], told(node)) == ("w-1", [], told(before))
    elsewhere = {"from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z"}
    assert (await api.get("/jobs/tick/stats", **elsewhere)).json()["runs"] == 0
    by_minute = (await api.get("/jobs/tick/stats", **{"from": BEGAN}, step="minute")).json()
    assert (by_minute["step"], sum(point["runs"] for point in by_minute["points"])) == ("minute", 3)


async def run_twenty_one(api: Api, stage: Stage) -> Instant:
    """The nth of them waits n tenths of a second and takes n seconds; when the last one ended."""
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    for number in range(1, 22):
        await api.post("/jobs/tick:trigger", {})
        stage.clock.at += number * SECOND // 10
        await worker.beat()
        await worker.lease()
        await worker.end(Cause.SUCCEEDED, after_us=number * SECOND)
    return stage.clock.at


def about(durations: dict[str, float]) -> Any:
    """Percentiles are right to two percent; the mean and the longest are exact."""
    return {
        name: pytest.approx(seconds, rel=0.02 if name.startswith("p") else 1e-9) for name, seconds in durations.items()
    }


TOOK = {"mean": 11.0, "p50": 11.0, "p95": 20.0, "p99": 21.0, "max": 21.0}
WAITED = {name: seconds / 10 for name, seconds in TOOK.items()}


async def test_durations_and_waits_have_their_percentiles_before_and_after_they_are_counted(
    api: Api, stage: Stage
) -> None:
    ended_at = await run_twenty_one(api, stage)

    async def figures(path: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = (await api.get(f"{path}/stats", **query)).json()
        assert (found["duration_s"], found["queue_delay_s"]) == (about(TOOK), about(WAITED))
        assert to_instant(datetime.fromisoformat(found["last_ended_at"])) == ended_at
        return found

    await figures("/jobs/tick")
    await count(stage)
    for step in ("hour", "day"):
        told = await figures("/jobs/tick", step=step)
        (point,) = told["points"]
        assert (point["duration_s"], point["queue_delay_s"]) == (told["duration_s"], told["queue_delay_s"])
    await figures("/nodes/w-1")
    await figures("/cluster")


async def test_the_command_line_shows_the_percentiles_that_the_api_tells(api: Api, stage: Stage) -> None:
    await run_twenty_one(api, stage)
    found = (await api.get("/jobs/tick/stats")).json()
    english, chinese = dict(_lines(user(stage), found)), dict(_lines(user(stage, chinese=True), found))
    assert str(english["took"]) == "mean 11 s, p50 11 s, p95 20 s, p99 21 s, longest 21 s"
    assert str(english["queued"]) == "mean 1.1 s, p50 1.1 s, p95 2.0 s, p99 2.1 s, longest 2.1 s"
    assert str(english["last"]) == user(stage).times.full(found["last_ended_at"])
    assert str(chinese["took"]) == "平均 11 秒，p50 11 秒，p95 20 秒，p99 21 秒，最长 21 秒"


def user(stage: Stage, *, chinese: bool = False) -> User:
    """Somebody at a terminal, without a server."""
    out = Output(form="table", quiet=False, colour=False, chinese=chinese)
    times = Times("UTC", chinese=chinese, now=stage.clock.now())
    return cast("User", SimpleNamespace(out=out, times=times))


async def test_a_node_that_left_has_figures_and_one_that_never_was_has_none(api: Api, stage: Stage) -> None:
    await run_some(api, stage)
    await count(stage)
    stage.elapse("2d")
    assert (await api.get("/nodes/w-1/stats")).json()["runs"] == 3
    never = await api.get("/nodes/w-9/stats")
    assert (never.status_code, never.json()["code"]) == (404, "FOL-2007")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"from": "2026-03-02T06:00:00Z", "to": "2026-03-02T06:00:00Z"}, "to"),
        ({"from": "1999-01-01T00:00:00Z"}, "step"),
        ({"step": "minute"}, "step"),
        ({"step": "week"}, "step"),
        ({"from": "yesterday"}, "from"),
    ],
)
async def test_a_range_that_cannot_be_answered_is_refused(api: Api, query: dict[str, Any], path: str) -> None:
    await api.create_job("tick")
    refused = await api.get("/jobs/tick/stats", **query)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, path)
    chinese = await api.ask("GET", "/jobs/tick/stats", headers={"Accept-Language": "zh-CN"}, **query)
    assert not chinese.json()["errors"][0]["message"].isascii()


async def keep_load(stage: Stage, *, band: Health = Health.ONLINE) -> None:
    """Let a leader look at the nodes for a minute, and write it down."""
    term = await stage.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
    assert term is not None

    async def nodes() -> Sequence[NodeRow]:
        return await stage.store.lookups.nodes(include_dead_since=None)

    keeping = LoadKeeping(stage.store.statistics, nodes, believed_now=lambda: stage.clock.at, band_of=lambda _: band)
    for _ in range(2):
        await keeping.keep(term.number)
        stage.clock.at += MINUTE


async def test_a_node_and_the_cluster_have_their_load_beside_their_runs(api: Api, stage: Stage) -> None:
    await run_some(api, stage)
    await count(stage)
    await keep_load(stage, band=Health.WARNING)
    node = (await api.get("/nodes/w-1/stats")).json()
    assert (node["runs"], node["load"]["samples"], node["load"]["bands"]) == (3, 1, {"WARNING": 1.0})
    assert node["load"]["slots"]["mean"] >= 1
    assert [point["start"] for point in node["load_points"]] == [BEGAN]
    cluster = (await api.get("/cluster/stats", step="day")).json()
    assert told(cluster) == told(node)
    assert (cluster["name"], cluster["load"]["scheduled"], cluster["load"]["running"]["max"]) == ("cluster", 0, 0)
    stage.elapse("2d")
    assert (await api.get("/nodes/w-1/stats")).json()["load"]["samples"] == 1, "it left"


async def test_a_node_without_runs_has_its_load(api: Api, stage: Stage) -> None:
    await stage.worker("w-2", ["python:jobs:tick"])
    await keep_load(stage)
    found = (await api.get("/nodes/w-2/stats")).json()
    assert (found["runs"], found["load"]["samples"]) == (0, 1)


async def test_a_token_of_one_namespace_does_not_see_the_figures_of_all(api: Api) -> None:
    await api.create_job("tick")
    narrow = await api.with_scopes("read", namespace="billing")
    assert (await narrow.get("/cluster/stats")).status_code == 403
