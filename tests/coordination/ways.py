"""A service behind fault proxies: each server that joins has a way of its own to it, which a test breaks and mends."""

import re
from collections.abc import Callable

from foliot.domain.instants import Micros
from tests.coordination.arena import Service
from tests.servers.fixtures import MakeProxy
from tests.servers.ports import HOST
from tests.servers.proxy import FaultProxy

MEMBER = re.compile(rf"{re.escape(HOST)}:(\d+)")


class Way:
    """From one server to every member of a service."""

    def __init__(self) -> None:
        self.proxies: list[FaultProxy] = []

    def suffer(self, fault: Callable[[FaultProxy], None]) -> None:
        for proxy in self.proxies:
            fault(proxy)

    def heal(self) -> None:
        for proxy in self.proxies:
            proxy.heal()


class BehindProxies:
    """A service of the suites, reached by proxies alone."""

    is_beside_the_store = True

    def __init__(self, service: Service, make_proxy: MakeProxy) -> None:
        self.ways: list[Way] = []
        """One for each server, in the order in which they joined."""
        self._service = service
        self._make_proxy = make_proxy

    @property
    def term_us(self) -> Micros:
        return self._service.term_us

    def url(self) -> str:
        """The URL of the next server that joins: the same members, by proxies of its own."""
        way = Way()
        self.ways.append(way)

        def through(member: re.Match[str]) -> str:
            proxy = self._make_proxy(int(member[1]))
            way.proxies.append(proxy)
            return f"{HOST}:{proxy.port}"

        return MEMBER.sub(through, self._service.url())

    def stop(self) -> None:
        self._service.stop()

    def start(self) -> None:
        self._service.start()
