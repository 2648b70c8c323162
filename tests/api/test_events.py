"""The stream of events: what changes, rising ids, resume, reset, and nothing of another namespace."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import SECOND, Instant, isoformat
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause
from foliot.operations.watch import REST_S, ChangeWatch, Fresh, StreamedChange
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.lookups import RunRow
from tests.api.asking import Api, opened_api
from tests.api.stage import ROOT, Stage
from tests.eventually import soon


class Listener:
    """Somebody who watches."""

    def __init__(self, watch: ChangeWatch, who: Principal, topics: list[str], last_id: int | None) -> None:
        self.watch = watch
        self.heard: list[StreamedChange] = []
        self.left = False
        self._changes = watch.changes(who, topics, last_id=last_id, gone=self._gone)

    async def _gone(self) -> bool:
        return self.left

    async def listen(self) -> None:
        async for change in self._changes:
            if change is not None:
                self.heard.append(change)

    @property
    def kinds(self) -> list[str]:
        return [change.kind for change in self.heard]


@asynccontextmanager
async def listening(
    watch: ChangeWatch, who: Principal = ROOT, topics: list[str] | None = None, last_id: int | None = None
) -> AsyncIterator[Listener]:
    listener = Listener(watch, who, topics or [], last_id)
    task = asyncio.create_task(listener.listen())
    await soon(lambda: watch._looker is not None, within_s=30)
    try:
        yield listener
    finally:
        listener.left = True
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def told(listener: Listener, n: int) -> None:
    async def heard() -> bool:
        await listener.watch.look()
        return len(listener.heard) >= n

    await soon(heard, within_s=30, what=f"{n} changes are told")


async def test_a_runs_life_is_told_in_order(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    watch = ChangeWatch(stage.services)
    async with listening(watch) as listener:
        await api.post("/jobs/tick:trigger")
        await told(listener, 1)
        await worker.lease()
        await told(listener, 2)
        await worker.end(Cause.SUCCEEDED, after_us=SECOND)
        await told(listener, 3)
    assert listener.kinds == ["run.created", "run.started", "run.ended"]
    assert [change.data["state"] for change in listener.heard] == ["PENDING", "RUNNING", "SUCCEEDED"]
    ids = [change.id for change in listener.heard]
    assert ids == sorted(set(ids))
    run = await stage.store.lookups.run(parse_run_id(listener.heard[0].data["id"]))
    assert run is not None
    happened = [run.created_at, run.leased_at or 0, run.ended_at or 0]
    assert [change.data["at"] for change in listener.heard] == [isoformat(at) for at in happened]


async def test_a_run_that_is_tried_again_and_one_that_is_to_stop_are_told_as_people_see_them(
    api: Api, stage: Stage
) -> None:
    await api.create_job("tick", retries=1)
    await api.create_job("endless")
    worker = await stage.worker("w-1", ["python:jobs:tick", "python:jobs:endless"])
    watch = ChangeWatch(stage.services)
    async with listening(watch, topics=["runs"]) as listener:
        await api.post("/jobs/tick:trigger")
        await told(listener, 1)
        await worker.lease()
        await told(listener, 2)
        await worker.end(Cause.ERROR, after_us=SECOND)
        await told(listener, 3)
        endless = (await api.post("/jobs/endless:trigger")).json()["id"]
        await told(listener, 4)
        await worker.lease()
        await told(listener, 5)
        await api.post(f"/runs/{endless}:cancel")
        await told(listener, 6)
    shown = [change.data["shown"] for change in listener.heard if "shown" in change.data]
    assert shown[:3] == ["PENDING", "RUNNING", "RETRYING"]
    assert shown[3:] == ["PENDING", "RUNNING", "CANCELLING"]
    assert [change.data["state"] for change in listener.heard if "shown" in change.data][2] == "PENDING"


async def test_changes_of_jobs_come_with_their_author(api: Api, stage: Stage) -> None:
    watch = ChangeWatch(stage.services)
    async with listening(watch, topics=["jobs/tick"]) as listener:
        await api.create_job("other")
        await api.create_job("tick")
        await api.post("/jobs/tick:pause", {"reason": "moving"})
        await told(listener, 2)
    assert listener.kinds == ["job.created", "job.paused"]
    assert (listener.heard[1].data["by"], listener.heard[1].data["reason"]) == ("root", "moving")


async def test_a_watcher_who_comes_back_gets_what_it_missed_or_is_told_to_begin_anew(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    watch = ChangeWatch(stage.services)
    async with listening(watch) as stays:
        async with listening(watch) as leaves:
            await api.post("/jobs/tick:trigger")
            await told(leaves, 1)
        await api.post("/jobs/tick:trigger")
        await told(stays, 2)
        async with listening(watch, last_id=leaves.heard[-1].id) as back:
            await told(back, 1)
        assert back.kinds == ["run.created"]
        assert back.heard[0].data["id"] == stays.heard[1].data["id"]
        async with listening(watch, last_id=5) as stranger:
            await told(stranger, 1)
        assert stranger.kinds == ["reset"]


async def test_nothing_of_another_namespace_is_told(api: Api, stage: Stage) -> None:
    watch = ChangeWatch(stage.services)
    theirs = Principal(name="x", scopes=frozenset({Scope.READ}), namespace="theirs")
    async with listening(watch, theirs) as listener, listening(watch) as everything:
        await api.create_job("tick")
        await api.post("/jobs/tick:trigger")
        await told(everything, 2)
        await watch.look()
    assert listener.heard == []


async def test_with_nobody_watching_nothing_is_read(api: Api, stage: Stage) -> None:
    watch = ChangeWatch(stage.services)
    async with listening(watch):
        assert watch._looker is not None
    assert watch._looker is None


async def test_those_who_come_at_once_share_one_look(api: Api, stage: Stage) -> None:
    watch = ChangeWatch(stage.services)
    listeners = [Listener(watch, ROOT, [], None) for _ in range(3)]
    tasks = [asyncio.create_task(listener.listen()) for listener in listeners]
    await api.create_job("tick")
    for listener in listeners:
        await soon(lambda: watch._looker is not None, within_s=30)
        await api.post("/jobs/tick:trigger")
        await told(listener, 1)
    assert len(lookers()) == 1
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await soon(lambda: not lookers(), within_s=30, what="nobody looks any more")


def lookers() -> list[str]:
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name() == "watch"]


async def test_who_could_not_begin_is_no_watcher(stage: Stage) -> None:
    watch = ChangeWatch(stage.services)

    async def away(**_: Any) -> None:
        raise StoreUnavailable("gone")

    object.__setattr__(stage.services.store.lookups, "changes", away)
    with pytest.raises(StoreUnavailable):
        await Listener(watch, ROOT, [], None).listen()
    assert (watch._watchers, watch._looker) == (0, None)


async def test_one_odd_run_costs_nobody_the_others(api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = ChangeWatch(stage.services)
    compare = watch._compare_one

    def choosy(run: RunRow, now: Instant, fresh: list[Fresh]) -> None:
        if run.job == "odd":
            raise ValueError("a time no calendar has")
        compare(run, now, fresh)

    monkeypatch.setattr(watch, "_compare_one", choosy)
    await api.create_job("odd")
    await api.create_job("tick")
    async with listening(watch, topics=["runs"]) as listener:
        await api.post("/jobs/odd:trigger")
        await api.post("/jobs/tick:trigger")
        await told(listener, 1)
    assert [change.subject for change in listener.heard] == ["tick"]


@pytest.mark.parametrize("trouble", [ValueError("a row that cannot be read"), StoreUnavailable("for a moment")])
async def test_a_look_that_breaks_off_ends_no_watching_and_loses_nothing(
    api: Api, stage: Stage, trouble: Exception
) -> None:
    watch, journal = ChangeWatch(stage.services), stage.services.store.journal
    after, troubles = journal.after, [trouble, trouble]
    await api.create_job("tick")
    async with listening(watch, topics=["runs"]) as listener:

        async def odd(*how: Any, **more: Any) -> Any:
            if troubles:
                raise troubles.pop()
            return await after(*how, **more)

        object.__setattr__(journal, "after", odd)
        await api.post("/jobs/tick:trigger")
        await soon(lambda: not troubles and listener.kinds == ["run.created"], within_s=30, what="it is told of")
        assert watch._looker is not None
        assert not watch._looker.done()
        await api.post("/jobs/tick:trigger")
        await soon(lambda: listener.kinds == ["run.created"] * 2, within_s=30, what="the next one, too")


async def test_the_stream_is_server_sent_events(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    stream: list[str] = []

    async def read() -> None:
        headers = {"Authorization": f"Bearer {api.token}"}
        messages: list[dict[str, Any]] = []
        over = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not messages:
                messages.append({})
                return {"type": "http.request", "body": b"", "more_body": False}
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.body":
                stream.append(message["body"].decode())
                if "run.created" in "".join(stream):
                    over.set()

        scope = {
            "type": "http", "method": "GET", "path": "/api/v1/events", "raw_path": b"/api/v1/events", "scheme": "http",
            "query_string": b"topics=runs", "server": ("foliot", 80), "client": ("127.0.0.1", 1), "http_version": "1.1",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        await api.app(scope, receive, send)

    task = asyncio.create_task(read())
    watch: ChangeWatch = api.app.state.watch
    await soon(lambda: watch._looker is not None, within_s=30)
    await api.post("/jobs/tick:trigger")

    async def told_all() -> bool:
        await watch.look()
        return task.done()

    await soon(told_all, within_s=30, what="the stream tells of the run")
    await task
    whole = "".join(stream)
    assert whole.startswith("event: hello\nretry: 2000\ndata: \n\n")
    assert "event: run.created\ndata: {" in whole
    assert "id: " in whole


async def test_a_users_change_is_told_without_waiting_for_the_next_look(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def until_woken(wake: asyncio.Event, *, for_s: float) -> bool:
        """No look comes by itself: only the rest between two looks passes."""
        return True if for_s == REST_S else await wake.wait()

    watch: ChangeWatch = api.app.state.watch
    monkeypatch.setattr(stage.services.clock, "wait", until_woken)
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    async with listening(watch) as listener:
        await api.post("/jobs/tick:pause", {"reason": "moving"})
        await soon(lambda: listener.kinds == ["job.paused"], within_s=30, what="the pause is told")
        await api.post("/jobs/tick:resume")
        await api.post("/jobs/tick:trigger")
        await soon(lambda: "run.created" in listener.kinds, within_s=30, what="so is the run")
        watch._wake.clear()
        await worker.lease()
        await api.get("/jobs/tick")
        await api.post("/jobs/nothing:trigger")
        assert not watch._wake.is_set(), "workers, readers and refused requests bring no look"


async def test_a_users_change_is_said_to_the_other_servers(stage: Stage) -> None:
    said: list[str] = []
    async with opened_api(stage, tell_others=lambda: said.append("changed")) as api:
        await api.create_job("tick")
        assert said == ["changed"]
        await api.get("/jobs")
        await api.post("/jobs/nothing:trigger")
        await api.ask("PUT", "/locks/stock/claims/a", {"ttl_s": 30})
    assert said == ["changed"], "reads, refused requests and claims on locks are not changes to show"
