"""Tokens that crossed a network unencrypted are refused, as far as a server can see that (SEC-27).

A server listens beyond its own machine only with TLS, or behind a proxy that speaks it. What it cannot see itself, the
proxy says: `X-Forwarded-Proto: http` means that the token was readable on the way to the proxy.
"""

import ipaddress

from starlette.requests import Request

from foliot.domain.access import TokenInTheOpen


def demand_safe_way(request: Request) -> None:
    """Raise `TokenInTheOpen` for a request that came to the proxy by plain HTTP from another machine."""
    said = request.headers.get("x-forwarded-proto")
    if said is None or _first(said).lower() != "http":
        return
    if getattr(request.app.state, "insecure_http", False):
        return
    sender = _first(request.headers.get("x-forwarded-for", "")) or (request.client.host if request.client else "")
    if not _is_this_machine(sender):
        raise TokenInTheOpen


def _first(written: str) -> str:
    return written.partition(",")[0].strip()


def _is_this_machine(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False
