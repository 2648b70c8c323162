"""Sending: any server will do, a lost answer is asked for again, nothing is done twice."""

from collections.abc import Callable
from typing import Any

import pytest

from foliot.client.errors import ServerAway, StrangeAnswer, error_of, family
from foliot.domain.errors import (
    ClusterTrouble,
    Conflict,
    Denied,
    FoliotError,
    InvalidInput,
    JobNotFound,
    NotFound,
)
from foliot.domain.queue_limits import QueueFull
from tests.unit.client.answering import LOST, Answer, Answering, refusing_url
from tests.unit.client.conftest import Connect, FastMachine

Ask = Callable[[Any], object]

RUN = {"id": "r-1", "job": "greet", "state": "PENDING"}
BUSY = Answer(503, {"code": "FOL-5001", "detail": "The store cannot be reached."})


def test_the_next_server_is_asked_when_one_is_away_and_stays_the_first(server: Answering, connect: Connect) -> None:
    server.say(Answer(201, RUN))
    client = connect([refusing_url(), server.url])
    assert client.jobs.trigger("greet").id == "r-1"
    assert client.jobs.trigger("greet").id == "r-1"
    assert len(server.asked) == 2


def test_servers_may_be_written_with_commas(server: Answering, connect: Connect) -> None:
    server.say(Answer(200, RUN))
    assert connect(f"{refusing_url()}, {server.url}/").runs.get("r-1").id == "r-1"


AGE = "Foliot-Replica-Age"
OLD = Answer(200, RUN, headers={AGE: "8"})


@pytest.mark.parametrize("trouble", [LOST, BUSY, Answer(502, text="<html>"), Answer(200, RUN, breaks_off=True)])
def test_a_lost_answer_is_asked_for_again_under_the_same_key(
    server: Answering, other_server: Answering, connect: Connect, trouble: Answer
) -> None:
    server.say(trouble)
    other_server.say(Answer(201, RUN))
    assert connect([server.url, other_server.url]).jobs.trigger("greet").id == "r-1"
    asked = [*server.asked, *other_server.asked]
    assert len(asked) == 2
    assert len({one.headers["idempotency-key"] for one in asked}) == 1
    assert len({one.body["key"] for one in asked}) == 1


def test_an_answer_of_a_replica_counts_when_no_other_server_has_a_newer_one(
    server: Answering, other_server: Answering, connect: Connect
) -> None:
    both = connect([server.url, other_server.url])
    server.say(OLD)
    other_server.say(Answer(200, RUN))
    assert (both.runs.get("r-1").id, both.replica_age_s) == ("r-1", None), "the other server reaches the store"
    both = connect([server.url, other_server.url])
    other_server.say(Answer(200, RUN, headers={AGE: "9"}))
    assert (both.runs.get("r-1").id, both.replica_age_s) == ("r-1", 9), "nobody does"
    both = connect([server.url, other_server.url])
    other_server.say(BUSY)
    assert (both.runs.get("r-1").id, both.replica_age_s) == ("r-1", 8), "the other has no replica"
    alone = connect(server.url)
    assert (alone.runs.get("r-1").id, alone.replica_age_s) == ("r-1", 8)


def test_one_server_gets_several_chances_with_growing_pauses(
    server: Answering, connect: Connect, machine: FastMachine
) -> None:
    server.say(LOST, BUSY, LOST, Answer(201, RUN))
    assert connect(server.url).jobs.trigger("greet").id == "r-1"
    assert machine.pauses == [0.1, 0.2, 0.4]


def test_when_nobody_listens_it_is_said_soon(connect: Connect, machine: FastMachine) -> None:
    url = refusing_url()
    with pytest.raises(ServerAway) as refused:
        connect(url).jobs.trigger("greet")
    assert refused.value.sentence == f"No answer from {url} (connection refused)."
    assert refused.value.code == "FOL-5001"
    assert machine.now == pytest.approx(1000.1)


