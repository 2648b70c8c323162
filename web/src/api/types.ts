// Written by python -m web.build types: change the API, then run it.

export interface AckAlert {
  "note"?: string;
}

export interface AffectedOut {
  "runs": number;
  "run_ids": string[];
  "jobs": string[];
  "nodes": string[];
  "locks": string[];
}

export interface AheadOut {
  "now": string;
  "minutes": MinuteAheadOut[];
  "is_whole": boolean;
  "groups": GroupAheadOut[];
}

export interface AlertCountsOut {
  "critical": number;
  "warning": number;
  "info": number;
}

export interface AlertOut {
  "id": number;
  "state": "PENDING" | "FIRING" | "ACKNOWLEDGED" | "RESOLVED";
  "level": "info" | "warning" | "critical";
  "title": string;
  "hint": string;
  "rule": string;
  "kind": "failed" | "late" | "slower" | "silent" | "queue" | "node" | "leader" | "store" | "check" | "failover" | "anomaly" | "heartbeat" | "channel" | "metric";
  "namespace": string | null;
  "cause": Record<string, unknown>;
  "to": string[];
  "began_at": string;
  "fired_at": string | null;
  "last_at": string;
  "told_at": string | null;
  "resolved_at": string | null;
  "acked_at": string | null;
  "acked_by": string | null;
  "ack_note": string;
  "silence": number | null;
  "step": number;
  "seen": number;
  "subject_count": number;
  "open_count": number;
  "runbook": string;
  "subjects": AlertSubjectOut[];
}

export interface AlertSubjectOut {
  "subject": string;
  "namespace": string | null;
  "run": string | null;
  "count": number;
  "first_at": string;
  "last_at": string;
  "ended_at": string | null;
  "data": Record<string, unknown>;
}

export interface AnomalyOut {
  "id": number;
  "namespace": string;
  "job": string;
  "kind": "duration" | "failures" | "count" | "lateness" | "silence";
  "began_at": string;
  "seen_at": string;
  "ended_at": string | null;
  "message": string;
  "facts": Record<string, number | string>;
}

export interface AppliedEntryOut {
  "sort": "channel" | "rule" | "check" | "report";
  "name": string;
  "namespace": string | null;
  "change": "created" | "changed" | "same";
  "version": number;
  "changes": ChangeOut[];
  "warnings": WarningOut[];
}

export interface AppliedOut {
  "dry_run": boolean;
  "items": AppliedEntryOut[];
}

export interface ApplyAlerts {
  "channels"?: Record<string, unknown>;
  "rules"?: Record<string, unknown>;
  "checks"?: Record<string, unknown>;
  "reports"?: Record<string, unknown>;
  "dry_run"?: boolean;
  "reason"?: string;
}

export interface AttemptOut {
  "attempt": number;
  "cause": string | null;
  "node": string | null;
  "fence": string;
  "leased_at": string;
  "started_at": string | null;
  "ended_at": string | null;
  "duration_s": number | null;
  "error": string | null;
  "error_type": string | null;
}

export interface AttemptsOut {
  "next_cursor": string | null;
  "items": AttemptOut[];
}

export interface BackfillOut {
  "id": number;
  "job": string;
  "namespace": string;
  "version": number;
  "from_at": string;
  "to_at": string;
  "only": string;
  "parallel": number;
  "newest_first": boolean;
  "state": "ACTIVE" | "PAUSED" | "DONE" | "CANCELLED";
  "total": number;
  "inserted": number;
  "succeeded": number;
  "failed": number;
  "live": string[];
  "created_at": string;
  "created_by": string;
  "reason": string;
  "ended_at": string | null;
}

export interface BackfillPreviewOut {
  "job": string;
  "from_at": string;
  "to_at": string;
  "count": number;
  "parallel": number;
  "first": string | null;
  "last": string | null;
  "instants": string[];
  "token": string;
}

export interface BulkJobs {
  "jobs"?: JobRef[] | null;
  "filter"?: JobFilterIn | null;
  "expected"?: number | null;
  "reason"?: string;
}

export interface BulkOut {
  "count": number;
  "items": CancelledOut[];
}

export interface BulkRuns {
  "ids"?: string[] | null;
  "job"?: string | null;
  "states"?: ("PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED")[] | null;
  "since"?: string | null;
  "until"?: string | null;
  "expected"?: number | null;
  "reason"?: string;
  "force"?: boolean;
}

export interface CalendarIn {
  "calendar": Record<string, unknown>;
  "reason"?: string;
}

export interface CalendarOut {
  "name": string;
  "source": "saved" | "built-in";
  "version": number | null;
  "calendar": Record<string, unknown>;
  "created_at": string | null;
  "created_by": string;
  "reason": string;
  "users": UserOut[] | null;
  "ahead": DayOut[] | null;
}

export interface CalendarsOut {
  "next_cursor": string | null;
  "items": CalendarOut[];
}

export interface CallbackIn {
  "state": "SUCCEEDED" | "FAILED" | "PROGRESS";
  "result"?: unknown;
  "error"?: string | null;
  "progress"?: CallbackProgressIn | null;
}

export interface CallbackOut {
  "run": string;
  "state": "SUCCEEDED" | "FAILED" | "PROGRESS";
}

export interface CallbackProgressIn {
  "done": number;
  "total"?: number | null;
  "note"?: string;
}

export interface CancelRun {
  "reason"?: string;
  "force"?: boolean;
}

export interface CancelledOut {
  "outcome": "ended" | "asked" | "final";
  "run": RunOut;
}

export interface CandidateOut {
  "node": string;
  "score": number | null;
  "chosen": boolean;
}

export interface ChangeOut {
  "path": string;
  "before": unknown;
  "after": unknown;
}

export interface ChannelHealthOut {
  "last_sent_at": string | null;
  "failures": number;
  "failing_since": string | null;
  "last_error": string;
  "waiting": number;
}

export interface ChannelIn {
  "channel": Record<string, unknown>;
  "reason"?: string;
}

export interface ChannelKindOut {
  "name": string;
  "settings": Record<string, unknown>;
}

export interface ChannelKindsOut {
  "next_cursor": string | null;
  "items": ChannelKindOut[];
}

export interface ChannelOut {
  "name": string;
  "namespace": string | null;
  "version": number;
  "kind": string;
  "level": "info" | "warning" | "critical";
  "language": "en" | "zh";
  "is_default": boolean;
  "is_on": boolean;
  "channel": Record<string, unknown>;
  "lately": ChannelHealthOut;
  "lacking": Record<string, string[]>;
  "warnings": WarningOut[];
}

export interface ChannelPreviewOut {
  "channel": string;
  "namespace": string | null;
  "kind": string;
  "language": "en" | "zh";
  "told": "now" | "later" | "never";
  "told_at": string | null;
  "why": string;
  "messages": MessagePreviewOut[];
}

export interface ChannelTestOut {
  "is_sent": boolean;
  "delivery": DeliveryOut;
  "lacking": Record<string, string[]>;
  "warnings": WarningOut[];
}

export interface ChannelsOut {
  "next_cursor": string | null;
  "items": ChannelOut[];
}

export interface CheckIn {
  "check": Record<string, unknown>;
  "reason"?: string;
}

export interface CheckJob {
  "name"?: string;
  "definition": DefinitionForm;
}

export interface CheckOut {
  "name": string;
  "namespace": string;
  "version": number;
  "state": "NEW" | "UP" | "RUNNING" | "LATE" | "DOWN" | "PAUSED";
  "trouble": string | null;
  "in_words": string;
  "check": Record<string, unknown>;
  "is_paused": boolean;
  "pings": number;
  "last_at": string | null;
  "last_kind": string | null;
  "last_text": string;
  "exit_code": number | null;
  "ok_at": string | null;
  "started_at": string | null;
  "took": number | null;
  "due_at": string | null;
  "deadline_at": string | null;
  "down_since": string | null;
  "created_at": string | null;
  "updated_at": string | null;
  "updated_by": string;
  "reason": string;
  "warnings": WarningOut[];
}

export interface ChecksOut {
  "next_cursor": string | null;
  "items": CheckOut[];
}

export interface CheckupOut {
  "at": string;
  "level": "OK" | "UNKNOWN" | "NOTICE" | "WARNING" | "CRITICAL";
  "findings": FindingOut[];
}

export interface CloneJob {
  "name": string;
  "namespace"?: string | null;
  "changes"?: Record<string, unknown> | null;
  "reason"?: string;
}

export interface ClusterOut {
  "now": string;
  "store": string;
  "epoch": number;
  "leader": string | null;
  "leader_since": string | null;
  "term": number;
  "clock_suspect": boolean;
  "clock_ahead_s": number | null;
  "maintenance": MaintenanceOut | null;
  "servers_online": number;
  "workers_online": number;
  "workers_warning": number;
  "slots": number;
  "queue": number;
  "running": number;
  "oldest_ready_s": number | null;
  "overdue_s": number | null;
  "coordinators": CoordinatorOut[];
  "replica": ReplicaOut | null;
  "alerts": AlertCountsOut;
  "troubles": TroubleOut[];
  "nodes": NodeOut[];
}

export interface ClusterTimesOut {
  "heartbeat_interval_s": number;
  "failure_threshold": number;
  "failover_timeout_s": number;
  "leader_ttl_s": number;
  "lock_timeout_s": number;
  "promotion_timeout_s": number;
}

export interface CoordinatorOut {
  "name": string;
  "servers": number;
  "reached_by": number;
  "latency_s": number | null;
}

export interface CronIn {
  "expression": string;
  "timezone"?: string;
  "dialect"?: "unix" | "quartz" | "spring" | null;
  "count"?: number;
}

