"""Microsoft Teams: a webhook of a workflow, with an Adaptive Card; a message has at most 28 kB."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.notify.cuts import cut, cut_bytes
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings
from foliot.ports.notifier import AlertMessage, NotifyRules

TEXT_BYTES_MAX: Final = 6000
LOG_BYTES_MAX: Final = 8000
VALUE_MAX: Final = 400
COLOURS: Final = {AlertLevel.CRITICAL: "attention", AlertLevel.WARNING: "warning", AlertLevel.INFO: "accent"}


class Teams:
    """The kind."""

    name = "teams"
    schema = settings(("webhook",), webhook=secret("The address of the workflow's webhook."))

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "TeamsChannel":
        return TeamsChannel(settings["webhook"], rules)


class TeamsChannel:
    """One workflow."""

    def __init__(self, webhook: str, rules: NotifyRules) -> None:
        self._webhook = webhook
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        content_type = "application/vnd.microsoft.card.adaptive"
        attachment = {"contentType": content_type, "contentUrl": None, "content": card(message)}
        return {"type": "message", "attachments": [attachment]}

    async def send(self, message: AlertMessage) -> None:
        await post_json(self._webhook, self.shown(message), self._rules)


def card(message: AlertMessage) -> dict[str, Any]:
    """An Adaptive Card. A text run shows its text as it is: nothing in it is markdown."""
    colour = "good" if message.is_over else COLOURS[message.level]
    body = [_text(cut(message.heading, 300), size="large", weight="bolder", color=colour)]
    if message.text:
        body.append(_text(cut_bytes(message.text, TEXT_BYTES_MAX)))
    if message.facts:
        facts = [{"title": name, "value": cut(value, VALUE_MAX)} for name, value in message.facts.items()]
        body.append({"type": "FactSet", "facts": facts})
    if message.log:
        body.append(_text(message.log_title, weight="bolder"))
        body.append(_text(cut_bytes("\n".join(message.log), LOG_BYTES_MAX), fontType="monospace"))
    links = [(message.link_title, message.link), (message.runbook_title, message.runbook)]
    actions = [
        {"type": "Action.OpenUrl", "title": title, "url": to}
        for title, to in links
        if to.startswith(("http://", "https://"))
    ]
    return {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": actions,
    }


def _text(text: str, **style: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}
