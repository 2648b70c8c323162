"""Rules that come with Foliot and are on. A user changes one, or switches it off, by saving a rule of its name."""

from collections.abc import Iterable, Mapping
from typing import Final

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import rule_from

_DOCUMENTS: Final = {
    "node-dead": {"when": "node dead", "level": "critical"},
    "leader-lost": {"when": "leader 30s", "level": "critical"},
    "store-away": {"when": "store 30s", "level": "critical"},
    "failover": {"when": "failover"},
    "check-critical": {"when": "check any critical", "level": "critical"},
    "check-warning": {"when": "check any warning", "for": "5m"},
    "check-down": {"when": "heartbeat"},
    "channel-dead": {"when": "channel", "level": "critical"},
}
BUILT_IN: Final[Mapping[str, Rule]] = {
    name: rule_from(document, name=name, namespace=None) for name, document in _DOCUMENTS.items()
}

CHECK_RULE: Final = "check-down"
"""The rule for checks of jobs outside of Foliot: a check itself may say its level, channels and runbook."""
JOB_RULE: Final = "job"
"""The name that rules have which jobs bring along (`alert=`). No user's rule has it."""
JOB_LEVEL: Final = AlertLevel.WARNING


def with_built_in(saved: Iterable[Rule]) -> list[Rule]:
    """Every rule of the cluster: what users saved, and what comes with Foliot and nobody saved anew."""
    rules = list(saved)
    names = {rule.name for rule in rules if rule.namespace is None}
    return [*(rule for name, rule in BUILT_IN.items() if name not in names), *rules]
