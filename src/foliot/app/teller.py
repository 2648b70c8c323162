"""Telling: a notice becomes a message, its channel is set up with the server's secrets, and the message is sent."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import msgspec
import structlog

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.channel_settings import check_settings, filled_with_usual
from foliot.domain.errors import FoliotError
from foliot.domain.instants import Instant
from foliot.domain.reports.report import PeriodReport
from foliot.domain.secret_references import names_in
from foliot.ports.notifier import AlertMessage, Notifier, NotifyRules, NotSent
from foliot.ports.secrets import SecretNotAllowed, Secrets, UnknownSecret
from foliot.ports.store.channels import Delivery
from foliot.words.alert_messages import RunTold, message_of, run_of
from foliot.words.report_messages import report_message

AboutRun: TypeAlias = Callable[[int], Awaitable[RunTold | None]]
"""What a message says of a run; None: it is gone."""
SECRETS_KIND: Final = "channel"
EVERY_NAMESPACE: Final = ""
"""In the place of a namespace: a secret for channels of the whole cluster is one for every namespace."""
LOG_WITHIN_S: Final = 3.0

log = structlog.get_logger("foliot.delivery")


async def _nothing(_run_id: int) -> RunTold | None:
    return None


class ChannelTeller:
    """`engine.delivery.Teller` of one server."""

    def __init__(
        self,
        kinds: InstalledNotifiers,
        secrets: Secrets,
        rules: NotifyRules,
        *,
        node: str,
        public_url: str = "",
        about_run: AboutRun = _nothing,
    ) -> None:
        self._kinds = kinds
        self._secrets = secrets
        self._rules = rules
        self._node = node
        self._public_url = public_url
        self._about_run = about_run

    async def tell(self, channel: Channel, delivery: Delivery, now: Instant) -> None:
        notifier = await self._notifier(channel)
        message = await self._message(channel, delivery, now)
        async with asyncio.timeout(self._rules.within_s + 5):  # a plug-in may forget its own limit
            await notifier.send(message)

    async def _message(self, channel: Channel, delivery: Delivery, now: Instant) -> AlertMessage:
        report = delivery.notice.data.get("report")
        if delivery.notice.kind is NoticeKind.REPORT and report is not None:
            made = msgspec.convert(report, PeriodReport)
            return report_message(delivery, channel, made, now=now, public_url=self._public_url)
        run = await self._run_of(delivery)
        return message_of(delivery, channel, now=now, public_url=self._public_url, run=run)

    async def missing(self, channels: Sequence[Channel]) -> list[str]:
        """The names of secrets that these channels need and that this server cannot give them."""
        missing: set[str] = set()
        for channel in channels:
            for name in names_in(channel.settings):
                try:
                    await self._secrets.values([name], namespace=channel.namespace or EVERY_NAMESPACE)
                except FoliotError:
                    missing.add(name)
        return sorted(missing)

    async def _notifier(self, channel: Channel) -> Notifier:
        try:
            kind = self._kinds.find(channel.kind)
            check_settings(kind.schema, channel.settings)
            namespace = channel.namespace or EVERY_NAMESPACE
            filled = await self._secrets.filled(dict(channel.settings), namespace=namespace)
            return kind.make(filled_with_usual(kind.schema, filled), self._rules)
        except UnknownSecret as error:
            raise NotSent(f"the server {self._node} has no secret {error.data['name']}") from None
        except SecretNotAllowed as error:
            said = f"the server {self._node} may not give the secret {error.data['name']} to channels"
            raise NotSent(f"{said} of this {error.data['what']}") from None
        except FoliotError as error:
            raise NotSent(f"the server {self._node} cannot set the channel up: {error.sentence}") from None

    async def _run_of(self, delivery: Delivery) -> RunTold | None:
        """Its due time and last lines; nothing when they cannot be read: the message is more important."""
        run_id = run_of(delivery.notice.data)
        if run_id is None or delivery.notice.kind is NoticeKind.RESOLVED:
            return None
        try:
            async with asyncio.timeout(LOG_WITHIN_S):
                return await self._about_run(run_id)
        except Exception:  # noqa: BLE001  whatever keeps the log from being read
            log.warning("notice.without_log", run=run_id)
            return None
