"""Channels: where alerts are told. A channel names its secrets, `${secret:NAME}`; servers have the values.

oncall:
kind: dingtalk                                   # or in short: dingtalk: {webhook: "${secret:DING}"}
settings: {webhook: "${secret:DING}"}
level: warning                                   # less grave alerts are not told here
language: zh
default: true                                    # rules that name nobody tell it
hours: {days: mon-fri, from: "09:00", to: "18:00", timezone: Asia/Shanghai}
rate: 30 in 1m                                   # what comes above that goes into one digest
digest: 10m                                      # collect, then tell all at once; critical alerts do not wait
alive: 5m                                        # tell so often that the cluster lives
on: true

NotFound
└── ChannelNotFound   FOL-2055   no channel has this name
Conflict
├── ChannelChanged    FOL-3115   somebody else changed the channel meanwhile
└── ChannelExists     FOL-3116   a new channel has the name of another
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.alerts.hours import hours_from, written_hours
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Hours
from foliot.domain.document_values import mapping, parsed, part, shown, text, truth, word
from foliot.domain.errors import BadField, Conflict, NotFound
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Micros, format_duration, parse_duration
from foliot.domain.names import check_name

RATE: Final = 30
RATE_MAX: Final = 1000
RATE_US: Final[Micros] = MINUTE
RATE_US_MAX: Final[Micros] = HOUR
DIGEST_US_MAX: Final[Micros] = 7 * DAY
ALIVE_US_MIN: Final[Micros] = 10 * SECOND
ALIVE_US_MAX: Final[Micros] = 7 * DAY
LANGUAGES: Final = ("en", "zh")
NAME_BYTES_MAX: Final = 100

_FIELDS: Final = (
    "kind", "settings", "level", "language", "default", "hours", "rate", "digest", "alive", "on",
)  # fmt: skip
_RATE: Final = re.compile(r"(\d{1,4})\s+in\s+(.+)")


class ChannelNotFound(NotFound):
    """No channel of the cluster, or of a namespace, has this name."""

    code = "FOL-2055"

    def __init__(self, name: str, *, namespace: str | None = None, nearest: str | None = None) -> None:
        where = "the whole cluster" if namespace is None else f"namespace {namespace} or of the whole cluster"
        super().__init__(
            f'No channel "{name[:100]}" of {where}.',
            hint=f"did you mean {nearest}?" if nearest else "look at the list of channels",
            name=name[:100],
            namespace=namespace,
        )


class ChannelChanged(Conflict):
    """Somebody else changed the channel after it was read."""

    code = "FOL-3115"

    def __init__(self, name: str, *, version: int) -> None:
        """`version`: the present one; 0: it is gone."""
        is_now = f"its version is {version} now" if version else "it is gone"
        super().__init__(
            f"Somebody changed the channel {name} meanwhile: {is_now}.",
            hint="look at it again, then repeat the change",
            name=name,
            version=version,
        )


class ChannelExists(Conflict):
    """A new channel has the name of another."""

    code = "FOL-3116"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a channel {name} already.", hint="choose another name, or change that one", name=name
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A way to tell people. `namespace` None: every namespace may use it."""

    name: str
    namespace: str | None
    kind: str  # a row of NOTIFIERS
    settings: Mapping[str, Any]  # as the kind's schema says
    level_min: AlertLevel = AlertLevel.INFO  # less grave alerts are not told here
    language: str = "en"
    is_default: bool = False  # rules that name nobody tell it
    hours: Hours | None = None
    rate: int = RATE  # messages …
    rate_us: Micros = RATE_US  # … in this time; more go into one digest
    digest_us: Micros | None = None  # collect so long, then tell all at once; None: at once
    alive_us: Micros | None = None  # tell so often that the cluster lives (dead-man's switch); None: never
    is_on: bool = True
    version: int = 0

    @property
    def key(self) -> tuple[str | None, str]:
        """Namespace and name."""
        return self.namespace, self.name


