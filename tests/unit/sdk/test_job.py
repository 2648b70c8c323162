"""@job: a function becomes a job and stays a function."""

import inspect
import pickle
from datetime import date, timedelta
from typing import Any

import pytest

import foliot
from foliot import Ctx, Retry, at, cron, daily, every, job, weekly
from foliot.domain.errors import BadField, BadName, FoliotError
from foliot.domain.handler import python_function
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.job import Definition, Isolation, OnLost
from foliot.domain.policies.misfire import MisfireMode
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.windows import TriggerRate
from foliot.misfire import latest


@job
def greet(name: str = "world", shout: bool = False) -> str:
    """Says hello."""
    return f"HELLO {name.upper()}" if shout else f"hello {name}"


@job(every("10s"), name="tick-tock")
async def tick(ctx: Ctx) -> int:
    return 5


def test_it_stays_a_function() -> None:
    assert greet("Foliot") == "hello Foliot"
    assert greet(name="Foliot", shout=True) == "HELLO FOLIOT"
    assert (greet.__name__, greet.__doc__) == ("greet", "Says hello.")
    assert str(inspect.signature(greet)) == "(name: str = 'world', shout: bool = False) -> str"
    assert pickle.loads(pickle.dumps(greet)) is greet


def test_a_bare_job_is_named_after_its_function_and_waits_for_triggers() -> None:
    assert greet.name == "greet"
    assert greet.handler_name == f"python:{__name__}:greet"
    assert greet.definition == Definition(
        handler=python_function(f"{__name__}:greet"), overlap=Overlap.ALLOW, description="Says hello."
    )


def test_with_a_schedule_runs_do_not_overlap_by_default() -> None:
    assert tick.name == "tick-tock"
    assert tick.definition.overlap is Overlap.SKIP
    assert tick.definition.schedule == every("10s")


