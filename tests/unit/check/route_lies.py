"""Histories in which a run went to another worker than its route had named."""

from dataclasses import replace
from typing import Any


def edit_change(story: dict[str, Any], at: int, **fields: Any) -> None:
    """Change what a recorded change says."""
    change = story["changes"][at]
    story["changes"][at] = replace(change, row={**change.row, **fields})


def leased_by_another_than_was_named(story: dict[str, Any]) -> None:
    edit_change(story, 0, assigned_to="s1")
    edit_change(story, 1, session_id="s2")
