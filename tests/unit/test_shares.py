"""Shares: whoever takes much leaves as much for others. Addresses: who counts as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.addresses import NOWHERE, owner_of
from foliot.domain.shares import Shares


def taken_by(shares: Shares, who: str) -> int:
    """How many somebody gets who takes all there are."""
    count = 0
    while shares.take(who):
        count += 1
    return count


def test_one_alone_gets_half_and_each_newcomer_finds_room() -> None:
    shares = Shares(64)
    assert [taken_by(shares, who) for who in "abcdef"] == [32, 16, 8, 4, 2, 1]
    assert shares.taken == 63
    assert shares.take("g")
    assert not shares.take("h")


def test_what_is_given_back_is_free_for_all() -> None:
    shares = Shares(4)
    assert taken_by(shares, "a") == 2
    shares.give_back("a", 2)
    assert (shares.taken, shares.held_by("a")) == (0, 0)
    assert taken_by(shares, "b") == 2


def test_a_large_piece_is_taken_whole_or_not_at_all() -> None:
    shares = Shares(100)
    assert shares.take("a", 40)
    assert not shares.take("a", 40)
    assert shares.take("b", 60)
    assert not shares.take("c")
    assert not Shares(10).take("a", 11)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 9), st.booleans())))
def test_no_more_is_taken_than_there_is_and_nothing_is_kept_of_who_holds_nothing(
    steps: list[tuple[str, int, bool]],
) -> None:
    shares = Shares(20)
    for who, size, gives in steps:
        if gives and shares.held_by(who) >= size:
            shares.give_back(who, size)
        else:
            shares.take(who, size)
        assert shares.taken == sum(map(shares.held_by, "abc"))
        assert 0 <= shares.taken <= 20
    assert all(shares._held.values())


@pytest.mark.parametrize(
    ("host", "owner"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", NOWHERE),
        (None, NOWHERE),
    ],
)
def test_who_counts_as_one(host: str | None, owner: str) -> None:
    assert owner_of(host) == owner
