"""The kinds of channels that this installation has: those of the table `NOTIFIERS`, and those of installed packages."""

from collections.abc import Mapping, Sequence
from typing import Any

from foliot.app.plugins import Installed, UnknownPart
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.channel_settings import filled_with_usual
from foliot.ports.notifier import AlertMessage, NotifierKind, NotifyRules

GROUP = "foliot.notifiers"


class InstalledNotifiers:
    """`ports.notifier.NotifierKinds`; each kind is imported when it is first asked for."""

    def __init__(self) -> None:
        self._parts: Installed[NotifierKind] = Installed(GROUP, _made)

    def names(self) -> Sequence[str]:
        return sorted(self._parts.names())

    def schemas(self) -> dict[str, Mapping[str, Any]]:
        """The kinds that can be loaded here, each with the schema of its settings."""
        found = {name: self._parts.find(name) for name in self.names()}
        return {name: kind.schema for name, kind in found.items() if kind is not None}

    def find(self, name: str) -> NotifierKind:
        if name not in self._parts.names():
            raise UnknownPart("notifier", name, self._parts.names())
        found = self._parts.find(name)
        return self._parts.get(name) if found is None else found

    def body(self, channel: Channel, message: AlertMessage) -> Mapping[str, Any]:
        """What a message to a channel looks like on the line. References stay references: no secret is needed."""
        kind = self.find(channel.kind)
        settings = filled_with_usual(kind.schema, dict(channel.settings))
        return kind.make(settings, NotifyRules()).shown(message)


def _made(name: str, target: Any) -> NotifierKind:
    del name
    kind: NotifierKind = target()
    return kind