def test_trouble_that_stays_is_told_when_the_time_is_over(
    server: Answering, connect: Connect, machine: FastMachine
) -> None:
    server.say(BUSY)
    with pytest.raises(ClusterTrouble, match="The store cannot be reached"):
        connect(server.url, timeout="5s").jobs.trigger("greet")
    assert 1002 < machine.now <= 1005


@pytest.mark.parametrize("status", [409, 429])
def test_a_server_that_names_a_pause_gets_it(
    server: Answering, connect: Connect, machine: FastMachine, status: int
) -> None:
    server.say(Answer(status, {"detail": "Slow down."}, {"retry-after": "3"}), Answer(201, RUN))
    assert connect(server.url).jobs.trigger("greet").id == "r-1"
    assert machine.pauses == [3]


def test_a_full_job_is_told_at_once_and_not_asked_again(server: Answering, connect: Connect) -> None:
    server.say(Answer(429, {"detail": "Full.", "code": "FOL-3091"}, {"retry-after": "1"}))
    with pytest.raises(QueueFull, match="Full"):
        connect(server.url).jobs.trigger("greet")
    assert len(server.asked) == 1


def test_a_pause_that_is_too_long_is_an_error(server: Answering, connect: Connect) -> None:
    server.say(Answer(429, {"detail": "Slow down."}, {"retry-after": "3600"}))
    with pytest.raises(FoliotError, match="Slow down"):
        connect(server.url).jobs.trigger("greet")
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 428, 500])
def test_a_refusal_is_not_repeated(server: Answering, connect: Connect, status: int) -> None:
    server.say(Answer(status, {"detail": "No."}))
    with pytest.raises(FoliotError, match=r"No\."):
        connect(server.url).jobs.trigger("greet")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "problem", "kind", "code"),
    [
        (404, {"code": "FOL-2001", "detail": "x"}, JobNotFound, "FOL-2001"),
        (404, {"code": "FOL-2999", "detail": "x"}, NotFound, "FOL-2999"),
        (409, {"code": "FOL-3777"}, Conflict, "FOL-3777"),
        (401, {}, Denied, "FOL-4000"),
        (422, {"title": "bad"}, InvalidInput, "FOL-1000"),
        (500, {}, ClusterTrouble, "FOL-5000"),
        (418, {"code": 7}, ClusterTrouble, "7"),
    ],
)
def test_the_class_is_found_by_code_else_by_branch_else_by_status(
    status: int, problem: dict[str, object], kind: type[FoliotError], code: str
) -> None:
    error = error_of(status, problem, url="http://x")
    assert (type(error), error.code) == (kind, code)
    assert error.sentence


def test_every_code_of_the_family_comes_back_as_its_own_class() -> None:
    for known in family():
        if known.code != "FOL-0000" and not known.code.endswith("000"):
            back = error_of(500, {"code": known.code, "detail": "d", "hint": "h", "errors": [1]}, url="u")
            assert back.code == known.code
            assert (back.sentence, back.hint, back.data["errors"]) == ("d", "h", [1])


def test_a_proxy_of_the_surroundings_is_no_way_to_this_machine(
    server: Answering, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", refusing_url())
    monkeypatch.setenv("http_proxy", refusing_url())
    server.say(Answer(200, RUN))
    assert connect(server.url).runs.get("r-1").id == "r-1"


LOGIN_PAGE = Answer(200, text="<html>Please log in</html>", headers={"content-type": "text/html"})


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.runs.get("r-1"),
        lambda client: list(client.events.follow("runs")),
        lambda client: list(client.runs.logs("r-1")),
        lambda client: list(client.runs.logs("r-1", follow=True)),
    ],
    ids=["call", "events", "logs", "logs that are followed"],
)
def test_an_answer_of_something_else_is_told_as_such(server: Answering, connect: Connect, ask: Ask) -> None:
    """A proxy that wants people to log in answers 200 with a page of its own."""
    server.say(LOGIN_PAGE)
    with pytest.raises(StrangeAnswer, match="did not answer as a Foliot server does: its answer is text/html"):
        ask(connect(server.url))
    assert len(server.asked) == 1
