"""Pages of lists that are short enough to be read as a whole: nodes, tokens, calendars, the shards of a run."""

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
    """The items behind the cursor, and the cursor of the next page.

    A cursor names the last item that was given. Where that is gone by now, its place in the list counts.
    """
    start = 0 if cursor is None else _start(items, key, cursor)
    end = len(items) if limit is None else min(len(items), start + limit)
    more = f"{end}.{key(items[end - 1])}" if start < end < len(items) else None
    return list(items[start:end]), more


def _start(items: Sequence[T], key: Callable[[T], str], cursor: str) -> int:
    place, found, last = cursor.partition(".")
    if not (found and place.isascii() and place.isdigit() and len(place) < 10):
        raise BadCursor
    return next((at + 1 for at, item in enumerate(items) if key(item) == last), int(place))
