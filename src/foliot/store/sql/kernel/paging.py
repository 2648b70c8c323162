"""Cursors of lists: where a page ended, in a form that nobody needs to understand."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from foliot.ports.store.lookups import BadCursor

LOOK_MAX: Final = 2000
"""Rows looked at for one page when a filter lets only some through."""

_LENGTH_MAX: Final = 1000


def to_cursor(kind: str, *key: int | str) -> str:
    """The cursor that says: go on behind this key. `kind` keeps cursors of different lists apart."""
    return base64.urlsafe_b64encode(msgspec.json.encode([kind, *key])).decode().rstrip("=")


def from_cursor(cursor: str | None, kind: str, *types: type) -> Sequence[Any] | None:
    """The key a cursor stands for, of these types; None without a cursor; `BadCursor` for anything else."""
    if cursor is None:
        return None
    try:
        if len(cursor) > _LENGTH_MAX:
            raise BadCursor
        key = msgspec.json.decode(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise BadCursor from None
    if not isinstance(key, list) or len(key) != len(types) + 1 or key[0] != kind:
        raise BadCursor
    if not all(_is_a(part, wanted) for part, wanted in zip(key[1:], types, strict=True)):
        raise BadCursor
    return key[1:]


def _is_a(part: Any, wanted: type) -> bool:
    if wanted is int:
        return type(part) is int and -(2**63) <= part < 2**63
    return isinstance(part, str) and wanted is str and "\0" not in part