export interface CronOut {
  "expression": string;
  "words": string;
  "next": string[];
  "warnings": (Record<string, string | null>)[];
}

export interface CrowdedOut {
  "start": string;
  "runs": number;
  "jobs": number;
  "longest_wait_s": number;
}

export interface DayOut {
  "day": string;
  "counts": boolean;
  "why": string | null;
}

export interface DaysOut {
  "timezone": string;
  "first": string;
  "last": string;
  "days": JobDayOut[];
  "whole_since": string | null;
}

export interface DebounceForm {
  "quiet": string | number;
  "at_most"?: string | number | null;
  "by"?: string | null;
}

export interface DefinitionForm {
  "description"?: string | null;
  "owner"?: string | null;
  "group"?: string | null;
  "tags"?: Record<string, string> | null;
  "run": Record<string, unknown>;
  "merge"?: Record<string, unknown> | null;
  "schedule"?: string | ScheduleForm | (string | ScheduleForm)[] | null;
  "timezone"?: string | null;
  "params"?: Record<string, unknown> | null;
  "parameters"?: Record<string, unknown> | null;
  "shards"?: number | "each_worker" | null;
  "timeout"?: string | number | null;
  "grace"?: string | number | null;
  "start_within"?: string | number | null;
  "isolation"?: "loop" | "process" | "thread" | null;
  "exclusive"?: boolean | null;
  "retries"?: number | RetriesForm | null;
  "overlap"?: "skip" | "queue" | "queue_all" | "replace" | "allow" | null;
  "misfire"?: string | MisfireForm | null;
  "debounce"?: string | number | DebounceForm | null;
  "throttle"?: string | ThrottleForm | null;
  "on_lost"?: "rerun" | "fail" | null;
  "max_lost"?: number | null;
  "place"?: PlaceForm | null;
  "alert"?: Record<string, unknown> | null;
  "keep_when_removed"?: boolean | null;
}

export interface DeliveryOut {
  "id": number;
  "delivery": string;
  "kind": "fired" | "reminded" | "escalated" | "resolved" | "digest" | "report" | "test" | "alive";
  "channel": string;
  "namespace": string | null;
  "level": "info" | "warning" | "critical";
  "alert": number | null;
  "state": "WAITING" | "SENDING" | "SENT" | "FAILED" | "DROPPED";
  "attempt": number;
  "created_at": string;
  "next_at": string | null;
  "settled_at": string | null;
  "sent_by": string | null;
  "is_repeat": boolean;
  "error": string;
}

export interface DiffOut {
  "before": number;
  "after": number;
  "changes": ChangeOut[];
}

export interface DrainNode {
  "reason"?: string;
}

export interface DrillAskIn {
  "type": string;
  "on": string;
  "for"?: string | number;
  "size"?: string | number | null;
  "alone"?: boolean;
  "reason"?: string;
}

export interface DrillFiresOut {
  "jobs": number;
  "due": number;
  "created": number;
  "skipped": number;
  "lost": number;
  "doubled": number;
  "early": number;
  "late": number;
  "named": string[];
}

export interface DrillIn {
  "type": string;
  "on": string;
  "for"?: string | number;
  "size"?: string | number | null;
}

export interface DrillOut {
  "id": number;
  "type": "crash" | "hang" | "partition" | "slow_store" | "clock_step" | "exhaust" | "deadlock" | "disk_full";
  "node": string;
  "state": "ASKED" | "RUNNING" | "ENDED" | "STOPPED" | "LOST";
  "for_s": number;
  "size_s": number | null;
  "by": string;
  "reason": string;
  "asked_at": string;
  "began_at": string | null;
  "ended_at": string | null;
  "detected_s": number | null;
  "failed_over_s": number | null;
  "recovered_s": number | null;
  "worst_delay_s": number | null;
  "fires": DrillFiresOut | null;
  "rerun": number | null;
  "every_job": boolean | null;
  "failovers": number[];
  "compared": Record<string, string>;
}

export interface DrillPreviewOut {
  "type": "crash" | "hang" | "partition" | "slow_store" | "clock_step" | "exhaust" | "deadlock" | "disk_full";
  "node": string;
  "kind": "server" | "worker";
  "for_s": number;
  "size_s": number | null;
  "is_leader": boolean;
  "running": number;
  "run_ids": string[];
  "jobs": string[];
  "others": number;
  "consequences": string[];
}

export interface DrillSizeOut {
  "usual_s": number;
  "least_s": number;
  "most_s": number;
}

export interface DrillTypeOut {
  "type": "crash" | "hang" | "partition" | "slow_store" | "clock_step" | "exhaust" | "deadlock" | "disk_full";
  "breaks": string;
  "on": string[];
  "size": DrillSizeOut | null;
}

export interface DrillTypesOut {
  "items": DrillTypeOut[];
  "nodes": string[];
}

export interface DryRunOut {
  "dry_run": true;
  "job": string;
  "version": number;
}

export interface DueJobOut {
  "name": string;
  "namespace": string;
}

export interface ErrorItem {
  "path": string;
  "message": string;
  "code"?: string;
}

export interface EventOut {
  "id": number;
  "at": string;
  "topic": "jobs" | "runs" | "nodes" | "cluster";
  "kind": string;
  "subject": string;
  "by": string;
  "namespace": string | null;
  "data": Record<string, unknown>;
}

export interface FailedKindOut {
  "kind": string;
  "package": string;
  "version": string;
  "why": string;
}

export interface FailoverOut {
  "id": number;
  "type": "network_partition" | "server_crash" | "worker_crash" | "run_timeout" | "lock_deadlock" | "resource_exhaustion" | "store_unreachable" | "coordination_unreachable" | "clock_step";
  "subject": string;
  "namespace": string | null;
  "began_at": string;
  "detected_at": string;
  "detection": string;
  "evidence": Record<string, unknown>;
  "affected": AffectedOut;
  "action": string;
  "attempts": number;
  "outcome": string | null;
  "done": Record<string, unknown>;
  "ended_at": string | null;
  "lasted_s": number;
  "term": number | null;
  "escalated_at": string | null;
  "level": string | null;
  "channel": string | null;
}

export interface FindingOut {
  "check": string;
  "family": "database" | "system" | "coordination" | "business";
  "title": string;
  "level": "OK" | "UNKNOWN" | "NOTICE" | "WARNING" | "CRITICAL";
  "value": number | null;
  "unit": "seconds" | "days" | "share" | "bytes" | "count";
  "threshold": number | null;
  "subject": string | null;
  "others": number;
  "message": string;
  "hint": string | null;
  "fix": string | null;
}

export interface FireOut {
  "due_at": string;
  "decision": "CREATED" | "SKIPPED" | "PLANNED";
  "run": string | null;
  "run_state": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
  "lateness_s": number | null;
  "from_at": string | null;
  "to_at": string | null;
  "count": number | null;
  "reason": string | null;
  "why": string | null;
}

export interface FiresOut {
  "next_cursor": string | null;
  "now": string;
  "past": FireOut[];
  "future": FireOut[];
}

export interface FixCluster {
  "reason"?: string;
}

export interface FixOut {
  "fix": string;
  "title": string;
  "count": number;
  "is_done": boolean;
  "message": string;
}

export interface FixedOut {
  "fixes": FixOut[];
}

export interface GroupAheadOut {
  "group": string;
  "slots": number;
  "needs": number;
  "at": string;
  "is_short": boolean;
}

export interface HandlerOut {
  "kind": string;
  "is_own": boolean;
  "versions": KindVersionOut[];
  "failed": KindFailedOut[];
  "options_schema": Record<string, unknown> | null;
}

export interface HandlersOut {
  "next_cursor": string | null;
  "items": HandlerOut[];
}

export interface HandoverOut {
  "before": string | null;
  "leader": string;
  "term": number;
}

export interface HeardOut {
  "name": string;
  "namespace": string;
  "state": "NEW" | "UP" | "RUNNING" | "LATE" | "DOWN" | "PAUSED";
  "due_at": string | null;
  "deadline_at": string | null;
}

export interface HeldRunOut {
  "run": RunOut;
  "why": WhyOut;
}

export interface HitOut {
  "kind": "job" | "run" | "node" | "check";
  "name": string;
  "namespace": string | null;
  "detail": string;
}

export interface HitsOut {
  "next_cursor": string | null;
  "items": HitOut[];
}

export interface IssuedOut {
  "token": string;
  "record": TokenOut;
}

export interface JobChange {
  "definition": DefinitionForm;
  "reason"?: string;
}

export interface JobDayOut {
  "day": string;
  "counts": Record<string, number>;
}

export interface JobFilterIn {
  "state"?: string | null;
  "owner"?: string | null;
  "group"?: string | null;
  "label"?: string[];
  "q"?: string;
  "failing"?: boolean;
  "late"?: boolean;
}

export interface JobKeysOut {
  "job": string;
  "namespace": string;
  "max_running": number | null;
  "max_per_key": number | null;
  "concurrency_by": string | null;
  "rate": string | null;
  "rate_burst": number | null;
  "rate_by": string | null;
  "max_per_worker": number | null;
  "full": KeyUseOut[];
}

export interface JobLineOut {
  "namespace": string;
  "job": string;
  "now": TallyOut;
  "before": TallyOut;
  "duration_s": ReportSpreadOut | null;
  "queue_delay_s": ReportSpreadOut | null;
  "failures": Record<string, number>;
}

