"""A session: which requests are settled, which leases are held, how long it may be trusted."""

from foliot.domain.instants import SECOND
from foliot.ports.worker_link import Welcome
from foliot.worker.attempt import Attempt
from foliot.worker.session import Session, to_held
from tests.unit.worker.books import a_run

WELCOME = Welcome(session_ttl_us=15 * SECOND, beat_every_us=5 * SECOND, margin_us=2 * SECOND, store_now=0)


def attempt(lease_id: str) -> Attempt:
    return Attempt(a_run(lease_id=lease_id), logs=None)  # type: ignore[arg-type]


def test_an_answer_is_held_and_settled_in_one_step() -> None:
    session = Session("s", WELCOME, sent_at=0)
    number = session.next_request()
    assert session.held() == (0, [])
    taken = session.take(number, [attempt("L1"), attempt("L2")])
    assert session.held() == (1, taken)


def test_a_late_answer_to_a_request_given_up_is_dropped() -> None:
    session = Session("s", WELCOME, sent_at=0)
    number = session.next_request()
    session.settle(number)
    assert session.take(number, [attempt("L1")]) == []
    assert session.held() == (1, [])


def test_request_numbers_rise() -> None:
    session = Session("s", WELCOME, sent_at=0)
    assert [session.next_request() for _ in range(3)] == [1, 2, 3]


def test_trust_counts_from_the_sending_of_an_answered_beat() -> None:
    session = Session("s", WELCOME, sent_at=100.0)
    assert session.is_trusted(112.9)
    assert not session.is_trusted(113.0)
    session.renew(105.0)
    assert session.is_trusted(117.9)
    assert not session.is_trusted(118.0)
    session.renew(101.0)  # an older beat's answer that came late
    assert session.is_trusted(117.9)


def test_a_dead_session_is_never_trusted_again() -> None:
    session = Session("s", WELCOME, sent_at=100.0)
    session.die()
    session.renew(100.0)
    assert not session.is_trusted(100.0)


def test_a_beat_says_when_a_run_started_and_how_far_it_is() -> None:
    held = attempt("L1")
    assert to_held(held, now=5.0).started_us_ago is None
    held.started_at, held.progress = 3.0, (1, None, "na\x00me\udc80")
    assert to_held(held, now=5.0).checkpoint is None, "it is not its turn"
    said = to_held(held, now=5.0, checkpoint='{"i":1}')
    assert said.started_us_ago == 2 * SECOND
    assert said.progress == '{"done":1,"total":null,"note":"na\\\\x00me\\\\udc80"}'
    assert said.checkpoint == '{"i":1}'


def test_progress_that_is_no_json_does_not_stop_the_beat() -> None:
    held = attempt("L1")
    held.progress = (object(), None, "")  # type: ignore[assignment]
    assert to_held(held, now=1.0).progress is None
