"""Drills over HTTP: what one would break, who may run it, how far it is and how it went."""

import pytest

from foliot.domain.failover import Affected, Detected, FailoverType
from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.operations.drill_report import NOTED_WITHIN_US
from foliot.ports.worker_link import Beat, HandlerOffer, Hello
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage

CRASH = {"type": "crash", "on": "w-1"}


class Node:
    """A node that takes part in drills, or does not."""

    def __init__(self, stage: Stage, name: str, *, drills: tuple[str, ...], kind: str = "worker") -> None:
        self.stage, self.name, self.drills, self.kind = stage, name, drills, kind
        self.session = stage.chance.token()
        self.beat_no = 0

    async def register(self) -> None:
        offers = (HandlerOffer(name="python:jobs:tick"),)
        hello = Hello(
            session=self.session, name=self.name, group="default", slots=2, handlers=offers, drills=self.drills
        )
        await self.stage.store.nodes.register(hello, kind=self.kind, ttl_us=TIMES.ttl_us)

    async def beat(self, drill: int = 0, *, over: bool = False) -> int:
        """One beat; the drill that the node may begin."""
        self.beat_no += 1
        beat = Beat(session=self.session, beat_no=self.beat_no, settled=0, held=(), drill=drill, drill_over=over)
        answer = await self.stage.store.nodes.beat(beat, ttl_us=TIMES.ttl_us, judge=judge)
        return answer.drill_begin


@pytest.fixture
async def nodes(stage: Stage) -> dict[str, Node]:
    found = {
        "w-1": Node(stage, "w-1", drills=("crash", "hang", "clock_step", "sizes")),
        "w-2": Node(stage, "w-2", drills=("crash", "hang", "clock_step")),  # of an older Foliot
        "w-3": Node(stage, "w-3", drills=()),
    }
    for node in found.values():
        await node.register()
        await node.beat()
    return found


@pytest.mark.usefixtures("nodes")
async def test_what_can_be_broken_and_what_one_drill_would_break(api: Api) -> None:
    types = (await api.get("/drills/types")).json()
    assert types["nodes"] == ["w-1", "w-2"]
    assert {one["type"]: one["on"] for one in types["items"]}["crash"] == ["server", "worker"]
    preview = (await api.post("/drills:preview", {**CRASH, "for": "20s"})).json()
    assert (preview["node"], preview["others"], preview["for_s"]) == ("w-1", 2, 20.0)
    assert preview["consequences"] == ["the process of w-1 is killed; Foliot does not start it again"]
    chinese = await api.ask("POST", "/drills:preview", CRASH, headers={"Accept-Language": "zh-CN"})
    assert "杀死" in chinese.json()["consequences"][0]
    assert (await api.get("/drills")).json()["items"] == [], "nothing was broken"


