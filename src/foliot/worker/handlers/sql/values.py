"""Values of a database as JSON has them, and as much of a result as its caps allow."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec

from foliot.domain.payload import INT_MAX, INT_MIN

_COMMA_BYTES: Final = 1  # between two rows


def json_safe(value: Any) -> Any:
    """A value in JSON's terms: times and durations in ISO 8601, decimals as text, bytes as `\\x` and hexadecimals."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if INT_MIN <= value <= INT_MAX else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode(errors="replace").decode()
    if isinstance(value, bytes | bytearray | memoryview):
        return "\\x" + bytes(value).hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return msgspec.to_builtins(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): json_safe(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_safe(inner) for inner in value]
    return json_safe(str(value))


@dataclass(slots=True)
class PreviewRoom:
    """How much of the rows a run may still keep."""

    bytes_left: int


@dataclass(slots=True)
class RowPreview:
    """The rows of one statement that are kept: no more than `rows_max`, and no more than there is room for."""

    rows_max: int
    room: PreviewRoom
    columns: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    seen: int = 0  # rows that came
    is_full: bool = False  # a row was left out
    rows_affected: int | None = None  # None: the driver does not know

    def add(self, row: Sequence[Any]) -> bool:
        """Keep a row; False: there is no room for it, and no need to bring another."""
        self.seen += 1
        if self.is_full or len(self.rows) >= self.rows_max:
            self.is_full = True
            return False
        safe = [json_safe(value) for value in row]
        size = len(msgspec.json.encode(safe)) + _COMMA_BYTES
        if size > self.room.bytes_left:
            self.is_full = True
            return False
        self.room.bytes_left -= size
        self.rows.append(safe)
        return True
