"""Routes: what every one of them promises, how a planner asks them, and those of packages.

What each one does, run by run, stands in `test_route_shares.py` and `test_fastest.py`; why it does so, in the case
table of `test_route_reasons.py`.
"""

from collections.abc import Sequence

import pytest

from foliot.app.plugins import load
from foliot.domain.planner import Planner
from foliot.domain.routing import ANYONE, ROUTES, FittingWorker, Ready, Route, Routed

ANNE, BERT = FittingWorker("s-anne", "anne", 4), FittingWorker("s-bert", "bert", 0)
TWO = Ready(job_id=7, fire_keys=("s:1", "s:2"), state="kept")


@pytest.fixture(params=[*ROUTES])
def route(request: pytest.FixtureRequest) -> Route:
    found: Route = load("foliot.routes", request.param)
    return found


@pytest.mark.parametrize("candidates", [[], [ANNE], [ANNE, BERT]], ids=len)
@pytest.mark.parametrize("ready", [TWO, TWO._replace(fire_keys=()), TWO._replace(state=None)])
def test_each_run_gets_one_of_the_candidates_or_anyone(
    route: Route, ready: Ready, candidates: list[FittingWorker]
) -> None:
    routed = route(ready, candidates)
    assert len(routed.sessions) == len(ready.fire_keys)
    assert {*routed.sessions} <= {ANYONE, *(candidate.session for candidate in candidates)}


def test_the_same_question_has_the_same_answer(route: Route) -> None:
    assert route(TWO, [ANNE, BERT]) == route(TWO, [ANNE, BERT])


def test_any_names_nobody_and_keeps_what_was_kept() -> None:
    assert load("foliot.routes", "any")(TWO, [ANNE, BERT]) == Routed([ANYONE, ANYONE], "kept")


# ------------------------------------------------------------------------------- routes of packages, and the planner


class Known:
    """Routes that a planner is told of: this one, by its name."""

    def __init__(self, route: Route) -> None:
        self._route = route

    def names(self) -> list[str]:
        return ["own"]

    def find(self, name: str) -> Route | None:
        return self._route if name == "own" else None


def by_turns(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    return Routed([candidates[at % len(candidates)].session for at, _ in enumerate(ready.fire_keys)], "turn")


def broken(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    raise ZeroDivisionError


def test_a_planner_asks_the_route_that_is_named() -> None:
    planner = Planner(routes=Known(by_turns))
    assert planner.route("own", TWO, [ANNE, BERT]) == Routed(["s-anne", "s-bert"], "turn")
    assert planner.route("any", TWO, [ANNE, BERT]) == Routed([ANYONE, ANYONE], "kept")
    assert planner.route("own", TWO, []) == Routed([ANYONE, ANYONE], "kept"), "nobody is there to be named"


@pytest.mark.parametrize(
    "odd",
    [
        broken,
        lambda ready, candidates: Routed(["s-anne"], "one run is left out"),
        lambda ready, candidates: Routed(["s-anne", "s-anne"], 5),  # type: ignore[arg-type]
        lambda ready, candidates: Routed([["s-anne"], "s-anne"], None),  # type: ignore[list-item]
        lambda ready, candidates: Routed(["s-anne", "s-anne"], "no store keeps \0"),
        lambda ready, candidates: Routed(["s-anne", "s-anne"], "nor \ud800"),
        lambda ready, candidates: Routed(["s-anne", "s-anne"], None, None),  # type: ignore[arg-type]
        lambda ready, candidates: Routed(["s-anne", "s-anne"], None, ["moved"]),  # type: ignore[list-item]
        lambda ready, candidates: None,
    ],
)
def test_a_route_that_fails_costs_a_job_its_route_and_not_its_runs(odd: Route) -> None:
    assert Planner(routes=Known(odd)).route("own", TWO, [ANNE]) == Routed([ANYONE, ANYONE], "kept")
    assert Planner().route("own", TWO, [ANNE]) == Routed([ANYONE, ANYONE], "kept"), "nor does one that is not known"


def test_nobody_is_named_who_does_not_fit() -> None:
    planner = Planner(routes=Known(lambda ready, candidates: Routed(["s-anne", "s-gone"], None)))
    assert planner.route("own", TWO, [ANNE, BERT]) == Routed(["s-anne", ANYONE], None)
