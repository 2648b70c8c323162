"""The calls of the REST API, one entry per route, and the requests they make. No I/O here.

Both clients and the command line ask by this table; a test compares it with the server's OpenAPI document. Every call
may be sent again when its answer was lost: reads change nothing, and each POST carries an idempotency key.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote

from foliot.domain.instants import format_duration, parse_duration

Duration: TypeAlias = str | float | timedelta
Moment: TypeAlias = datetime | str
Answer: TypeAlias = dict[str, Any]
"""The JSON object of an answer."""

PREFIX: Final = "/api/v1"


class Route(NamedTuple):
    """One operation of the API. Names stand as the server spells them.

    `name!` must be given. `name:argument` is given under another name than the server's: its own is taken, or a word
    of Python.
    """

    method: str
    path: str
    query: str = ""
    body: str = ""
    headers: str = ""
    answer: str = ""  # the model in the OpenAPI document; empty: nothing, or a stream


_BACKFILL: Final = "job! namespace:in_namespace from:from_! only parallel newest_first params reason"
_BULK: Final = "ids job states since until expected reason force"
_JOBS: Final = "jobs filter expected reason"
_PAGE: Final = "limit cursor"

CALLS: Final[Mapping[str, Route]] = {
    # jobs
    "list_jobs": Route(
        "GET",
        "/jobs",
        f"namespace {_PAGE} state owner group label name:names q failing late sort strip",
        answer="Page_JobOut_",
    ),
    "create_job": Route("POST", "/jobs", "namespace", "name! definition! reason", answer="JobOut"),
    "validate_job": Route("POST", "/jobs:validate", "namespace", "name definition!", answer="ValidOut"),
    "try_definition": Route("POST", "/jobs:test", "namespace", "name definition! params reason", answer="RunOut"),
    "get_job": Route("GET", "/jobs/{name}", "namespace strip", answer="JobOut"),
    "put_job": Route("PUT", "/jobs/{name}", "namespace", "definition! reason", "If-Match If-None-Match", "JobOut"),
    "patch_job": Route("PATCH", "/jobs/{name}", "namespace", "definition! reason", "If-Match!", "JobOut"),
    "delete_job": Route("DELETE", "/jobs/{name}", "namespace reason", headers="If-Match!"),
    "pause_job": Route("POST", "/jobs/{name}:pause", "namespace", "until reason", answer="JobOut"),
    "resume_job": Route("POST", "/jobs/{name}:resume", "namespace", "catch_up reason", answer="JobOut"),
    "pause_jobs": Route("POST", "/jobs:pause", "namespace", f"{_JOBS} until", answer="TreatedJobsOut"),
    "resume_jobs": Route("POST", "/jobs:resume", "namespace", f"{_JOBS} catch_up", answer="TreatedJobsOut"),
    "trigger_jobs": Route("POST", "/jobs:trigger", "namespace", _JOBS, answer="TreatedJobsOut"),
    "delete_jobs": Route("POST", "/jobs:delete", "namespace", _JOBS, answer="TreatedJobsOut"),
    "reschedule_job": Route("POST", "/jobs/{name}:reschedule", "namespace", "dry_run reason", answer="RescheduledOut"),
    "reschedule_jobs": Route(
        "POST", "/jobs:reschedule", "namespace", "dry_run reason after limit", answer="RescheduledListOut"
    ),
    "trigger_job": Route(
        "POST",
        "/jobs/{name}:trigger",
        "namespace",
        "params at delay overlap priority key reason dry_run test",
        answer="RunOut",
    ),
    "clone_job": Route(
        "POST",
        "/jobs/{name}:clone",
        "namespace",
        "name:new_name! namespace:to_namespace changes reason",
        answer="JobOut",
    ),
    "rollback_job": Route("POST", "/jobs/{name}:rollback", "namespace", "to! reason", "If-Match", "JobOut"),
    "list_job_versions": Route("GET", "/jobs/{name}/versions", f"namespace {_PAGE}", answer="Page_VersionOut_"),
    "get_job_version": Route("GET", "/jobs/{name}/versions/{version}", "namespace", answer="VersionOut"),
    "diff_job_versions": Route("GET", "/jobs/{name}/diff", "before! after! namespace", answer="DiffOut"),
    "list_skips": Route("GET", "/skips", f"namespace job reason since until {_PAGE}", answer="Page_SkipOut_"),
    "list_job_fires": Route("GET", "/jobs/{name}/fires", f"namespace from:from_ to {_PAGE}", answer="FiresOut"),
    "explain_job": Route("GET", "/jobs/{name}/why", "namespace at since tz limit cursor", answer="WhyListOut"),
    "get_job_stats": Route("GET", "/jobs/{name}/stats", "namespace from:from_ to step", answer="JobStatsOut"),
    "list_anomalies": Route(
        "GET", "/anomalies", f"namespace job kind since open:only_open {_PAGE}", answer="Page_AnomalyOut_"
    ),
    "get_job_days": Route("GET", "/jobs/{name}/days", "namespace to days tz", answer="DaysOut"),
    "get_job_parameters": Route("GET", "/jobs/{name}/parameters", "namespace", answer="ParametersOut"),
    # runs
    "list_runs": Route(
        "GET",
        "/runs",
        f"namespace {_PAGE} job state kind since until ended_since ended_until node label shards tests",
        answer="Page_RunOut_",
    ),
    "get_run": Route("GET", "/runs/{run}", "wait", answer="RunOut"),
    "cancel_run": Route("POST", "/runs/{run}:cancel", body="reason force", answer="RunOut"),
    "retry_run": Route("POST", "/runs/{run}:retry", body="version failed_shards reason", answer="RunOut"),
    "cancel_runs": Route("POST", "/runs:cancel", "namespace", _BULK, answer="BulkOut"),
    "retry_runs": Route("POST", "/runs:retry", "namespace", _BULK, answer="RetriedOut"),
    "list_run_attempts": Route("GET", "/runs/{run}/attempts", _PAGE, answer="AttemptsOut"),
    "list_run_shards": Route("GET", "/runs/{run}/shards", _PAGE, answer="ShardsOut"),
    "get_run_result": Route("GET", "/runs/{run}/result", answer="ResultOut"),
    "get_run_timeline": Route("GET", "/runs/{run}/timeline", _PAGE, answer="TimelineOut"),
    "explain_runs": Route("GET", "/runs:why", "ids! tz", answer="WhyRunsOut"),
    "explain_run": Route("GET", "/runs/{run}/why", "tz", answer="WhyOut"),
    "get_run_logs": Route(
        "GET", "/runs/{run}/logs", "attempt shard follow tail level grep since", headers="Last-Event-ID"
    ),
    "get_run_lines": Route(
        "GET", "/runs/{run}/lines", "attempt shard before after level grep limit", answer="LogLinesOut"
    ),
    # backfills
    "list_backfills": Route("GET", "/backfills", f"namespace job {_PAGE}", answer="Page_BackfillOut_"),
    "start_backfill": Route(
        "POST", "/backfills", "namespace", f"{_BACKFILL} to! token:confirmed!", answer="BackfillOut"
    ),
    "preview_backfill": Route(
        "POST", "/backfills:preview", "namespace", f"{_BACKFILL} to", answer="BackfillPreviewOut"
    ),
    "get_backfill": Route("GET", "/backfills/{number}", answer="BackfillOut"),
    "end_backfill": Route("DELETE", "/backfills/{number}", answer="BackfillOut"),
    "pause_backfill": Route("POST", "/backfills/{number}:pause", answer="BackfillOut"),
    "resume_backfill": Route("POST", "/backfills/{number}:resume", answer="BackfillOut"),
    # calendars and limits
    "list_calendars": Route("GET", "/calendars", _PAGE, answer="CalendarsOut"),
    "get_calendar": Route("GET", "/calendars/{name}", "version", answer="CalendarOut"),
    "put_calendar": Route("PUT", "/calendars/{name}", body="calendar! reason", answer="CalendarOut"),
    "delete_calendar": Route("DELETE", "/calendars/{name}"),
    "list_limits": Route("GET", "/limits", f"namespace {_PAGE}", answer="Page_LimitOut_"),
    "get_limit": Route("GET", "/limits/{name}", "namespace", answer="LimitUseOut"),
    "set_own_limit": Route("PUT", "/limits/{name}", "namespace", body="max! reason", answer="LimitSetOut"),
    "set_cluster_limit": Route("PUT", "/cluster/limits/{name}", body="max! reason", answer="LimitSetOut"),
    "remove_cluster_limit": Route("DELETE", "/cluster/limits/{name}"),
    "get_job_keys": Route("GET", "/limits/job/{name}", "namespace", answer="JobKeysOut"),
    "get_scope_limit": Route("GET", "/limits/{kind}/{name}", answer="LimitUseOut"),
    "set_scope_limit": Route("PUT", "/cluster/limits/{kind}/{name}", body="max rate burst reason", answer="LimitOut"),
    "remove_scope_limit": Route("DELETE", "/cluster/limits/{kind}/{name}"),
    # reports
    "get_report": Route("GET", "/reports/{kind}", "namespace date tz format", answer="ReportOut"),
    "list_report_schedules": Route("GET", "/report-schedules", f"namespace {_PAGE}", answer="ReportSchedulesOut"),
    "get_report_schedule": Route("GET", "/report-schedules/{name}", "namespace", answer="ReportScheduleOut"),
    "put_report_schedule": Route(
        "PUT", "/report-schedules/{name}", "namespace", "schedule! reason", answer="ReportScheduleOut"
    ),
    "send_report_schedule": Route(
        "POST", "/report-schedules/{name}:send", "namespace", "reason", answer="ReportSentOut"
    ),
    "delete_report_schedule": Route("DELETE", "/report-schedules/{name}", "namespace reason"),
    # alerts
    "list_alerts": Route(
        "GET", "/alerts", f"namespace state level rule job node since {_PAGE}", answer="Page_AlertOut_"
    ),
    "get_alert": Route("GET", "/alerts/{number}", answer="AlertOut"),
    "ack_alert": Route("POST", "/alerts/{number}:ack", body="note", answer="AlertOut"),
    "resolve_alert": Route("POST", "/alerts/{number}:resolve", body="reason", answer="AlertOut"),
    "apply_alerts": Route(
        "POST", "/alerts:apply", "namespace", "channels rules checks reports dry_run reason", answer="AppliedOut"
    ),
    "list_rules": Route("GET", "/rules", f"namespace {_PAGE}", answer="RulesOut"),
    "get_rule": Route("GET", "/rules/{name}", "namespace everywhere", answer="RuleOut"),
    "put_rule": Route(
        "PUT", "/rules/{name}", "namespace everywhere", "rule! reason", "If-Match If-None-Match", "RuleOut"
    ),
    "delete_rule": Route("DELETE", "/rules/{name}", "namespace everywhere reason"),
    "list_checks": Route("GET", "/checks", f"namespace state q {_PAGE}", answer="ChecksOut"),
    "create_check": Route("POST", "/checks", "namespace", "name! check! reason", answer="CheckOut"),
    "get_check": Route("GET", "/checks/{name}", "namespace", answer="CheckOut"),
    "put_check": Route("PUT", "/checks/{name}", "namespace", "check! reason", "If-Match If-None-Match", "CheckOut"),
    "delete_check": Route("DELETE", "/checks/{name}", "namespace reason"),
    "pause_check": Route("POST", "/checks/{name}:pause", "namespace", "reason", answer="CheckOut"),
    "resume_check": Route("POST", "/checks/{name}:resume", "namespace", "reason", answer="CheckOut"),
    "ping_check": Route("POST", "/checks/{name}:ping", "namespace kind", "text exit_code", answer="HeardOut"),
    "list_check_pings": Route("GET", "/checks/{name}/pings", f"namespace {_PAGE}", answer="PingsOut"),
    "try_rule": Route("POST", "/rules/{name}:test", "namespace everywhere", "run! rule", answer="RuleTestOut"),
    "preview_rule": Route(
        "POST", "/rules/{name}:preview", "namespace everywhere", "kind run rule", answer="RulePreviewOut"
    ),
    "list_channels": Route("GET", "/channels", f"namespace {_PAGE}", answer="ChannelsOut"),
    "list_channel_kinds": Route("GET", "/channels/kinds", _PAGE, answer="ChannelKindsOut"),
    "get_channel": Route("GET", "/channels/{name}", "namespace", answer="ChannelOut"),
    "put_channel": Route(
        "PUT", "/channels/{name}", "namespace", "channel! reason", "If-Match If-None-Match", "ChannelOut"
    ),
    "delete_channel": Route("DELETE", "/channels/{name}", "namespace force reason"),
    "try_channel": Route("POST", "/channels/{name}:test", "namespace", answer="ChannelTestOut"),
    "preview_channel": Route(
        "POST", "/channels/{name}:preview", "namespace", "kind alert run rule channel", answer="ChannelPreviewOut"
    ),
    "list_deliveries": Route("GET", "/deliveries", f"namespace channel alert {_PAGE}", answer="Page_DeliveryOut_"),
    "list_silences": Route("GET", "/silences", f"namespace ended {_PAGE}", answer="SilencesOut"),
    "get_silence": Route("GET", "/silences/{number}", answer="SilenceOut"),
    "make_silence": Route(
        "POST",
        "/silences",
        body="of rule alert namespace:in_namespace everywhere everything from:from_ for:for_ until reason!",
        answer="SilenceOut",
    ),
    "end_silence": Route("DELETE", "/silences/{number}", answer="SilenceOut"),
    # locks
    "list_locks": Route("GET", "/locks", f"namespace {_PAGE}", answer="Page_LockOut_"),
    "get_lock": Route("GET", "/locks/{name}", "namespace", answer="LockOut"),
    "claim_lock": Route(
        "PUT",
        "/locks/{name}/claims/{claim}",
        "namespace wait",
        "ttl token:of at_once shared slots",
        answer="LockClaimOut",
    ),
    "leave_lock": Route("DELETE", "/locks/{name}/claims/{claim}", "namespace"),
    "release_lock": Route("POST", "/locks/{name}:release", "namespace", "token:of! reason", answer="LockOut"),
    # the cluster and its nodes
    "get_cluster": Route("GET", "/cluster", answer="ClusterOut"),
    "get_overview": Route("GET", "/overview", "namespace tz", answer="OverviewOut"),
    "get_settings": Route("GET", "/settings", answer="SettingsOut"),
    "get_ahead": Route("GET", "/overview/ahead", "namespace minutes", answer="AheadOut"),
    "check_cluster": Route("GET", "/cluster/doctor", answer="CheckupOut"),
    "fix_cluster": Route("POST", "/cluster/doctor:fix", body="reason", answer="FixedOut"),
    "list_failovers": Route(
        "GET", "/failovers", f"namespace type since open:only_open {_PAGE}", answer="Page_FailoverOut_"
    ),
    "get_failover": Route("GET", "/failovers/{number}", answer="FailoverOut"),
    "get_policies": Route("GET", "/cluster/policy", answer="PoliciesOut"),
    "set_server_rules": Route(
        "PUT", "/cluster/servers", body="active_min standby_count version reason", answer="ServerRulesOut"
    ),
    "set_policy": Route(
        "PUT", "/cluster/policy/{type}", body="timeout attempts level channel version reason", answer="PolicyOut"
    ),
    "list_drills": Route("GET", "/drills", f"type {_PAGE}", answer="Page_DrillOut_"),
    "list_drill_types": Route("GET", "/drills/types", answer="DrillTypesOut"),
    "preview_drill": Route("POST", "/drills:preview", body="type! on! for:for_ size", answer="DrillPreviewOut"),
    "run_drill": Route("POST", "/drills", body="type! on! for:for_ size alone reason", answer="DrillOut"),
    "get_drill": Route("GET", "/drills/{number}", answer="DrillOut"),
    "stop_drill": Route("POST", "/drills/{number}:stop", answer="DrillOut"),
    "step_down": Route("POST", "/cluster:step-down", body="to reason", answer="HandoverOut"),
    "set_maintenance": Route("POST", "/cluster:maintenance", body="on! lasts reason", answer="MaintenanceChangeOut"),
    "search": Route("GET", "/search", f"q! namespace {_PAGE}", answer="HitsOut"),
    "explain_cron": Route("POST", "/cron:explain", body="expression! timezone dialect count", answer="CronOut"),
    "list_nodes": Route("GET", "/nodes", _PAGE, answer="NodesOut"),
    "get_node": Route("GET", "/nodes/{name}", answer="NodeOut"),
    "get_node_stats": Route("GET", "/nodes/{name}/stats", "from:from_ to step", answer="NodeStatsOut"),
    "get_cluster_stats": Route("GET", "/cluster/stats", "from:from_ to step", answer="NodeStatsOut"),
    "drain_node": Route("POST", "/nodes/{name}:drain", body="reason", answer="NodeOut"),
    "undrain_node": Route("POST", "/nodes/{name}:undrain", body="reason", answer="NodeOut"),
    "promote_node": Route("POST", "/nodes/{name}:promote", body="reason", answer="NodeOut"),
    "demote_node": Route("POST", "/nodes/{name}:demote", body="reason", answer="NodeOut"),
    # kinds of handlers
    "list_handlers": Route("GET", "/handlers", _PAGE, answer="HandlersOut"),
    "get_handler": Route("GET", "/handlers/{kind}", answer="HandlerOut"),
    # what happened, and what happens
    "list_journal": Route("GET", "/journal", f"namespace topic subject since until {_PAGE}", answer="Page_EventOut_"),
    "stream_events": Route("GET", "/events", "topics", headers="Last-Event-ID"),
    # saved views of the console
    "list_views": Route("GET", "/views", _PAGE, answer="ViewsOut"),
    "save_view": Route("PUT", "/views/{name}", body="path! shared", answer="ViewOut"),
    "remove_view": Route("DELETE", "/views/{name}", "shared"),
    # who may do what
    "list_tokens": Route("GET", "/tokens", f"all:include_ended {_PAGE}", answer="TokensOut"),
    "create_token": Route(
        "POST", "/tokens", body="name! scopes! expires namespace:for_namespace group", answer="IssuedOut"
    ),
    "rotate_token": Route("POST", "/tokens/{name}:rotate", body="grace", answer="IssuedOut"),
    "revoke_token": Route("DELETE", "/tokens/{name}", answer="TokenOut"),
    "whoami": Route("GET", "/whoami", answer="WhoOut"),
    "create_login_code": Route("POST", "/login-codes", answer="LoginCodeOut"),
    "login": Route("POST", "/login", body="code! cookie", answer="IssuedOut"),
    "start_session": Route("POST", "/session", answer="WhoOut"),
    "logout": Route("POST", "/logout"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0  # how long the server may hold the answer on purpose
    within_s: float | None = None  # all tries together; None: as the client was told


def call(operation: str, *, token: str = "", if_version: int | None = None, **given: Any) -> Call:
    """The request of an operation of the table.

    `token`, fresh for each call and the same in all its tries, makes a POST safe to repeat. `if_version` is the version
    of a job that the caller saw; without one, a save makes a new job. What is given as None is left out; so is an empty
    text or False where the server does not need it, because these are its defaults.
    """
    route = CALLS[operation]
    names = _path_names(route.path)
    path = route.path.format_map({name: _segment(given.pop(name)) for name in names})
    query = {wire: _text(value) for wire, value in _taken(route.query, given)}
    body = {wire: _json(value) for wire, value in _taken(route.body, given)}
    assert not given, f"{operation} does not take {', '.join(given)}"
    headers = {"Idempotency-Key": token} if route.method == "POST" else {}
    if "If-Match" in route.headers and if_version:
        headers["If-Match"] = f'"v{if_version}"'
    elif "If-None-Match" in route.headers:
        headers["If-None-Match"] = "*"
    return Call(
        method=route.method,
        path=PREFIX + path,
        query=query,
        body=body if route.body or route.method == "POST" else None,
        headers=headers,
    )


def moment(at: Moment | None) -> str | None:
    """An instant for the API: RFC 3339; a datetime without zone is this machine's local time."""
    if isinstance(at, datetime):
        return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return at


class CallField(NamedTuple):
    """A parameter of a query or a field of a body."""

    wire: str  # as the server spells it
    argument: str  # as it is given here
    is_needed: bool


@cache
def fields(written: str) -> tuple[CallField, ...]:
    """The fields of an entry of the table."""
    found = []
    for word in written.split():
        wire, _, argument = word.rstrip("!").partition(":")
        found.append(CallField(wire, argument or wire, word.endswith("!")))
    return tuple(found)


def _taken(written: str, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Take from what was given the fields that are to be sent."""
    for one in fields(written):
        value = given.pop(one.argument, None)
        is_default = value is False or value == ""
        if value is not None and (one.is_needed or not is_default):
            yield one.wire, value


@cache
def _path_names(path: str) -> tuple[str, ...]:
    return tuple(re.findall(r"{(\w+)}", path))


def _segment(value: Any) -> str:
    """A name or a number as one segment of a path."""
    return quote(str(value), safe="")


def _text(value: Any) -> str:
    """A value of a query."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(_json(value))


def _json(value: Any) -> Any:
    """A value of a body."""
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, timedelta):
        return format_duration(parse_duration(value))
    return value
