"""Whose address a request comes from, for shares and for counting wrong tries."""

import ipaddress
from functools import lru_cache
from typing import Final

NETWORK_BITS: Final = 64  # of IPv6: what one customer of a provider has at least; single addresses cost nothing
NOWHERE: Final = "nowhere"  # a socket without an address


@lru_cache(maxsize=4096)
def owner_of(host: str | None) -> str:
    """Who counts as one: an IPv4 address, or the /64 network of an IPv6 address."""
    if not host:
        return NOWHERE
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:100]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, NETWORK_BITS), strict=False))
