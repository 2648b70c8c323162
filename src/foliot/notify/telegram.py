"""Telegram: a bot's message as HTML, of at most 4096 letters."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from foliot.notify.cuts import MARK, cut
from foliot.notify.posts import RETRY_AFTER_MAX_S, post_json
from foliot.notify.schemas import secret, settings, text, url
from foliot.ports.notifier import CUT_MARK, AlertMessage, NotifyRules, NotSent

TEXT_MAX: Final = 4096
API: Final = "https://api.telegram.org"


class Telegram:
    """The kind."""

    name = "telegram"
    schema = settings(
        ("token", "chat"),
        token=secret("The bot's token."),
        chat=text("The id of the chat, or @name of a public one.", example="-1001234567890"),
        base_url=url("Where the Bot API is.", default=API),
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "TelegramChannel":
        base = str(settings.get("base_url") or API).rstrip("/")
        return TelegramChannel(f"{base}/bot{settings['token']}/sendMessage", settings["chat"], rules)


class TelegramChannel:
    """One chat."""

    def __init__(self, address: str, chat: str, rules: NotifyRules) -> None:
        self._address = address
        self._chat = chat
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        return {
            "chat_id": self._chat,
            "text": html(message),
            "parse_mode": "HTML",
            "link_preview_options": {"is_disabled": True},
        }

    async def send(self, message: AlertMessage) -> None:
        reply = await post_json(self._address, self.shown(message), self._rules)
        answer = reply.json()
        if not isinstance(answer, dict) or not answer.get("ok"):
            raise NotSent(f"the provider refused it with code {_code(answer)}", retry_after_s=_retry_after(answer))


def html(message: AlertMessage) -> str:
    """Parts that fit are kept whole, so that no tag stays open; the log is what is cut."""
    head = [f"<b>{escape(cut(message.heading, 300))}</b>"]
    if message.text:
        head.append(escape(cut(message.text, 1000)))
    facts = [f"<b>{escape(cut(n, 60))}</b>: {escape(cut(v, 200))}" for n, v in list(message.facts.items())[:12]]
    links = [(message.link_title, message.link), (message.runbook_title, message.runbook)]
    tail = [
        f'<a href="{escape(to, quote=True)}">{escape(title)}</a>'
        for title, to in links
        if to.startswith(("http://", "https://")) and len(to) < 1000
    ]
    shown = "\n".join([*head, *facts, *tail])
    room = TEXT_MAX - len(shown) - 20
    log = "\n".join(message.log)
    while log and len(escape(log)) > room - len(MARK):
        log = log[len(log) // 4 + 1 :]  # the last lines say most
    if not log:
        return shown[:TEXT_MAX] if len(shown) <= TEXT_MAX else "\n".join(head)
    mark = "" if len(log) == len("\n".join(message.log)) else f"{CUT_MARK} "
    return "\n".join([*head, *facts, f"<pre>{mark}{escape(log)}</pre>", *tail])


def _code(answer: Any) -> str:
    return str(answer.get("error_code", "?"))[:10] if isinstance(answer, dict) else "?"


def _retry_after(answer: Any) -> float | None:
    parameters = answer.get("parameters") if isinstance(answer, dict) else None
    seconds = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return min(float(seconds), RETRY_AFTER_MAX_S) if isinstance(seconds, int | float) else None
