"""Egress: which hosts, addresses and ports the jobs of a worker may reach (SEC-11).

Unless the settings of a worker say otherwise, its jobs reach public addresses only. The worker judges an address after
it looked the name up, and connects to that very address: a name that changes its address in between gains nothing.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Realm(StrEnum):
    """Where an address leads, if not to the public network. The value says why it is refused."""

    LOOPBACK = "it is a loopback address"
    PRIVATE = "it is a private address"
    LINK_LOCAL = "it is a link-local address"
    METADATA = "it is the address of a cloud's metadata service"
    MULTICAST = "it is a multicast address"
    UNSPECIFIED = "it is an unspecified address"
    EMBEDDED = "it is an IPv6 address that stands for an IPv4 address"
    RESERVED = "it is a reserved address"


WORDS: Final = {"loopback": Realm.LOOPBACK, "private": Realm.PRIVATE}
"""What a list may say instead of networks."""

_BY_NAME: Final = frozenset({Realm.LOOPBACK, Realm.PRIVATE})
"""Where a name that is allowed may lead. Whoever answers for a name in DNS must not reach the rest by it."""

_REALMS: Final[tuple[tuple[Realm, tuple[str, ...]], ...]] = (
    # One address of a cloud each; some lie in networks that have another meaning. The first network that fits counts.
    (Realm.METADATA, ("169.254.169.254/32", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32",
                      "fd00:ec2::254/128", "fd20:ce::254/128")),
    (Realm.LOOPBACK, ("127.0.0.0/8", "::1/128")),
    (Realm.UNSPECIFIED, ("0.0.0.0/8", "::/128")),
    (Realm.PRIVATE, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10")),
    (Realm.LINK_LOCAL, ("169.254.0.0/16", "fe80::/10")),
    (Realm.MULTICAST, ("224.0.0.0/4", "ff00::/8")),
    (Realm.EMBEDDED, ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16",
                      "2001::/32")),
    (Realm.RESERVED, ("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
                      "203.0.113.0/24", "240.0.0.0/4", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
                      "5f00::/16")),
)  # fmt: skip
_NETWORKS: Final = tuple((realm, ipaddress.ip_network(text)) for realm, texts in _REALMS for text in texts)
_HERE: Final = ipaddress.IPv4Address("127.0.0.1")
_NOT_ALLOWED: Final = "it is not among what the worker's settings allow"
_ISATAP: Final = (0x00005EFE, 0x02005EFE)


@dataclass(frozen=True, slots=True)
class HostList:
    """One list of hosts as people write it: networks, addresses, names, `.suffix` and the words of `WORDS`."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()
    realms: frozenset[Realm] = frozenset()

    @classmethod
    def of(cls, written: Iterable[str]) -> "HostList":
        """Read a list; `ValueError` for what is neither a network nor a name."""
        networks: list[Network] = []
        names: set[str] = set()
        suffixes: list[str] = []
        realms: set[Realm] = set()
        for entry in written:
            text = entry.strip().lower().removeprefix("*").removesuffix(".")
            if text in WORDS:
                realms.add(WORDS[text])
            elif text.startswith("."):
                suffixes.append(_name_checked(text[1:], "."))
            elif _looks_numeric(text):
                networks.append(ipaddress.ip_network(text.strip("[]"), strict=False))
            else:
                names.add(_name_checked(text))
        return cls(tuple(networks), frozenset(names), tuple(suffixes), frozenset(realms))

    def have_name(self, host: str) -> bool:
        return host in self.names or host.endswith(self.suffixes)

    def have_address(self, address: Address) -> bool:
        in_network = any(address.version == one.version and address in one for one in self.networks)
        return in_network or realm_of(address) in self.realms


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """What jobs may reach. What `deny` has wins."""

    allow: HostList = HostList()
    deny: HostList = HostList()
    ports: frozenset[int] = frozenset()  # empty: every port
    only_allowed: bool = False  # nothing but what `allow` has

    @classmethod
    def of(
        cls,
        *,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        ports: Sequence[int] = (),
        only_allowed: bool = False,
    ) -> "Egress":
        """Read the lists; `ValueError` for an entry that cannot be one."""
        return cls(allow=HostList.of(allow), deny=HostList.of(deny), ports=frozenset(ports), only_allowed=only_allowed)

    def refusal_of_host(self, host: str, port: int) -> str | None:
        """Why a host may not be reached whatever its address is; None: that depends on its address."""
        if self.ports and port not in self.ports:
            return f"the worker's settings do not allow port {port}"
        if self.deny.have_name(host):
            return "the worker's settings deny it"
        return None

    def refusal_of_name(self, host: str) -> str | None:
        """Why a name that a proxy looks up may not be reached; None: it may, and the proxy judges its address."""
        if host == "localhost" or host.endswith(".localhost"):  # on every machine, also on that of the proxy
            return self.refusal_of_address(host, _HERE)
        if self.only_allowed and not self.allow.have_name(host):
            return _NOT_ALLOWED
        return None

    def refusal_of_address(self, host: str, address: Address) -> str | None:
        """Why a connection to this address of the host is refused; None: it is not."""
        inner = embedded_in(address)
        if self.deny.have_address(address) or (inner is not None and self.deny.have_address(inner)):
            return "the worker's settings deny it"
        named, listed = self.allow.have_name(host), self.allow.have_address(address)
        if self.only_allowed and not named and not listed:
            return _NOT_ALLOWED
        realm = realm_of(address)
        if realm is None:
            return None
        if inner is not None and listed:  # a translator is allowed; where it leads is judged for itself
            listed = self.allow.have_address(inner)
            realm = realm_of(inner)
            if realm is None:
                return None
        return None if listed or (named and realm in _BY_NAME) else realm.value


@lru_cache(maxsize=4096)
def realm_of(address: Address) -> Realm | None:
    """Where an address leads; None: to the public network."""
    for realm, network in _NETWORKS:
        if address.version == network.version and address in network:
            return realm
    if address.version == 6 and (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return Realm.EMBEDDED
    return None if address.is_global else Realm.RESERVED


def embedded_in(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address of a translator or a tunnel stands for; None: it stands for itself."""
    if isinstance(address, ipaddress.IPv4Address) or realm_of(address) is not Realm.EMBEDDED:
        return None
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)  # in all others it is the last four bytes


def _looks_numeric(text: str) -> bool:
    return ":" in text or text.rpartition(".")[2].partition("/")[0].isdigit()


def _name_checked(name: str, before: str = "") -> str:
    labels = name.split(".")
    is_fine = all(label and label.replace("-", "a").replace("_", "a").isalnum() and label.isascii() for label in labels)
    if not is_fine:
        raise ValueError("not a name")
    return before + name
