"""DingTalk: a custom robot of a group, markdown, signed by its secret (timestamp and HMAC-SHA256 in the address).

The robot takes 20 messages a minute and then is silent for ten; a message has at most 20 000 bytes.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_plus

from foliot.notify.cuts import as_markdown, cut, fitted
from foliot.notify.posts import ProviderReply, post_json
from foliot.notify.schemas import secret, settings, texts
from foliot.ports.notifier import AlertMessage, NotifyRules, NotSent

MILLISECOND: Final = 1000
MARKDOWN_BYTES_MAX: Final = 18_000
TITLE_MAX: Final = 100
BUSY: Final = {
    130101: 600.0,
    660026: 60.0,
}  # too many: the robot is silent for ten minutes; the application's own limit


class DingTalk:
    """The kind."""

    name = "dingtalk"
    schema = settings(
        ("webhook",),
        webhook=secret("The robot's address, with its access_token."),
        secret=secret("The robot's secret (SEC…), when it demands a signature."),
        mobiles=texts("Numbers of people to mention."),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "DingTalkChannel":
        return DingTalkChannel(settings["webhook"], settings.get("secret"), settings.get("mobiles") or (), rules)


class DingTalkChannel:
    """One robot."""

    def __init__(self, webhook: str, key: str | None, mobiles: Any, rules: NotifyRules) -> None:
        self._webhook = webhook
        self._key = key
        self._mobiles = list(mobiles)
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        mentions = " ".join(f"@{mobile}" for mobile in self._mobiles)
        text = fitted(message, as_markdown, MARKDOWN_BYTES_MAX)
        return {
            "msgtype": "markdown",
            "markdown": {"title": cut(message.heading, TITLE_MAX), "text": f"{text}\n\n{mentions}".strip()},
            "at": {"atMobiles": self._mobiles, "isAtAll": False},
        }

    async def send(self, message: AlertMessage) -> None:
        reply = await post_json(self._address(message), self.shown(message), self._rules)
        check_code(reply, "errcode", BUSY)

    def _address(self, message: AlertMessage) -> str:
        if self._key is None:
            return self._webhook
        timestamp = message.sent_at // MILLISECOND
        sign = quote_plus(signature(self._key, timestamp))
        joint = "&" if "?" in self._webhook else "?"
        return f"{self._webhook}{joint}timestamp={timestamp}&sign={sign}"


def signature(key: str, timestamp_ms: int) -> str:
    """Base64 of the HMAC-SHA256 of "timestamp\\nsecret" with the secret."""
    text = f"{timestamp_ms}\n{key}".encode()
    return base64.b64encode(hmac.new(key.encode(), text, hashlib.sha256).digest()).decode()


def check_code(reply: ProviderReply, field: str, busy: Mapping[int, float]) -> None:
    """Robots of DingTalk, Feishu and WeCom answer 200 and say in the body whether they took it."""
    answer = reply.json()
    code = answer.get(field) if isinstance(answer, dict) else None
    if code == 0:
        return
    if not isinstance(code, int):
        raise NotSent("the answer is not what this provider answers")
    raise NotSent(f"the provider refused it with code {code}", retry_after_s=busy.get(code))
