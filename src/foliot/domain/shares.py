"""Shares of something scarce (places, bytes): whoever takes much leaves as much for others.

One who holds n of them gets more only while at least as many stay free afterwards as would be held before. So one alone
gets half of all, each of two a third, and a newcomer finds room until there are very many of them. Nobody has a fixed
part that lies idle while its owner is away.
"""

from collections import Counter


class Shares:
    """Counts who holds how much of `most`. It decides and counts; waiting and refusing is the caller's."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self._held: Counter[str] = Counter()

    def take(self, who: str, size: int = 1) -> bool:
        """Take so much for somebody; False, and nothing is taken, when that is beyond their share."""
        if self._held[who] + size > self.most - self.taken:
            self._forget_if_none(who)
            return False
        self._held[who] += size
        self.taken += size
        return True

    def give_back(self, who: str, size: int = 1) -> None:
        """What somebody took is free again."""
        assert self._held[who] >= size, (who, size)
        self._held[who] -= size
        self.taken -= size
        self._forget_if_none(who)

    def held_by(self, who: str) -> int:
        """How much somebody holds."""
        return self._held.get(who, 0)

    def _forget_if_none(self, who: str) -> None:
        if not self._held[who]:
            del self._held[who]
