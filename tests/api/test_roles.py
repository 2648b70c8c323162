"""Roles of servers by the API: who may change them, what is refused, and how many servers there are to be."""

from typing import Any

import pytest

from foliot.domain.roles import Role
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.api.asking import Api

pytestmark = pytest.mark.anyio


async def server(api: Api, name: str, role: Role | None = None) -> None:
    hello = Hello(session=name, name=name, group="", slots=0, handlers=())
    await api.stage.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US, role=role)


async def roles(api: Api) -> dict[str, str]:
    found = (await api.get("/cluster")).json()
    return {node["name"]: node["role"] for node in found["nodes"] if node["kind"] == "server"}


def code_of(answer: Any) -> str:
    return str(answer.json()["code"])


async def test_an_admin_promotes_and_demotes_but_never_below_the_least_number_of_active_servers(api: Api) -> None:
    await server(api, "s1")
    await server(api, "s2", Role.STANDBY)
    refused = await api.post("/nodes/s1:demote", {})
    assert (refused.status_code, code_of(refused)) == (409, "FOL-3075")
    assert (await api.post("/nodes/s2:promote", {"reason": "a test"})).json()["role"] == "ACTIVE"
    assert code_of(await api.post("/nodes/s2:promote", {})) == "FOL-3060"
    assert (await api.post("/nodes/s1:demote", {})).json()["role"] == "STANDBY"
    assert await roles(api) == {"s1": "STANDBY", "s2": "ACTIVE"}
    events = (await api.get("/journal", topic="nodes")).json()["items"]
    assert [(event["kind"], event["subject"]) for event in events] == [("node.demoted", "s1"), ("node.promoted", "s2")]


async def test_numbers_of_servers_fit_each_other_and_the_time_that_a_crash_may_last(api: Api) -> None:
    await server(api, "s1")
    for body in ({"active_min": 0}, {"standby_count": -1}, {"active_min": 60, "standby_count": 41}):
        assert code_of(await api.ask("PUT", "/cluster/servers", body)) == "FOL-1200"
    kept = (await api.ask("PUT", "/cluster/servers", {"active_min": 2, "standby_count": 1})).json()
    assert kept == {"active_min": 2, "standby_count": 1, "version": 1}
    assert code_of(await api.ask("PUT", "/cluster/servers", {"active_min": 1, "version": 0})) == "FOL-3061"
    assert code_of(await api.ask("PUT", "/cluster/policy/server_crash", {"timeout": "20s"})) == "FOL-1176"
    found = (await api.get("/cluster/policy")).json()["servers"]
    assert (found["active"], found["standbys"], found["active_min"]) == (1, 0, 2)
    troubles = (await api.get("/cluster")).json()["troubles"]
    assert "FOL-5056" in [trouble["code"] for trouble in troubles]
