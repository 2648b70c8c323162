"""Previews: what channels would be told, in every language, and whether they would hear it now. Nothing is sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.alert import Alert, Notice, NoticeKind
from foliot.domain.alerts.channel import LANGUAGES, Channel
from foliot.domain.alerts.delivery import DueNotice, plan_deliveries
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.sample import of_run, sample_alert
from foliot.domain.alerts.voice import Voice, told_data
from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant
from foliot.operations.alert_rules import find_rule, read_rule
from foliot.operations.alerts import find_alert
from foliot.operations.channels import check_settings, find_channel, read_channel
from foliot.operations.names import find_run
from foliot.operations.services import Services
from foliot.operations.told_runs import told_run
from foliot.ports.notifier import CUT_MARK, AlertMessage
from foliot.ports.store.channels import Delivery, DeliveryState
from foliot.words.alert_messages import RunTold, message_of, run_of

SAMPLE_ID: Final = 0
"""Of the notice that a preview makes up. No notice in the store has it."""


class AlertAndRun(InvalidInput):
    """A preview is about an alert or about a run."""

    code = "FOL-1395"

    def __init__(self) -> None:
        super().__init__("A preview is of an alert or of a run, not of both.", hint="leave one of them out")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePreview:
    """A message in one language, and what would go over the line."""

    language: str
    message: AlertMessage
    body: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes of the body as JSON."""
        return len(json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode())

    @property
    def is_cut(self) -> bool:
        """The limits of the kind left something out."""
        return CUT_MARK in json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPreview:
    """What one channel would be told, and whether it would hear it now."""

    channel: Channel
    messages: Sequence[MessagePreview]
    told_at: Instant | None  # now, or when its hours or its digest let it through; None: never
    why: str = ""  # it is not told now


async def preview_channel(
    services: Services,
    who: Principal,
    name: str,
    *,
    namespace: str | None,
    kind: NoticeKind = NoticeKind.FIRED,
    alert_id: int | None = None,
    run_id: int | None = None,
    rule: str | None = None,
    document: Mapping[str, Any] | None = None,
) -> ChannelPreview:
    """What a saved channel, or one that is not saved yet (`document`), would send."""
    who.demand(Scope.READ)
    if document is None:
        channel = (await find_channel(services, who, name, namespace=namespace)).channel
    else:
        channel = read_channel(services, who, name, document, namespace=namespace, version=0)
    check_settings(services, channel)
    asked = None if rule is None else await find_rule(services, who, rule, namespace=namespace)
    now = await services.store.lookups.now()
    about = await _alert(services, who, asked, now, alert_id=alert_id, run_id=run_id)
    return await _previewed(services, channel, kind, about, now)


async def preview_rule(
    services: Services,
    who: Principal,
    name: str,
    *,
    namespace: str | None,
    everywhere: bool | None = None,
    kind: NoticeKind = NoticeKind.FIRED,
    run_id: int | None = None,
    document: Mapping[str, Any] | None = None,
) -> Sequence[ChannelPreview]:
    """What each channel of a rule would be told: at first, and by the steps of its escalation."""
    who.demand(Scope.READ)
    if document is None:
        rule = await find_rule(services, who, name, namespace=namespace, everywhere=everywhere)
    else:
        rule = read_rule(who, name, document, namespace=namespace, everywhere=everywhere)
    now = await services.store.lookups.now()
    about = await _alert(services, who, rule, now, alert_id=None, run_id=run_id)
    channels = await services.store.channels.list(namespace=about.namespace)
    known = {(one.namespace or "", one.name): one for one in channels}
    told = Voice(now, channels).addresses(rule.to, namespace=about.namespace, level=about.level)
    found = [known[address] for address in told if address in known]
    return [await _previewed(services, channel, kind, about, now) for channel in found]


async def _alert(
    services: Services,
    who: Principal,
    rule: Rule | None,
    now: Instant,
    *,
    alert_id: int | None,
    run_id: int | None,
) -> Alert:
    """The alert that is told: a real one, one as a run would cause it, or one that is made up."""
    if alert_id is not None and run_id is not None:
        raise AlertAndRun
    if alert_id is not None:
        return await find_alert(services, who, alert_id)
    if run_id is None:
        return sample_alert(rule, now)
    run = await find_run(services, who, run_id)
    return of_run(
        rule,
        now,
        run_id=run.run_id,
        job_id=run.job_id,
        job=run.job,
        namespace=run.namespace,
        kind=run.kind or "error",
        error_type=run.error_type or "",
        error=run.error or "",
        node=run.node or "",
        due_at=run.due_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )


async def _previewed(
    services: Services, channel: Channel, kind: NoticeKind, alert: Alert, now: Instant
) -> ChannelPreview:
    notice = _notice(channel, kind, alert)
    delivery = Delivery(
        id=SAMPLE_ID, delivery_id="preview", notice=notice, state=DeliveryState.WAITING, attempt=1, created_at=now
    )
    run = await _told_run(services, kind, notice)
    messages = []
    for language in LANGUAGES:
        speaking = replace(channel, language=language)
        message = message_of(delivery, speaking, now=now, public_url=services.public_url, run=run)
        messages.append(
            MessagePreview(language=language, message=message, body=services.channel_body(speaking, message))
        )
    told_at, why = _fate(channel, notice, now)
    return ChannelPreview(channel=channel, messages=messages, told_at=told_at, why=why)


def _notice(channel: Channel, kind: NoticeKind, alert: Alert) -> Notice:
    data: dict[str, Any] = told_data(
        alert, alert.subjects, subject_count=alert.subject_count, open_count=alert.open_count
    )
    level = alert.level
    if kind in (NoticeKind.TEST, NoticeKind.ALIVE):
        data, level = {"by": "preview", "node": ""}, AlertLevel.INFO
    return Notice(
        key="preview",
        kind=kind,
        channel=channel.name,
        namespace=channel.namespace,
        level=level,
        alert_id=alert.id or None,
        data=data,
    )


async def _told_run(services: Services, kind: NoticeKind, notice: Notice) -> RunTold | None:
    run_id = run_of(notice.data)
    if run_id is None or kind is NoticeKind.RESOLVED:
        return None
    return await told_run(services, run_id)


def _fate(channel: Channel, notice: Notice, now: Instant) -> tuple[Instant | None, str]:
    """When the channel hears it, as delivery decides it, and what holds it back. Its rate is not looked at."""
    waiting = DueNotice(id=SAMPLE_ID, notice=notice, created_at=now, is_first_try=True)
    plan = plan_deliveries([waiting], {channel.key: channel}, {}, now)
    if SAMPLE_ID in plan.drop:
        return None, plan.drop[SAMPLE_ID]
    if SAMPLE_ID in plan.later:
        in_us, why = plan.later[SAMPLE_ID]
        return now + in_us, why
    return now, ""
