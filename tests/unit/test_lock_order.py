"""Advice on the order of locks: from what is seen of owners that wait, and from deadlocks that were ended."""

from foliot.domain.lock_order import LocksTaken, advise
from foliot.words.language import Language
from foliot.words.lock_order import order_words

ONE = LocksTaken("r-1 (pay)", "a", "b")
OTHER = LocksTaken("r-2 (bill)", "b", "a")


def said(*taken: LocksTaken, deadlocks: tuple[tuple[str, ...], ...] = (), language: Language = Language.ENGLISH) -> str:
    advice = advise("a", taken, deadlocks)
    return "" if advice is None else order_words(advice, language)


def test_nothing_seen_nothing_said() -> None:
    assert said() == ""
    assert said(deadlocks=(("x", "y"), ("a",))) == "", "a deadlock of other locks, and one of an older version"


def test_one_order_that_was_seen_is_to_be_kept() -> None:
    assert said(ONE) == "r-1 (pay) holds a and waits for b: whoever needs both takes a first"
    assert said(ONE, language=Language.CHINESE) == "r-1 (pay) 持有 a 并等待 b：两者都需要时，请先取 a"


def test_opposite_orders_are_told_with_both_owners() -> None:
    assert said(OTHER, ONE) == (
        "take these locks in one order everywhere, such as a, b; "
        "r-2 (bill) takes b, then a, and r-1 (pay) takes them the other way round"
    )


def test_deadlocks_that_were_ended_are_counted_and_all_their_locks_are_named() -> None:
    ended = (("a", "c"), ("a", "b"), ("x", "y"))
    assert said(deadlocks=ended) == (
        "take these locks in one order everywhere, such as a, b, c; 2 deadlocks of them were ended lately"
    )
    assert said(ONE, deadlocks=(("a", "b"),)).endswith("1 deadlock of them was ended lately")
    assert said(deadlocks=ended, language=Language.CHINESE) == (
        "请在各处按同一顺序取这些锁，例如 a、b、c；最近解除了 2 次死锁"
    )
