"""Routes: what every one of them promises, and the case table of each."""

import pytest

from foliot.app.plugins import load
from foliot.domain.routing import ANYONE, ROUTES, Candidate, Ready, Route, Routed

ANNE, BERT = Candidate("s-anne", "anne", 4), Candidate("s-bert", "bert", 0)
TWO = Ready(job_id=7, fire_keys=("s:1", "s:2"), state="kept")


@pytest.fixture(params=[*ROUTES])
def route(request: pytest.FixtureRequest) -> Route:
    found: Route = load("foliot.routes", request.param)
    return found


@pytest.mark.parametrize("candidates", [[], [ANNE], [ANNE, BERT]], ids=len)
@pytest.mark.parametrize("ready", [TWO, TWO._replace(fire_keys=()), TWO._replace(state=None)])
def test_each_run_gets_one_of_the_candidates_or_anyone(route: Route, ready: Ready, candidates: list[Candidate]) -> None:
    routed = route(ready, candidates)
    assert len(routed.sessions) == len(ready.fire_keys)
    assert {*routed.sessions} <= {ANYONE, *(candidate.session for candidate in candidates)}


def test_the_same_question_has_the_same_answer(route: Route) -> None:
    assert route(TWO, [ANNE, BERT]) == route(TWO, [ANNE, BERT])


def test_any_names_nobody_and_keeps_what_was_kept() -> None:
    assert load("foliot.routes", "any")(TWO, [ANNE, BERT]) == Routed([ANYONE, ANYONE], "kept")
