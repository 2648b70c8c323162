"""What a worker is told of its secrets: where each comes from, and where it may go. No value stands here.

A secret has one source (env, file or command), the namespaces whose jobs may name it, and the hosts it may be sent to.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from foliot.domain.errors import BadDuration, InvalidInput
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.secret_references import is_secret_name

SecretTables: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What people wrote: name of the secret → key → value."""
NO_TABLES: Final[SecretTables] = {}
EVERY: Final = "*"


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
    hosts: list[str] = []
    kinds: list[str] = []
    fresh_for: str = "1m"  # how long a value that was read is used

    def may_go_to_namespace(self, namespace: str) -> bool:
        return EVERY in self.namespaces or namespace in self.namespaces

    def may_go_to_kind(self, kind: str, *, sends_to_host: bool) -> bool:
        """A secret for some hosts goes to a kind that names no host (shell, sql) only if it is told so."""
        if self.kinds:
            return kind in self.kinds
        return sends_to_host or not self.hosts

    def may_go_to_host(self, host: str) -> bool:
        wanted = host.lower().rstrip(".")
        return any(_is_host(wanted, pattern.lower()) for pattern in self.hosts)

    @property
    def fresh_for_s(self) -> float:
        return parse_duration(self.fresh_for) / SECOND


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
    if settings.file is not None and folder is not None:
        settings = msgspec.structs.replace(settings, file=str(folder / settings.file))
    return settings


def _is_host(host: str, pattern: str) -> bool:
    if pattern == EVERY:
        return True
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    return host == pattern
