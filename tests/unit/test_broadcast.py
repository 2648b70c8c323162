"""`shards: each_worker`: how a job says it, what it does not go with, and how many shards one step inserts."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foliot import job
from foliot.domain.definition import from_document, to_document
from foliot.domain.edits import Keeps, Part, Takes, WaitingRun, after_edit
from foliot.domain.errors import BadField
from foliot.domain.job import EACH_WORKER, LoadedJob, lane_of
from foliot.store.sql.leasing.broadcast import CUT_MAX, Whole, within_reach
from foliot.store.sql.leasing.fitting_workers import LiveWorker

RUN = {"run": {"python": "jobs:tick"}}
DEFINITION = from_document({**RUN, "shards": "each_worker"})


def test_a_job_file_and_the_decorator_say_the_same() -> None:
    @job(shards="each_worker")
    def tick() -> None: ...

    assert tick.definition.shards == DEFINITION.shards == EACH_WORKER
    assert to_document(DEFINITION)["shards"] == "each_worker"
    assert (DEFINITION.is_broadcast, DEFINITION.cut_into) == (True, 0)


def test_its_lane_is_assigned_from_and_that_of_its_merge_is_not() -> None:
    merged = replace(DEFINITION, merge=DEFINITION.handler)
    assert lane_of(1, merged, namespace="default").routed
    assert not lane_of(1, merged, namespace="default", handler=merged.merge).routed


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"shards": "each_workers"}, "shards"),
        ({"shards": "each_worker", "place": {"route": "round"}}, "place.route"),
        ({"shards": "each_worker", "place": {"avoid": {"zone": "a"}}}, "place.avoid"),
    ],
)
def test_what_it_does_not_go_with_is_refused(more: dict[str, Any], path: str) -> None:
    with pytest.raises(BadField) as refused:
        from_document({**RUN, **more})
    assert refused.value.data["path"] == path


CASES = [
    (Part.WHOLE, "each_worker", "each_worker", Takes(overlaps=True)),
    (Part.WHOLE, 0, "each_worker", Takes(overlaps=True)),
    (Part.WHOLE, "each_worker", 0, Takes(overlaps=True)),
    (Part.WHOLE, "each_worker", 2, Keeps.SHARDS),
    (Part.PARENT, "each_worker", "each_worker", Keeps.WORKERS),
    (Part.SHARD, "each_worker", "each_worker", Keeps.WORKERS),
    (Part.SHARD, "each_worker", 3, Keeps.SHARDS),
    (Part.MERGE, "each_worker", "each_worker", Takes(overlaps=True)),
]


@pytest.mark.parametrize(("part", "before", "after", "becomes"), CASES)
def test_an_edit_takes_along_what_is_not_cut_yet(part: Part, before: Any, after: Any, becomes: Any) -> None:
    old, new = (
        replace(DEFINITION, shards=shards, merge=DEFINITION.handler if part is Part.MERGE else None)
        for shards in (before, after)
    )
    assert after_edit(WaitingRun(part=part, overlaps=True), old, new) == becomes


def team(size: int) -> Whole:
    workers = [
        LiveWorker(SimpleNamespace(name="w", id=str(n)), frozenset(), {}, is_in_warning=False, load=None, given=1)
        for n in range(size)
    ]
    return Whole(1, 1, cast("LoadedJob", None), workers)


def test_a_step_inserts_so_many_shards_or_those_of_one_run() -> None:
    assert within_reach([]) == 0
    assert within_reach([team(CUT_MAX + 1), team(1)]) == 1
    assert within_reach([team(CUT_MAX // 2)] * 3) == 2


def test_shards_are_numbered_by_the_names_of_their_workers() -> None:
    rows = [SimpleNamespace(name=name, id=session) for name, session in (("b", "2"), ("a", "9"), ("a", "1"))]
    workers = [LiveWorker(row, frozenset(), {}, is_in_warning=False, load=None, given=1) for row in rows]
    assert Whole(1, 1, cast("LoadedJob", None), workers).owners == [("a", "1"), ("a", "9"), ("b", "2")]
