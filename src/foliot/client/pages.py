"""Pages of lists."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

V = TypeVar("V")


class AnswerPage(list[V]):
    """One page of a list, and where the next one begins. `raw` has all of the answer."""

    next_cursor: str | None = None
    raw: Mapping[str, Any]


def page_of(make: Callable[[Mapping[str, Any]], V], answer: Mapping[str, Any]) -> AnswerPage[V]:
    """A page from what a server answered."""
    page = AnswerPage(map(make, answer.get("items", ())))
    page.next_cursor = answer.get("next_cursor")
    page.raw = answer
    return page
