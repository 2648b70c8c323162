"""Turns between namespaces: who got the fewest runs goes first, and nobody saves up much."""

from collections import Counter

from foliot.domain.turns import CREDIT_MAX, Turns


def served(turns: Turns, waiting: set[str], times: int) -> Counter[str]:
    """One run after the other, each to the namespace that got the fewest."""
    given: Counter[str] = Counter()
    for _ in range(times):
        got = turns.waiting(waiting)
        first = min(sorted(waiting), key=got.__getitem__)
        turns.gave(first)
        given[first] += 1
    return given


def test_namespaces_that_wait_all_the_time_get_the_same() -> None:
    assert served(Turns(), {"a", "b", "c"}, 30) == {"a": 10, "b": 10, "c": 10}


def test_who_comes_later_goes_first_and_has_nothing_saved_up() -> None:
    turns = Turns()
    served(turns, {"a", "b"}, 100)
    assert served(turns, {"a", "b", "late"}, 1) == {"late": 1}
    assert served(turns, {"a", "b", "late"}, 30) == {"a": 10, "b": 10, "late": 10}


def test_who_comes_and_goes_gets_no_more_than_one_run_each_time() -> None:
    turns = Turns()
    served(turns, {"a", "b"}, 10)
    for _ in range(5):
        assert served(turns, {"a", "b", "now-and-then"}, 1) == {"now-and-then": 1}
        assert served(turns, {"a", "b"}, 2) == {"a": 1, "b": 1}


def test_who_waits_and_is_not_served_saves_up_little() -> None:
    turns = Turns()
    for _ in range(1000):  # none of its runs can go, though they wait
        turns.waiting({"a", "stuck"})
        turns.gave("a")
    assert served(turns, {"a", "stuck"}, CREDIT_MAX + 20)["a"] >= 10


def test_one_that_waits_alone_owes_nothing() -> None:
    turns = Turns()
    turns.gave("alone")
    assert dict(turns.waiting({"alone", "other"})) == {"alone": -1, "other": -1}


def test_who_waits_for_two_groups_of_workers_is_served_by_both() -> None:
    """The one that is waited for elsewhere is not new each time its group asks."""
    turns = Turns()
    given: Counter[str] = Counter()
    for _ in range(20):
        given += served(turns, {"both", "of-a"}, 1)
        given += served(turns, {"both", "of-b"}, 1)
    assert given["both"] >= 10, given
