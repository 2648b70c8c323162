"""Alert rules: look at them, make, change and take them away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.builtin_rules import BUILT_IN, with_built_in
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.condition_text import condition_from
from foliot.domain.alerts.errors import AlertRuleChanged, AlertRuleNotFound, BuiltInRule
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import NAMED, rule_from, written_rule
from foliot.domain.alerts.rule_metrics import check_metric
from foliot.domain.errors import FoliotError
from foliot.domain.names import check_name, nearest
from foliot.operations.known_channels import unknown_channels
from foliot.operations.names import actor, home_of, namespace_of
from foliot.operations.services import Services

OF_NAMESPACES: Final = NAMED | {ConditionKind.CHANNEL}
"""Conditions that a rule of one namespace may have; the others are asked of the whole cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRule:
    """A rule after a save, and whether that changed anything."""

    rule: Rule
    is_changed: bool
    warnings: Sequence[FoliotError] = ()  # what works, but perhaps not as meant


async def list_rules(services: Services, who: Principal, *, namespace: str | None) -> Sequence[Rule]:
    """The rules of the cluster, with those that come with Foliot, and of a namespace that the token sees."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return []
    saved = await services.store.alerts.rules(namespace=namespace_of(who, namespace))
    return sorted(with_built_in(saved), key=_place)


def _place(rule: Rule) -> tuple[str, str]:
    return rule.namespace or "", rule.name


async def find_rule(
    services: Services, who: Principal, name: str, *, namespace: str | None, everywhere: bool | None = None
) -> Rule:
    """A rule by its name: the namespace's own before one of the cluster, unless `everywhere` says which."""
    who.demand(Scope.READ)
    name = check_name("alert rule", name)
    home = home_of(who, namespace)
    found = None
    if who.sees(home):
        for owner in _owners(home, everywhere):
            found = found or await services.store.alerts.find_rule(name, namespace=owner)
        if found is None and everywhere is not False:
            found = BUILT_IN.get(name)
    if found is None:
        rules = await services.store.alerts.rules(namespace=home) if who.sees(home) else ()
        raise AlertRuleNotFound(name, nearest=nearest(name, [*BUILT_IN, *(rule.name for rule in rules)]))
    return found


def _owners(home: str, everywhere: bool | None) -> Sequence[str | None]:
    if everywhere is None:
        return (home, None)
    return (None,) if everywhere else (home,)


def read_rule(
    who: Principal,
    name: str,
    document: Mapping[str, Any],
    *,
    namespace: str | None,
    everywhere: bool | None,
    version: int = 0,
) -> Rule:
    """The rule that a document means, if the token may save it. Unless it is said, its condition says whose it is."""
    is_of_cluster = everywhere
    if is_of_cluster is None and name in BUILT_IN:
        is_of_cluster = True  # it takes the place of the one that comes with Foliot
    if is_of_cluster is None:
        when = condition_from(document["when"]) if isinstance(document.get("when"), str) else None
        is_of_cluster = when is not None and when.kind not in OF_NAMESPACES
    owner = None if is_of_cluster else check_name("namespace", home_of(who, namespace))
    if owner is None:
        who.demand_everywhere(Scope.ADMIN)
    else:
        who.demand(Scope.WRITE)
        if not who.sees(owner):
            who.demand_everywhere(Scope.WRITE)
    rule = rule_from(document, name=name, namespace=owner, version=version)
    check_metric(rule.when)
    _demand_group(who, rule)
    return rule


def _demand_group(who: Principal, rule: Rule) -> None:
    """A token limited to a group makes rules that are asked of that group alone."""
    if rule.of.group != who.group:
        who.demand_every_group(Scope.WRITE)


async def save_rule(services: Services, who: Principal, rule: Rule, *, reason: str = "") -> SavedRule:
    """Keep a rule. Its version is the one that the user saw; 0: there must be none of its name.

    One that is there already just like this stays as it is.
    """
    by = actor(who, reason)
    warnings = await rule_warnings(services, rule)
    before = await services.store.alerts.find_rule(rule.name, namespace=rule.namespace)
    present = 0 if before is None else before.version
    if present != rule.version:
        raise AlertRuleChanged(rule.name, version=present)
    if before is not None:
        _demand_group(who, before)
        if written_rule(before) == written_rule(rule):
            return SavedRule(rule=before, is_changed=False, warnings=warnings)
    kept = await services.store.alerts.save_rule(rule, by=by)
    return SavedRule(rule=kept, is_changed=True, warnings=warnings)


async def remove_rule(
    services: Services,
    who: Principal,
    name: str,
    *,
    namespace: str | None,
    everywhere: bool | None = None,
    reason: str = "",
) -> Rule:
    """Forget a rule. Its alerts are over."""
    found = await find_rule(services, who, name, namespace=namespace, everywhere=everywhere)
    if found.namespace is None:
        who.demand_everywhere(Scope.ADMIN)
    who.demand(Scope.WRITE)
    _demand_group(who, found)
    if not found.version:
        raise BuiltInRule(name)
    is_gone = await services.store.alerts.remove_rule(found.name, namespace=found.namespace, by=actor(who, reason))
    if not is_gone:
        raise AlertRuleNotFound(name)
    return found


async def rule_warnings(services: Services, rule: Rule) -> Sequence[FoliotError]:
    """What works in a rule, but perhaps not as its author means it."""
    return await unknown_channels(services, rule.namespace, told_by(rule))


def told_by(rule: Rule) -> Sequence[str]:
    """Every channel that a rule names."""
    steps = [name for step in rule.escalate for name in step.to]
    webhook = [rule.do.target] if rule.do is not None and rule.do.kind == "webhook" else []
    return [*rule.to, *steps, *webhook]
