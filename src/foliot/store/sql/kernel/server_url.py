"""The URL of a store on a database server, taken apart: hosts, user, password, database, options."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from foliot.store.sql.kernel.connect import BadStoreUrl
from foliot.store.sql.kernel.hosts import Host, host_and_port

PORT_MAX: Final = 65535
_SECONDS: Final = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUrl:
    """Where a store is, and how to be let in."""

    hosts: Sequence[Host]
    user: str
    password: str
    database: str
    options: Mapping[str, str]

    def connect_s(self, usual: float) -> float:
        """How long to wait for one host."""
        return float(self.options.get("connect_timeout", usual))


def read_server_url(url: str, *, port: int, known: Mapping[str, Sequence[str]]) -> ServerUrl:
    """`SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?OPTION=VALUE`, or `BadStoreUrl`.

    `port`: of a host that names none. `known`: options by name, with the values they may have; none for any value.
    """
    try:
        parts = urlsplit(url)
        access, _, places = parts.netloc.rpartition("@")
        hosts = [host_and_port(host, port) for host in places.split(",")]
    except ValueError as error:
        raise BadStoreUrl(url, "its hosts cannot be read") from error
    for host in hosts:
        _check_host(url, *host)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name, value in options.items():
        _check_option(url, name, value, known)
    user, _, password = access.partition(":")
    return ServerUrl(
        hosts=hosts,
        user=unquote(user),
        password=unquote(password),
        database=unquote(parts.path.removeprefix("/")),
        options=options,
    )


def _check_host(url: str, host: str, port: int) -> None:
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise BadStoreUrl(url, f'"{host[:100]}" is not the name of a host') from error
    if not 0 < port <= PORT_MAX:
        raise BadStoreUrl(url, f"{port} is not a port")


def _check_option(url: str, name: str, value: str, known: Mapping[str, Sequence[str]]) -> None:
    if name not in known:
        raise BadStoreUrl(url, f'"{name}" is not an option; known are {", ".join(sorted(known))}')
    if known[name] and value not in known[name]:
        raise BadStoreUrl(url, f'{name} "{value}" is not one of {", ".join(known[name])}')
    if name == "connect_timeout" and not _SECONDS.fullmatch(value):
        raise BadStoreUrl(url, f'connect_timeout "{value}" is not a number of seconds')