export interface JobOut {
  "name": string;
  "namespace": string;
  "version": number;
  "hash": string;
  "source": string;
  "state": "ACTIVE" | "PAUSED" | "DONE";
  "group": string;
  "owner": string;
  "tags": Record<string, string>;
  "description": string;
  "schedule": string | null;
  "cron": string[];
  "timezone": string;
  "zones": string[];
  "next_at": string | null;
  "next_due_at": string | null;
  "created_at": string;
  "updated_at": string;
  "updated_by": string;
  "paused_at": string | null;
  "paused_until": string | null;
  "paused_by": string | null;
  "pause_reason": string;
  "module": string | null;
  "retired_at": string | null;
  "renamed_to": string | null;
  "trouble": string | null;
  "last_run": LastRunOut | null;
  "rank": RankOut | null;
  "strip": StripOut | null;
  "executes": string | null;
  "parameters": Record<string, unknown> | null;
  "waiting": number | null;
  "alerting": string | null;
  "alerts": AlertOut[] | null;
  "warnings": WarningOut[];
  "unserved": WarningOut | null;
  "definition": DefinitionForm | null;
}

export interface JobPatch {
  "definition": Record<string, unknown>;
  "reason"?: string;
}

export interface JobRef {
  "name": string;
  "namespace"?: string | null;
}

export interface JobStatsOut {
  "runs": number;
  "succeeded": number;
  "failed": number;
  "cancelled": number;
  "success_rate": number | null;
  "duration_s": SpreadOut | null;
  "queue_delay_s": SpreadOut | null;
  "last_ended_at": string | null;
  "name": string;
  "from_at": string;
  "to_at": string;
  "step": "minute" | "hour" | "day";
  "outcomes": Record<string, number>;
  "retries": number;
  "points": PointOut[];
  "nodes": NodeFiguresOut[];
  "anomalies": AnomalyOut[];
}

export interface KeyUseOut {
  "value": string;
  "kind": LimitKind;
  "used": number;
  "max": number | null;
  "next_at": string | null;
  "waiting": number;
  "holders": string[];
}

export interface KindFailedOut {
  "node": string;
  "package": string;
  "version": string;
  "why": string;
}

export interface KindVersionOut {
  "version": string;
  "nodes": string[];
  "options_schema": Record<string, unknown> | null;
}

export interface LastRunOut {
  "id": string;
  "state": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
  "shown": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "HELD" | "RETRYING" | "CANCELLING";
  "kind": string | null;
  "created_at": string;
  "ended_at": string | null;
  "duration_s": number | null;
}

export interface LimitHolderOut {
  "run": string;
  "job": string;
  "namespace": string;
  "worker": string | null;
  "since": string;
  "takes": number;
}

export interface LimitIn {
  "max": number;
  "reason"?: string;
}

export type LimitKind = "named" | "group" | "namespace" | "job" | "key" | "worker";

export interface LimitOut {
  "name": string;
  "namespace": string | null;
  "max": number | null;
  "used": number;
  "kind": LimitKind;
  "rate": string | null;
  "burst": number | null;
  "next_at": string | null;
}

export interface LimitSetOut {
  "name": string;
  "namespace": string | null;
  "max": number | null;
  "used": number;
  "kind": LimitKind;
  "rate": string | null;
  "burst": number | null;
  "next_at": string | null;
  "namesakes": number;
  "stuck": LimitUserOut[];
}

export interface LimitUseOut {
  "name": string;
  "namespace": string | null;
  "max": number | null;
  "used": number;
  "kind": LimitKind;
  "rate": string | null;
  "burst": number | null;
  "next_at": string | null;
  "holders": LimitHolderOut[];
  "hidden": number;
  "waiting": number;
  "oldest": LimitWaiterOut | null;
  "jobs": LimitUserOut[];
}

export interface LimitUserOut {
  "job": string;
  "namespace": string;
  "takes": number;
}

export interface LimitWaiterOut {
  "run": string;
  "job": string;
  "namespace": string;
  "since": string;
}

export interface LoadOut {
  "samples": number;
  "cpu": ReadingOut | null;
  "memory": ReadingOut | null;
  "disk": ReadingOut | null;
  "score": ReadingOut | null;
  "threads": ReadingOut | null;
  "running": ReadingOut | null;
  "slots": ReadingOut | null;
  "bands": Record<string, number>;
  "scheduled": number;
  "skipped": number;
  "leased": number;
}

export interface LoadPointOut {
  "samples": number;
  "cpu": ReadingOut | null;
  "memory": ReadingOut | null;
  "disk": ReadingOut | null;
  "score": ReadingOut | null;
  "threads": ReadingOut | null;
  "running": ReadingOut | null;
  "slots": ReadingOut | null;
  "bands": Record<string, number>;
  "scheduled": number;
  "skipped": number;
  "leased": number;
  "start": string;
}

export interface LockClaimIn {
  "ttl"?: string | number;
  "token"?: string | null;
  "at_once"?: boolean;
  "shared"?: boolean;
  "slots"?: number;
}

export interface LockClaimOut {
  "name": string;
  "namespace": string;
  "claim": string;
  "state": "HELD" | "WAITING";
  "token": string | null;
  "ttl_seconds": number | null;
}

export interface LockOut {
  "name": string;
  "namespace": string;
  "token": string;
  "holders": LockOwnerOut[];
  "waiters": LockOwnerOut[];
  "advice": string | null;
}

export interface LockOwnerOut {
  "owner": string;
  "job": string | null;
  "node": string | null;
  "mode": string;
  "token": string | null;
  "asked_at": string;
  "granted_at": string | null;
  "until": string;
}

export interface LockReleaseIn {
  "token": string;
  "reason"?: string;
}

export interface LogLineOut {
  "position": string;
  "text": string;
  "shard": number | null;
}

export interface LogLinesOut {
  "items": LogLineOut[];
  "is_begin": boolean;
  "is_end": boolean;
  "search_on": string | null;
}

export interface LoginCodeOut {
  "code": string;
  "path": string;
  "expires_at": string;
}

export interface LoginIn {
  "code": string;
  "cookie"?: boolean;
}

export interface MaintenanceChangeOut {
  "maintenance": MaintenanceOut | null;
  "ended": MaintenanceOut | null;
}

export interface MaintenanceOut {
  "since": string;
  "until": string | null;
  "by": string;
  "reason": string;
}

export interface MessagePreviewOut {
  "language": "en" | "zh";
  "title": string;
  "text": string;
  "facts": Record<string, string>;
  "log": string[];
  "link": string;
  "runbook": string;
  "body": Record<string, unknown>;
  "bytes": number;
  "is_cut": boolean;
}

export interface MinuteAheadOut {
  "at": string;
  "fires": number;
  "jobs": DueJobOut[];
  "slots": number;
}

export interface MisfireForm {
  "latest"?: string | number | null;
  "all"?: string | number | null;
  "limit"?: number | null;
}

export interface NewBackfillIn {
  "job": string;
  "namespace"?: string | null;
  "from": string;
  "to"?: string | null;
  "only"?: "missing" | "failed" | "all";
  "parallel"?: number;
  "newest_first"?: boolean;
  "params"?: Record<string, unknown> | null;
  "reason"?: string;
}

export interface NewCheck {
  "name": string;
  "check": Record<string, unknown>;
  "reason"?: string;
}

export interface NewJob {
  "name": string;
  "definition": DefinitionForm;
  "reason"?: string;
}

export interface NewTokenIn {
  "name": string;
  "scopes": string[];
  "expires"?: string | number;
  "namespace"?: string | null;
  "group"?: string | null;
}

export interface NodeFiguresOut {
  "runs": number;
  "succeeded": number;
  "failed": number;
  "cancelled": number;
  "success_rate": number | null;
  "duration_s": SpreadOut | null;
  "queue_delay_s": SpreadOut | null;
  "last_ended_at": string | null;
  "node": string;
}

export interface NodeKindOut {
  "kind": string;
  "version": string;
}

export interface NodeOut {
  "name": string;
  "id": string;
  "kind": string;
  "health": "ONLINE" | "WARNING" | "OFFLINE" | "DEAD" | "LEFT";
  "health_since": string | null;
  "health_why": string | null;
  "state": "LIVE" | "DRAINING" | "DEAD";
  "life": "STARTING" | "REGISTERING" | "SYNCING" | "READY" | "DRAINING" | "GONE";
  "life_times": Record<string, string>;
  "is_leader": boolean;
  "role": "ACTIVE" | "STANDBY" | null;
  "role_since": string | null;
  "group": string;
  "labels": Record<string, string>;
  "slots": number;
  "slots_given": number;
  "weight": number | null;
  "running": number;
  "handlers": string[];
  "kinds": NodeKindOut[];
  "failed_kinds": FailedKindOut[];
  "version": string;
  "host": string;
  "pid": number;
  "started_at": string;
  "last_beat_at": string;
  "beat_age_s": number;
  "ended_at": string | null;
  "clock_offset_s": number | null;
  "protocol": number;
  "address": string | null;
  "load": Record<string, number>;
  "score": number | null;
  "drained_by": string | null;
  "runs": RunOut[] | null;
}

export interface NodeStatsOut {
  "runs": number;
  "succeeded": number;
  "failed": number;
  "cancelled": number;
  "success_rate": number | null;
  "duration_s": SpreadOut | null;
  "queue_delay_s": SpreadOut | null;
  "last_ended_at": string | null;
  "name": string;
  "from_at": string;
  "to_at": string;
  "step": "minute" | "hour" | "day";
  "outcomes": Record<string, number>;
  "retries": number;
  "points": PointOut[];
  "nodes": NodeFiguresOut[];
  "load": LoadOut | null;
  "load_points": LoadPointOut[];
}

