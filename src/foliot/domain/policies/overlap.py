"""Overlap: what a due fire does while an earlier run of its job is open."""

from enum import StrEnum
from typing import Final

QUEUE_ALL_MAX: Final = 1000


class Overlap(StrEnum):
    """Too early. Every policy but `allow` makes the job *serial*: one run executes at a time."""

    SKIP = "skip"  # leave this fire out and say so
    QUEUE = "queue"  # one waits, later ones are left out
    QUEUE_ALL = "queue_all"  # all wait, at most QUEUE_ALL_MAX
    REPLACE = "replace"  # cancel the old one, then start
    ALLOW = "allow"  # side by side

    @property
    def is_serial(self) -> bool:
        return self is not Overlap.ALLOW
