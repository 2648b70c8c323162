"""Channels, rules, checks and reports of a file, applied as a whole: what is as it was stays as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.channel import Channel, written_channel
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import written_rule
from foliot.domain.document_values import mapping
from foliot.domain.errors import BadField, FoliotError
from foliot.domain.heartbeats.check import HeartbeatCheck
from foliot.domain.heartbeats.document import written_check
from foliot.domain.reports.schedule import ReportSchedule, written_schedule
from foliot.operations.alert_rules import read_rule, rule_warnings, save_rule
from foliot.operations.channels import present_channel, read_channel, save_channel
from foliot.operations.diff import FieldChange, changes_between
from foliot.operations.heartbeats import read_check, save_check
from foliot.operations.known_channels import unknown_channels
from foliot.operations.reports import read_schedule, save_schedule
from foliot.operations.services import Services

ENTRIES_MAX: Final = 500


class AppliedSort(StrEnum):
    """What an entry of a file is."""

    CHANNEL = "channel"
    RULE = "rule"
    CHECK = "check"
    REPORT = "report"


class AppliedChange(StrEnum):
    """What an entry of a file did, or would do."""

    CREATED = "created"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedEntry:
    """One entry of a file, and what became of it."""

    sort: AppliedSort
    name: str
    namespace: str | None
    change: AppliedChange
    version: int  # afterwards
    changes: Sequence[FieldChange] = ()
    warnings: Sequence[FoliotError] = ()


async def apply(
    services: Services,
    who: Principal,
    *,
    channels: Mapping[str, Any],
    rules: Mapping[str, Any],
    checks: Mapping[str, Any],
    reports: Mapping[str, Any],
    namespace: str | None,
    dry_run: bool,
    reason: str = "",
) -> Sequence[AppliedEntry]:
    """Save what a file says. Everything is read and checked before anything is saved, channels before what names them.

    Each save is guarded by the version that was just seen. Rules go to the namespace, or to the cluster if their
    condition is about it; checks to the namespace; reports to the one that is named, or to the cluster; channels are
    the cluster's.
    """
    who.demand(Scope.READ)
    if len(channels) + len(rules) + len(checks) + len(reports) > ENTRIES_MAX:
        raise BadField("rules", f"there are more than {ENTRIES_MAX} entries", hint="apply them in several files")
    wanted_channels = [await _channel(services, who, name, written) for name, written in channels.items()]
    wanted_rules = [await _rule(services, who, name, written, namespace) for name, written in rules.items()]
    wanted_checks = [await _check(services, who, name, written, namespace) for name, written in checks.items()]
    wanted_reports = [await _report(services, who, name, written, namespace) for name, written in reports.items()]
    entries: list[AppliedEntry] = []
    for channel, before in wanted_channels:
        entries.append(await _apply_channel(services, who, channel, before, dry_run=dry_run, reason=reason))
    known = [channel.name for channel, _ in wanted_channels]
    for rule, present in wanted_rules:
        entries.append(await _apply_rule(services, who, rule, present, known, dry_run=dry_run, reason=reason))
    for check, old in wanted_checks:
        entries.append(await _apply_check(services, who, check, old, known, dry_run=dry_run, reason=reason))
    for report, kept in wanted_reports:
        entries.append(await _apply_report(services, who, report, kept, known, dry_run=dry_run, reason=reason))
    return entries


async def _channel(services: Services, who: Principal, name: str, written: Any) -> tuple[Channel, Channel | None]:
    document = mapping(written, f"channels.{name}")
    channel = read_channel(services, who, name, document, namespace=None, version=0)
    before = await present_channel(services, channel)
    return replace(channel, version=0 if before is None else before.version), before


async def _rule(
    services: Services, who: Principal, name: str, written: Any, namespace: str | None
) -> tuple[Rule, Rule | None]:
    document = mapping(written, f"rules.{name}")
    try:
        rule = read_rule(who, name, document, namespace=namespace, everywhere=None)
    except BadField as error:  # the file may have many rules: say which one
        path, trouble = str(error.data["path"]), str(error.data["trouble"])
        raise BadField(f"rules.{name}.{path}", trouble, hint=error.hint) from error.__cause__
    before = await services.store.alerts.find_rule(rule.name, namespace=rule.namespace)
    return replace(rule, version=0 if before is None else before.version), before


async def _check(
    services: Services, who: Principal, name: str, written: Any, namespace: str | None
) -> tuple[HeartbeatCheck, HeartbeatCheck | None]:
    document = mapping(written, f"checks.{name}")
    try:
        check = read_check(who, name, document, namespace=namespace)
    except BadField as error:
        path, trouble = str(error.data["path"]), str(error.data["trouble"])
        raise BadField(f"checks.{name}.{path}", trouble, hint=error.hint) from error.__cause__
    seen = await services.store.heartbeats.find(check.name, namespace=check.namespace)
    before = None if seen is None else seen.check
    return replace(check, version=0 if before is None else before.version), before


async def _report(
    services: Services, who: Principal, name: str, written: Any, namespace: str | None
) -> tuple[ReportSchedule, ReportSchedule | None]:
    document = mapping(written, f"reports.{name}")
    try:
        report = read_schedule(who, name, document, namespace=namespace)
    except BadField as error:
        path, trouble = str(error.data["path"]), str(error.data["trouble"])
        raise BadField(f"reports.{name}.{path}", trouble, hint=error.hint) from error.__cause__
    seen = await services.store.reports.find_schedule(report.name, namespace=report.namespace)
    before = None if seen is None else seen.schedule
    return replace(report, version=0 if before is None else before.version), before


async def _apply_channel(
    services: Services, who: Principal, channel: Channel, before: Channel | None, *, dry_run: bool, reason: str
) -> AppliedEntry:
    old, new = {} if before is None else written_channel(before), written_channel(channel)
    change = _change(old, new)
    version = channel.version + (change is not AppliedChange.SAME)
    if not dry_run:
        seen, _ = await save_channel(services, who, channel, reason=reason)
        version = seen.channel.version
    return AppliedEntry(
        sort=AppliedSort.CHANNEL,
        name=channel.name,
        namespace=channel.namespace,
        change=change,
        version=version,
        changes=changes_between(old, new),
    )


async def _apply_rule(
    services: Services,
    who: Principal,
    rule: Rule,
    before: Rule | None,
    new_channels: Sequence[str],
    *,
    dry_run: bool,
    reason: str,
) -> AppliedEntry:
    old, new = {} if before is None else written_rule(before), written_rule(rule)
    change = _change(old, new)
    warnings = await rule_warnings(services, rule)
    version = rule.version + (change is not AppliedChange.SAME)
    if not dry_run:
        saved = await save_rule(services, who, rule, reason=reason)
        version = saved.rule.version
    return AppliedEntry(
        sort=AppliedSort.RULE,
        name=rule.name,
        namespace=rule.namespace,
        change=change,
        version=version,
        changes=changes_between(old, new),
        warnings=[one for one in warnings if one.data["name"] not in new_channels],
    )


async def _apply_check(
    services: Services,
    who: Principal,
    check: HeartbeatCheck,
    before: HeartbeatCheck | None,
    new_channels: Sequence[str],
    *,
    dry_run: bool,
    reason: str,
) -> AppliedEntry:
    old, new = {} if before is None else written_check(before), written_check(check)
    change = _change(old, new)
    warnings = await unknown_channels(services, check.namespace, check.to)
    version = check.version + (change is not AppliedChange.SAME)
    if not dry_run:
        saved = await save_check(services, who, check, reason=reason)
        version = saved.seen.check.version
    return AppliedEntry(
        sort=AppliedSort.CHECK,
        name=check.name,
        namespace=check.namespace,
        change=change,
        version=version,
        changes=changes_between(old, new),
        warnings=[one for one in warnings if one.data["name"] not in new_channels],
    )


async def _apply_report(
    services: Services,
    who: Principal,
    report: ReportSchedule,
    before: ReportSchedule | None,
    new_channels: Sequence[str],
    *,
    dry_run: bool,
    reason: str,
) -> AppliedEntry:
    old, new = {} if before is None else written_schedule(before), written_schedule(report)
    change = _change(old, new)
    warnings = await unknown_channels(services, report.namespace, report.to)
    version = report.version + (change is not AppliedChange.SAME)
    if not dry_run:
        kept, _ = await save_schedule(services, who, report.name, new, namespace=report.namespace, reason=reason)
        version = kept.schedule.version
    return AppliedEntry(
        sort=AppliedSort.REPORT,
        name=report.name,
        namespace=report.namespace,
        change=change,
        version=version,
        changes=changes_between(old, new),
        warnings=[one for one in warnings if one.data["name"] not in new_channels],
    )


def _change(before: Mapping[str, Any], after: Mapping[str, Any]) -> AppliedChange:
    if not before:
        return AppliedChange.CREATED
    return AppliedChange.SAME if before == after else AppliedChange.CHANGED
