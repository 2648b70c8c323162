"""Why a route named a worker: the case table of reasons, and the figures that are shown beside them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from foliot.app.plugins import load
from foliot.domain.routing import ROUTES, FittingWorker, Ready, Route
from foliot.domain.routing.fastest import PROBE_EVERY
from foliot.domain.routing.order import to_keep
from foliot.domain.routing.reasons import AskedRoute, Because, RouteReason, ToldRoute, tell
from foliot.domain.routing.wishes import Preference, Wishes
from foliot.words.chinese import why as chinese
from foliot.words.english import why as english


def worker(name: str, **more: Any) -> FittingWorker:
    return FittingWorker(f"s-{name}", name, 10, slots=10)._replace(**more)


class Case(NamedTuple):
    """A route, those it chose between, whom it named at its last run, and what is told."""

    route: str
    workers: Sequence[FittingWorker]
    chosen: str
    reason: RouteReason
    scores: Mapping[str, float] = MappingProxyType({})
    runs: int = 1
    key: str | None = None
    wishes: Wishes = Wishes()


ANNE, BERT, CLEO = worker("anne"), worker("bert"), worker("cleo")
HURT = [one._replace(is_in_warning=True) for one in (ANNE, BERT)]
QUICK, SLOW = worker("anne", pace_us=400_000), worker("bert", pace_us=2_000_000)
LOADED = [worker("anne", load=0.5), worker("bert", load=0.41)]
SSD = Wishes(prefer={"disk": Preference("ssd")})
WITH_SSD = worker("bert", labels={"disk": "ssd"})

CASES = {
    "alone": Case("round", [ANNE], "anne", RouteReason(Because.ONLY)),
    "left alone by wishes": Case("first", [ANNE, WITH_SSD], "bert", RouteReason(Because.WISHED), wishes=SSD),
    "first": Case("first", [ANNE, BERT], "anne", RouteReason(Because.FIRST)),
    "last": Case("last", [ANNE, BERT], "bert", RouteReason(Because.LAST)),
    "round": Case("round", [ANNE, BERT, CLEO], "bert", RouteReason(Because.TURN, "anne")),
    "round, from the last to the first": Case(
        "round", [ANNE, BERT, CLEO], "anne", RouteReason(Because.TURN, "cleo"), runs=3
    ),
    "random": Case("random", [ANNE, BERT], "anne", RouteReason(Because.DRAWN)),
    "a key": Case("consistent_hash", [ANNE, BERT], "anne", RouteReason(Because.KEY, key="acme"), key="acme"),
    "no key": Case("sticky", [ANNE, BERT], "anne", RouteReason(Because.KEY_OF_JOB)),
    "a long key": Case("sticky", [ANNE, BERT], "anne", RouteReason(Because.KEY, key="k" * 60 + "…"), key="k" * 70),
    "fewest of the job": Case(
        "least_frequently_used",
        [ANNE, BERT],
        "bert",
        RouteReason(Because.FEWEST_OF_JOB),
        {"anne": 0, "bert": 0},
        runs=3,
    ),
    "longest ago": Case("least_recently_used", [ANNE, BERT], "bert", RouteReason(Because.LONGEST_AGO), runs=3),
    "healthy": Case("failover", [HURT[0], BERT], "bert", RouteReason(Because.FIRST_HEALTHY)),
    "nobody is healthy": Case("failover", HURT, "anne", RouteReason(Because.FIRST_OF_STRAINED)),
    "idle": Case("busyover", [ANNE._replace(running=1), BERT], "bert", RouteReason(Because.IDLE)),
    "a free slot": Case(
        "busyover",
        [ANNE._replace(running=10, free=0), BERT._replace(running=9, free=1)],
        "bert",
        RouteReason(Because.FREE_SLOT),
    ),
    "by weight": Case(
        "weighted_round", [ANNE._replace(weight=3), BERT], "anne", RouteReason(Because.WEIGHT), {"anne": 6, "bert": 2}
    ),
    "fewest running, for the weight": Case(
        "least_running",
        [ANNE._replace(weight=3, running=3), BERT._replace(running=1)],
        "anne",
        RouteReason(Because.FEWEST_RUNNING),
        {"anne": 4 / 3, "bert": 2},
    ),
    "fewest running, in WARNING": Case(
        "least_running", [HURT[0], BERT], "bert", RouteReason(Because.FEWEST_RUNNING), {"anne": 2, "bert": 1}
    ),
    "stays": Case(
        "least_load",
        LOADED,
        "anne",
        RouteReason(Because.STAYS, "bert", 0.5, 0.41),
        {"anne": 0.5, "bert": 0.41},
    ),
    "moved": Case(
        "least_load", [LOADED[0], worker("bert", load=0.3)], "bert", RouteReason(Because.MOVED, "anne"),
        {"anne": 0.5, "bert": 0.3},
    ),
    "WARNING and weight": Case(
        "least_load",
        [worker("anne", load=0.5, weight=2, is_in_warning=True), worker("bert", load=0.4)],
        "anne",
        RouteReason(Because.STAYS, "bert", 0.375, 0.4),
        {"anne": 0.375, "bert": 0.4},
    ),
    "soonest": Case("fastest", [QUICK, SLOW], "anne", RouteReason(Because.SOONEST), {"anne": 0.4, "bert": 2}),
    "not known yet": Case("fastest", [QUICK, BERT], "bert", RouteReason(Because.UNTRIED), {"anne": 0.4}),
    "nothing known": Case("fastest", [ANNE, BERT], "anne", RouteReason(Because.UNMEASURED), {"anne": 0.1, "bert": 0.1}),
    "a probe": Case(
        "fastest", [QUICK, SLOW], "bert", RouteReason(Because.PROBE), {"anne": 0.4, "bert": 2}, runs=PROBE_EVERY
    ),
    "least full of those with the label": Case(
        "any", [ANNE, WITH_SSD, WITH_SSD._replace(session="s-cleo", name="cleo", running=4, free=6)], "bert",
        RouteReason(Because.LEAST_FULL), {"bert": 0.1, "cleo": 0.5}, wishes=SSD,
    ),
}  # fmt: skip


def asked_of(case: Case) -> tuple[str | None, str | None]:
    """Ask the route as a server would; whom it named at last, and what it keeps."""
    if case.route == "any" or not case.wishes.is_none:
        return f"s-{case.chosen}", None
    route: Route = load("foliot.routes", case.route)
    state: str | None = None
    session: str | None = None
    questions = [case.workers] * case.runs
    if case.route == "least_load":
        questions = [case.workers[:1], *questions]  # so the job is there
    for number, workers in enumerate(questions):
        routed = route(Ready(3, [f"s:{number}"], state, [case.key] if case.key else []), workers)
        (session,), state = routed.sessions, routed.state
    return session, state


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_reason_and_the_figures_are_those_that_the_route_went_by(case: Case) -> None:
    session, state = asked_of(case)
    assert session == f"s-{case.chosen}"
    told = tell(AskedRoute(case.route, case.wishes, state, case.key), case.workers, session)
    assert told.reason == case.reason
    assert told.scores == pytest.approx({f"s-{name}": score for name, score in case.scores.items()})


def test_every_route_and_every_reason_has_a_case_and_words() -> None:
    assert {case.route for case in CASES.values()} == ROUTES.keys()
    kinds = {case.reason.kind for case in CASES.values()}
    assert kinds | {Because.LEAST_LOAD} == {*Because}
    for language in (english, chinese):
        assert {f"because.{kind}" for kind in Because} <= language.PIECES.keys()


def test_what_has_changed_since_the_route_was_asked_is_told_as_the_past() -> None:
    keeps = to_keep("least_load", {"on": "gone", "name": "anne"})
    told = tell(AskedRoute("least_load", Wishes(), keeps), LOADED, "s-bert")
    assert told.reason == RouteReason(Because.LEAST_LOAD)


def test_before_a_route_is_asked_there_are_figures_and_no_reason() -> None:
    told = tell(AskedRoute("least_running", Wishes(), None), [ANNE, BERT._replace(running=1)], None)
    assert told == ToldRoute({"s-anne": 1, "s-bert": 2}, None)
    assert tell(AskedRoute("a_package's", Wishes(), None), [ANNE, BERT], "s-anne") == ToldRoute({}, None)
    for_anyone = tell(AskedRoute("round", Wishes(), None), [ANNE, BERT], "*")
    assert for_anyone == ToldRoute({}, None)


def test_of_several_values_of_a_label_the_route_chose_within_one() -> None:
    """What it keeps is kept for that value."""
    spread = Wishes(spread="zone")
    east = [worker(name, labels={"zone": "e"}) for name in ("anne", "bert")]
    told = tell(AskedRoute("round", spread, None), [*east, worker("cleo", labels={"zone": "w"})], "s-anne")
    assert told.reason == RouteReason(Because.TURN, "bert")
