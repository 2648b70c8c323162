"""ntfy: a topic of ntfy.sh or of one's own server; a message has at most 4096 bytes."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.notify.cuts import as_text, cut, fitted
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings, text, url
from foliot.ports.notifier import AlertMessage, NotifyRules

MESSAGE_BYTES_MAX: Final = 4096
TITLE_MAX: Final = 200
SERVER: Final = "https://ntfy.sh"
PRIORITIES: Final = {AlertLevel.CRITICAL: 5, AlertLevel.WARNING: 4, AlertLevel.INFO: 3}
TAGS: Final = {
    AlertLevel.CRITICAL: "rotating_light",
    AlertLevel.WARNING: "warning",
    AlertLevel.INFO: "information_source",
}


class Ntfy:
    """The kind."""

    name = "ntfy"
    schema = settings(
        ("topic",),
        topic=text("The topic. On a public server whoever knows it can read it.", example="acme-alerts-7f3a"),
        token=secret("An access token, where the topic is protected."),
        base_url=url("The server.", default=SERVER),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "NtfyChannel":
        base = str(settings.get("base_url") or SERVER).rstrip("/")
        return NtfyChannel(f"{base}/", settings["topic"], settings.get("token"), rules)


class NtfyChannel:
    """One topic."""

    def __init__(self, address: str, topic: str, token: str | None, rules: NotifyRules) -> None:
        self._address = address
        self._topic = topic
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        body: dict[str, Any] = {
            "topic": self._topic,
            "title": cut(message.heading, TITLE_MAX),
            "message": fitted(message, as_text, MESSAGE_BYTES_MAX),
            "priority": 2 if message.is_over else PRIORITIES[message.level],
            "tags": ["white_check_mark" if message.is_over else TAGS[message.level]],
        }
        if message.link.startswith(("http://", "https://")):
            body["click"] = message.link
        return body

    async def send(self, message: AlertMessage) -> None:
        await post_json(self._address, self.shown(message), self._rules, headers=self._headers)
