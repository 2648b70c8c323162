"""What a worker is told of its secrets: where each comes from, and where it may go. No value stands here.

A secret has one source (env, file or command), the namespaces whose jobs may name it, and the hosts it may be sent to.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from foliot.domain.errors import BadDuration, InvalidInput
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.secret_references import is_secret_name

SecretTables: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What people wrote: name of the secret → key → value."""
NO_TABLES: Final[SecretTables] = {}
EVERY: Final = "*"
_ENTRY: Final = re.compile(r"(\*|(?:\*\.)?[a-z0-9_-][a-z0-9._-]*|\[([0-9a-f:.]+)\])(?::([0-9]{1,5}))?")


class BadSecretSetting(InvalidInput):
    """A worker has a setting of a secret that cannot be used."""

    code = "FOL-1139"

    def __init__(self, name: str, why: str, *, where: str = "") -> None:
        shown = f" ({where})" if where else ""
        super().__init__(
            f"The settings [secrets.{name}] cannot be used: {why}{shown}.",
            hint='write one of env, file and command, and namespaces = ["billing"]; for http also hosts',
            name=name,
            why=why,
            where=where,
        )


class SecretSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One secret: one source, and where its value may go."""

    namespaces: list[str]  # of the jobs that may name it; "*": all
    env: str | None = None  # a variable of the worker's environment
    file: str | None = None
    command: list[str] | None = None  # a program and its arguments; it prints the value
    hosts: list[str] = []  # api.example.org, api.example.org:8443, *.example.org, *
    plain_http: bool = False  # True: it may go to its hosts so that the network can read it
    kinds: list[str] = []
    fresh_for: str = "1m"  # how long a value that was read is used

    def may_go_to_namespace(self, namespace: str) -> bool:
        return EVERY in self.namespaces or namespace in self.namespaces

    def may_go_to_kind(self, kind: str, *, sends_to_host: bool) -> bool:
        """A secret for some hosts goes to a kind that names no host (shell, sql) only if it is told so."""
        if self.kinds:
            return kind in self.kinds
        return sends_to_host or not self.hosts

    def may_go_to_host(self, host: str, port: int) -> bool:
        wanted = host.lower().rstrip(".")
        return any(entry.has(wanted, port) for entry in map(HostEntry.of, self.hosts))

    def may_be_read_on_the_way(self, host: str) -> bool:
        """Whether it may go there without TLS: nobody reads what stays on this machine."""
        return self.plain_http or is_this_machine(host)

    @property
    def fresh_for_s(self) -> float:
        return parse_duration(self.fresh_for) / SECOND


class HostEntry(NamedTuple):
    """One entry of `hosts`."""

    pattern: str  # a name, an address, `*.example.org` or `*`
    port: int | None  # None: every port

    @classmethod
    def of(cls, written: str) -> "HostEntry":
        """Read an entry; `ValueError` for one that no host has."""
        found = _ENTRY.fullmatch(written.strip().lower())
        if found is None:
            return cls(str(ipaddress.IPv6Address(written.strip())), None)  # without brackets it has no port
        pattern, address, port = found.groups()
        if address is not None:
            pattern = str(ipaddress.IPv6Address(address))
        if port is not None and not 0 < int(port) < 65536:
            raise ValueError(written)
        return cls(pattern.removesuffix("."), None if port is None else int(port))

    def has(self, host: str, port: int) -> bool:
        """Whether this port of a host is meant. The host is in small letters, without its last dot."""
        if self.port not in (None, port):
            return False
        if self.pattern.startswith("*."):
            return host.endswith(self.pattern[1:]) and len(host) > len(self.pattern) - 1
        return self.pattern in (EVERY, host)


def is_this_machine(host: str) -> bool:
    """Whether the host can only be this machine: a loopback address, or the name `localhost`."""
    name = host.lower().rstrip(".")
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def read_secret_settings(tables: SecretTables, *, folder: Path | None = None) -> dict[str, SecretSettings]:
    """Read what people wrote. A relative file is relative to `folder`, where the settings stand."""
    return {name: _read(name, table, folder) for name, table in tables.items()}


def _read(name: str, table: Any, folder: Path | None) -> SecretSettings:
    if not is_secret_name(name):
        raise BadSecretSetting(name[:80], "a name has letters, digits, _, - and . alone")
    if not isinstance(table, Mapping):
        raise BadSecretSetting(name, "it is not a table")
    try:
        settings = msgspec.convert(dict(table), SecretSettings)
        parse_duration(settings.fresh_for)
    except msgspec.ValidationError as error:
        raise BadSecretSetting(name, str(error).replace("`", "").rstrip(".")) from None
    except BadDuration:
        raise BadSecretSetting(name, "fresh_for is not a duration") from None
    if sum(source is not None for source in (settings.env, settings.file, settings.command)) != 1:
        raise BadSecretSetting(name, "it has not exactly one of env, file and command")
    if settings.command == []:
        raise BadSecretSetting(name, "its command is empty")
    if not settings.namespaces:
        raise BadSecretSetting(name, "namespaces is empty")
    _check_hosts(name, settings.hosts)
    if settings.file is not None and folder is not None:
        settings = msgspec.structs.replace(settings, file=str(folder / settings.file))
    return settings


def _check_hosts(name: str, hosts: Iterable[str]) -> None:
    for entry in hosts:
        try:
            HostEntry.of(entry)
        except ValueError:
            shown = entry[:100] if entry.isprintable() else ""
            raise BadSecretSetting(
                name, "an entry of hosts is not a host with a port or without", where=shown
            ) from None
