"""Pages of lists that are short: the server reads the whole list (nodes, tokens, calendars, shards) and cuts it."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query

from foliot.api.request_parts import LIMIT_MAX
from foliot.ports.store.lookups import BadCursor

T = TypeVar("T")

AnyLimit = Annotated[
    int | None, Query(ge=1, le=LIMIT_MAX, description="Items of a page; the whole list when it is not said.")
]


def page_of(
    items: Sequence[T], key: Callable[[T], str], *, limit: int | None, cursor: str | None
) -> tuple[list[T], str | None]:
    """Return the items behind the cursor, and the cursor of the next page.

    A cursor holds the index behind the last item of its page, and that item's key. When that item is gone by now, the
    index counts.
    """
    start = 0
    if cursor is not None:
        start = _start(items, key, cursor)
    end = len(items)
    if limit is not None:
        end = min(end, start + limit)
    next_cursor = None
    if start < end < len(items):
        next_cursor = f"{end}.{key(items[end - 1])}"
    return list(items[start:end]), next_cursor


def _start(items: Sequence[T], key: Callable[[T], str], cursor: str) -> int:
    index, dot, last_key = cursor.partition(".")
    if not dot or not is_number(index, digits_max=9):
        raise BadCursor
    for at, item in enumerate(items):
        if key(item) == last_key:
            return at + 1
    return int(index)


def is_number(text: str, *, digits_max: int) -> bool:
    """Whether a text is a whole number of at most `digits_max` ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= digits_max


def number_of_cursor(cursor: str | None, *, digits_max: int) -> int | None:
    """Return the number that a cursor is; None without a cursor. Raise `BadCursor` when it is no number."""
    if cursor is None:
        return None
    if not is_number(cursor, digits_max=digits_max):
        raise BadCursor
    return int(cursor)
