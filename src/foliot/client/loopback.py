"""Whether an address leads to this very machine, so that what is sent there crosses no network."""

import ipaddress
from urllib.parse import urlsplit


def is_on_this_machine(url: str) -> bool:
    """Whether a server's URL names the loopback interface."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
