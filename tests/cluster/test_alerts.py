"""Alerts of real processes: the leader dies while it tells people, and what Foliot does by itself about an alert."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.api import Api, people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import mostly_on
from tests.cluster.trap import Trap
from tests.conformance.receivers import WebReceiver, web_receiver
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

JOBS = "tests.cluster.alert_jobs"
NEW = {"If-None-Match": "*"}
ALWAYS_STRAINED = ("--health", "score=0.002,calm=0.001,beats=2")


@pytest.fixture
async def receiver() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


@pytest.fixture
def notify(tmp_path: Path) -> tuple[str, str]:
    """The option with a file that lets servers reach this machine."""
    file = tmp_path / "notify.toml"
    file.write_text('[notify]\nallow = ["loopback"]\nwithin = "1s"\n')
    return "--notify", str(file)


def told(receiver: WebReceiver, path: str = "/hook") -> list[dict[str, Any]]:
    """What the receiver got there, by its own record."""
    return [json.loads(got.body) for got in receiver.got if got.path == path]


async def saved(api: Api, kind: str, name: str, document: dict[str, Any]) -> None:
    where = "?everywhere=true" if kind == "rule" else ""
    answer = await api.ask("PUT", f"/api/v1/{kind}s/{name}{where}", {kind: document}, headers=NEW)
    assert answer.status_code in (200, 201), answer.text


async def channel(api: Api, receiver: WebReceiver, name: str = "hook") -> None:
    await saved(api, "channel", name, {"kind": "webhook", "settings": {"url": f"{receiver.address}/{name}"}})


async def rule(api: Api, name: str, **document: Any) -> None:
    await saved(api, "rule", name, {"to": ["hook"], **document})


async def failed(api: Api, job: str) -> str:
    """A run of the job, which has failed; its id."""
    run = str((await api.trigger(job)).json()["id"])
    assert (await api.ended(run))["state"] == "FAILED"
    return run


@mostly_on("postgresql")
async def test_a_leader_that_is_killed_tells_once_or_marks_the_repeat(
    cluster: Cluster, receiver: WebReceiver, notify: tuple[str, str]
) -> None:
    """Killed between decision and sending, then while a slow receiver has its message: the receiver is the judge."""
    trap = Trap(cluster)
    for name in ["s1"] if cluster.is_sqlite else ["s1", "s2", "s3"]:
        cluster.start_server(name, fault=trap.fault, options=notify)
    cluster.start_worker("w1", jobs=JOBS)
    await cluster.declared("bill")

    async def heir_of(victim: str) -> str:
        """Somebody else leads; on SQLite the same server, started again."""
        if cluster.is_sqlite:
            cluster.start_again(victim)
            await cluster.answers(victim)
        return await cluster.leader()

    async with people_of(cluster, await cluster.leader()) as api:
        await channel(api, receiver)
        await rule(api, "failures", when="failed")
        trap.arm("kill", "outbox.claimed")
        await failed(api, "settle")
    victim = await trap.sprung(within_s=60)
    assert victim is not None
    assert told(receiver) == []
    leader = await heir_of(victim)
    await soon(lambda: told(receiver), within_s=60, what="the next leader tells it")

    receiver.hold = asyncio.Event()
    async with people_of(cluster, leader) as api:
        await failed(api, "bill")
    await soon(lambda: len(told(receiver)) == 2, within_s=60, step_s=0.001, what="a message is on its way")
    leader = await cluster.leader()
    cluster.kill(leader)
    receiver.hold.set()
    await heir_of(leader)
    await soon(lambda: len(told(receiver)) >= 3, within_s=60, what="the next leader tells it again")

    async with people_of(cluster, await cluster.leader()) as api:

        async def is_settled() -> bool:
            sent = (await api.get("/api/v1/deliveries")).json()["items"]
            return [one["state"] for one in sent] == ["SENT", "SENT"]

        await soon(is_settled, within_s=60, what="both are settled")
    first, second, again = told(receiver)
    assert (first["repeat"], second["repeat"], again["repeat"]) == (False, False, True)
    assert first["delivery"] != second["delivery"] == again["delivery"]
    assert {**second, "repeat": True} == again


@mostly_on("sqlite")
async def test_what_foliot_does_by_itself_is_bounded_and_stands_in_the_journal(
    cluster: Cluster, receiver: WebReceiver, notify: tuple[str, str]
) -> None:
    """Retry, pause, another job, a webhook and a drain, each done once; a rule that says nothing does nothing."""
    cluster.start_server("s1", options=(*notify, *ALWAYS_STRAINED))
    for name in ("w1", "w2"):
        cluster.start_worker(name, jobs=JOBS)
    await cluster.declared("mend")
    async with people_of(cluster) as api:
        await channel(api, receiver)
        await channel(api, receiver, "acts")
        await rule(api, "quiet", when="failed")
        await rule(api, "again", when="failed", of={"job": "settle"}, do={"retry": 1})
        await rule(api, "mending", when="failed", of={"job": "settle"}, do={"trigger": "mend"})
        await rule(api, "stop", when="failed", of={"job": "bill"}, do={"pause": True})
        await rule(api, "call", when="failed", of={"job": "bill"}, do={"webhook": "acts"})
        await rule(api, "strained", when="node warning", of={"node": "w2"}, do={"drain": True})
        first = await failed(api, "settle")
        await failed(api, "bill")
        wanted = {
            ("again", "retry", "settle"),
            ("mending", "trigger", "mend"),
            ("stop", "pause", "bill"),
            ("call", "webhook", "acts"),
            ("strained", "drain", "w2"),
        }

        async def acted() -> list[dict[str, Any]]:
            events = (await api.get("/api/v1/journal?topic=cluster")).json()["items"]
            return [event for event in events if event["kind"] == "alert.acted"]

        async def is_done() -> bool:
            return len(await acted()) >= len(wanted)

        await soon(is_done, within_s=90, what="five actions")
        runs = (await api.get("/api/v1/runs?job=settle")).json()["items"]
        again = next(run for run in runs if run["id"] != first)
        assert (await api.ended(again["id"]))["state"] == "FAILED"
        await failed(api, "settle")  # its alert is open, and has done what it may
        await soon(lambda: _has_news_of(receiver), within_s=60, what="the webhook of an action")

        async def is_paused_mended_and_drained() -> bool:
            job = (await api.get("/api/v1/jobs/bill")).json()
            mended = (await api.get("/api/v1/runs?job=mend")).json()["items"]
            asked = (await api.get("/api/v1/journal?topic=nodes")).json()["items"]
            drained = [(event["subject"], event["by"]) for event in asked if event["kind"] == "node.drain_asked"]
            return (
                job["paused_by"] == "alert:stop"
                and [run["state"] for run in mended] == ["SUCCEEDED"]
                and drained == [("w2", "alert:strained")]
            )

        await soon(is_paused_mended_and_drained, within_s=60, what="pause, mend and drain")
        events = await acted()
        assert {(event["subject"], event["data"]["action"], event["data"]["target"]) for event in events} == wanted
        assert len(events) == len(wanted)
        assert {event["by"] for event in events} == {f"alert:{rule}" for rule, _, _ in wanted}


def _has_news_of(receiver: WebReceiver) -> bool:
    return [one["data"]["rule"] for one in told(receiver, "/acts")] == ["call"]
