"""The cluster through the API: who leads, who takes work, and changing both."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.journal import Happening, Topic, election_key
from foliot.ports.worker_link import PROTOCOL, PROTOCOL_DRAINED_SERVER, Beat, Hello, Leaving
from tests.api.asking import Api
from tests.api.stage import Stage


async def leading(stage: Stage, name: str = "s-1") -> None:
    """Three servers, the first of which leads and does as it is asked."""
    for server in ("s-1", "s-2", "s-3"):
        await stage.server(server)
        stage.elapse("1s")
    assert await stage.store.nodes.campaign(stage.servers[name], ttl_us=15 * SECOND)
    real = stage.store.nodes.wish

    async def obeyed(heir: str, *, ttl_us: int) -> None:
        await real(heir, ttl_us=ttl_us)
        pulse = await stage.store.firing.pulse()
        assert pulse.heir == heir
        leader = pulse.leader or ""
        await stage.store.nodes.appoint(heir, session=leader, term=pulse.term, ttl_us=15 * SECOND)

    object.__setattr__(stage.store.nodes, "wish", obeyed)


async def test_leadership_is_handed_to_the_server_that_has_been_there_longest(api: Api, stage: Stage) -> None:
    await leading(stage)
    answer = await api.post("/cluster:step-down", {"reason": "kernel update"})
    assert answer.json() == {"before": "s-1", "leader": "s-2", "term": 2}
    cluster = (await api.get("/cluster")).json()
    assert (cluster["leader"], cluster["term"], cluster["troubles"]) == ("s-2", 2, [])
    (event,) = (await api.get("/journal", topic="cluster", subject="s-1")).json()["items"]
    assert (event["kind"], event["by"]) == ("leader.stepped_down", "root")
    assert event["data"] == {"to": "s-2", "term": 2, "reason": "kernel update"}
    assert stage.woken == ["cursors"], "the pulse is woken, so that the heir hears of it"


async def test_leadership_is_handed_to_the_server_that_was_named(api: Api, stage: Stage) -> None:
    await leading(stage)
    assert (await api.post("/cluster:step-down", {"to": "s-3"})).json()["leader"] == "s-3"
    again = await api.post("/cluster:step-down", {"to": "s-3"})
    assert (again.status_code, again.json()["code"]) == (409, "FOL-3019")
    assert again.json()["detail"] == "Leadership was not handed over: s-3 leads already."


async def test_a_name_that_cannot_lead_is_told_why(api: Api, stage: Stage) -> None:
    await leading(stage)
    await stage.worker("w-1", [])
    unknown = await api.post("/cluster:step-down", {"to": "s-22"})
    assert (unknown.status_code, unknown.json()["code"], unknown.json()["hint"]) == (
        404,
        "FOL-2007",
        "did you mean s-2?",
    )
    worker = await api.post("/cluster:step-down", {"to": "w-1"})
    assert (worker.status_code, worker.json()["detail"]) == (409, "Leadership was not handed over: w-1 is a worker.")


async def test_a_server_that_is_alone_keeps_it(api: Api, stage: Stage) -> None:
    await stage.server("s-1")
    await stage.store.nodes.campaign(stage.servers["s-1"], ttl_us=5 * SECOND)
    alone = await api.post("/cluster:step-down")
    assert (alone.status_code, alone.json()["code"]) == (409, "FOL-3019")
    assert "no other server is there" in alone.json()["detail"]
    assert (await api.get("/cluster")).json()["leader"] == "s-1"


async def test_a_leader_that_does_not_let_go_is_told(api: Api, stage: Stage) -> None:
    await stage.server("s-1")
    await stage.server("s-2")
    await stage.store.nodes.campaign(stage.servers["s-1"], ttl_us=15 * SECOND)
    deaf = await api.post("/cluster:step-down")
    assert (deaf.status_code, "did not let go in time" in deaf.json()["detail"]) == (409, True)


async def test_a_node_that_left_in_order_is_not_dead(api: Api, stage: Stage) -> None:
    await stage.server("s-1")
    await stage.worker("w-1", ["python:jobs:greet"])
    await stage.worker("w-2", ["python:jobs:greet"])
    await stage.store.nodes.leave(Leaving(session=stage.workers["w-1"].session), judge)
    stage.elapse("5m")
    await stage.reap()
    nodes = {node["name"]: node["health"] for node in (await api.get("/nodes")).json()["items"]}
    assert (nodes["w-1"], nodes["w-2"]) == ("LEFT", "DEAD")
    gone = await api.post("/nodes/w-1:drain")
    assert (gone.status_code, gone.json()["code"]) == (409, "FOL-3020")


async def test_a_node_is_drained_and_taken_back(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:greet"])
    drained = await api.post("/nodes/w-1:drain", {"reason": "kernel update"})
    assert (drained.json()["state"], "kernel update" in drained.json()["drained_by"]) == ("DRAINING", True)
    back = await api.post("/nodes/w-1:undrain")
    assert (back.json()["state"], back.json()["drained_by"]) == ("LIVE", None)
    again = await api.post("/nodes/w-1:undrain")
    assert (again.status_code, again.json()["detail"]) == (409, "w-1 is not draining.")
    kinds = [event["kind"] for event in (await api.get("/journal", subject="w-1")).json()["items"]]
    assert kinds == ["node.undrained", "node.drain_asked"]


async def test_a_node_tells_its_life_its_band_and_its_share_of_work(api: Api, stage: Stage) -> None:
    worker = await stage.worker("w-1", [])
    born = (await api.get("/nodes/w-1")).json()
    assert (born["life"], list(born["life_times"])) == ("SYNCING", ["STARTING", "REGISTERING", "SYNCING"])
    assert (born["health"], born["health_since"], born["score"]) == ("ONLINE", None, None)
    assert (born["slots_given"], born["weight"]) == (born["slots"], 1)
    for number in (1, 2, 3):
        stage.elapse("5s")
        beat = Beat(session=worker.session, beat_no=number, settled=0, held=(), load={"cpu": 0.5, "starved": 0.95})
        await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    warned = (await api.get("/nodes/w-1")).json()
    assert (warned["life"], warned["health"], warned["score"]) == ("READY", "WARNING", 0.5)
    given, slots = max(1, warned["slots"] // 2), warned["slots"]
    assert warned["slots_given"] == given
    why = "its load is high: score 0.50, and it wanted a CPU in vain for 95% of the time"
    assert warned["health_why"] == f"{why}; it gets runs for {given} of {slots} slots"
    for number in (4, 5, 6):
        stage.elapse("5s")
        beat = Beat(session=worker.session, beat_no=number, settled=0, held=(), load={"cpu": 0.1, "memory": 0.974})
        await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    short = (await api.get("/nodes/w-1")).json()
    why = "its memory is short: 97% of it is in use"
    assert short["health_why"] == f"{why}; it gets runs for {given} of {slots} slots"
    stage.elapse("8s")
    quiet = (await api.get("/nodes/w-1")).json()
    assert quiet["health_why"].startswith("no beat for 8")
    chinese = (await api.get("/cluster", headers={"Accept-Language": "zh-CN"})).json()
    assert "没有心跳" in next(node["health_why"] for node in chinese["nodes"] if node["name"] == "w-1")
    assert warned["health_since"] > warned["life_times"]["READY"]
    assert (await api.get("/nodes")).json()["items"][0]["protocol"] == 1


async def test_a_worker_that_is_stopping_is_not_taken_back(api: Api, stage: Stage) -> None:
    worker = await stage.worker("w-1", [])
    beat = Beat(session=worker.session, beat_no=1, settled=0, held=(), draining=True)
    await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    refused = await api.post("/nodes/w-1:undrain")
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3020")
    assert "stopping by itself" in refused.json()["detail"]


async def test_a_server_is_drained_and_taken_back_unless_it_is_the_last_or_of_an_old_version(
    api: Api, stage: Stage
) -> None:
    for name, protocol in (("s-1", PROTOCOL), ("s-2", PROTOCOL), ("s-old", PROTOCOL_DRAINED_SERVER - 1)):
        hello = Hello(session=name, name=name, group="", slots=0, handlers=(), protocol=protocol, version="0.9")
        await stage.store.nodes.register(hello, kind="server", ttl_us=15 * SECOND)
    old = await api.post("/nodes/s-old:drain")
    assert (old.status_code, old.json()["code"]) == (409, "FOL-3020")
    assert old.json()["detail"] == "s-old has foliot 0.9, which knows no drain of a server."
    await stage.store.nodes.leave(Leaving(session="s-old"), judge)
    drained = await api.post("/nodes/s-2:drain", {"reason": "a new disk"})
    assert (drained.json()["state"], "a new disk" in drained.json()["drained_by"]) == ("DRAINING", True)
    last = await api.post("/nodes/s-1:drain")
    assert (last.status_code, last.json()["code"]) == (409, "FOL-3075")
    assert last.json()["detail"] == "s-1 must go on: 1 of at least 1 servers are active."
    assert (await api.post("/cluster:step-down", {"to": "s-2"})).json()["code"] == "FOL-3019"
    assert (await api.post("/nodes/s-2:undrain")).json()["state"] == "LIVE"
    kinds = [event["kind"] for event in (await api.get("/journal", subject="s-2")).json()["items"]]
    assert kinds == ["node.undrained", "node.drain_asked"]


async def test_a_server_and_a_worker_of_one_name_are_told_apart(api: Api, stage: Stage) -> None:
    """As `foliot up` has them."""
    await stage.server("my-laptop")
    await stage.worker("my-laptop", [])
    drained = (await api.post("/nodes/my-laptop:drain")).json()
    assert (drained["kind"], drained["state"]) == ("worker", "DRAINING")
    assert {node["kind"]: node["state"] for node in (await api.get("/nodes")).json()["items"]} == {
        "server": "LIVE", "worker": "DRAINING",
    }  # fmt: skip


async def test_sessions_of_one_worker_are_drained_by_its_name_and_each_shows_its_own_runs(
    api: Api, stage: Stage
) -> None:
    """As a worker has them whose kinds have slots of their own."""
    sessions = {kind: await stage.worker("w-1", [kind]) for kind in ("http", "sql")}
    definition = {"run": {"http": {"url": "https://example.org"}}}
    assert (await api.post("/jobs", {"name": "call", "definition": definition})).status_code == 201
    await stage.trigger("call")
    assert await sessions["http"].lease()
    shown = {}
    for node in (await api.get("/nodes")).json()["items"]:
        found = (await api.get(f"/nodes/{node['id']}")).json()
        shown[found["handlers"][0]] = [run["job"] for run in found["runs"]]
    assert shown == {"http": ["call"], "sql": []}
    assert (await api.get("/cluster")).json()["workers_online"] == 1
    await api.post("/nodes/w-1:drain")
    assert {node["state"] for node in (await api.get("/nodes")).json()["items"]} == {"DRAINING"}


async def test_a_forced_cancel_is_for_those_who_may_run_and_is_written_down(api: Api, stage: Stage) -> None:
    await api.create_job("greet")
    worker = await stage.worker("w-1", ["python:jobs:greet"])
    run = await stage.trigger("greet")
    await worker.lease()
    await worker.beat()
    assert (await (await api.with_scopes("read")).post(f"/runs/{run}:cancel", {"force": True})).status_code == 403
    assert (await api.post(f"/runs/{run}:cancel", {"reason": "stuck"})).json()["shown"] == "CANCELLING"
    assert (await api.post(f"/runs/{run}:cancel", {"force": True})).json()["shown"] == "CANCELLING"
    held = [event["data"] for event in (await api.get("/journal", topic="runs")).json()["items"]]
    assert [data.get("force") for data in held] == [True, None]


async def test_what_belongs_to_the_cluster_is_told_whatever_namespace_is_asked_for(api: Api, stage: Stage) -> None:
    await leading(stage)
    await api.create_job("tick")
    assert (await api.post("/cluster:step-down", {})).status_code == 200
    of_others = {event["kind"] for event in (await api.get("/journal", namespace="billing")).json()["items"]}
    assert "leader.stepped_down" in of_others
    assert "job.created" not in of_others
    changes = (await api.get("/overview", namespace="billing")).json()["changes"]
    assert "leader.stepped_down" in {event["kind"] for event in changes}
    limited = await api.with_scopes("read", namespace="billing")
    assert (await limited.get("/journal")).json()["items"] == []


async def test_the_cluster_says_since_when_its_leader_leads(api: Api, stage: Stage) -> None:
    await leading(stage)
    assert (await api.get("/cluster")).json()["leader_since"] is None, "its election was not noted yet"
    row = await stage.store.lookups.cluster()
    key = election_key(row.epoch, row.term)
    await stage.store.journal.note([Happening(key=key, topic=Topic.CLUSTER, kind="leader.elected", subject="s-1")])
    (event,) = (await api.get("/journal", topic="cluster", subject="s-1")).json()["items"]
    for path in ("/cluster", "/overview"):
        found = (await api.get(path)).json()
        assert found.get("cluster", found)["leader_since"] == event["at"]
    await api.post("/cluster:step-down", {"to": "s-3"})
    assert (await api.get("/cluster")).json()["leader_since"] is None, "that was the term before"
