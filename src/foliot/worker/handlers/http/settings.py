"""Settings of the kind `http`: what the jobs of a worker may reach, and how. The table `[handlers.http]`."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct

from foliot.domain.egress import Egress
from foliot.ports.handler import BadHandlerSetting

KIND: Final = "http"
MIB: Final = 1024 * 1024


class HttpTls(Struct, frozen=True, kw_only=True):
    """One way to speak TLS, which jobs name."""

    ca_file: str | None = None  # None: the authorities that the machine trusts
    client_certificate: str | None = None
    client_key: str | None = None
    verify: bool = True  # False: whoever answers is believed


class HttpNamespace(Struct, frozen=True, kw_only=True):
    """What the jobs of one namespace may reach besides, or may not."""

    allow: list[str] = []
    deny: list[str] = []
    only_allowed: bool = False


class HttpSettings(Struct, frozen=True, kw_only=True):
    """What a worker may be told of the kind."""

    allow: list[str] = []
    deny: list[str] = []
    ports: list[Annotated[int, Meta(ge=1, le=65535)]] = []
    only_allowed: bool = False
    namespaces: Mapping[str, HttpNamespace] = {}
    tls: Mapping[str, HttpTls] = {}
    proxy: str | None = None
    no_proxy: list[str] = []  # hosts that are called without it
    connections_per_host: Annotated[int, Meta(ge=0)] = 0  # 0: as many as there are calls
    keep_alive_s: Annotated[float, Meta(ge=0)] = 1.0
    answer_bytes_max: Annotated[int, Meta(ge=1)] = 16 * MIB
    dns_threads: Annotated[int, Meta(ge=1, le=256)] = 16

    def egress_of(self, namespace: str) -> Egress:
        """What jobs of a namespace may reach: the lists of the worker, and those of the namespace."""
        own = self.namespaces.get(namespace, HttpNamespace())
        return Egress.of(
            allow=[*self.allow, *own.allow],
            deny=[*self.deny, *own.deny],
            ports=self.ports,
            only_allowed=self.only_allowed or own.only_allowed,
        )

    def check(self) -> None:
        """Refuse lists that cannot be read; no message shows an entry."""
        lists = {"allow": self.allow, "deny": self.deny, "no_proxy": self.no_proxy}
        for namespace, own in self.namespaces.items():
            lists[f"namespaces.{namespace}.allow"] = own.allow
            lists[f"namespaces.{namespace}.deny"] = own.deny
        for key, entries in lists.items():
            try:
                Egress.of(allow=entries)
            except ValueError:
                raise BadHandlerSetting(KIND, key, "an entry is not a network, a name, loopback or private") from None


NO_SETTINGS: Final = HttpSettings()
