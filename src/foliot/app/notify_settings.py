"""What a server is told of channels: a TOML file with the rules, its secrets, and channels of its own.

[notify]
allow = ["loopback", ".corp.example"]     # hosts beside public ones that channels may reach
ca_file = "/etc/foliot/ca.pem"
within = "10s"                            # one message
told_after = "1m"                         # own channels hear of outages that last longer
apprise = false

[secrets.DING]
env = "DING_WEBHOOK"
namespaces = ["*"]

[channels.pager]                          # told past the outbox while the store is away or nobody leads
kind = "webhook"
settings = {url = "https://pager.corp.example/hook", key = "${secret:PAGER_KEY}"}
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.domain.alerts.channel import Channel, channel_from
from foliot.domain.alerts.channel_settings import check_settings
from foliot.domain.egress import Egress
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.instants import SECOND, parse_duration
from foliot.ports.notifier import NotifyRules
from foliot.worker.secrets.settings import SecretSettings, read_secret_settings

TABLES: Final = ("notify", "secrets", "channels")
WITHIN_S_MAX: Final = 30.0


class BadNotifySettings(InvalidInput):
    """A server's file about channels cannot be used."""

    code = "FOL-1370"

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(
            f"The settings of channels in {file} cannot be used: {why}.",
            hint="write TOML with [notify], [secrets.NAME] and [channels.NAME]",
            file=str(file),
            why=why,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """Rules, secrets and own channels of one server."""

    rules: NotifyRules = field(default_factory=lambda: NotifyRules(within_s=10.0))
    secrets: Mapping[str, SecretSettings] = field(default_factory=dict)
    channels: tuple[Channel, ...] = ()
    told_after_s: float = 60.0


class _Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table [notify]."""

    allow: list[str] = []
    deny: list[str] = []
    only_allowed: bool = False
    ca_file: str | None = None
    within: str = "10s"
    told_after: str = "1m"
    apprise: bool = False


def read_notify_settings(file: Path | None) -> NotifySettings:
    """Read the file; no file: public hosts, no secrets, no own channels."""
    if file is None:
        return NotifySettings()
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadNotifySettings(file, str(error).rstrip(".")) from error
    for name in tables.keys() - set(TABLES):
        raise BadNotifySettings(file, f'it has "{name}" beside {", ".join(f"[{one}]" for one in TABLES)}')
    try:
        return _read(tables, file.absolute().parent)
    except (msgspec.ValidationError, ValueError) as error:
        raise BadNotifySettings(file, str(error).replace("`", "").rstrip(".")) from None
    except FoliotError as error:
        raise BadNotifySettings(file, error.sentence.rstrip(".")) from error


def _read(tables: Mapping[str, Any], folder: Path) -> NotifySettings:
    rules = msgspec.convert(tables.get("notify", {}), _Rules)
    within_s = parse_duration(rules.within) / SECOND
    if not 0 < within_s <= WITHIN_S_MAX:
        raise ValueError(f"within is not from 1s to {WITHIN_S_MAX:g}s")
    egress = Egress.of(allow=rules.allow, deny=rules.deny, only_allowed=rules.only_allowed)
    ca_file = None if rules.ca_file is None else str(folder / rules.ca_file)
    channels = tuple(
        channel_from(name, table, namespace=None) for name, table in sorted(tables.get("channels", {}).items())
    )
    kinds = InstalledNotifiers()
    for channel in channels:
        check_settings(kinds.find(channel.kind).schema, channel.settings, path=f"channels.{channel.name}.settings")
    return NotifySettings(
        rules=NotifyRules(egress=egress, ca_file=ca_file, within_s=within_s, allows_apprise=rules.apprise),
        secrets=read_secret_settings(tables.get("secrets", {}), folder=folder),
        channels=channels,
        told_after_s=parse_duration(rules.told_after) / SECOND,
    )
