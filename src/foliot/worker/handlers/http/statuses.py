"""Statuses of answers as people write them: `2xx`, `200,204`, `[200, 3xx]`."""

from dataclasses import dataclass
from typing import Self

from foliot.domain.errors import BadField


@dataclass(frozen=True, slots=True)
class StatusSet:
    """Which statuses are expected."""

    written: str
    statuses: frozenset[int]

    @classmethod
    def of(cls, written: int | str | list[int | str], path: str) -> Self:
        """Read them; `BadField` for what is not a status."""
        entries = written if isinstance(written, list) else [written]
        words = [word.strip() for entry in entries for word in str(entry).split(",")]
        return cls(", ".join(words), frozenset(status for word in words for status in _statuses(word, path)))

    def __contains__(self, status: int) -> bool:
        return status in self.statuses


def _statuses(word: str, path: str) -> range:
    digits = word.lower()
    if len(digits) == 3 and digits.endswith("xx") and digits[0] in "12345":
        first = int(digits[0]) * 100
        return range(first, first + 100)
    if len(digits) == 3 and digits.isascii() and digits.isdecimal() and digits[0] in "12345":
        return range(int(digits), int(digits) + 1)
    raise BadField(path, "it is not a status", hint="write 2xx, 200 or [200, 204]")
