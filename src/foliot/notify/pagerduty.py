"""PagerDuty: Events API v2. An alert triggers an incident under its key, and its end resolves the incident."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import isoformat
from foliot.notify.cuts import cut
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings, text, url
from foliot.ports.notifier import AlertMessage, NotifyRules

SUMMARY_MAX: Final = 1024
KEY_MAX: Final = 255
API: Final = "https://events.pagerduty.com"
SEVERITIES: Final = {AlertLevel.CRITICAL: "critical", AlertLevel.WARNING: "warning", AlertLevel.INFO: "info"}


class PagerDuty:
    """The kind."""

    name = "pagerduty"
    schema = settings(
        ("routing_key",),
        routing_key=secret("The integration key of the service."),
        source=text("What the incident names as its source.", default="foliot"),
        base_url=url("Where the Events API is.", default=API),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "PagerDutyChannel":
        base = str(settings.get("base_url") or API).rstrip("/")
        return PagerDutyChannel(f"{base}/v2/enqueue", settings["routing_key"], settings.get("source", "foliot"), rules)


class PagerDutyChannel:
    """One service."""

    def __init__(self, address: str, routing_key: str, source: str, rules: NotifyRules) -> None:
        self._address = address
        self._routing_key = routing_key
        self._source = source
        self._rules = rules

    async def send(self, message: AlertMessage) -> None:
        await post_json(self._address, self.shown(message), self._rules)

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        event: dict[str, Any] = {
            "routing_key": self._routing_key,
            "event_action": "resolve" if message.is_over else "trigger",
            "dedup_key": cut(message.key or message.delivery_id, KEY_MAX),
        }
        if message.is_over:
            return event
        links = [(message.link_title, message.link), (message.runbook_title, message.runbook)]
        return {
            **event,
            "client": "Foliot",
            "client_url": message.link,
            "payload": {
                "summary": cut(message.heading, SUMMARY_MAX),
                "source": self._source,
                "severity": SEVERITIES[message.level],
                "timestamp": isoformat(message.at),
                "custom_details": {
                    **message.facts,
                    "text": cut(message.text, 10_000),
                    "log": list(message.log),
                    "delivery": message.delivery_id,
                },
            },
            "links": [{"href": to, "text": title} for title, to in links if to],
        }
