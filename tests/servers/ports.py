"""Free TCP ports on 127.0.0.1."""

import random
import socket
from contextlib import ExitStack
from pathlib import Path

HOST = "127.0.0.1"
LOWEST = 15_000
TRIES_MAX = 500


def hold_port(port: int | None = None) -> socket.socket:
    """Some free port, or this one, is ours until the socket is closed; nobody listens: whoever connects is refused.

    A server of ours may listen on it meanwhile (it sets SO_REUSEADDR, as they all do), stop, and come back: nobody else
    finds it free in between.
    """
    if port is not None:
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((HOST, port))
        return held
    for _ in range(TRIES_MAX):
        held = socket.socket()
        try:
            held.bind((HOST, random.randrange(LOWEST, _outgoing_from())))
        except OSError:
            held.close()
            continue
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # only now: nobody else has it
        return held
    raise RuntimeError(f"no free port found in {TRIES_MAX} tries")


def hold_ports(count: int) -> list[socket.socket]:
    """Some free ports that stay ours, as those of `hold_port`."""
    return [hold_port() for _ in range(count)]


def free_ports(count: int) -> list[int]:
    """Choose `count` different free ports, holding all of them until the last is found.

    They lie below the kernel's range for outgoing connections: a server that is down keeps its port from being borrowed
    by somebody's client meanwhile, and a client polling it cannot connect to itself.
    """
    with ExitStack() as held:
        ports: list[int] = []
        for _ in range(TRIES_MAX):
            if len(ports) == count:
                return ports
            candidate = held.enter_context(socket.socket())
            try:
                candidate.bind((HOST, random.randrange(LOWEST, _outgoing_from())))
            except OSError:
                continue
            ports.append(candidate.getsockname()[1])
    raise RuntimeError(f"no {count} free ports found in {TRIES_MAX} tries")


def _outgoing_from() -> int:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return lowest if lowest > LOWEST + 1_000 else 61_000
