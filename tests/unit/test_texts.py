"""Texts that people choose: refused once, in words, before anything is stored; a bug where they come further."""

from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import DAY, MINUTE
from foliot.domain.texts import ACTOR_BYTES_MAX, KEY_BYTES_MAX, REASON_BYTES_MAX, actor_name, check_key, is_kept
from foliot.operations.names import actor
from foliot.operations.trigger import check_request
from foliot.ports.store.actor import Actor
from foliot.ports.store.runs import TriggerRequest

ANNE = Principal(token_id="t1", name="anne", scopes=frozenset({Scope.RUN}))
REQUEST = TriggerRequest(namespace="default", job="tick", by=Actor(name="anne"))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "empty or longer than 200 bytes"),
        ("k" * (KEY_BYTES_MAX + 1), "empty or longer than 200 bytes"),
        ("结" * 67, "empty or longer than 200 bytes"),
        ("k ", "ends with a space"),
        (" ", "ends with a space"),
        ("a\0b", "NUL"),
        ("a\ud800b", "half a character"),
    ],
)
def test_a_key_that_not_every_store_keeps_is_refused(key: str, said: str) -> None:
    with pytest.raises(BadField, match=f"key: .*{said}"):
        check_key(key)


@pytest.mark.parametrize("key", ["k", " k", "k\u00a0", "结" * 66, "k" * KEY_BYTES_MAX])
def test_any_other_key_is_taken(key: str) -> None:
    check_key(key)
    check_request(replace(REQUEST, key=key))


@pytest.mark.parametrize(
    ("reason", "said"),
    [("x" * (REASON_BYTES_MAX + 1), "longer than 2000 bytes"), ("结" * 667, "longer than"), ("a\0b", "NUL")],
)
def test_a_reason_is_refused_wherever_somebody_gives_one(reason: str, said: str) -> None:
    with pytest.raises(BadField, match=f"reason: .*{said}"):
        actor(ANNE, reason)


def test_the_name_of_who_did_something_is_cut_between_letters() -> None:
    assert actor_name("anne") == "anne"
    assert actor_name("结" * 100) == "结" * 66
    assert is_kept(actor_name("x" * 500), ACTOR_BYTES_MAX)


@pytest.mark.parametrize("who", [{"name": "a\0b"}, {"name": "\ud800"}, {"name": "a", "reason": "x" * 3000}])
def test_what_no_store_keeps_becomes_no_actor(who: dict[str, str]) -> None:
    with pytest.raises(AssertionError):
        Actor(**who)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"at": MINUTE, "delay_us": MINUTE}, "give either at or delay, not both"),
        ({"delay_us": 366 * DAY + 1}, "longer than a year"),
        ({"at": -1}, "1970 to 2199"),
        ({"at": 2**62}, "1970 to 2199"),
        ({"key": "k "}, "ends with a space"),
    ],
)
def test_a_trigger_that_cannot_be_is_refused(wish: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        check_request(replace(REQUEST, **wish))
