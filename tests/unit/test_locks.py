"""The policy of locks: who holds one, in which order, and which waits would never end."""

import sys
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from foliot.domain.deadlocks import find_deadlocks
from foliot.domain.errors import BadField, BadName
from foliot.domain.locks import EVERYBODY, LockClaim, check_lock_name, check_ttl, decide, mode_word, most_of

NOW = 1000
LATER = 2000
_PLACES = count(1)


def claim(owner: str, *, lock: int = 1, most: int = 1, token: int | None = None, until: int = LATER) -> LockClaim:
    place = next(_PLACES)
    name = f"{owner}-{place}"
    return LockClaim(id=name, lock=lock, place=place, most=most, owner=owner, until=until, token=token, asked_at=place)


def grants(*claims: LockClaim, first_token: int = 50) -> dict[str, int]:
    """By owner, the token of what is granted."""
    owners = {claim.id: claim.owner for claim in claims}
    return {owners[one.claim]: one.token for one in decide(claims, now=NOW, first_token=first_token).granted}


def test_the_first_in_line_gets_a_free_lock_and_the_others_wait() -> None:
    assert grants(claim("a"), claim("b")) == {"a": 50}


def test_a_lock_that_is_held_is_granted_to_nobody_else() -> None:
    assert grants(claim("a", token=7), claim("b")) == {}


def test_a_hold_whose_time_is_over_makes_room() -> None:
    old, new = claim("a", token=7, until=NOW), claim("b")
    decision = decide([old, new], now=NOW, first_token=50)
    assert (list(decision.gone), [one.claim for one in decision.granted]) == ([old.id], [new.id])


def test_readers_share_and_each_has_a_token_of_its_own() -> None:
    assert grants(claim("a", most=EVERYBODY, token=7), claim("b", most=EVERYBODY), claim("c", most=EVERYBODY)) == {
        "b": 50,
        "c": 51,
    }


def test_a_reader_does_not_overtake_a_writer_that_waits() -> None:
    assert grants(claim("a", most=EVERYBODY, token=7), claim("w"), claim("b", most=EVERYBODY)) == {}


def test_a_semaphore_of_two_has_two_owners() -> None:
    assert grants(claim("a", most=2, token=7), claim("b", most=2), claim("c", most=2)) == {"b": 50}


def test_owners_that_disagree_on_the_size_keep_to_the_smaller_one() -> None:
    assert grants(claim("a", most=1, token=7), claim("b", most=3)) == {}
    assert grants(claim("a", most=3, token=7), claim("b", most=3, token=8), claim("c", most=2)) == {}


def test_an_owner_gets_its_lock_again_under_the_same_token_although_others_wait() -> None:
    assert grants(claim("a", token=7), claim("b"), claim("a")) == {"a": 7}


def test_a_reader_that_wants_to_write_goes_before_others_and_gets_a_new_token() -> None:
    assert grants(claim("a", most=EVERYBODY, token=7), claim("b"), claim("a")) == {"a": 50}
    assert grants(claim("a", most=EVERYBODY, token=7), claim("c", most=EVERYBODY, token=8), claim("a")) == {}


@pytest.mark.parametrize("seed", range(200))
def test_never_more_owners_than_each_of_them_allows_and_tokens_only_rise(seed: int) -> None:
    chance = Random(seed)
    claims: list[LockClaim] = []
    token = 1
    for _ in range(40):
        if claims and chance.random() < 0.4:
            claims.remove(chance.choice(claims))
        else:
            claims.append(claim(chance.choice("abcdef"), most=chance.choice([1, 1, 2, 3, EVERYBODY])))
        decision = decide(claims, now=NOW, first_token=token)
        tokens = {one.claim: one.token for one in decision.granted}
        held = {one.owner: one.token for one in claims if one.token is not None}
        for one in decision.granted:
            owner = next(found.owner for found in claims if found.id == one.claim)
            assert one.token >= token or one.token == held.get(owner), "a new token is above all before it"
        token = decision.last_token + 1
        claims = [
            LockClaim(id=one.id, lock=1, place=one.place, most=one.most, owner=one.owner, until=LATER,
                      token=tokens.get(one.id, one.token))
            for one in claims
        ]  # fmt: skip
        owners = {one.owner for one in claims if one.token is not None}
        assert all(len(owners) <= one.most for one in claims if one.token is not None)
        assert owners or not claims, "a lock that somebody wants is not free"


# --------------------------------------------------------------------------------------------------- deadlocks


def test_two_that_wait_for_each_other_are_found_and_the_youngest_is_the_victim() -> None:
    held = [claim("a", lock=1, token=1), claim("b", lock=2, token=1)]
    first, second = claim("a", lock=2), claim("b", lock=1)
    (deadlock,) = find_deadlocks([*held, first, second])
    assert [one.owner for one in deadlock.cycle] == ["b", "a"]
    assert deadlock.victim.id == second.id


def test_three_in_a_circle_are_one_deadlock_and_a_fourth_that_waits_for_them_is_no_part_of_it() -> None:
    held = [claim(owner, lock=lock, token=1) for lock, owner in enumerate("abc")]
    waiting = [claim("a", lock=1), claim("b", lock=2), claim("c", lock=0)]
    outsider = claim("d", lock=0)
    (deadlock,) = find_deadlocks([*held, *waiting, outsider])
    assert {one.owner for one in deadlock.cycle} == {"a", "b", "c"}
    assert deadlock.victim.owner == "c"


def test_a_chain_that_ends_at_one_who_goes_on_is_no_deadlock() -> None:
    assert find_deadlocks([claim("a", lock=1, token=1), claim("b", lock=1), claim("b", lock=2, token=1),
                           claim("c", lock=2)]) == []  # fmt: skip


