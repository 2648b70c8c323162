"""Slack: an incoming webhook, with blocks; a text of a block has at most 3000 letters."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.notify.cuts import cut
from foliot.notify.posts import post_json
from foliot.notify.schemas import secret, settings
from foliot.ports.notifier import AlertMessage, NotifyRules

HEADER_MAX: Final = 150
SECTION_MAX: Final = 3000
FIELD_MAX: Final = 2000
FIELDS_MAX: Final = 10


class Slack:
    """The kind."""

    name = "slack"
    schema = settings(("webhook",), webhook=secret("The address of the incoming webhook."))

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "SlackChannel":
        return SlackChannel(settings["webhook"], rules)


class SlackChannel:
    """One incoming webhook."""

    def __init__(self, webhook: str, rules: NotifyRules) -> None:
        self._webhook = webhook
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        return {"text": escaped(message.heading), "blocks": blocks(message)}

    async def send(self, message: AlertMessage) -> None:
        await post_json(self._webhook, self.shown(message), self._rules)


def blocks(message: AlertMessage) -> list[dict[str, Any]]:
    """Header, sentence, facts, log and links."""
    found: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": cut(message.heading, HEADER_MAX)}}
    ]
    if message.text:
        found.append(_section(escaped(message.text)))
    facts = [
        {"type": "mrkdwn", "text": cut(f"*{escaped(name)}*\n{escaped(value)}", FIELD_MAX)}
        for name, value in message.facts.items()
    ]
    starts = range(0, len(facts), FIELDS_MAX)
    found += [{"type": "section", "fields": facts[begin : begin + FIELDS_MAX]} for begin in starts]
    if message.log:
        shown = cut(escaped("\n".join(message.log)), SECTION_MAX - 100)
        found.append(_section(f"*{escaped(message.log_title)}*\n```{shown}```"))
    links = [(message.link_title, message.link), (message.runbook_title, message.runbook)]
    shown_links = [f"<{escaped(to)}|{escaped(title)}>" for title, to in links if to.startswith(("http://", "https://"))]
    if shown_links:
        found.append(_section(" · ".join(shown_links)))
    return found


def escaped(text: str) -> str:
    """As Slack wants it: only these three letters mean something outside of marks."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, SECTION_MAX)}}
