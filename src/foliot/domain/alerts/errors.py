"""What can be wrong with a request about alerts.

NotFound
├── AlertNotFound       FOL-2050   no alert has this id
├── AlertRuleNotFound   FOL-2051   no rule has this name
└── SilenceNotFound     FOL-2052   no silence has this id
Conflict
├── AlertRuleChanged    FOL-3110   somebody else changed the rule meanwhile
├── AlertIsOver         FOL-3111   the alert is resolved
├── BuiltInRule         FOL-3113   the rule comes with Foliot
└── TooManyAlertRules   FOL-3112   as many rules as there may be
"""

from foliot.domain.errors import Conflict, NotFound


class AlertNotFound(NotFound):
    """No alert has this id."""

    code = "FOL-2050"

    def __init__(self, alert_id: int) -> None:
        super().__init__(f"No alert {alert_id}; old ones are forgotten.", id=alert_id)


class AlertRuleNotFound(NotFound):
    """No rule has this name."""

    code = "FOL-2051"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        hint = f"did you mean {nearest}?" if nearest else None
        super().__init__(f'No alert rule "{name[:200]}".', hint=hint, name=name[:200], nearest=nearest)


class SilenceNotFound(NotFound):
    """No silence has this id."""

    code = "FOL-2052"

    def __init__(self, silence_id: int) -> None:
        super().__init__(f"No silence {silence_id}; old ones are forgotten.", id=silence_id)


class AlertRuleChanged(Conflict):
    """Somebody else changed the rule meanwhile."""

    code = "FOL-3110"

    def __init__(self, name: str, *, version: int) -> None:
        super().__init__(f'The alert rule "{name}" has version {version} by now.', name=name, version=version)


class BuiltInRule(Conflict):
    """A rule that comes with Foliot cannot be taken away; it can be switched off."""

    code = "FOL-3113"

    def __init__(self, name: str) -> None:
        super().__init__(f'The alert rule "{name}" comes with Foliot.', hint="switch it off", name=name)


class AlertIsOver(Conflict):
    """A resolved alert cannot be acknowledged."""

    code = "FOL-3111"

    def __init__(self, alert_id: int) -> None:
        super().__init__(f"Alert {alert_id} is resolved.", id=alert_id)


class TooManyAlertRules(Conflict):
    """As many rules as the leader looks at."""

    code = "FOL-3112"

    def __init__(self, *, most: int) -> None:
        super().__init__(f"There are {most} alert rules, and no more are looked at.", most=most)
