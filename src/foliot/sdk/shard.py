"""`ctx.shard`: which slice of the work is this run's."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from foliot.domain.errors import InvalidInput, PayloadTooLarge
from foliot.sdk.results import Unwritable, to_json

T = TypeVar("T")

KEY_BYTES_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Shard:
    """Slice `index` of `count`. A run that is not sharded is slice 0 of 1: everything is its own."""

    index: int = 0
    count: int = 1

    def __post_init__(self) -> None:
        assert 0 <= self.index < self.count, (self.index, self.count)

    def mine(self, items: Iterable[T], *, key: Callable[[T], object] | None = None) -> list[T]:
        """The items of this slice, in their order. An item's slice depends on the item (or `key(item)`) alone."""
        if self.count == 1:
            return list(items)
        return [item for item in items if self.owns(key(item) if key else item)]

    def owns(self, key: object) -> bool:
        """Whether what this key stands for is in this slice."""
        digest = hashlib.blake2b(_text(key).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.index


def _text(key: object) -> str:
    """The key as canonical JSON: the same for equal keys on every machine."""
    if type(key) is int:
        return str(key)
    try:
        return to_json(key, bytes_max=KEY_BYTES_MAX)
    except (Unwritable, PayloadTooLarge) as error:
        raise UnstableShardKey(type(key).__name__) from error


class UnstableShardKey(InvalidInput):
    """An item that cannot be told apart from others in the same way everywhere."""

    code = "FOL-1071"

    def __init__(self, type_name: str) -> None:
        super().__init__(
            f'A "{type_name}" has no stable value to choose its shard by.',
            hint="say what identifies an item: ctx.shard.mine(items, key=lambda item: item.id)",
            type=type_name,
        )
