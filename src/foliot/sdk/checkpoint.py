"""`ctx.checkpoint`: what a later attempt of the same run finds again."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import msgspec

from foliot.domain.errors import InvalidInput, PayloadTooLarge
from foliot.domain.payload import CHECKPOINT_BYTES_MAX
from foliot.sdk.results import Unwritable, to_json


class Checkpoint(MutableMapping[str, Any]):
    """A small mapping of JSON values. Each assignment saves it; to save a change inside a value, assign it again."""

    __slots__ = ("_save", "_values")

    def __init__(self, save: Callable[[str], None], saved: str | None = None) -> None:
        self._save = save
        self._values: dict[str, Any] = msgspec.json.decode(saved) if saved else {}

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._put(self._values | {key: value})

    def __delitem__(self, key: str) -> None:
        rest = dict(self._values)
        del rest[key]
        self._put(rest)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Checkpoint({self._values!r})"

    def update(self, *args: Any, **values: Any) -> None:
        """Set several values and save once."""
        self._put(self._values | dict(*args, **values))

    def clear(self) -> None:
        """Forget everything and save once."""
        self._put({})

    def _put(self, values: dict[str, Any]) -> None:
        try:
            text = to_json(values, bytes_max=CHECKPOINT_BYTES_MAX)
        except Unwritable as error:
            raise BadCheckpoint(f"{error.thing} is not JSON", "save str(value), or a dataclass") from error
        except PayloadTooLarge as error:
            raise BadCheckpoint(
                f"it is larger than {CHECKPOINT_BYTES_MAX // 1024} KiB", "save where the data lies, not the data"
            ) from error
        self._values = msgspec.json.decode(text)  # what is read back is what a later attempt will read
        self._save(text)


class BadCheckpoint(InvalidInput):
    """A checkpoint that cannot be kept; the one before it stays."""

    code = "FOL-1072"

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(f"The checkpoint was not saved: {why}.", hint=hint, why=why)