export interface NodesOut {
  "next_cursor": string | null;
  "items": NodeOut[];
}

export interface OverviewOut {
  "now": string;
  "namespaces": string[];
  "failing": JobOut[];
  "late": JobOut[];
  "alerts": AlertOut[];
  "alert_counts": AlertCountsOut;
  "held": HeldRunOut[];
  "running": RunOut[];
  "next": JobOut[];
  "changes": EventOut[];
  "cluster": ClusterOut | null;
}

export interface Page_AlertOut_ {
  "items": AlertOut[];
  "next_cursor": string | null;
}

export interface Page_AnomalyOut_ {
  "items": AnomalyOut[];
  "next_cursor": string | null;
}

export interface Page_BackfillOut_ {
  "items": BackfillOut[];
  "next_cursor": string | null;
}

export interface Page_DeliveryOut_ {
  "items": DeliveryOut[];
  "next_cursor": string | null;
}

export interface Page_DrillOut_ {
  "items": DrillOut[];
  "next_cursor": string | null;
}

export interface Page_EventOut_ {
  "items": EventOut[];
  "next_cursor": string | null;
}

export interface Page_FailoverOut_ {
  "items": FailoverOut[];
  "next_cursor": string | null;
}

export interface Page_JobOut_ {
  "items": JobOut[];
  "next_cursor": string | null;
}

export interface Page_LimitOut_ {
  "items": LimitOut[];
  "next_cursor": string | null;
}

export interface Page_LockOut_ {
  "items": LockOut[];
  "next_cursor": string | null;
}

export interface Page_RunOut_ {
  "items": RunOut[];
  "next_cursor": string | null;
}

export interface Page_SkipOut_ {
  "items": SkipOut[];
  "next_cursor": string | null;
}

export interface Page_VersionOut_ {
  "items": VersionOut[];
  "next_cursor": string | null;
}

export interface ParametersOut {
  "handler": string;
  "parameters": Record<string, unknown> | null;
}

export interface PauseCheck {
  "reason"?: string;
}

export interface PauseJob {
  "until"?: string | null;
  "reason"?: string;
}

export interface PauseJobs {
  "jobs"?: JobRef[] | null;
  "filter"?: JobFilterIn | null;
  "expected"?: number | null;
  "reason"?: string;
  "until"?: string | null;
}

export interface PingIn {
  "text"?: string;
  "exit_code"?: number | null;
}

export interface PingOut {
  "number": number;
  "at": string;
  "kind": "start" | "ok" | "fail";
  "text": string;
  "exit_code": number | null;
  "took": number | null;
  "by": string;
}

export interface PingsOut {
  "next_cursor": string | null;
  "items": PingOut[];
}

export interface PlaceForm {
  "require"?: Record<string, string> | null;
  "prefer"?: Record<string, string | PreferenceForm> | null;
  "avoid"?: Record<string, string> | null;
  "spread"?: string | null;
  "route"?: string | RouteForm | null;
  "concurrency"?: Record<string, number> | null;
  "takes"?: Record<string, number> | null;
  "max_running"?: number | null;
  "max_per_worker"?: number | null;
  "max_per_key"?: number | null;
  "concurrency_by"?: string | null;
  "rate"?: string | null;
  "rate_burst"?: number | null;
  "rate_by"?: string | null;
  "max_waiting"?: number | null;
  "priority"?: number | null;
}

export interface PointOut {
  "runs": number;
  "succeeded": number;
  "failed": number;
  "cancelled": number;
  "success_rate": number | null;
  "duration_s": SpreadOut | null;
  "queue_delay_s": SpreadOut | null;
  "last_ended_at": string | null;
  "start": string;
}

export interface PoliciesOut {
  "items": PolicyOut[];
  "times": ClusterTimesOut;
  "servers": ServersOut;
}

export interface PolicyIn {
  "timeout"?: string | number | null;
  "attempts"?: number | null;
  "level"?: string | null;
  "channel"?: string | null;
  "version"?: number | null;
  "reason"?: string;
}

export interface PolicyOut {
  "type": "network_partition" | "server_crash" | "worker_crash" | "run_timeout" | "lock_deadlock" | "resource_exhaustion" | "store_unreachable" | "coordination_unreachable" | "clock_step";
  "detection": string;
  "action": string;
  "timeout_s": number;
  "attempts": number | null;
  "level": "low" | "medium" | "high" | "critical";
  "channel": string | null;
  "settings": string[];
  "version": number;
}

export interface PreferenceForm {
  "value": string;
  "weight"?: number | null;
}

export interface PreviewOfChannel {
  "kind"?: "fired" | "reminded" | "escalated" | "resolved" | "test" | "alive";
  "alert"?: number | null;
  "run"?: string | null;
  "rule"?: string | null;
  "channel"?: Record<string, unknown> | null;
}

export interface PreviewOfRule {
  "kind"?: "fired" | "reminded" | "escalated" | "resolved" | "test" | "alive";
  "run"?: string | null;
  "rule"?: Record<string, unknown> | null;
}

export interface Problem {
  "type": string;
  "title": string;
  "status": number;
  "detail": string;
  "instance": string;
  "code": string;
  "trace_id": string;
  "hint"?: string | null;
  "errors"?: ErrorItem[] | null;
  "nearest"?: string | null;
  "current"?: Record<string, unknown> | null;
  "changes"?: (Record<string, unknown>)[] | null;
}

export interface ProgressOut {
  "done": number;
  "total": number | null;
  "note": string;
  "rate_per_s": number | null;
  "left_s": number | null;
}

export interface RankOut {
  "runs": number;
  "failed": number;
  "p95_s": number | null;
}

export interface ReadingOut {
  "mean": number;
  "max": number;
}

export interface RefusedRunOut {
  "id": string;
  "job": string;
  "namespace": string;
  "code": string;
  "message": string;
  "hint": string | null;
}

export interface ReplicaOut {
  "servers": number;
  "fit": number;
  "age_s": number | null;
}

export interface ReportNodeOut {
  "node": string;
  "kind": string | null;
  "runs": number;
  "failed": number;
  "busy_s": number;
  "cpu": number | null;
  "cpu_max": number | null;
  "memory": number | null;
  "memory_max": number | null;
  "unwell": number | null;
}

export interface ReportOut {
  "kind": "daily" | "weekly";
  "namespace": string | null;
  "timezone": string;
  "date": string;
  "last_date": string;
  "from_at": string;
  "to_at": string;
  "made_at": string;
  "is_over": boolean;
  "is_exact": boolean;
  "title": string;
  "sentences": string[];
  "now": TallyOut;
  "before": TallyOut | null;
  "jobs": number;
  "jobs_new": number;
  "jobs_ran": number;
  "failing": JobLineOut[];
  "slowest": JobLineOut[];
  "late": JobLineOut[];
  "growing": JobLineOut[];
  "crowded": CrowdedOut[];
  "crowded_by": "minute" | "hour" | "day";
  "skips": Record<string, number>;
  "alerts": Record<string, number>;
  "alerts_open": number;
  "alert_list": AlertOut[];
  "anomalies": AnomalyOut[];
  "nodes": ReportNodeOut[];
  "written": string | null;
}

export interface ReportScheduleIn {
  "schedule": Record<string, unknown>;
  "reason"?: string;
}

export interface ReportScheduleOut {
  "name": string;
  "namespace": string | null;
  "version": number;
  "kind": "daily" | "weekly";
  "to": string[];
  "is_on": boolean;
  "next_at": string | null;
  "last_at": string | null;
  "updated_at": string;
  "updated_by": string;
  "schedule": Record<string, unknown>;
  "warnings": WarningOut[];
}

export interface ReportSchedulesOut {
  "next_cursor": string | null;
  "items": ReportScheduleOut[];
}

export interface ReportSentOut {
  "name": string;
  "kind": "daily" | "weekly";
  "date": string;
  "to": string[];
}

export interface ReportSpreadOut {
  "mean": number;
  "p95": number;
  "max": number;
}

export interface RescheduleJob {
  "dry_run"?: boolean;
  "reason"?: string;
}

export interface RescheduleJobs {
  "dry_run"?: boolean;
  "reason"?: string;
  "after"?: number;
  "limit"?: number;
}

export interface RescheduledListOut {
  "items": RescheduledOut[];
  "after": number | null;
}

export interface RescheduledOut {
  "name": string;
  "changed": boolean;
  "dry_run": boolean;
  "before": StandOut;
  "after": StandOut;
  "instants": number;
  "cancelled": number;
  "retries": number;
  "job": JobOut;
}

export interface ResolveAlert {
  "reason"?: string;
}

export interface ResultOut {
  "id": string;
  "state": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
  "result": unknown;
}

export interface ResumeCheck {
  "reason"?: string;
}

export interface ResumeJob {
  "catch_up"?: boolean;
  "reason"?: string;
}

export interface ResumeJobs {
  "jobs"?: JobRef[] | null;
  "filter"?: JobFilterIn | null;
  "expected"?: number | null;
  "reason"?: string;
  "catch_up"?: boolean;
}

export interface RetriedOut {
  "count": number;
  "items": RunOut[];
  "refused": RefusedRunOut[];
}

export interface RetriesForm {
  "max"?: number | null;
  "backoff"?: string | number | (string | number)[] | null;
  "jitter"?: boolean | null;
  "on"?: string | string[] | null;
  "budget_per_hour"?: number | null;
}

export interface RetryRun {
  "version"?: "original" | "latest";
  "failed_shards"?: boolean;
  "reason"?: string;
}

export interface RollbackJob {
  "to": number;
  "reason"?: string;
}

export interface RotateToken {
  "grace"?: string | number;
}

