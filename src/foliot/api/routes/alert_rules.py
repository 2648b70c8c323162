"""`/rules`: what to look for, how grave it is, and whom to tell."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response

from foliot.api.models.alert_rules import (
    AppliedEntryOut,
    AppliedOut,
    ApplyAlerts,
    RuleIn,
    RuleOut,
    RulesOut,
    RuleTestOut,
    TryRule,
)
from foliot.api.models.jobs import ChangeOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    IfMatch,
    IfNoneMatch,
    Namespace,
    Reader,
    Services,
    Speaks,
    Writer,
    etag,
    expected_version,
    run_id_of,
)
from foliot.api.route import FoliotRoute
from foliot.domain.access import Principal
from foliot.domain.alerts.errors import AlertRuleChanged, AlertRuleNotFound
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import written_rule
from foliot.domain.texts import NAME_BYTES_MAX, REASON_BYTES_MAX
from foliot.operations import alert_rules as operations
from foliot.operations import alert_trials as trials
from foliot.operations.alert_files import apply
from foliot.operations.diff import changes_between
from foliot.words.language import Language

router: Final = APIRouter(prefix=PREFIX, tags=["alerts"], route_class=FoliotRoute)

RuleName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
Everywhere = Annotated[
    bool | None,
    Query(
        description="true: the cluster's rule of this name; false: the namespace's. Left out: the namespace's own, or "
        "else the cluster's; of a new rule, its condition says whose it is."
    ),
]


@router.get("/rules", responses=READS, summary="List alert rules")
async def list_rules(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> RulesOut:
    """Those of the whole cluster, those of a namespace, and those that come with Foliot."""
    found = await operations.list_rules(services, who, namespace=namespace)
    page, more = page_of(found, lambda one: f"{one.namespace or ''}/{one.name}", limit=limit, cursor=cursor)
    return RulesOut(items=[RuleOut.of(one, language) for one in page], next_cursor=more)


@router.get("/rules/{name}", responses=READS, summary="Read an alert rule")
async def get_rule(
    services: Services,
    who: Reader,
    language: Speaks,
    name: RuleName,
    response: Response,
    namespace: Namespace = None,
    everywhere: Everywhere = None,
) -> RuleOut:
    """The namespace's own, or else one of the whole cluster; its ETag is what a change must be made from."""
    found = await operations.find_rule(services, who, name, namespace=namespace, everywhere=everywhere)
    response.headers["ETag"] = etag(found.version)
    return RuleOut.of(found, language)


@router.put(
    "/rules/{name}",
    responses={**WRITES, 201: {"model": RuleOut, "description": "It is new."}},
    summary="Save an alert rule",
)
async def put_rule(
    services: Services,
    who: Writer,
    language: Speaks,
    name: RuleName,
    body: RuleIn,
    response: Response,
    namespace: Namespace = None,
    everywhere: Everywhere = None,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> RuleOut:
    """With `If-Match` another version of the rule; with `If-None-Match: *` a new one. The cluster's need an admin."""
    version = expected_version(if_match, name, if_none_match=if_none_match)
    rule = operations.read_rule(who, name, body.rule, namespace=namespace, everywhere=everywhere, version=version)
    try:
        saved = await operations.save_rule(services, who, rule, reason=body.reason)
    except AlertRuleChanged as stale:
        raise await _explained(services, who, rule, stale, language) from stale
    response.headers["ETag"] = etag(saved.rule.version)
    if saved.is_changed and version == 0:
        response.status_code = 201
    return RuleOut.saved(saved, language)


async def _explained(
    services: Services, who: Principal, wanted: Rule, stale: AlertRuleChanged, language: Language
) -> AlertRuleChanged:
    """The refusal, with the present rule and how the wanted one differs."""
    try:
        present = await operations.find_rule(
            services, who, wanted.name, namespace=wanted.namespace, everywhere=wanted.namespace is None
        )
    except AlertRuleNotFound:
        return stale
    stale.data["current"] = RuleOut.of(present, language).model_dump(mode="json")
    changes = changes_between(written_rule(present), written_rule(wanted))
    stale.data["changes"] = [ChangeOut.of(change).model_dump(mode="json") for change in changes]
    return stale


@router.delete("/rules/{name}", responses=WRITES, status_code=204, summary="Take an alert rule away")
async def delete_rule(
    services: Services,
    who: Writer,
    name: RuleName,
    namespace: Namespace = None,
    everywhere: Everywhere = None,
    reason: Annotated[str, Query(max_length=REASON_BYTES_MAX)] = "",
) -> None:
    """Its alerts are over. The cluster's need an admin."""
    await operations.remove_rule(services, who, name, namespace=namespace, everywhere=everywhere, reason=reason)


@router.post("/rules/{name}:test", responses=WRITES, summary="Would a rule fire for a run?")
async def try_rule(
    services: Services,
    who: Reader,
    language: Speaks,
    name: RuleName,
    body: TryRule,
    namespace: Namespace = None,
    everywhere: Everywhere = None,
) -> RuleTestOut:
    """What the rule asks of the run, and each answer. Nothing is told, and nothing changes."""
    found = await trials.try_rule(
        services,
        who,
        name,
        run_id_of(body.run),
        document=body.rule,
        namespace=namespace,
        everywhere=everywhere,
    )
    return RuleTestOut.of(found, language)


@router.post("/alerts:apply", responses=WRITES, summary="Save the channels, rules, checks and reports of a file")
async def apply_alerts(
    services: Services, who: Writer, language: Speaks, body: ApplyAlerts, namespace: Namespace = None
) -> AppliedOut:
    """What is as it was stays as it is. Everything is checked before anything is saved. Channels need an admin, and so
    do reports without a namespace, which are about the whole cluster.
    """
    entries = await apply(
        services,
        who,
        channels=body.channels,
        rules=body.rules,
        checks=body.checks,
        reports=body.reports,
        namespace=namespace,
        dry_run=body.dry_run,
        reason=body.reason,
    )
    return AppliedOut(dry_run=body.dry_run, items=[AppliedEntryOut.of(entry, language) for entry in entries])
