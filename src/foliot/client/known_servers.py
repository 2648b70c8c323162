"""The servers that a worker may speak to: those that it was told of by its user, and live ones that beats named.

A worker's token goes with each call. So an address from a beat counts only where the user's own words cover it: never
from HTTPS to plain HTTP; on other hosts only where the certificate is checked against the authority that the user
named. That hosts share a domain proves nothing: strangers are neighbours in "co.uk" and in the domains of clouds.
"""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from foliot.client.loopback import is_on_this_machine

LEARNED_MAX: Final = 32


class KnownServers:
    """Addresses in the order in which they are tried. The beat's thread learns, the loop reads: both swap tuples."""

    def __init__(self, named: Sequence[str], *, has_own_authority: bool) -> None:
        """`has_own_authority`: the user named who signs the servers' certificates."""
        self._named = tuple(url.rstrip("/") for url in named)
        self._has_own_authority = has_own_authority
        self.urls = self._named

    @property
    def first(self) -> str:
        return self._named[0]

    def learn(self, told: Iterable[str]) -> bool:
        """A beat's answer named the live servers; True when others are known now than before."""
        fresh = dict.fromkeys(url.rstrip("/") for url in told)
        learned = [url for url in fresh if url not in self._named and self._admits(url)]
        before, self.urls = self.urls, (*self._named, *learned[:LEARNED_MAX])
        return self.urls != before

    def after(self, url: str) -> str:
        """The one to try next."""
        urls = self.urls
        at = urls.index(url) + 1 if url in urls else 0
        return urls[at % len(urls)]

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