def test_a_semaphore_with_one_owner_that_goes_on_is_no_deadlock() -> None:
    stuck = [claim("a", lock=1, most=2, token=1), claim("b", lock=2, token=1), claim("a", lock=2)]
    assert find_deadlocks([*stuck, claim("c", lock=1, most=2, token=2), claim("b", lock=1, most=2)]) == []
    assert find_deadlocks([*stuck, claim("a2", lock=1, most=2, token=2), claim("a2", lock=2),
                           claim("b", lock=1, most=2)]) != []  # fmt: skip


def test_two_readers_that_both_want_to_write_are_a_deadlock() -> None:
    readers = [claim("a", most=EVERYBODY, token=1), claim("b", most=EVERYBODY, token=2)]
    (deadlock,) = find_deadlocks([*readers, claim("a"), claim("b")])
    assert deadlock.victim.owner == "b"


def test_two_deadlocks_at_once_have_two_victims() -> None:
    claims = []
    for shift in (0, 10):
        names = [f"a{shift}", f"b{shift}"]
        claims += [claim(names[0], lock=shift, token=1), claim(names[1], lock=shift + 1, token=1)]
        claims += [claim(names[0], lock=shift + 1), claim(names[1], lock=shift)]
    assert {one.victim.owner for one in find_deadlocks(claims)} == {"b0", "b10"}


def stuck_by_decisions(claims: list[LockClaim]) -> list[LockClaim]:
    """The claims of owners that wait for ever, found the slow way: decide about every lock until nobody goes on."""
    left = claims
    while True:
        waiting = {one.owner for one in left if one.waits}
        granted: set[str] = set()
        for lock in {one.lock for one in left}:
            of_lock = [one for one in left if one.lock == lock]
            granted |= {one.claim for one in decide(of_lock, now=NOW, first_token=1).granted}
        going_on = {one.owner for one in left if one.id in granted}
        stuck = [one for one in left if one.owner in waiting - going_on]
        if len(stuck) == len(left):
            return stuck
        left = stuck


@pytest.mark.parametrize("seed", range(300))
def test_deadlocks_are_found_exactly_where_decisions_would_never_let_anybody_go_on(seed: int) -> None:
    chance = Random(seed)
    claims: list[LockClaim] = []
    for _ in range(30):  # as the store would do it: decide after each claim
        new = claim(chance.choice("abcdefgh"), lock=chance.randrange(5), most=chance.choice([1, 1, 2, 3, EVERYBODY]))
        decided = decide([one for one in [*claims, new] if one.lock == new.lock], now=NOW, first_token=new.place)
        tokens = {one.claim: one.token for one in decided.granted}
        claims = [replace(one, token=tokens.get(one.id, one.token)) for one in [*claims, new]]
    found = find_deadlocks(claims)
    assert bool(found) is bool(stuck_by_decisions(claims))
    victims = {one.victim.id for one in found}
    assert len(victims) == len(found)
    assert stuck_by_decisions([one for one in claims if one.id not in victims]) == []
    for deadlock in found:
        following = [*deadlock.cycle[1:], deadlock.cycle[0]]
        for waits, holder in zip(deadlock.cycle, following, strict=True):
            assert any(one.lock == waits.lock and one.owner == holder.owner and one.token for one in claims)


def lines(locks: int, length: int) -> list[LockClaim]:
    """Locks with one holder and a line each; a pair of owners of whom one holds a lock and waits for another."""
    claims = [claim("x", lock=-1, token=1), claim("y", lock=-1), claim("y", lock=-2, token=1), claim("z", lock=-2)]
    for lock in range(locks):
        claims += [claim(f"{lock}-{n}", lock=lock, token=None if n else 1) for n in range(length)]
    return claims


def circles(number: int) -> list[LockClaim]:
    """Deadlocks of two owners each."""
    claims = []
    for n in range(0, 2 * number, 2):
        claims += [claim(f"{n}a", lock=n, token=1), claim(f"{n}b", lock=n + 1, token=1)]
        claims += [claim(f"{n}a", lock=n + 1), claim(f"{n}b", lock=n)]
    return claims


def calls_to_find(claims: list[LockClaim], *, deadlocks: int = 0) -> int:
    """How many functions the search calls."""
    calls = 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        found = find_deadlocks(claims)
    finally:
        sys.setprofile(before)
    assert len(found) == deadlocks
    return calls


def test_the_search_takes_a_few_steps_a_claim_however_long_the_lines_are() -> None:
    assert calls_to_find(lines(1, 1000)) < 30 * 1000
    assert calls_to_find(lines(3, 1000)) < 30 * 3000
    assert calls_to_find(circles(500), deadlocks=500) < 60 * 2000
    only_one_lock = [claim(f"w{n}", token=None if n else 1) for n in range(1000)]
    assert calls_to_find(only_one_lock) < 5 * 1000


# ------------------------------------------------------------------------------------------------ what users write


def test_names_are_brought_into_one_form_and_bad_ones_are_refused() -> None:
    assert check_lock_name("acct:42") == "acct:42"
    assert check_lock_name("e\u0301") == "\u00e9"
    for bad in ("", "a b", "a/b", "a\nb", "x" * 201, "\ud800"):
        with pytest.raises(BadName):
            check_lock_name(bad)


def test_modes_and_times_have_bounds() -> None:
    assert [
        mode_word(most_of(shared=shared, slots=slots)) for shared, slots in ((False, 1), (True, 1), (False, 3))
    ] == [
        "exclusive",
        "shared",
        "1 of 3",
    ]
    for shared, slots in ((True, 2), (False, 0), (False, 1001)):
        with pytest.raises(BadField):
            most_of(shared=shared, slots=slots)
    for ttl in (0, 10**12):
        with pytest.raises(BadField):
            check_ttl(ttl)
