"""Everything else, through Apprise (`pip install 'foliot[notify]'`): an Apprise address each.

Apprise connects by itself: the rules for what a server may reach do not hold there. So a server takes this kind only
if its settings allow it (`[notify] apprise = true`).
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.notify.cuts import as_text, cut
from foliot.notify.schemas import secret, settings
from foliot.ports.notifier import AlertMessage, NotifyRules, NotSent

TEXT_MAX: Final = 4000
TITLE_MAX: Final = 200
TYPES: Final = {AlertLevel.CRITICAL: "failure", AlertLevel.WARNING: "warning", AlertLevel.INFO: "info"}


class Apprise:
    """The kind."""

    name = "apprise"
    schema = settings(("url",), url=secret("An address as Apprise writes it, such as matrix://…"))

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "AppriseChannel":
        return AppriseChannel(settings["url"], rules)


class AppriseChannel:
    """One address of Apprise."""

    def __init__(self, address: str, rules: NotifyRules) -> None:
        self._address = address
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        kind = "success" if message.is_over else TYPES[message.level]
        text = cut(as_text(message), TEXT_MAX) or message.heading
        return {"title": cut(message.heading, TITLE_MAX), "body": text, "notify_type": kind}

    async def send(self, message: AlertMessage) -> None:
        if not self._rules.allows_apprise:
            raise NotSent("the server's settings do not allow Apprise ([notify] apprise = true)")
        try:
            async with asyncio.timeout(self._rules.within_s):
                is_sent = await asyncio.to_thread(self._sent, message)
        except TimeoutError:
            raise NotSent(f"no answer within {self._rules.within_s:g} s", may_have_arrived=True) from None
        if not is_sent:
            raise NotSent("Apprise could not send it")

    def _sent(self, message: AlertMessage) -> bool:
        try:
            import apprise
        except ImportError:
            raise NotSent("Apprise is not installed on this server: pip install 'foliot[notify]'") from None
        sender = apprise.Apprise()
        if not sender.add(self._address):
            raise NotSent("Apprise does not know this address")
        return bool(sender.notify(**self.shown(message), body_format="text"))