export interface RouteForm {
  "name": string;
  "by"?: string | null;
}

export interface RuleIn {
  "rule": Record<string, unknown>;
  "reason"?: string;
}

export interface RuleOut {
  "name": string;
  "namespace": string | null;
  "version": number;
  "origin": "foliot" | "changed" | "user";
  "kind": "failed" | "late" | "slower" | "silent" | "queue" | "node" | "leader" | "store" | "check" | "failover" | "anomaly" | "heartbeat" | "channel" | "metric";
  "when": string;
  "level": "info" | "warning" | "critical";
  "to": string[];
  "is_on": boolean;
  "in_words": string;
  "rule": Record<string, unknown>;
  "warnings": WarningOut[];
}

export interface RulePreviewOut {
  "items": ChannelPreviewOut[];
}

export interface RuleTestOut {
  "would_fire": boolean;
  "why": string[];
  "to": string[];
}

export interface RulesOut {
  "next_cursor": string | null;
  "items": RuleOut[];
}

export interface RunOut {
  "id": string;
  "job": string;
  "namespace": string;
  "version": number;
  "state": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
  "shown": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "HELD" | "RETRYING" | "CANCELLING";
  "hold": "maintenance" | "line" | "nobody" | "group" | "handler" | "label" | "draining" | "limit" | "busy" | null;
  "kind": "error" | "timeout" | "lost" | "rejected" | "poison" | null;
  "origin": "schedule" | "trigger" | "test" | "retry" | "backfill" | "dependency";
  "retry_of": string | null;
  "due_at": string;
  "created_at": string;
  "not_before": string;
  "started_at": string | null;
  "attempt_started_at": string | null;
  "ended_at": string | null;
  "cancel_asked_at": string | null;
  "cancelled_by": string | null;
  "cancel_reason": string | null;
  "duration_s": number | null;
  "delay_s": number | null;
  "attempt": number;
  "failures": number;
  "deaths": number;
  "priority": number;
  "catch_up": boolean;
  "node": string | null;
  "fence": string | null;
  "triggered_by": string | null;
  "reason": string | null;
  "shard": number | null;
  "parent": string | null;
  "open_shards": number;
  "progress": ProgressOut | null;
  "waits": WaitOut | null;
  "ended_by_callback": boolean;
  "error": string | null;
  "error_type": string | null;
  "executes": string | null;
  "params": unknown;
  "result": unknown;
  "stands_for": "key" | "debounce" | "throttle" | null;
}

export interface ScheduleForm {
  "cron"?: string | null;
  "every"?: string | number | null;
  "at"?: string | string[] | null;
  "daily"?: string | string[] | null;
  "weekly"?: string | string[] | null;
  "tz"?: string | null;
  "dialect"?: string | null;
  "phase"?: string | number | null;
  "anchor"?: string | null;
  "from_end"?: boolean | null;
  "time"?: string | null;
  "every_days"?: number | null;
  "every_weeks"?: number | null;
  "since"?: string | null;
  "start"?: string | null;
  "end"?: string | null;
  "count"?: number | null;
  "jitter"?: string | number | null;
  "calendar"?: string | null;
  "shift"?: string | null;
  "dst_gap"?: string | null;
  "dst_overlap"?: string | null;
}

export interface ScopeLimitIn {
  "max"?: number | "none" | null;
  "rate"?: string | null;
  "burst"?: number | null;
  "reason"?: string;
}

export interface SendReport {
  "reason"?: string;
}

export interface ServerRulesIn {
  "active_min"?: number | null;
  "standby_count"?: number | null;
  "version"?: number | null;
  "reason"?: string;
}

export interface ServerRulesOut {
  "active_min": number;
  "standby_count": number;
  "version": number;
}

export interface ServersOut {
  "active_min": number;
  "standby_count": number;
  "version": number;
  "active": number;
  "standbys": number;
}

export interface SetMaintenance {
  "on": boolean;
  "lasts"?: string | number | null;
  "reason"?: string;
}

export interface SettingOut {
  "name": string;
  "value": string;
  "source": SettingSource;
  "place": string;
  "meaning": string;
}

export type SettingSource = "flag" | "environment" | "file" | "default";

export interface SettingsOut {
  "node": string;
  "items": SettingOut[];
}

export interface ShardsOut {
  "next_cursor": string | null;
  "items": RunOut[];
  "counts": Record<string, number>;
  "slowest": RunOut | null;
}

export interface SilenceIn {
  "of"?: SubjectsForm;
  "rule"?: string;
  "alert"?: number | null;
  "namespace"?: string | null;
  "everywhere"?: boolean | null;
  "everything"?: boolean;
  "from"?: string | null;
  "for"?: string | number | null;
  "until"?: string | null;
  "reason": string;
}

export interface SilenceOut {
  "id": number;
  "namespace": string | null;
  "of": SubjectsForm;
  "rule": string;
  "alert": number | null;
  "from_at": string;
  "until": string;
  "reason": string;
  "made_by": string;
  "ended_by": string | null;
  "is_active": boolean;
}

export interface SilencesOut {
  "next_cursor": string | null;
  "items": SilenceOut[];
}

export interface SkipOut {
  "id": number;
  "job": string;
  "namespace": string;
  "from_at": string;
  "to_at": string;
  "count": number;
  "reason": "overlap" | "misfire" | "calendar" | "blackout" | "paused" | "edited" | "limit";
  "why": string;
  "version": number;
  "decided_at": string;
}

export interface SpreadOut {
  "mean": number;
  "p50": number;
  "p95": number;
  "p99": number;
  "max": number;
}

export interface StandOut {
  "state": "ACTIVE" | "PAUSED" | "DONE";
  "next_at": string | null;
  "next_due_at": string | null;
}

export interface StartBackfillIn {
  "job": string;
  "namespace"?: string | null;
  "from": string;
  "to": string;
  "only"?: "missing" | "failed" | "all";
  "parallel"?: number;
  "newest_first"?: boolean;
  "params"?: Record<string, unknown> | null;
  "reason"?: string;
  "token": string;
}

export interface StepDown {
  "to"?: string | null;
  "reason"?: string;
}

export interface StripOut {
  "runs": StripRunOut[];
  "p50_s": number | null;
  "p95_s": number | null;
  "success_rate": number | null;
}

export interface StripRunOut {
  "id": string;
  "shown": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "HELD" | "RETRYING" | "CANCELLING";
  "duration_s": number | null;
}

export interface SubjectsForm {
  "job"?: string;
  "group"?: string;
  "node"?: string;
  "tags"?: Record<string, string>;
}

export interface TallyOut {
  "runs": number;
  "succeeded": number;
  "failed": number;
  "cancelled": number;
  "retries": number;
  "success_rate": number | null;
  "busy_s": number;
  "mean_s": number | null;
  "mean_wait_s": number | null;
  "longest_wait_s": number;
}

export interface ThrottleForm {
  "rate": string;
  "by"?: string | null;
}

export interface TimelineEntry {
  "at": string;
  "what": string;
  "state": "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
  "attempt": number | null;
  "node": string | null;
  "detail": string | null;
}

export interface TimelineOut {
  "next_cursor": string | null;
  "items": TimelineEntry[];
}

export interface TokenOut {
  "id": string;
  "name": string;
  "scopes": string[];
  "namespace": string | null;
  "group": string | null;
  "created_at": string;
  "created_by": string;
  "expires_at": string;
  "last_used_at": string | null;
  "revoked_at": string | null;
}

export interface TokensOut {
  "next_cursor": string | null;
  "items": TokenOut[];
}

export interface TreatedJobOut {
  "name": string;
  "namespace": string;
  "outcome": "done" | "same" | "failed";
  "run": string | null;
  "code": string | null;
  "message": string | null;
  "hint": string | null;
}

export interface TreatedJobsOut {
  "count": number;
  "items": TreatedJobOut[];
}

export interface TriggerJob {
  "params"?: Record<string, unknown> | null;
  "at"?: string | null;
  "delay"?: string | number | null;
  "overlap"?: "allow" | null;
  "priority"?: number | null;
  "key"?: string | null;
  "reason"?: string;
  "dry_run"?: boolean;
  "test"?: boolean;
}

export interface TroubleOut {
  "code": string;
  "message": string;
  "hint": string | null;
}

export interface TryJob {
  "name"?: string;
  "definition": DefinitionForm;
  "params"?: Record<string, unknown> | null;
  "reason"?: string;
}

export interface TryRule {
  "run": string;
  "rule"?: Record<string, unknown> | null;
}

export interface UserOut {
  "namespace": string;
  "job": string;
  "pinned": number;
}

export interface ValidOut {
  "definition": DefinitionForm;
  "hash": string;
  "schedule": string | null;
  "next": string[];
  "warnings": WarningOut[];
  "exists_at_version": number | null;
  "changes": ChangeOut[];
  "is_offered": boolean;
}

export interface VersionOut {
  "version": number;
  "hash": string;
  "created_at": string;
  "created_by": string;
  "reason": string;
  "definition": DefinitionForm;
}

export interface ViewIn {
  "path": string;
  "shared"?: boolean;
}

export interface ViewOut {
  "name": string;
  "path": string;
  "shared": boolean;
  "saved_at": string;
  "saved_by": string;
}

export interface ViewsOut {
  "next_cursor": string | null;
  "items": ViewOut[];
}

export interface WaitOut {
  "what": string;
  "since": string;
}

export interface WarningOut {
  "code": string;
  "message": string;
  "hint": string | null;
}

export interface WhoOut {
  "name": string;
  "scopes": string[];
  "namespace": string | null;
  "group": string | null;
}