def test_every_option_reaches_the_definition() -> None:
    @job(
        cron("0 2 * * *", tz="Asia/Shanghai", calendar="cn-workdays"),
        group="billing",
        owner="data-team",
        tags={"team": "data"},
        retries=Retry(3, backoff="30s..10m", jitter=True, on=(ConnectionError,)),
        timeout="30m",
        grace="5s",
        start_within="2m",
        overlap="queue",
        misfire=latest(within="6h"),
        on_lost="fail",
        max_lost=5,
        exclusive=True,
        shards=16,
        priority=7,
        isolation="process",
        require={"zone": "cn-east"},
        max_running=2,
        max_waiting=100,
        throttle={"rate": "5/1h", "by": "day"},
        concurrency={"settle-db": 4},
        params={"day": date(2026, 1, 31)},
        description="Nightly settlement",
    )
    def settle(ctx: Ctx, day: date | None = None) -> dict[str, int]:
        """Not this."""
        return {}

    @settle.merge
    def report(ctx: Ctx, parts: list[dict[str, int]]) -> int:
        return len(parts)

    said = settle.definition
    assert said.schedule is not None
    assert said.schedule.to_document() == {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays"}
    assert (said.group, said.owner, said.tags) == ("billing", "data-team", {"team": "data"})
    assert (said.retry.max, said.retry.on, said.retry.backoff.first_us) == (3, ("ConnectionError",), 30 * SECOND)
    assert (said.timeout_us, said.grace_us, said.start_within_us) == (30 * MINUTE, 5 * SECOND, 2 * MINUTE)
    assert (said.overlap, said.misfire.mode, said.misfire.within_us) == (Overlap.QUEUE, MisfireMode.LATEST, 6 * HOUR)
    assert (said.on_lost, said.max_lost, said.exclusive) == (OnLost.FAIL, 5, True)
    assert (said.shards, said.priority, said.isolation) == (16, 7, Isolation.PROCESS)
    assert (said.require, said.limits) == ({"zone": "cn-east"}, {"settle-db": 4})
    assert (said.max_running, said.max_waiting) == (2, 100)
    assert said.throttle == TriggerRate(5, HOUR, "day")
    assert (said.params, said.description) == ({"day": "2026-01-31"}, "Nightly settlement")
    assert said.merge == python_function(f"{__name__}:test_every_option_reaches_the_definition.<locals>.report")
    assert report(None, [{}]) == 1  # type: ignore[arg-type]


def test_several_triggers_make_one_schedule() -> None:
    @job(every("1h"), cron("30 2 * * *"), at("2026-01-31T17:00:00Z"), daily("09:00"), weekly("MON", time="08:00"))
    def busy() -> None: ...

    schedule = busy.definition.schedule
    assert schedule is not None
    assert len(schedule.triggers) == 5


def test_a_spread_cron_is_placed_by_the_jobs_name() -> None:
    def declared(name: str) -> Any:
        @job(cron("H H * * *"), name=name)
        def spread() -> None: ...

        schedule = spread.definition.schedule
        assert schedule is not None
        return schedule.next_after(0)

    assert declared("a") == declared("a")
    assert len({declared(name) for name in "abcdefgh"}) > 4


@pytest.mark.parametrize("duration", ["90s", 90, timedelta(seconds=90)])
def test_durations_are_written_in_any_usual_way(duration: Any) -> None:
    @job(timeout=duration)
    def quick() -> None: ...

    assert quick.definition.timeout_us == 90 * SECOND


@pytest.mark.parametrize(
    ("options", "said", "hint"),
    [
        (
            {"overlap": "que"},
            'overlap: "que" is not one of skip, queue, queue_all, replace, allow',
            "did you mean queue?",
        ),
        ({"isolation": "fork"}, 'isolation: "fork" is not one of loop, process, thread', None),
        ({"isolation": "loop"}, "isolation: a plain function would block the worker's loop", "write async def"),
        ({"on_lost": "retry"}, 'on_lost: "retry" is not one of rerun, fail', None),
        ({"priority": 11}, "place.priority: 11 is not a whole number from 1 to 10", None),
        ({"retries": -1}, "retries.max: -1 is not a whole number", None),
        ({"shards": "many"}, "shards: many is not a whole number", None),
        ({"retrys": 3}, '"retrys" is not a field of a job', "did you mean retries?"),
        ({"name": "two words"}, '"two words" cannot be the name of a job', None),
        ({"timeout": "soon"}, '"soon" is not a duration', None),
    ],
)
def test_an_option_that_is_not_allowed_is_named(options: dict[str, Any], said: str, hint: str | None) -> None:
    with pytest.raises(FoliotError) as refused:

        @job(**options)
        def handler() -> None: ...

    assert refused.value.sentence.startswith(said)
    assert hint is None or (refused.value.hint or "").startswith(hint)


def test_what_does_not_fit_together_is_refused() -> None:
    @job
    def whole() -> int:
        return 1

    with pytest.raises(BadField, match="there is nothing to merge without shards"):

        @whole.merge
        def together(parts: list[int]) -> int:
            return sum(parts)

    assert whole.definition.merge is None


def test_what_is_no_trigger_is_refused() -> None:
    with pytest.raises(BadField, match="'10s' is not a trigger"):

        @job("10s")  # type: ignore[call-overload, untyped-decorator]
        def handler() -> None: ...


def test_a_name_must_be_one() -> None:
    with pytest.raises(BadName):

        @job(namespace="a/b")
        def handler() -> None: ...


def test_the_front_door_has_what_it_names() -> None:
    assert set(foliot.__all__) - {"__version__"} == set(foliot._WHERE)
    for name in foliot.__all__:
        assert getattr(foliot, name) is not None
    assert dir(foliot) == sorted(foliot.__all__)
    with pytest.raises(AttributeError, match="no attribute 'jobb'"):
        foliot.jobb  # noqa: B018


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("place.route.by", {"route": {"name": "sticky", "by": "custmer"}}),
        ("debounce.by", {"debounce": {"quiet": "5s", "by": "custmer"}}),
        ("throttle.by", {"throttle": {"rate": "1/10s", "by": "custmer"}}),
    ],
)
def test_what_runs_are_told_apart_by_is_a_parameter_of_the_function(path: str, options: Any) -> None:
    def settle(ctx: Ctx, customer: str) -> None: ...

    def takes_all(**given: str) -> None: ...

    with pytest.raises(BadField, match=f"{path}: settle has no parameter custmer") as refused:
        job(**options)(settle)
    assert refused.value.hint == "its parameters: ctx, customer"
    assert job(**options)(takes_all).definition is not None
