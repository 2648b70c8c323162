"""Webhook: the message as signed JSON, for receivers that are programs.

    Foliot-Delivery: 5f…        the same over all tries: drop what you had before
    Foliot-Timestamp: 1794976110
    Foliot-Signature: t=1794976110,v1=<hex>     HMAC-SHA256 of "<timestamp>.<body>" with the key

A receiver computes the signature of the body as it came, compares it in constant time, and refuses a timestamp that is
more than some minutes old.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from foliot.domain.instants import SECOND, isoformat
from foliot.notify.cuts import cut
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings, url
from foliot.ports.notifier import AlertMessage, NotifyRules

TEXT_MAX = 10_000


class Webhook:
    """The kind."""

    name = "webhook"
    schema = settings(
        (),
        url=url("Where to post. Use secret_url in its place when the address itself is a secret."),
        secret_url=secret("The whole address, when it is a secret."),
        key=secret("The key of the signature. Without it messages are not signed."),
        token=secret("Sent as Authorization: Bearer, such as a token for the pings of another Foliot."),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "WebhookChannel":
        from foliot.domain.errors import BadField

        address = settings.get("secret_url") or settings.get("url")
        if not address:
            raise BadField("settings.url", "it is missing", hint="write url, or secret_url")
        return WebhookChannel(str(address), settings.get("key"), settings.get("token"), rules)


class WebhookChannel:
    """One receiver."""

    def __init__(self, address: str, key: str | None, token: str | None, rules: NotifyRules) -> None:
        self._address = address
        self._key = key
        self._token = token
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        return document(message)

    async def send(self, message: AlertMessage) -> None:
        body = json.dumps(self.shown(message), ensure_ascii=False, separators=(",", ":")).encode()
        timestamp = message.sent_at // SECOND
        headers = {"Foliot-Delivery": message.delivery_id, "Foliot-Timestamp": str(timestamp)}
        if self._key is not None:
            headers["Foliot-Signature"] = f"t={timestamp},v1={signature(self._key, timestamp, body)}"
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        await post_json(self._address, None, self._rules, headers=headers, whole=body)


def signature(key: str, timestamp: int, body: bytes) -> str:
    """HMAC-SHA256 of the timestamp, a dot and the body."""
    return hmac.new(key.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


def document(message: AlertMessage) -> dict[str, Any]:
    """The message as programs read it. It is the same on every try but for `repeat`."""
    return {
        "delivery": message.delivery_id,
        "kind": str(message.kind),
        "level": str(message.level),
        "key": message.key,
        "at": isoformat(message.at),
        "repeat": message.is_repeat,
        "title": message.title,
        "text": cut(message.text, TEXT_MAX),
        "facts": dict(message.facts),
        "log": list(message.log),
        "link": message.link,
        "runbook": message.runbook,
        "data": dict(message.data),
    }