export interface WhyListOut {
  "items": WhyOut[];
  "next_cursor": string | null;
}

export interface WhyOut {
  "verdict": string;
  "sentence": string;
  "hint": string | null;
  "code": string | null;
  "at": string | null;
  "from_at": string | null;
  "count": number | null;
  "job": string;
  "run": string | null;
  "timezone": string;
  "candidates": CandidateOut[];
}

export interface WhyRunsOut {
  "items": WhyOut[];
}

export interface Operations {
  ack_alert: { path: { "number": number }; query: Record<never, never>; body: AckAlert; answer: AlertOut };
  apply_alerts: { path: Record<never, never>; query: { "namespace"?: string | null }; body: ApplyAlerts; answer: AppliedOut };
  call_back: { path: { "callback": string }; query: Record<never, never>; body: CallbackIn; answer: CallbackOut };
  cancel_run: { path: { "run": string }; query: Record<never, never>; body: CancelRun; answer: RunOut };
  cancel_runs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: BulkRuns; answer: BulkOut };
  check_cluster: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: CheckupOut };
  claim_lock: { path: { "name": string; "claim": string }; query: { "namespace"?: string | null; "wait"?: number }; body: LockClaimIn; answer: LockClaimOut };
  clone_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: CloneJob; answer: JobOut };
  create_check: { path: Record<never, never>; query: { "namespace"?: string | null }; body: NewCheck; answer: CheckOut };
  create_job: { path: Record<never, never>; query: { "namespace"?: string | null }; body: NewJob; answer: JobOut };
  create_login_code: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: LoginCodeOut };
  create_token: { path: Record<never, never>; query: Record<never, never>; body: NewTokenIn; answer: IssuedOut };
  delete_calendar: { path: { "name": string }; query: Record<never, never>; body: undefined; answer: undefined };
  delete_channel: { path: { "name": string }; query: { "namespace"?: string | null; "force"?: boolean; "reason"?: string }; body: undefined; answer: undefined };
  delete_check: { path: { "name": string }; query: { "namespace"?: string | null; "reason"?: string }; body: undefined; answer: undefined };
  delete_job: { path: { "name": string }; query: { "namespace"?: string | null; "reason"?: string }; body: undefined; answer: undefined };
  delete_jobs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: BulkJobs; answer: TreatedJobsOut };
  delete_report_schedule: { path: { "name": string }; query: { "namespace"?: string | null; "reason"?: string }; body: undefined; answer: undefined };
  delete_rule: { path: { "name": string }; query: { "namespace"?: string | null; "everywhere"?: boolean | null; "reason"?: string }; body: undefined; answer: undefined };
  demote_node: { path: { "name": string }; query: Record<never, never>; body: DrainNode; answer: NodeOut };
  diff_job_versions: { path: { "name": string }; query: { "before": number; "after": number; "namespace"?: string | null }; body: undefined; answer: DiffOut };
  drain_node: { path: { "name": string }; query: Record<never, never>; body: DrainNode; answer: NodeOut };
  end_backfill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: BackfillOut };
  end_silence: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: SilenceOut };
  explain_cron: { path: Record<never, never>; query: Record<never, never>; body: CronIn; answer: CronOut };
  explain_job: { path: { "name": string }; query: { "namespace"?: string | null; "at"?: string | null; "since"?: string | null; "tz"?: string | null; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: WhyListOut };
  explain_run: { path: { "run": string }; query: { "tz"?: string | null }; body: undefined; answer: WhyOut };
  explain_runs: { path: Record<never, never>; query: { "ids": string; "tz"?: string | null }; body: undefined; answer: WhyRunsOut };
  fix_cluster: { path: Record<never, never>; query: Record<never, never>; body: FixCluster; answer: FixedOut };
  get_ahead: { path: Record<never, never>; query: { "namespace"?: string | null; "minutes"?: number }; body: undefined; answer: AheadOut };
  get_alert: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: AlertOut };
  get_backfill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: BackfillOut };
  get_calendar: { path: { "name": string }; query: { "version"?: number | null }; body: undefined; answer: CalendarOut };
  get_channel: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: ChannelOut };
  get_check: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: CheckOut };
  get_cluster: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: ClusterOut };
  get_cluster_stats: { path: Record<never, never>; query: { "from"?: string | null; "to"?: string | null; "step"?: string | null }; body: undefined; answer: NodeStatsOut };
  get_drill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: DrillOut };
  get_failover: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: FailoverOut };
  get_handler: { path: { "kind": string }; query: Record<never, never>; body: undefined; answer: HandlerOut };
  get_job: { path: { "name": string }; query: { "namespace"?: string | null; "strip"?: number }; body: undefined; answer: JobOut };
  get_job_days: { path: { "name": string }; query: { "namespace"?: string | null; "to"?: string | null; "days"?: number; "tz"?: string | null }; body: undefined; answer: DaysOut };
  get_job_keys: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: JobKeysOut };
  get_job_parameters: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: ParametersOut };
  get_job_stats: { path: { "name": string }; query: { "namespace"?: string | null; "from"?: string | null; "to"?: string | null; "step"?: string | null }; body: undefined; answer: JobStatsOut };
  get_job_version: { path: { "name": string; "version": number }; query: { "namespace"?: string | null }; body: undefined; answer: VersionOut };
  get_limit: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: LimitUseOut };
  get_lock: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: LockOut };
  get_node: { path: { "name": string }; query: Record<never, never>; body: undefined; answer: NodeOut };
  get_node_stats: { path: { "name": string }; query: { "from"?: string | null; "to"?: string | null; "step"?: string | null }; body: undefined; answer: NodeStatsOut };
  get_overview: { path: Record<never, never>; query: { "namespace"?: string | null; "tz"?: string | null }; body: undefined; answer: OverviewOut };
  get_policies: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: PoliciesOut };
  get_report: { path: { "kind": string }; query: { "namespace"?: string | null; "date"?: string | null; "tz"?: string; "format"?: string }; body: undefined; answer: ReportOut };
  get_report_schedule: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: ReportScheduleOut };
  get_rule: { path: { "name": string }; query: { "namespace"?: string | null; "everywhere"?: boolean | null }; body: undefined; answer: RuleOut };
  get_run: { path: { "run": string }; query: { "wait"?: number }; body: undefined; answer: RunOut };
  get_run_lines: { path: { "run": string }; query: { "attempt"?: number | null; "shard"?: number | null; "before"?: string | null; "after"?: string | null; "level"?: string | null; "grep"?: string | null; "limit"?: number }; body: undefined; answer: LogLinesOut };
  get_run_logs: { path: { "run": string }; query: { "attempt"?: number | null; "shard"?: number | null; "follow"?: boolean; "tail"?: number | null; "level"?: string | null; "grep"?: string | null; "since"?: string | null }; body: undefined; answer: undefined };
  get_run_result: { path: { "run": string }; query: Record<never, never>; body: undefined; answer: ResultOut };
  get_run_timeline: { path: { "run": string }; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: TimelineOut };
  get_scope_limit: { path: { "kind": "group" | "namespace"; "name": string }; query: Record<never, never>; body: undefined; answer: LimitUseOut };
  get_settings: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: SettingsOut };
  get_silence: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: SilenceOut };
  healthz: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: undefined };
  leave_lock: { path: { "name": string; "claim": string }; query: { "namespace"?: string | null }; body: undefined; answer: undefined };
  list_alerts: { path: Record<never, never>; query: { "namespace"?: string | null; "state"?: string | null; "level"?: string | null; "rule"?: string | null; "job"?: string | null; "node"?: string | null; "since"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_AlertOut_ };
  list_anomalies: { path: Record<never, never>; query: { "namespace"?: string | null; "job"?: string | null; "kind"?: string | null; "since"?: string | null; "open"?: boolean; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_AnomalyOut_ };
  list_backfills: { path: Record<never, never>; query: { "namespace"?: string | null; "job"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_BackfillOut_ };
  list_calendars: { path: Record<never, never>; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: CalendarsOut };
  list_channel_kinds: { path: Record<never, never>; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ChannelKindsOut };
  list_channels: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ChannelsOut };
  list_check_pings: { path: { "name": string }; query: { "namespace"?: string | null; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: PingsOut };
  list_checks: { path: Record<never, never>; query: { "namespace"?: string | null; "state"?: string | null; "q"?: string; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ChecksOut };
  list_deliveries: { path: Record<never, never>; query: { "namespace"?: string | null; "channel"?: string | null; "alert"?: number | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_DeliveryOut_ };
  list_drill_types: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: DrillTypesOut };
  list_drills: { path: Record<never, never>; query: { "type"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_DrillOut_ };
  list_failovers: { path: Record<never, never>; query: { "namespace"?: string | null; "type"?: string | null; "since"?: string | null; "open"?: boolean; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_FailoverOut_ };
  list_handlers: { path: Record<never, never>; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: HandlersOut };
  list_job_fires: { path: { "name": string }; query: { "namespace"?: string | null; "from"?: string | null; "to"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: FiresOut };
  list_job_versions: { path: { "name": string }; query: { "namespace"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_VersionOut_ };
  list_jobs: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number; "cursor"?: string | null; "state"?: string | null; "owner"?: string | null; "group"?: string | null; "label"?: string[] | null; "name"?: string[] | null; "q"?: string; "failing"?: boolean; "late"?: boolean; "sort"?: string; "strip"?: number }; body: undefined; answer: Page_JobOut_ };
  list_journal: { path: Record<never, never>; query: { "namespace"?: string | null; "topic"?: string | null; "subject"?: string | null; "since"?: string | null; "until"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_EventOut_ };
  list_limits: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_LimitOut_ };
  list_locks: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_LockOut_ };
  list_nodes: { path: Record<never, never>; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: NodesOut };
  list_report_schedules: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ReportSchedulesOut };
  list_rules: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: RulesOut };
  list_run_attempts: { path: { "run": string }; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: AttemptsOut };
  list_run_shards: { path: { "run": string }; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ShardsOut };
  list_runs: { path: Record<never, never>; query: { "namespace"?: string | null; "limit"?: number; "cursor"?: string | null; "job"?: string | null; "state"?: string | null; "kind"?: string | null; "since"?: string | null; "until"?: string | null; "ended_since"?: string | null; "ended_until"?: string | null; "node"?: string | null; "label"?: string[] | null; "shards"?: boolean; "tests"?: "only" | "none" | null }; body: undefined; answer: Page_RunOut_ };
  list_silences: { path: Record<never, never>; query: { "namespace"?: string | null; "ended"?: boolean; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: SilencesOut };
  list_skips: { path: Record<never, never>; query: { "namespace"?: string | null; "job"?: string | null; "reason"?: string | null; "since"?: string | null; "until"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: Page_SkipOut_ };
  list_tokens: { path: Record<never, never>; query: { "all"?: boolean; "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: TokensOut };
  list_views: { path: Record<never, never>; query: { "limit"?: number | null; "cursor"?: string | null }; body: undefined; answer: ViewsOut };
  login: { path: Record<never, never>; query: Record<never, never>; body: LoginIn; answer: IssuedOut };
  logout: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: undefined };
  make_silence: { path: Record<never, never>; query: Record<never, never>; body: SilenceIn; answer: SilenceOut };
  metrics: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: undefined };
  patch_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: JobPatch; answer: JobOut };
  pause_backfill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: BackfillOut };
  pause_check: { path: { "name": string }; query: { "namespace"?: string | null }; body: PauseCheck; answer: CheckOut };
  pause_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: PauseJob; answer: JobOut };
  pause_jobs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: PauseJobs; answer: TreatedJobsOut };
  ping_check: { path: { "name": string }; query: { "kind"?: "start" | "ok" | "fail"; "namespace"?: string | null }; body: PingIn; answer: HeardOut };
  preview_backfill: { path: Record<never, never>; query: { "namespace"?: string | null }; body: NewBackfillIn; answer: BackfillPreviewOut };
  preview_channel: { path: { "name": string }; query: { "namespace"?: string | null }; body: PreviewOfChannel; answer: ChannelPreviewOut };
  preview_drill: { path: Record<never, never>; query: Record<never, never>; body: DrillIn; answer: DrillPreviewOut };
  preview_rule: { path: { "name": string }; query: { "namespace"?: string | null; "everywhere"?: boolean | null }; body: PreviewOfRule; answer: RulePreviewOut };
  promote_node: { path: { "name": string }; query: Record<never, never>; body: DrainNode; answer: NodeOut };
  put_calendar: { path: { "name": string }; query: Record<never, never>; body: CalendarIn; answer: CalendarOut };
  put_channel: { path: { "name": string }; query: { "namespace"?: string | null }; body: ChannelIn; answer: ChannelOut };
  put_check: { path: { "name": string }; query: { "namespace"?: string | null }; body: CheckIn; answer: CheckOut };
  put_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: JobChange; answer: JobOut };
  put_report_schedule: { path: { "name": string }; query: { "namespace"?: string | null }; body: ReportScheduleIn; answer: ReportScheduleOut };
  put_rule: { path: { "name": string }; query: { "namespace"?: string | null; "everywhere"?: boolean | null }; body: RuleIn; answer: RuleOut };
  readyz: { path: Record<never, never>; query: { "detail"?: boolean; "reads"?: boolean }; body: undefined; answer: undefined };
  release_lock: { path: { "name": string }; query: { "namespace"?: string | null }; body: LockReleaseIn; answer: LockOut };
  remove_cluster_limit: { path: { "name": string }; query: Record<never, never>; body: undefined; answer: undefined };
  remove_scope_limit: { path: { "kind": "group" | "namespace"; "name": string }; query: Record<never, never>; body: undefined; answer: undefined };
  remove_view: { path: { "name": string }; query: { "shared"?: boolean }; body: undefined; answer: undefined };
  reschedule_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: RescheduleJob; answer: RescheduledOut };
  reschedule_jobs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: RescheduleJobs; answer: RescheduledListOut };
  resolve_alert: { path: { "number": number }; query: Record<never, never>; body: ResolveAlert; answer: AlertOut };
  resume_backfill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: BackfillOut };
  resume_check: { path: { "name": string }; query: { "namespace"?: string | null }; body: ResumeCheck; answer: CheckOut };
  resume_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: ResumeJob; answer: JobOut };
  resume_jobs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: ResumeJobs; answer: TreatedJobsOut };
  retry_run: { path: { "run": string }; query: Record<never, never>; body: RetryRun; answer: RunOut };
  retry_runs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: BulkRuns; answer: RetriedOut };
  revoke_token: { path: { "name": string }; query: Record<never, never>; body: undefined; answer: TokenOut };
  rollback_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: RollbackJob; answer: JobOut };
  rotate_token: { path: { "name": string }; query: Record<never, never>; body: RotateToken; answer: IssuedOut };
  run_drill: { path: Record<never, never>; query: Record<never, never>; body: DrillAskIn; answer: DrillOut };
  save_view: { path: { "name": string }; query: Record<never, never>; body: ViewIn; answer: ViewOut };
  search: { path: Record<never, never>; query: { "q": string; "namespace"?: string | null; "limit"?: number; "cursor"?: string | null }; body: undefined; answer: HitsOut };
  send_report_schedule: { path: { "name": string }; query: { "namespace"?: string | null }; body: SendReport; answer: ReportSentOut };
  set_cluster_limit: { path: { "name": string }; query: Record<never, never>; body: LimitIn; answer: LimitSetOut };
  set_maintenance: { path: Record<never, never>; query: Record<never, never>; body: SetMaintenance; answer: MaintenanceChangeOut };
  set_own_limit: { path: { "name": string }; query: { "namespace"?: string | null }; body: LimitIn; answer: LimitSetOut };
  set_policy: { path: { "type": string }; query: Record<never, never>; body: PolicyIn; answer: PolicyOut };
  set_scope_limit: { path: { "kind": "group" | "namespace"; "name": string }; query: Record<never, never>; body: ScopeLimitIn; answer: LimitOut };
  set_server_rules: { path: Record<never, never>; query: Record<never, never>; body: ServerRulesIn; answer: ServerRulesOut };
  start_backfill: { path: Record<never, never>; query: { "namespace"?: string | null }; body: StartBackfillIn; answer: BackfillOut };
  start_session: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: WhoOut };
  step_down: { path: Record<never, never>; query: Record<never, never>; body: StepDown; answer: HandoverOut };
  stop_drill: { path: { "number": number }; query: Record<never, never>; body: undefined; answer: DrillOut };
  stream_events: { path: Record<never, never>; query: { "topics"?: string }; body: undefined; answer: undefined };
  trigger_job: { path: { "name": string }; query: { "namespace"?: string | null }; body: TriggerJob; answer: RunOut | RunOut | DryRunOut };
  trigger_jobs: { path: Record<never, never>; query: { "namespace"?: string | null }; body: BulkJobs; answer: TreatedJobsOut };
  try_channel: { path: { "name": string }; query: { "namespace"?: string | null }; body: undefined; answer: ChannelTestOut };
  try_definition: { path: Record<never, never>; query: { "namespace"?: string | null }; body: TryJob; answer: RunOut };
  try_rule: { path: { "name": string }; query: { "namespace"?: string | null; "everywhere"?: boolean | null }; body: TryRule; answer: RuleTestOut };
  undrain_node: { path: { "name": string }; query: Record<never, never>; body: DrainNode; answer: NodeOut };
  validate_job: { path: Record<never, never>; query: { "namespace"?: string | null }; body: CheckJob; answer: ValidOut };
  whoami: { path: Record<never, never>; query: Record<never, never>; body: undefined; answer: WhoOut };
}