def channel_from(name: str, written: Any, *, namespace: str | None, version: int = 0) -> Channel:
    """Read a channel as people write it. Its settings are checked by its kind."""
    path = f"channels.{name}"
    name = check_name("channel", name)
    if len(name.encode()) > NAME_BYTES_MAX:
        raise BadField("name", f"it is longer than {NAME_BYTES_MAX} bytes")
    fields = mapping(written, path)
    kind, settings = _kind_of(fields, path)
    rate, rate_us = _rate(fields.get("rate"), f"{path}.rate")
    return Channel(
        name=name,
        namespace=namespace,
        kind=kind,
        settings=dict(settings),
        level_min=_level(fields.get("level"), f"{path}.level"),
        language=_language(fields.get("language"), f"{path}.language"),
        is_default=part(fields, path, "default", truth, False),
        hours=hours_from(fields.get("hours"), f"{path}.hours"),
        rate=rate,
        rate_us=rate_us,
        digest_us=_time(fields.get("digest"), f"{path}.digest", SECOND, DIGEST_US_MAX),
        alive_us=_time(fields.get("alive"), f"{path}.alive", ALIVE_US_MIN, ALIVE_US_MAX),
        is_on=part(fields, path, "on", truth, True),
        version=version,
    )


def written_channel(channel: Channel) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    is_usual_rate = (channel.rate, channel.rate_us) == (RATE, RATE_US)
    written = {
        "kind": channel.kind,
        "settings": dict(channel.settings),
        "level": None if channel.level_min is AlertLevel.INFO else str(channel.level_min),
        "language": None if channel.language == LANGUAGES[0] else channel.language,
        "default": channel.is_default or None,
        "hours": written_hours(channel.hours) or None,
        "rate": None if is_usual_rate else f"{channel.rate} in {format_duration(channel.rate_us)}",
        "digest": None if channel.digest_us is None else format_duration(channel.digest_us),
        "alive": None if channel.alive_us is None else format_duration(channel.alive_us),
        "on": None if channel.is_on else False,
    }
    return {field: value for field, value in written.items() if value is not None}


def _kind_of(fields: Mapping[str, Any], path: str) -> tuple[str, Mapping[str, Any]]:
    """The kind and its settings; in short the kind is the key of its settings."""
    others = [field for field in fields if field not in _FIELDS]
    if "kind" in fields:
        if others:
            raise BadField(f"{path}.{others[0]}", "a channel has no such field", hint=f"known: {', '.join(_FIELDS)}")
        return text(fields["kind"], f"{path}.kind"), mapping(fields.get("settings"), f"{path}.settings")
    if len(others) != 1 or "settings" in fields:
        raise BadField(f"{path}.kind", "it is missing", hint="name a kind of channel, and its settings")
    return others[0], mapping(fields[others[0]], f"{path}.{others[0]}")


def _level(written: Any, path: str) -> AlertLevel:
    return AlertLevel.INFO if written is None else word(AlertLevel, written, path)


def _language(written: Any, path: str) -> str:
    if written is None:
        return LANGUAGES[0]
    if written not in LANGUAGES:
        raise BadField(path, f"{shown(written)} is not one of {', '.join(LANGUAGES)}")
    return str(written)


def _rate(written: Any, path: str) -> tuple[int, Micros]:
    if written is None:
        return RATE, RATE_US
    found = _RATE.fullmatch(text(written, path).strip())
    if found is None or not 1 <= int(found[1]) <= RATE_MAX:
        raise BadField(path, f"{shown(written)} is no rate", hint=f"write 30 in 1m, at most {RATE_MAX}")
    within = _time(found[2], path, SECOND, RATE_US_MAX)
    return int(found[1]), within or RATE_US


def _time(written: Any, path: str, least: Micros, most: Micros) -> Micros | None:
    if written is None:
        return None
    value = parsed(parse_duration, written, path)
    if not least <= value <= most:
        bounds = f"from {format_duration(least)} to {format_duration(most)}"
        raise BadField(path, f"{format_duration(value)} is out of bounds", hint=bounds)
    return value
