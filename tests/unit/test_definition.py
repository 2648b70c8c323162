"""The document of a definition: read and written without loss, one hash, and refusals that name the field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.bounds import SHARDS_MAX
from foliot.domain.definition import canonical_json, definition_hash, from_document, to_document
from foliot.domain.errors import BadField, InvalidInput, UnknownField
from foliot.domain.handler import python_function
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.job import Definition, Isolation, OnLost
from foliot.domain.policies import misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy, retry_from
from foliot.domain.schedule import schedule_from_document

RUN = {"run": {"python": "billing.jobs:settle"}}
NIGHTLY = {"cron": "0 2 * * *", "tz": "Asia/Shanghai"}

FULL: dict[str, Any] = {
    "description": "Nightly settlement",
    "owner": "data-team",
    "group": "billing",
    "tags": {"team": "data"},
    "run": {"python": "billing.jobs:settle"},
    "merge": {"python": "billing.jobs:report"},
    "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays", "jitter": "30s"},
    "params": {"dry_run": False},
    "shards": 16,
    "timeout": "30m",
    "grace": "1m",
    "start_within": "2m",
    "isolation": "process",
    "exclusive": True,
    "retries": {"max": 3, "backoff": "30s..10m", "jitter": False, "on": ["ConnectionError"], "budget_per_hour": 100},
    "overlap": "queue",
    "misfire": {"latest": "6h"},
    "on_lost": "fail",
    "max_lost": 5,
    "place": {
        "require": {"zone": "cn-east"},
        "concurrency": {"settle-db": 4},
        "max_running": 2,
        "max_waiting": 100,
        "priority": 7,
    },
}


def test_a_full_document_says_everything_and_comes_back_as_it_was() -> None:
    definition = from_document(FULL, job="settle")
    assert definition == Definition(
        handler=python_function("billing.jobs:settle"),
        schedule=schedule_from_document(FULL["schedule"], job="settle"),
        group="billing",
        params={"dry_run": False},
        priority=7,
        timeout_us=30 * MINUTE,
        grace_us=MINUTE,
        start_within_us=2 * MINUTE,
        retry=retry_from(3, backoff="30s..10m", jitter=False, on=("ConnectionError",), budget_per_hour=100),
        overlap=Overlap.QUEUE,
        misfire=misfire.latest(within="6h"),
        on_lost=OnLost.FAIL,
        max_lost=5,
        exclusive=True,
        isolation=Isolation.PROCESS,
        require={"zone": "cn-east"},
        max_running=2,
        max_waiting=100,
        limits={"settle-db": 4},
        shards=16,
        merge=python_function("billing.jobs:report"),
        description="Nightly settlement",
        owner="data-team",
        tags={"team": "data"},
    )
    assert to_document(definition) == FULL


def test_what_is_as_usual_is_left_out() -> None:
    assert to_document(from_document(RUN)) == RUN
    usual = {
        **RUN, "description": "", "group": "default", "tags": {}, "params": {}, "shards": 0, "grace": "10s",
        "start_within": "60s", "exclusive": False, "retries": 0, "overlap": "allow", "misfire": "latest",
        "on_lost": "rerun", "max_lost": 3, "place": {"priority": 5, "require": {}},
    }  # fmt: skip
    assert to_document(from_document(usual)) == RUN
    assert definition_hash(from_document(usual)) == definition_hash(from_document(RUN))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"schedule": {**NIGHTLY, "timezone": "Asia/Shanghai", "tz": None}}, {"schedule": NIGHTLY}),
        ({"schedule": [{"cron": "0 2 * * *"}], "timezone": "Asia/Shanghai"}, {"schedule": NIGHTLY}),
        ({"retries": 3}, {"retries": {"max": 3, "backoff": "10s..600s", "jitter": True}}),
        ({"retries": {"max": 1, "on": "ConnectionError"}}, {"retries": {"max": 1, "on": ["ConnectionError"]}}),
        ({"timeout": 90}, {"timeout": "1m30s"}),
        ({"misfire": {"all": "24h"}}, {"misfire": {"all": "1d", "limit": 1000}}),
        ({"misfire": "all"}, {"misfire": {"all": "1h"}}),
        ({"tags": {"e\u0301": "1"}}, {"tags": {"é": "1"}}),
        ({"params": {"a": 1, "b": 2}}, {"params": {"b": 2, "a": 1}}),
    ],
)
def test_two_ways_to_write_one_definition_have_one_hash(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = from_document({**RUN, **one}), from_document({**RUN, **other})
    assert canonical_json(to_document(first)) == canonical_json(to_document(second))
    assert definition_hash(first) == definition_hash(second)


def test_every_field_changes_the_hash() -> None:
    seen = {definition_hash(from_document(FULL, job="settle"))}
    for field in FULL:
        if field not in {"run", "shards", "schedule"}:
            seen.add(definition_hash(from_document({name: FULL[name] for name in FULL if name != field}, job="settle")))
    without_schedule = {name: FULL[name] for name in FULL if name != "schedule"}
    seen.add(definition_hash(from_document(without_schedule)))
    assert len(seen) == len(FULL) - 1
    assert all(len(one) == 64 for one in seen)


@pytest.mark.parametrize(
    ("schedule", "overlap"),
    [(None, Overlap.ALLOW), ({"every": "15m"}, Overlap.SKIP), ({"at": "2026-01-31T17:00:00Z"}, Overlap.SKIP)],
)
def test_a_schedule_makes_overlap_skip_the_usual(schedule: Any, overlap: Overlap) -> None:
    definition = from_document({**RUN, "schedule": schedule})
    assert definition.overlap is overlap
    assert "overlap" not in to_document(definition)
    other = Overlap.ALLOW if overlap is Overlap.SKIP else Overlap.SKIP
    assert to_document(from_document({**RUN, "schedule": schedule, "overlap": other.value}))["overlap"] == other.value


@pytest.mark.parametrize(
    ("wrong", "path", "said"),
    [
        ({"overlaps": "skip"}, "overlaps", "did you mean overlap?"),
        ({"retry": 3}, "retry", "did you mean retries?"),
        ({"place": {"requires": {}}}, "place.requires", "did you mean require?"),
        ({"retries": {"maximum": 3}}, "retries.maximum", "did you mean max?"),
        ({"misfire": {"lates": "6h"}}, "misfire.lates", "did you mean latest?"),
        ({"state": "RUNNING"}, "state", "not a field of a job"),
        ({"zzz": 1}, "zzz", "known here: description"),
    ],
)
def test_an_unknown_field_is_refused_with_the_nearest_one(wrong: dict[str, Any], path: str, said: str) -> None:
    with pytest.raises(UnknownField) as refused:
        from_document({**RUN, **wrong})
    assert refused.value.path == path
    assert said in str(refused.value)


TOO_DEEP: Any = 1
for _ in range(50):
    TOO_DEEP = [TOO_DEEP]

REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"run": None}, "run", "missing"),
    ({"run": "jobs:tick"}, "run", "one kind and its options"),
    ({"run": {"python": "a:b", "shell": "x"}}, "run", "one kind and its options"),
    ({"run": {"python": ""}}, "run", "kind with options"),
    ({"run": {"": "x"}}, "run", "kind with options"),
    ({"run": {"py thon": "x"}}, "run", "kind with options"),
    ({"run": {"python": 5}}, "run.python", "not text"),
    ({"run": {"http": None}}, "run", "kind with options"),
    ({"run": {5: "x"}}, "run", "not a word"),
    ({"run": {"k" * 51: "x"}}, "run", "kind with options"),
    ({"run": {"http": {"body": "x" * 65_536}}}, "run.http", "limit is 65536 bytes (64 KiB)"),
    ({"run": {"http": {"body": "\0"}}}, "run.http", "NUL"),
    ({"run": {"http": {"body": float("nan")}}}, "run.http", "not a number"),
    ({"run": {"sql": {"connection": "c" * 600}}}, "run", "limit is 500"),
    ({"run": {"sql": {"connection": "a\nb"}}}, "run", "invisible"),
    ({"merge": {"http": {"url": "x"}}, "shards": 2}, "merge", "only a Python function"),
    ({"run": {"python": "x" * 600}}, "run", "limit is 500"),
    ({"run": {"python": "a\nb"}}, "run", "invisible"),
    ({"merge": {"python": "a:b"}}, "merge", "without shards"),
    ({"group": "a b"}, "group", "a space"),
    ({"group": ""}, "group", "empty"),
    ({"group": 7}, "group", "7 is not text"),
    ({"owner": "x" * 201}, "owner", "201 bytes"),
    ({"owner": "a\x00b"}, "owner", "invisible"),
    ({"description": "x" * 20_001}, "description", "20001 bytes"),
    ({"description": "\ud800"}, "description", "half a character"),
    ({"tags": ["a"]}, "tags", "a list is not a mapping"),
    ({"tags": {"team": 5}}, "tags.team", "5 is not text"),
    ({"tags": {"te am": "x"}}, "tags", "a space"),
    ({"tags": {"team": "x\ny"}}, "tags.team", "U+000A"),
    ({"tags": {f"t{n}": "x" for n in range(51)}}, "tags", "51 is not a whole number from 0 to 50"),
    ({"tags": {1: "x"}}, "tags", "1 is not a name"),
    ({"params": [1]}, "params", "not a mapping"),
    ({"params": {"a": float("nan")}}, "params", "nan"),
    ({"params": {"a": 2**64}}, "params", "64 bits"),
    ({"params": {"a": "x" * 70_000}}, "params", "64 KiB"),
    ({"params": {"a": TOO_DEEP}}, "params", "nested deeper"),
    ({"params": {"a": "\0"}}, "params", "NUL"),
    ({"params": {"a": object()}}, "params", "object"),
    ({"shards": SHARDS_MAX + 1}, "shards", "0 to 10000"),
    ({"shards": -1}, "shards", "0 to 10000"),
    ({"shards": True}, "shards", "true is not a whole number"),
    ({"shards": "16"}, "shards", '"16" is not a whole number'),
    ({"timeout": "0s"}, "timeout", "out of bounds"),
    ({"timeout": "400d"}, "timeout", "out of bounds"),
    ({"timeout": "soon"}, "timeout", "not a duration"),
    ({"timeout": True}, "timeout", "true is not a duration"),
    ({"timeout": float("inf")}, "timeout", "not a duration"),
    ({"timeout": -5}, "timeout", "not a duration"),
    ({"timeout": [5]}, "timeout", "not a duration"),
    ({"grace": "2d"}, "grace", "out of bounds"),
    ({"start_within": "1ms"}, "start_within", "out of bounds"),
    ({"isolation": "proces"}, "isolation", "did you mean process?"),
    ({"exclusive": "yes"}, "exclusive", "neither true nor false"),
    ({"exclusive": True}, "exclusive", "overlap: queue"),
    ({"exclusive": True, "overlap": "queue", "isolation": "thread"}, "isolation", "cannot be killed"),
    ({"exclusive": True, "overlap": "queue", "isolation": "loop"}, "isolation", "cannot be killed"),
    ({"retries": -1}, "retries.max", "0 to 1000"),
    ({"retries": {"max": 1001}}, "retries.max", "0 to 1000"),
    ({"retries": {"max": "three"}}, "retries.max", "not a whole number"),
    ({"retries": {"backoff": "10m..1s"}}, "retries.backoff", "longer"),
    ({"retries": {"backoff": "30d"}}, "retries.backoff", "out of bounds"),
    ({"retries": {"backoff": []}}, "retries.backoff", "names no pause"),
    ({"retries": {"backoff": ["1s"] * 101}}, "retries.backoff", "1 to 100"),
    ({"retries": {"backoff": {"first": 1}}}, "retries.backoff", "a dict"),
    ({"retries": {"jitter": 1}}, "retries.jitter", "neither true nor false"),
    ({"retries": {"on": [5]}}, "retries.on", "not text"),
    ({"retries": {"budget_per_hour": -1}}, "retries.budget_per_hour", "0 to"),
    ({"overlap": "allowed"}, "overlap", "did you mean allow?"),
    ({"overlap": 5}, "overlap", "5 is not one of"),
    ({"misfire": "newest"}, "misfire", "not one of latest, all, skip"),
    ({"misfire": {}}, "misfire", "not one policy"),
    ({"misfire": {"latest": "1h", "all": "1h"}}, "misfire", "not one policy"),
    ({"misfire": {"latest": "1h", "limit": 5}}, "misfire", "not one policy"),
    ({"misfire": {"latest": "30s"}}, "misfire.latest", "misfire: skip"),
    ({"misfire": {"latest": "11y"}}, "misfire.latest", "not a duration"),
    ({"misfire": {"all": "5000d"}}, "misfire.all", "out of bounds"),
    ({"misfire": {"all": "1d", "limit": 1001}}, "misfire.limit", "1 to 1000"),
    ({"misfire": {"all": "1d", "limit": 0}}, "misfire.limit", "1 to 1000"),
    ({"on_lost": "retry"}, "on_lost", "rerun"),
    ({"max_lost": 0}, "max_lost", "1 to 1000"),
    ({"place": {"priority": 0}}, "place.priority", "1 to 10"),
    ({"place": {"priority": 11}}, "place.priority", "1 to 10"),
    ({"place": {"max_running": 0}}, "place.max_running", "1 to"),
    ({"place": {"max_waiting": 10_001}}, "place.max_waiting", "1 to"),
    ({"place": {"concurrency": {"db": 0}}}, "place.concurrency.db", "1 to"),
    ({"place": {"concurrency": {"d b": 1}}}, "place.concurrency", "a space"),
    ({"place": {"concurrency": {f"r{n}": 1 for n in range(21)}}}, "place.concurrency", "21"),
    ({"place": {"require": "zone=cn"}}, "place.require", "not a mapping"),
    ({"place": {"concurrency": {"settle.db": "two"}}}, "place.concurrency.settle.db", '"two" is not a whole number'),
    ({"place": 5}, "place", "not a mapping"),
    ({"timezone": 5}, "timezone", "5 is not text"),
]


@pytest.mark.parametrize(("wrong", "path", "said"), REFUSED, ids=[f"{n}-{case[1]}" for n, case in enumerate(REFUSED)])
def test_what_is_not_allowed_is_refused_with_its_place(wrong: dict[str, Any], path: str, said: str) -> None:
    with pytest.raises(BadField) as refused:
        from_document({**RUN, **wrong})
    assert refused.value.path == path
    assert said in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("document", [[], "x", 5, {5: 1}])
def test_what_is_no_document_at_all_is_refused(document: Any) -> None:
    with pytest.raises(BadField):
        from_document(document)


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ({"cron": "0 25 * * *"}, "25"),
        ({"cron": "0 2 * * *", "tz": "Asia/Beijing"}, "Asia/Shanghai"),
        ({"evry": "1h"}, "every"),
        ({"every": "0s"}, "1s"),
    ],
)
def test_a_bad_schedule_is_refused_in_its_own_words_and_with_its_place(schedule: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_document({**RUN, "schedule": schedule})
    assert said in str(refused.value)
    assert refused.value.data["path"] == "schedule"


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FULL, "max", "on", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*FULL, "zzz"]), json_values, max_size=4))
def test_no_document_crashes_it(document: dict[str, Any]) -> None:
    try:
        definition = from_document({**RUN, **document})
    except InvalidInput:
        return
    assert from_document(to_document(definition)) == definition or definition.misfire.mode == "skip"


durations = st.integers(1, 1000).map(lambda n: f"{n}s")
retries = st.fixed_dictionaries(
    {"max": st.integers(0, 1000)},
    optional={
        "backoff": durations | st.lists(durations, min_size=1, max_size=5) | st.just("5s..1h"),
        "jitter": st.booleans(),
        "on": st.lists(st.sampled_from(["ValueError", "shop.Broken"]), max_size=2),
        "budget_per_hour": st.none() | st.integers(0, 1000),
    },
)
documents = st.fixed_dictionaries(
    {"run": st.just({"python": "a:b"})},
    optional={
        "retries": retries,
        "overlap": st.sampled_from([one.value for one in Overlap]),
        "misfire": st.sampled_from(["skip", "latest", "all", {"latest": "2d"}, {"all": "90m", "limit": 7}]),
        "schedule": st.sampled_from(
            [NIGHTLY, {"every": "15m"}, {"every": "15m", "from_end": True}, [NIGHTLY, {"every": "1h"}]]
        ),
        "timeout": durations,
        "shards": st.integers(0, 10_000),
        "tags": st.dictionaries(st.sampled_from(["a", "b", "结算"]), st.sampled_from(["", "1", "x y"])),
        "place": st.fixed_dictionaries({}, optional={"priority": st.integers(1, 10), "max_running": st.integers(1, 5)}),
        "params": st.dictionaries(st.sampled_from(["x", "y"]), st.integers(-5, 5) | st.text("ab", max_size=3)),
    },
)


@given(documents)
def test_reading_and_writing_lose_nothing(document: dict[str, Any]) -> None:
    definition = from_document(document, job="settle")
    written = to_document(definition)
    again = from_document(written, job="settle")
    assert to_document(again) == written
    assert definition_hash(again) == definition_hash(definition)
    assert (again.retry, again.overlap, again.schedule) == (definition.retry, definition.overlap, definition.schedule)


def test_a_definition_made_in_code_has_the_hash_of_its_file() -> None:
    in_code = Definition(
        handler=python_function("billing.jobs:settle"),
        schedule=schedule_from_document({"every": "15m"}),
        retry=RetryPolicy(max=3),
        misfire=misfire.all(within=2 * HOUR // SECOND),
        timeout_us=DAY,
    )
    in_file = {**RUN, "schedule": {"every": "900s"}, "retries": 3, "misfire": {"all": "120m"}, "timeout": "24h"}
    assert definition_hash(in_code) == definition_hash(from_document(in_file))
