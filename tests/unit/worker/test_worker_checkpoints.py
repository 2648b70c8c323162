"""Checkpoints in beats: bounded, fair, told again, and never at the cost of the beat."""

from collections import Counter

from foliot.worker.attempt import Attempt
from foliot.worker.checkpoints import AGAIN_MAX, NEWS_MAX, Checkpoints
from tests.clocks import DrivenClock
from tests.unit.worker.books import a_run
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import working

LARGE = 60_000


def attempt(lease_id: str, checkpoint: str | None) -> Attempt:
    made = Attempt(a_run(lease_id=lease_id), logs=None)  # type: ignore[arg-type]
    made.checkpoint = checkpoint
    return made


def turn(checkpoints: Checkpoints, attempts: list[Attempt], *, answered: bool = True) -> set[str]:
    chosen = checkpoints.choose(attempts)
    if answered:
        checkpoints.answered(chosen)
    return set(chosen)


def test_small_ones_are_told_in_every_beat() -> None:
    """What was told may have been passed over: a run that somebody is writing is."""
    checkpoints = Checkpoints()
    attempts = [attempt(f"L{i}", "{}") for i in range(100)] + [attempt("none", None)]
    for _ in range(3):
        assert turn(checkpoints, attempts) == {f"L{i}" for i in range(100)}


def test_a_beat_carries_only_so_much_and_everybody_has_a_turn() -> None:
    checkpoints = Checkpoints()
    attempts = [attempt(f"L{i}", "x" * LARGE) for i in range(600)]
    told: Counter[str] = Counter()
    beats = 0
    while len(told) < 600:
        chosen = checkpoints.choose(attempts)
        assert 0 < sum(map(len, chosen.values())) <= NEWS_MAX + AGAIN_MAX
        checkpoints.answered(chosen)
        told.update(set(chosen))
        beats += 1
    assert beats <= 600 * LARGE / (NEWS_MAX - LARGE) + 1
    for _ in range(2 * 600 * LARGE // AGAIN_MAX):
        told.update(turn(checkpoints, attempts))
    assert min(told.values()) >= 2, "all of them are told again"


def test_what_changed_goes_before_what_did_not() -> None:
    checkpoints = Checkpoints(news_max=10, again_max=0)
    attempts = [attempt(f"L{i}", "x" * 10) for i in range(5)]
    for _ in attempts:
        turn(checkpoints, attempts)
    attempts[3].checkpoint = "y" * 10
    chosen = checkpoints.choose(attempts)
    assert chosen.pop("L3") == "y" * 10
    assert len(chosen) == 1, "and of the others as many as there is room for, but one"


def test_one_that_changes_all_the_time_leaves_the_others_their_turn() -> None:
    checkpoints = Checkpoints(news_max=10, again_max=0)
    attempts = [attempt(f"L{i}", "x" * 10) for i in range(3)]
    told: Counter[str] = Counter()
    for beat in range(9):
        for one in attempts:
            one.checkpoint = f"{beat:010}"
        told.update(turn(checkpoints, attempts))
    assert told == {"L0": 3, "L1": 3, "L2": 3}


def test_a_beat_without_an_answer_has_told_nothing() -> None:
    checkpoints = Checkpoints(news_max=10, again_max=0)
    attempts = [attempt("L0", "x" * 10), attempt("L1", "x" * 10)]
    assert turn(checkpoints, attempts, answered=False) == {"L0"}
    assert turn(checkpoints, attempts) == {"L0"}
    assert turn(checkpoints, attempts) >= {"L1"}


def test_what_is_over_is_forgotten() -> None:
    checkpoints = Checkpoints()
    turn(checkpoints, [attempt("L0", "x")])
    turn(checkpoints, [])
    assert checkpoints._told == {}


async def test_a_worker_with_many_large_checkpoints_lives_and_tells_them_all() -> None:
    """All at once they were more than a server takes: no beat was answered, and trust ended."""
    clock = DrivenClock()
    server = FakeServer(clock, ttl_s=1e6, beat_every_s=1e5, margin_s=1)
    async with working(server, clock=clock, slots=60) as house:
        rows = [house.add("hold") for _ in range(60)]
        await house.until(lambda: house.worker.figures.started == 60)
        session, heart = house.worker.session, house.worker._heart
        assert session is not None
        assert heart is not None
        for held in session.held()[1]:
            held.checkpoint = "x" * LARGE
        beats = 0
        while any(row.checkpoint is None for row in rows):
            assert heart.beat()
            beats += 1
            last = server.sessions[session.id].last_beat
            assert last is not None
            assert len(last.held) == 60, "all leases are named in every beat"
            assert sum(len(held.checkpoint or "") for held in last.held) <= NEWS_MAX + AGAIN_MAX
        assert 3 <= beats <= 6