export const ROUTES: Record<keyof Operations, readonly [method: string, path: string]> = {
  ack_alert: ["POST", "/api/v1/alerts/{number}:ack"],
  apply_alerts: ["POST", "/api/v1/alerts:apply"],
  call_back: ["POST", "/api/v1/callbacks/{callback}"],
  cancel_run: ["POST", "/api/v1/runs/{run}:cancel"],
  cancel_runs: ["POST", "/api/v1/runs:cancel"],
  check_cluster: ["GET", "/api/v1/cluster/doctor"],
  claim_lock: ["PUT", "/api/v1/locks/{name}/claims/{claim}"],
  clone_job: ["POST", "/api/v1/jobs/{name}:clone"],
  create_check: ["POST", "/api/v1/checks"],
  create_job: ["POST", "/api/v1/jobs"],
  create_login_code: ["POST", "/api/v1/login-codes"],
  create_token: ["POST", "/api/v1/tokens"],
  delete_calendar: ["DELETE", "/api/v1/calendars/{name}"],
  delete_channel: ["DELETE", "/api/v1/channels/{name}"],
  delete_check: ["DELETE", "/api/v1/checks/{name}"],
  delete_job: ["DELETE", "/api/v1/jobs/{name}"],
  delete_jobs: ["POST", "/api/v1/jobs:delete"],
  delete_report_schedule: ["DELETE", "/api/v1/report-schedules/{name}"],
  delete_rule: ["DELETE", "/api/v1/rules/{name}"],
  demote_node: ["POST", "/api/v1/nodes/{name}:demote"],
  diff_job_versions: ["GET", "/api/v1/jobs/{name}/diff"],
  drain_node: ["POST", "/api/v1/nodes/{name}:drain"],
  end_backfill: ["DELETE", "/api/v1/backfills/{number}"],
  end_silence: ["DELETE", "/api/v1/silences/{number}"],
  explain_cron: ["POST", "/api/v1/cron:explain"],
  explain_job: ["GET", "/api/v1/jobs/{name}/why"],
  explain_run: ["GET", "/api/v1/runs/{run}/why"],
  explain_runs: ["GET", "/api/v1/runs:why"],
  fix_cluster: ["POST", "/api/v1/cluster/doctor:fix"],
  get_ahead: ["GET", "/api/v1/overview/ahead"],
  get_alert: ["GET", "/api/v1/alerts/{number}"],
  get_backfill: ["GET", "/api/v1/backfills/{number}"],
  get_calendar: ["GET", "/api/v1/calendars/{name}"],
  get_channel: ["GET", "/api/v1/channels/{name}"],
  get_check: ["GET", "/api/v1/checks/{name}"],
  get_cluster: ["GET", "/api/v1/cluster"],
  get_cluster_stats: ["GET", "/api/v1/cluster/stats"],
  get_drill: ["GET", "/api/v1/drills/{number}"],
  get_failover: ["GET", "/api/v1/failovers/{number}"],
  get_handler: ["GET", "/api/v1/handlers/{kind}"],
  get_job: ["GET", "/api/v1/jobs/{name}"],
  get_job_days: ["GET", "/api/v1/jobs/{name}/days"],
  get_job_keys: ["GET", "/api/v1/limits/job/{name}"],
  get_job_parameters: ["GET", "/api/v1/jobs/{name}/parameters"],
  get_job_stats: ["GET", "/api/v1/jobs/{name}/stats"],
  get_job_version: ["GET", "/api/v1/jobs/{name}/versions/{version}"],
  get_limit: ["GET", "/api/v1/limits/{name}"],
  get_lock: ["GET", "/api/v1/locks/{name}"],
  get_node: ["GET", "/api/v1/nodes/{name}"],
  get_node_stats: ["GET", "/api/v1/nodes/{name}/stats"],
  get_overview: ["GET", "/api/v1/overview"],
  get_policies: ["GET", "/api/v1/cluster/policy"],
  get_report: ["GET", "/api/v1/reports/{kind}"],
  get_report_schedule: ["GET", "/api/v1/report-schedules/{name}"],
  get_rule: ["GET", "/api/v1/rules/{name}"],
  get_run: ["GET", "/api/v1/runs/{run}"],
  get_run_lines: ["GET", "/api/v1/runs/{run}/lines"],
  get_run_logs: ["GET", "/api/v1/runs/{run}/logs"],
  get_run_result: ["GET", "/api/v1/runs/{run}/result"],
  get_run_timeline: ["GET", "/api/v1/runs/{run}/timeline"],
  get_scope_limit: ["GET", "/api/v1/limits/{kind}/{name}"],
  get_settings: ["GET", "/api/v1/settings"],
  get_silence: ["GET", "/api/v1/silences/{number}"],
  healthz: ["GET", "/healthz"],
  leave_lock: ["DELETE", "/api/v1/locks/{name}/claims/{claim}"],
  list_alerts: ["GET", "/api/v1/alerts"],
  list_anomalies: ["GET", "/api/v1/anomalies"],
  list_backfills: ["GET", "/api/v1/backfills"],
  list_calendars: ["GET", "/api/v1/calendars"],
  list_channel_kinds: ["GET", "/api/v1/channels/kinds"],
  list_channels: ["GET", "/api/v1/channels"],
  list_check_pings: ["GET", "/api/v1/checks/{name}/pings"],
  list_checks: ["GET", "/api/v1/checks"],
  list_deliveries: ["GET", "/api/v1/deliveries"],
  list_drill_types: ["GET", "/api/v1/drills/types"],
  list_drills: ["GET", "/api/v1/drills"],
  list_failovers: ["GET", "/api/v1/failovers"],
  list_handlers: ["GET", "/api/v1/handlers"],
  list_job_fires: ["GET", "/api/v1/jobs/{name}/fires"],
  list_job_versions: ["GET", "/api/v1/jobs/{name}/versions"],
  list_jobs: ["GET", "/api/v1/jobs"],
  list_journal: ["GET", "/api/v1/journal"],
  list_limits: ["GET", "/api/v1/limits"],
  list_locks: ["GET", "/api/v1/locks"],
  list_nodes: ["GET", "/api/v1/nodes"],
  list_report_schedules: ["GET", "/api/v1/report-schedules"],
  list_rules: ["GET", "/api/v1/rules"],
  list_run_attempts: ["GET", "/api/v1/runs/{run}/attempts"],
  list_run_shards: ["GET", "/api/v1/runs/{run}/shards"],
  list_runs: ["GET", "/api/v1/runs"],
  list_silences: ["GET", "/api/v1/silences"],
  list_skips: ["GET", "/api/v1/skips"],
  list_tokens: ["GET", "/api/v1/tokens"],
  list_views: ["GET", "/api/v1/views"],
  login: ["POST", "/api/v1/login"],
  logout: ["POST", "/api/v1/logout"],
  make_silence: ["POST", "/api/v1/silences"],
  metrics: ["GET", "/metrics"],
  patch_job: ["PATCH", "/api/v1/jobs/{name}"],
  pause_backfill: ["POST", "/api/v1/backfills/{number}:pause"],
  pause_check: ["POST", "/api/v1/checks/{name}:pause"],
  pause_job: ["POST", "/api/v1/jobs/{name}:pause"],
  pause_jobs: ["POST", "/api/v1/jobs:pause"],
  ping_check: ["POST", "/api/v1/checks/{name}:ping"],
  preview_backfill: ["POST", "/api/v1/backfills:preview"],
  preview_channel: ["POST", "/api/v1/channels/{name}:preview"],
  preview_drill: ["POST", "/api/v1/drills:preview"],
  preview_rule: ["POST", "/api/v1/rules/{name}:preview"],
  promote_node: ["POST", "/api/v1/nodes/{name}:promote"],
  put_calendar: ["PUT", "/api/v1/calendars/{name}"],
  put_channel: ["PUT", "/api/v1/channels/{name}"],
  put_check: ["PUT", "/api/v1/checks/{name}"],
  put_job: ["PUT", "/api/v1/jobs/{name}"],
  put_report_schedule: ["PUT", "/api/v1/report-schedules/{name}"],
  put_rule: ["PUT", "/api/v1/rules/{name}"],
  readyz: ["GET", "/readyz"],
  release_lock: ["POST", "/api/v1/locks/{name}:release"],
  remove_cluster_limit: ["DELETE", "/api/v1/cluster/limits/{name}"],
  remove_scope_limit: ["DELETE", "/api/v1/cluster/limits/{kind}/{name}"],
  remove_view: ["DELETE", "/api/v1/views/{name}"],
  reschedule_job: ["POST", "/api/v1/jobs/{name}:reschedule"],
  reschedule_jobs: ["POST", "/api/v1/jobs:reschedule"],
  resolve_alert: ["POST", "/api/v1/alerts/{number}:resolve"],
  resume_backfill: ["POST", "/api/v1/backfills/{number}:resume"],
  resume_check: ["POST", "/api/v1/checks/{name}:resume"],
  resume_job: ["POST", "/api/v1/jobs/{name}:resume"],
  resume_jobs: ["POST", "/api/v1/jobs:resume"],
  retry_run: ["POST", "/api/v1/runs/{run}:retry"],
  retry_runs: ["POST", "/api/v1/runs:retry"],
  revoke_token: ["DELETE", "/api/v1/tokens/{name}"],
  rollback_job: ["POST", "/api/v1/jobs/{name}:rollback"],
  rotate_token: ["POST", "/api/v1/tokens/{name}:rotate"],
  run_drill: ["POST", "/api/v1/drills"],
  save_view: ["PUT", "/api/v1/views/{name}"],
  search: ["GET", "/api/v1/search"],
  send_report_schedule: ["POST", "/api/v1/report-schedules/{name}:send"],
  set_cluster_limit: ["PUT", "/api/v1/cluster/limits/{name}"],
  set_maintenance: ["POST", "/api/v1/cluster:maintenance"],
  set_own_limit: ["PUT", "/api/v1/limits/{name}"],
  set_policy: ["PUT", "/api/v1/cluster/policy/{type}"],
  set_scope_limit: ["PUT", "/api/v1/cluster/limits/{kind}/{name}"],
  set_server_rules: ["PUT", "/api/v1/cluster/servers"],
  start_backfill: ["POST", "/api/v1/backfills"],
  start_session: ["POST", "/api/v1/session"],
  step_down: ["POST", "/api/v1/cluster:step-down"],
  stop_drill: ["POST", "/api/v1/drills/{number}:stop"],
  stream_events: ["GET", "/api/v1/events"],
  trigger_job: ["POST", "/api/v1/jobs/{name}:trigger"],
  trigger_jobs: ["POST", "/api/v1/jobs:trigger"],
  try_channel: ["POST", "/api/v1/channels/{name}:test"],
  try_definition: ["POST", "/api/v1/jobs:test"],
  try_rule: ["POST", "/api/v1/rules/{name}:test"],
  undrain_node: ["POST", "/api/v1/nodes/{name}:undrain"],
  validate_job: ["POST", "/api/v1/jobs:validate"],
  whoami: ["GET", "/api/v1/whoami"],
};
