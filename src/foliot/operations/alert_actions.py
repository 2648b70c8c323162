"""What Foliot does by itself about an alert: by the same verbs that people have, as the actor `alert:RULE`.

An action is counted in the transaction that decides it, and done once after that. When the leader dies in between, it
is not done: an alert never does something twice. Retry and trigger have a key of the alert and the number besides.
"""

from dataclasses import replace

import structlog

from foliot.domain.access import INTERNAL, Principal
from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.decision import Act
from foliot.domain.alerts.rule import ActionKind
from foliot.domain.errors import FoliotError
from foliot.domain.texts import actor_name
from foliot.operations.names import actor
from foliot.operations.nodes import drain
from foliot.operations.pause import pause
from foliot.operations.retry import retry
from foliot.operations.services import Services
from foliot.operations.trigger import trigger
from foliot.ports.store.runs import TriggerRequest

log = structlog.get_logger("foliot.operations")


async def act_on_alert(services: Services, act: Act, alert_id: int) -> None:
    """Do it. What does not work is said in the log: the alert itself has told people already."""
    who = replace(INTERNAL, name=actor_name(f"alert:{act.rule.name}"))
    told = {"rule": act.rule.name, "action": str(act.action.kind), "alert": alert_id}
    try:
        await _do(services, who, act, alert_id)
    except FoliotError as refusal:
        log.warning("alert.not_acted", **told, why=refusal.sentence)
    else:
        log.info("alert.acted", **told)


async def _do(services: Services, who: Principal, act: Act, alert_id: int) -> None:
    subject, reason = act.subject, f"alert {alert_id}"
    namespace = subject.namespace or "default"
    key = f"alert:{alert_id}:{act.number}"
    match act.action.kind:
        case ActionKind.RETRY:
            if subject.run_id is not None:
                await retry(services, who, subject.run_id, request_key=key, reason=reason)
        case ActionKind.PAUSE:
            await pause(services, who, namespace, subject.subject, reason=reason)
        case ActionKind.DRAIN:
            await drain(services, who, subject.subject, reason=reason)
        case ActionKind.TRIGGER:
            in_namespace = act.rule.namespace or namespace
            request = TriggerRequest(namespace=in_namespace, job=act.action.target, key=key, by=actor(who, reason))
            await trigger(services, who, request)
        case ActionKind.WEBHOOK:
            await services.store.channels.put([_notice(act, alert_id, key)])


def _notice(act: Act, alert_id: int, key: str) -> Notice:
    data = {"rule": act.rule.name, "condition": str(act.rule.when.kind), "subjects": [{"subject": act.subject.subject}]}
    return Notice(
        key=f"{key}:{act.action.target}",
        kind=NoticeKind.FIRED,
        channel=act.action.target,
        namespace=act.rule.namespace,
        level=act.rule.level,
        alert_id=alert_id,
        data=data,
    )
