"""Shares of something scarce (places, bytes): a client that takes much leaves as much for others.

A client that holds n of them gets more only while at least n stay free afterwards. So one client alone gets half of
all, each of two gets a third, and a new client finds room until there are very many of them. No client has a fixed part
that lies idle while the client is away.
"""

from collections import Counter


class Shares:
    """Counts who holds how much of `most`. It decides and counts; waiting and refusing is the caller's."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self._held: Counter[str] = Counter()

    def take(self, who: str, size: int = 1) -> bool:
        """Take `size` for a client. Return False, and take nothing, when that is beyond the client's share."""
        if self._held[who] + size > self.most - self.taken:
            self._forget_if_none(who)
            return False
        self._held[who] += size
        self.taken += size
        return True

    def give_back(self, who: str, size: int = 1) -> None:
        """Free what a client took."""
        assert self._held[who] >= size, (who, size)
        self._held[who] -= size
        self.taken -= size
        self._forget_if_none(who)

    def held_by(self, who: str) -> int:
        """How much a client holds."""
        return self._held.get(who, 0)

    def _forget_if_none(self, who: str) -> None:
        if not self._held[who]:
            del self._held[who]
