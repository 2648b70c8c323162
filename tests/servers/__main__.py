"""Starts a test server from a shell, prints its URL on standard output, and stops it on Ctrl-C."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

from tests.servers import SERVERS
from tests.servers.proxy import FaultProxy

PROXY_COMMANDS = """\
cut [up|down|both]            silence, nothing closes
delay SECONDS [up|down|both]  later
slow BYTES_PER_S [up|down|both]
refuse                        nobody listens
reset                         RST to both ends
hang-up                       FIN to both ends
half-open [client|server]     the one named is kept in silence, the other is gone
lose TEXT                     lose the answer to the next request that contains TEXT, then reset
heal                          a sound line again
"""


def main() -> int:
    """Read the command line and serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    kinds = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    for name, place in SERVERS.items():
        server = load(place)
        kind = kinds.add_parser(name, help=server.__doc__, description=server.__doc__)
        for switch, meaning in server.switches.items():
            kind.add_argument(f"--{switch}", action="store_true", help=meaning)
        kind.set_defaults(
            serve=lambda given, server=server: serve(
                server(**{switch: getattr(given, switch) for switch in server.switches})
            )
        )
    kind = kinds.add_parser(
        "proxy",
        help="A TCP proxy that spoils connections on command.",
        description=f"Takes commands on standard input:\n\n{PROXY_COMMANDS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kind.add_argument("port", type=int, help="where the server behind it listens on this machine")
    kind.set_defaults(serve=lambda given: serve_proxy(FaultProxy(given.port)))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupt)
    try:
        given.serve(given)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 0


def serve(server: Any) -> None:
    """Start, print the URL, of a new database where there are any, wait."""
    with server:
        announce(server.announced())
        threading.Event().wait()


def serve_proxy(proxy: FaultProxy) -> None:
    """Start, print the address, obey commands."""
    with proxy:
        announce(f"127.0.0.1:{proxy.port}")
        for line in sys.stdin:
            try:
                obey(proxy, line.split())
            except (ValueError, KeyError, IndexError):
                print(PROXY_COMMANDS, file=sys.stderr)
        threading.Event().wait()


def obey(proxy: FaultProxy, words: list[str]) -> None:
    """Carry out one command line."""
    acts: dict[str, Callable[..., object]] = {
        "cut": proxy.cut,
        "delay": lambda seconds, *direction: proxy.delay(float(seconds), *direction),
        "slow": lambda speed, *direction: proxy.slow(float(speed), *direction),
        "refuse": proxy.refuse,
        "reset": proxy.reset,
        "hang-up": proxy.hang_up,
        "half-open": proxy.half_open,
        "lose": lambda *text: proxy.ambush(" ".join(text).encode()),
        "heal": proxy.heal,
    }
    if words:
        acts[words[0]](*words[1:])
        print("ok", flush=True)


def announce(url: str) -> None:
    """Say where it is: the URL alone on standard output, the rest on standard error."""
    print(url, flush=True)
    print("Ctrl-C stops it and removes its data", file=sys.stderr, flush=True)


def load(place: str) -> Any:
    """The class at `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Take SIGTERM for Ctrl-C, so that the server is stopped in good order."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
