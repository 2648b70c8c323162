"""Turns: the namespace that got the fewest runs goes first, so that one with thousands of waiting runs delays no other.

Namespaces that wait for the same workers are compared. One that was never seen goes first once. One that waits and
cannot be served, or waits for other workers, saves up at most `CREDIT_MAX` runs.
"""

from collections.abc import Collection, Mapping
from typing import Final, TypeAlias

CREDIT_MAX: Final = 5
REMEMBERED_MAX: Final = 1000

Namespace: TypeAlias = str | None
"""None: runs in lanes that an older Foliot made, of whichever namespace."""


class Turns:
    """How many runs each namespace got at this server."""

    def __init__(self) -> None:
        self._got: dict[Namespace, int] = {}

    def waiting(self, namespaces: Collection[Namespace]) -> Mapping[Namespace, int]:
        """Whose runs wait for the workers that ask now, with what each got; the least goes first."""
        known = [self._got[namespace] for namespace in namespaces if namespace in self._got]
        least = max(min(known), max(known) - CREDIT_MAX) if known else 0
        now: dict[Namespace, int] = {}
        for namespace in namespaces:
            before = self._got.get(namespace)
            now[namespace] = least - 1 if before is None else max(before, least)
        if len(self._got) > REMEMBERED_MAX:
            self._got.clear()
        self._got |= now  # others may wait for workers that do not ask now: they are compared when those ask
        return now

    def gave(self, namespace: Namespace) -> None:
        """A run of this namespace goes to a worker."""
        if namespace in self._got:  # else it waited alone
            self._got[namespace] += 1
