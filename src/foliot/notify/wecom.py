"""WeCom: a robot of a group, markdown of at most 4096 bytes; 20 messages a minute."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from foliot.notify.cuts import as_markdown, fitted
from foliot.notify.dingtalk import check_code
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings
from foliot.ports.notifier import AlertMessage, NotifyRules

CONTENT_BYTES_MAX: Final = 4096
BUSY: Final = {45009: 60.0, 45033: 10.0}


class WeCom:
    """The kind."""

    name = "wecom"
    schema = settings(("webhook",), webhook=secret("The robot's address, with its key."))

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "WeComChannel":
        return WeComChannel(settings["webhook"], rules)


class WeComChannel:
    """One robot."""

    def __init__(self, webhook: str, rules: NotifyRules) -> None:
        self._webhook = webhook
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        content = fitted(message, partial(as_markdown, fence=""), CONTENT_BYTES_MAX)
        return {"msgtype": "markdown", "markdown": {"content": content}}

    async def send(self, message: AlertMessage) -> None:
        check_code(await post_json(self._webhook, self.shown(message), self._rules), "errcode", BUSY)
