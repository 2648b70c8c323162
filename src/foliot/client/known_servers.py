"""The servers that a worker may speak to: those that it was told of by its user, and live ones that beats named.

A worker's token goes with each call. So an address from a beat counts only where the user's own words cover it: never
from HTTPS to plain HTTP; on other hosts only where the certificate is checked against the authority that the user
named. That hosts share a domain proves nothing: strangers are neighbours in "co.uk" and in the domains of clouds.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from foliot.client.loopback import is_on_this_machine

LEARNED_MAX: Final = 32


class KnownServers:
    """Named addresses, and then learned ones. The beat's thread learns, the loop reads: both swap tuples."""

    def __init__(self, named: Sequence[str], *, has_own_authority: bool) -> None:
        """`has_own_authority`: the user named who signs the servers' certificates."""
        self._named = tuple(url.rstrip("/") for url in named)
        self._has_own_authority = has_own_authority
        self.urls = self._named
        self.proven = frozenset(self._named)  # named, or answered once: a learned one may be out of reach from here

    @property
    def first(self) -> str:
        return self._named[0]

    def learn(self, told: Iterable[str], *, session: str = "") -> bool:
        """A beat's answer named the live servers; True when others are known now than before.

        Each session has an order of its own: when a server dies, its workers do not all go to the same next one.
        """
        fresh = {url.rstrip("/") for url in told}
        learned = [url for url in fresh if url not in self._named and self._admits(url)]
        learned.sort(key=lambda url: sha256(f"{session} {url}".encode()).digest())
        before, self.urls = self.urls, (*self._named, *learned[:LEARNED_MAX])
        self.proven &= frozenset(self.urls)
        return self.urls != before

    def answered(self, url: str) -> None:
        """Note that it can be reached."""
        if url not in self.proven:
            self.proven |= {url}

    def _admits(self, url: str) -> bool:
        parts = _split(url)
        if parts is None:
            return False
        named = [urlsplit(one) for one in self._named]
        if any(one.scheme != parts.scheme for one in named):
            return False
        if any(one.hostname == parts.hostname for one in named):
            return True
        if is_on_this_machine(url):
            return all(is_on_this_machine(one) for one in self._named)
        return parts.scheme == "https" and self._has_own_authority and not _is_special(parts.hostname or "")


class ServerChoice:
    """Where calls of one kind go: to the server that answered last, and on trouble to another one.

    A worker that asks several servers in vain loses its session. So it never asks two unproven ones one after the
    other: in between it asks a proven one again, which may have lost no more than a connection.
    """

    def __init__(self, known: KnownServers) -> None:
        self._known = known
        self._last = known.first  # who answered last
        self._failures: Counter[str] = Counter()  # since then
        self.url = known.first

    def answered(self, url: str) -> None:
        self._last = url
        self._failures = Counter()
        self._known.answered(url)

    def leave(self, url: str) -> None:
        """It did not answer: go to the next one. Of several calls that fail at one, the first does."""
        if url != self.url:
            return
        self._failures[url] += 1
        urls, proven = self._known.urls, self._known.proven
        if url not in proven:
            urls = tuple(one for one in urls if one in proven)
        self.url = min(urls, key=self._rank)

    def _rank(self, url: str) -> tuple[int, bool, bool]:
        """Who is asked first: the one that failed least, then proven ones, and of them the last that answered."""
        return self._failures[url], url not in self._known.proven, url != self._last


def _split(url: str) -> SplitResult | None:
    """A plain address: scheme, host and perhaps a port; None: something else."""
    try:
        parts = urlsplit(url)
        is_plain = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    has_more = parts.path or parts.query or parts.fragment or "@" in parts.netloc
    return parts if is_plain and not has_more and parts.scheme in ("http", "https") else None


def _is_special(host: str) -> bool:
    """An address at which no server of another machine is: link-local (the metadata of clouds), multicast, none."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_link_local or address.is_multicast or address.is_unspecified
