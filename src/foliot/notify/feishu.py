"""Feishu and Lark: a custom bot of a group, an interactive card, signed by its secret (timestamp and sign in the body).

The bot takes 100 messages a minute and 5 a second; a request has at most 20 000 bytes.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import SECOND
from foliot.notify.cuts import as_markdown, cut, fitted
from foliot.notify.dingtalk import check_code
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings
from foliot.ports.notifier import AlertMessage, NotifyRules

CARD_BYTES_MAX: Final = 15_000
TITLE_MAX: Final = 200
BUSY: Final = {9499: 60.0, 11232: 60.0}
COLOURS: Final = {AlertLevel.CRITICAL: "red", AlertLevel.WARNING: "orange", AlertLevel.INFO: "blue"}


class Feishu:
    """The kind."""

    name = "feishu"
    schema = settings(
        ("webhook",),
        webhook=secret("The bot's address (open.feishu.cn or open.larksuite.com)."),
        secret=secret("The bot's secret, when it verifies signatures."),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "FeishuChannel":
        return FeishuChannel(settings["webhook"], settings.get("secret"), rules)


class FeishuChannel:
    """One bot."""

    def __init__(self, webhook: str, key: str | None, rules: NotifyRules) -> None:
        self._webhook = webhook
        self._key = key
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        content = fitted(message, _content, CARD_BYTES_MAX)
        card = {
            "config": {"wide_screen_mode": True},
            "header": {
                "title": {"tag": "plain_text", "content": cut(message.heading, TITLE_MAX)},
                "template": "green" if message.is_over else COLOURS[message.level],
            },
            "elements": [{"tag": "markdown", "content": content or message.title}],
        }
        return {"msg_type": "interactive", "card": card}

    async def send(self, message: AlertMessage) -> None:
        body = self.shown(message)
        if self._key is not None:
            timestamp = message.sent_at // SECOND
            body = {"timestamp": str(timestamp), "sign": signature(self._key, timestamp), **body}
        check_code(await post_json(self._webhook, body, self._rules), "code", BUSY)


def _content(message: AlertMessage) -> str:
    """Without its heading: the header of the card has that."""
    return as_markdown(message).partition("\n\n")[2]


def signature(key: str, timestamp: int) -> str:
    """Base64 of the HMAC-SHA256 of nothing, with "timestamp\\nsecret" as its key: so the provider defines it."""
    return base64.b64encode(hmac.new(f"{timestamp}\n{key}".encode(), b"", hashlib.sha256).digest()).decode()
