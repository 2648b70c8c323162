"""While a server lives that does not know a field, no job may have it: that server would put off the job's runs."""

import json
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.operations.declarations import Declaring
from foliot.operations.older_servers import NEW_FIELDS
from foliot.ports.worker_link import PROTOCOL, PROTOCOL_ROUTES, DeclaredJob, Hello, Leaving
from tests.api.asking import Api
from tests.api.stage import ROOT, Stage

USED: dict[str, dict[str, Any]] = {
    "place.route": {"place": {"route": "round"}},
    "place.prefer": {"place": {"prefer": {"disk": "ssd"}}},
    "place.avoid": {"place": {"avoid": {"spot": "yes"}}},
    "place.spread": {"place": {"spread": "zone"}},
    "shards: each_worker": {"shards": "each_worker"},
    "place.max_waiting": {"place": {"max_waiting": 10}},
    "debounce": {"debounce": "10s"},
    "throttle": {"throttle": "1/10s"},
    "place.takes": {"place": {"concurrency": {"db": 8}, "takes": {"db": 3}}},
    "place.max_per_worker": {"place": {"max_per_worker": 2}},
    "place.max_per_key": {"place": {"max_per_key": 1, "concurrency_by": "customer"}},
    "place.rate": {"place": {"rate": "100/m"}},
}
"""Each field that some server may not know, in a definition."""


def test_each_new_field_is_tried_here() -> None:
    assert list(USED) == [field.name for field in NEW_FIELDS]
    assert all(1 < field.since <= PROTOCOL for field in NEW_FIELDS)


async def old_and_new(stage: Stage) -> None:
    """Two servers, one from just before the newest fields."""
    for name, protocol in (("s-new", PROTOCOL), ("s-old", PROTOCOL_ROUTES - 1)):
        hello = Hello(
            session=name, name=name, group="", slots=0, handlers=(), version=f"0.{protocol}", protocol=protocol
        )
        await stage.store.nodes.register(hello, kind="server", ttl_us=15 * SECOND)


@pytest.mark.parametrize("field", USED)
async def test_a_job_with_a_new_field_is_refused_while_an_older_server_lives(
    api: Api, stage: Stage, field: str
) -> None:
    await old_and_new(stage)
    refused = await api.create_job("tick", **USED[field])
    told = refused.json()
    assert (refused.status_code, told["code"]) == (422, "FOL-1240")
    assert told["detail"] == f"s-old (foliot 0.3) does not know {field} and would put off the runs of this job."
    assert told["hint"] == f"upgrade or stop s-old, or leave out {field}"
    assert (await api.create_job("plain", place={"require": {"zone": "a"}, "route": "any"})).status_code == 201
    chinese = await api.ask(
        "POST", "/jobs:validate",
        {"name": "tick", "definition": {"run": {"python": "jobs:tick"}, **USED[field]}},
        headers={"Accept-Language": "zh"},
    )  # fmt: skip
    assert f"s-old（foliot 0.3）不认识 {field}" in chinese.text
    await stage.store.nodes.leave(Leaving(session="s-old"), judge)
    assert (await api.create_job("tick", **USED[field])).status_code == 201, "it is gone"


@pytest.mark.parametrize("field", USED)
async def test_a_declared_job_with_a_new_field_is_refused_likewise(stage: Stage, field: str) -> None:
    await old_and_new(stage)
    document = json.dumps({"run": {"python": "jobs:tick"}, **USED[field]})
    job = DeclaredJob(namespace="default", name="declared", document=document)
    hello = Hello(session="w-1", name="w-1", group="default", slots=1, handlers=(), jobs=(job,))
    declared = await Declaring(stage.services).declare(hello, ROOT)
    assert f"s-old (foliot 0.3) does not know {field}" in str(declared)


async def test_all_fields_that_the_server_does_not_know_are_named(api: Api, stage: Stage) -> None:
    await old_and_new(stage)
    refused = await api.create_job("tick", place={"max_waiting": 5, "spread": "zone"}, throttle="1/1s")
    assert refused.json()["hint"] == "upgrade or stop s-old, or leave out place.spread, place.max_waiting, throttle"


async def test_an_edit_that_takes_the_field_away_is_not_refused(api: Api, stage: Stage) -> None:
    await api.create_job("tick", debounce="10s")
    await old_and_new(stage)
    kept = await api.ask("PATCH", "/jobs/tick", {"definition": {"description": "x"}}, headers={"If-Match": '"v1"'})
    assert kept.json()["code"] == "FOL-1240"
    gone = await api.ask("PATCH", "/jobs/tick", {"definition": {"debounce": None}}, headers={"If-Match": '"v1"'})
    assert gone.status_code == 200
