"""Shards: each item in exactly one, the same one everywhere and always."""

from dataclasses import dataclass
from datetime import date

import pytest

from foliot.sdk.shard import Shard, UnstableShardKey


@dataclass
class Order:
    id: int
    day: date


class Opaque:
    def __init__(self, number: int) -> None:
        self.number = number


def test_every_item_is_in_exactly_one_slice_in_its_order() -> None:
    items = [f"order-{n}" for n in range(1000)]
    slices = [Shard(index, 7).mine(items) for index in range(7)]
    assert sorted(item for part in slices for item in part) == sorted(items)
    assert all(part == [item for item in items if item in set(part)] for part in slices)
    assert min(map(len, slices)) > 100


def test_a_slice_is_the_same_on_every_machine_and_in_every_version() -> None:
    """Written down: a change here would send half of every split job's work to another shard between two attempts."""
    assert Shard(0, 4).mine(range(20)) == [2, 5, 6, 10, 17]
    assert Shard(0, 4).mine(["a", "b", "结算", "d"]) == ["a", "b", "d"]
    assert Shard(3, 4).owns("结算")
    assert Shard(0, 4).owns({"b": 1, "a": date(2026, 1, 31)})
    assert Shard(1, 4).owns(("x", 1))


def test_equal_values_are_equal_whatever_their_order() -> None:
    shard = Shard(1, 3)
    assert shard.owns({"a": 1, "b": 2}) == shard.owns({"b": 2, "a": 1})
    assert [shard.owns(Order(n, date(2026, 1, 31))) for n in range(50)] == [
        shard.owns({"day": "2026-01-31", "id": n}) for n in range(50)
    ]


def test_items_without_a_stable_value_need_a_key() -> None:
    items = [Opaque(n) for n in range(20)]
    with pytest.raises(UnstableShardKey, match='A "Opaque" has no stable value') as refused:
        Shard(0, 2).mine(items)
    assert "key=" in (refused.value.hint or "")
    by_key = Shard(0, 2).mine(items, key=lambda item: item.number)
    assert [item.number for item in by_key] == Shard(0, 2).mine(range(20))