async def test_a_drill_is_asked_begun_judged_and_kept(api: Api, stage: Stage, nodes: dict[str, Node]) -> None:
    stage.drills_told.clear()
    asked = await api.post("/drills", {"type": "hang", "on": "w-1", "for": "5s", "reason": "friday"})
    assert (asked.status_code, asked.json()["state"], asked.json()["by"]) == (201, "ASKED", "root")
    number = asked.json()["id"]
    second = await api.post("/drills", {**CRASH, "on": "w-2"})
    assert (second.status_code, second.json()["code"]) == (409, "FOL-3066")
    assert await nodes["w-1"].beat(number) == number
    assert (await api.get(f"/drills/{number}")).json()["state"] == "RUNNING"
    refused = await api.post(f"/drills/{number}:stop", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3069")
    stage.clock.at += 6 * SECOND
    await nodes["w-1"].beat(number, over=True)
    ended = (await api.get(f"/drills/{number}")).json()
    assert (ended["state"], ended["recovered_s"], ended["detected_s"]) == ("ENDED", 6.0, None)
    assert stage.drills_told == [("hang", "asked"), ("hang", "ended")], "metrics hear of each step once"
    fires = ended["fires"]
    assert (fires["lost"], fires["doubled"], fires["early"], ended["every_job"]) == (0, 0, 0, True)
    assert [one["id"] for one in (await api.get("/drills", type="hang")).json()["items"]] == [number]
    kinds = [one["kind"] for one in (await api.get("/journal", subject="w-1")).json()["items"]]
    assert kinds[:3] == ["drill.ended", "drill.began", "drill.asked"]
    over = await api.post(f"/drills/{number}:stop", {})
    assert (over.status_code, over.json()["code"]) == (409, "FOL-3068")


@pytest.mark.parametrize("is_noted", [True, False])
async def test_a_server_that_was_cut_off_may_note_it_after_its_beat(api: Api, stage: Stage, is_noted: bool) -> None:
    """The judge waits for the note, but not for ever: the cut may have been between two pulses."""
    server = Node(stage, "s-9", drills=("partition",), kind="server")
    await server.register()
    await server.beat()
    number = (await api.post("/drills", {"type": "partition", "on": "s-9", "for": "2s", "alone": True})).json()["id"]
    await server.beat(number)
    stage.clock.at += 3 * SECOND
    await server.beat(number, over=True)
    assert (await api.get(f"/drills/{number}")).json()["state"] == "RUNNING", "its pulse comes after its beat"
    if is_noted:
        await stage.store.failovers.detect([outage(server)])
    else:
        stage.clock.at += NOTED_WITHIN_US + SECOND
    ended = (await api.get(f"/drills/{number}")).json()
    assert (ended["state"], len(ended["failovers"])) == ("ENDED", int(is_noted)), ended


def outage(server: Node) -> Detected:
    now = server.stage.clock.at
    return Detected(
        key="store",
        type=FailoverType.STORE_UNREACHABLE,
        subject="store",
        began_at=now - 2 * SECOND,
        detected_at=now,
        evidence={"away_us": 2 * SECOND},
        affected=Affected(nodes=(server.name,)),
        session=server.session,
    )


async def test_the_size_of_a_drill_is_said_before_and_afterwards(
    api: Api, stage: Stage, nodes: dict[str, Node]
) -> None:
    sizes = {one["type"]: one["size"] for one in (await api.get("/drills/types")).json()["items"]}
    assert sizes["clock_step"] == {"usual_s": 3600.0, "least_s": -86400.0, "most_s": 86400.0}
    assert sizes["slow_store"] == {"usual_s": 0.5, "least_s": 0.001, "most_s": 10.0}
    assert sizes["crash"] is None
    step = {"type": "clock_step", "on": "w-1", "for": "20s"}
    for size, said in ((None, "1 h ahead"), ("2h", "2 h ahead"), (-90, "1 m 30 s back")):
        preview = (await api.post("/drills:preview", {**step, "size": size})).json()
        assert said in preview["consequences"][0], preview
    chinese = await api.ask("POST", "/drills:preview", {**step, "size": "-2h"}, headers={"Accept-Language": "zh-CN"})
    assert "慢 2" in chinese.json()["consequences"][0]
    for size in ("2h", "-2h"):
        number = (await api.post("/drills", {**step, "size": size, "alone": True})).json()["id"]
        await nodes["w-1"].beat(number)
        stage.clock.at += 21 * SECOND
        await nodes["w-1"].beat(number, over=True)
        ended = (await api.get(f"/drills/{number}")).json()
        assert (ended["state"], ended["compared"]) == ("ENDED", {}), "there was none of this size before"
    assert [one["size_s"] for one in (await api.get("/drills")).json()["items"]] == [-7200.0, 7200.0]
    (asked, _) = [
        one for one in (await api.get("/journal", subject="w-1")).json()["items"] if one["kind"] == "drill.asked"
    ]
    assert asked["data"]["size_us"] == -7200 * SECOND


async def test_a_drill_that_its_node_never_takes_up_is_lost(api: Api, stage: Stage, nodes: dict[str, Node]) -> None:
    number = (await api.post("/drills", CRASH)).json()["id"]
    stage.clock.at += 61 * SECOND
    assert (await api.get("/drills")).json()["items"][0]["state"] == "LOST"
    assert await nodes["w-1"].beat(number) == 0
    again = await api.post("/drills", {**CRASH, "alone": True})
    stopped = await api.post(f"/drills/{again.json()['id']}:stop", {})
    assert stopped.json()["state"] == "STOPPED"
    assert stage.drills_told == [("crash", "asked"), ("crash", "lost"), ("crash", "asked"), ("crash", "stopped")]


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**CRASH, "on": "w-3"}, 409, "FOL-3065"),
        ({**CRASH, "on": "w-9"}, 404, "FOL-2007"),
        ({**CRASH, "for": "1h"}, 422, "FOL-1207"),
        ({**CRASH, "for": "soon"}, 422, "FOL-1058"),
        ({**CRASH, "type": "flood"}, 422, "FOL-1058"),
        ({**CRASH, "type": ""}, 422, "FOL-1058"),
        ({**CRASH, "type": "crash,hang"}, 422, "FOL-1058"),
        ({**CRASH, "size": "1h"}, 422, "FOL-1207"),
        ({**CRASH, "type": "clock_step", "size": "2d"}, 422, "FOL-1207"),
        ({**CRASH, "type": "clock_step", "size": "far"}, 422, "FOL-1058"),
        ({**CRASH, "type": "clock_step", "on": "w-2", "size": "2h"}, 409, "FOL-3085"),
    ],
)
async def test_a_drill_that_cannot_be_is_refused_with_the_next_step(
    api: Api, body: dict[str, object], status: int, code: str
) -> None:
    refused = await api.post("/drills", body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if status != 422:
        assert refused.json()["hint"]


async def test_the_last_worker_of_a_lane_is_broken_only_when_the_admin_says_so(
    api: Api, stage: Stage, nodes: dict[str, Node]
) -> None:
    del nodes
    other = Hello(session="x" * 32, name="w-9", group="gpu", slots=1, handlers=(), drills=("crash",))
    await stage.store.nodes.register(other, kind="worker", ttl_us=TIMES.ttl_us)
    refused = await api.post("/drills", {**CRASH, "on": "w-9"})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3067")
    assert (await api.post("/drills", {**CRASH, "on": "w-9", "alone": True})).status_code == 201


async def test_only_an_admin_of_the_whole_cluster_runs_a_drill(api: Api, nodes: dict[str, Node]) -> None:
    del nodes
    reader = await api.with_scopes("read", "run", "write")
    assert (await reader.post("/drills", CRASH)).status_code == 403
    assert (await reader.post("/drills:preview", CRASH)).status_code == 403
    assert (await reader.get("/drills")).status_code == 200
    missing = await reader.get("/drills/99")
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2040")
