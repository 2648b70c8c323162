"""What the command line says beside errors and data, in English. Keys and flags stay as they are."""

from collections.abc import Mapping
from typing import Final

from foliot.words.templates import Catalogue

PHRASES: Final[Catalogue] = {
    "queued": "{job}  {run}  queued",
    "existing": "{job}  {run}  is the run of this key",
    "succeeded": "{job}  {run}  succeeded in {took}",
    "ended": "{job}  {run}  {state}",
    "ended_why": "{job}  {run}  {state}: {why}",
    "would_trigger": "{job} would run (v{version})",
    "paused": "{name} is paused",
    "paused_until": "{name} is paused until {until}",
    "resumed": "{name} goes on; next {next}",
    "rescheduled": "{name}: next fire {before} → {after}",
    "would_reschedule": "{name} would go on: next fire {before} → {after}",
    "rescheduled_instants": "  {count} skipped instants that have not come are open again",
    "rescheduled_cancelled": "  {count} waiting runs of instants that have not come are cancelled",
    "rescheduled_retries": "  {count} retries that would wait for years are due now",
    "schedule_is_right": "{name}: its schedule is right; next {next}",
    "none_ahead": "no job stands ahead of its schedule",
    "created": "{name} v{version} created",
    "changed": "{name} is v{version} now",
    "same": "{name} is v{version} already, nothing changed",
    "limit_set": "{name} lets {max} runs through now",
    "limit_gone": "{name} is gone",
    "every_namespace": "every",
    "deleted": "{name} deleted; its history stays",
    "cancelled": "{run}  {job}  cancelled",
    "cancel_asked": "{run}  {job}  asked to stop",
    "cancel_forced": "{run}  {job}  is being ended",
    "cancel_final": "{run}  {job}  was over already ({state})",
    "retried": "{old} runs again as {run}",
    "will_hit": "this hits {count}:",
    "and_more": "  … and {count} more",
    "go_on": "go on?",
    "stopped": "nothing was changed",
    "is_a_job": "{job} is a job; its runs: --job {job}",
    "nothing_matches": "nothing matches",
    "no_jobs": "no jobs yet: foliot new makes two, foliot up runs them",
    "more": "more: --cursor {cursor}",
    "backfill_preview": "{job}: {count} instants from {first} to {last}, {parallel} at a time",
    "backfill_nothing": "{job}: nothing to fill in this range",
    "backfill_started": "backfill {id} of {job} started: {total} runs",
    "progress_left": "{left} left",
    "backfill_progress": "backfill {id}  {done} of {total} done, {failed} failed",
    "token_made": "token {name} ({scopes}), until {until}. It is shown this once:",
    "token_written": "token {name} ({scopes}), until {until}, written to {file}",
    "token_revoked": "token {name} revoked: its next call is refused",
    "logged_in": "logged in to {server} as context {context}",
    "logged_out": "logged out of {server}",
    "login_link": "{url}     one use, 15 minutes",
    "code": "login code",
    "context_now": "context {name} is in use",
    "context_gone": "context {name} removed",
    "calendars_built_in": (
        "every country, region and market has its own: de-by-holidays, jp-workdays, xnys-workdays …"
    ),
    "day_counts": "counts",
    "day_does_not_count": "does not count: {why}",
    "calendar_gone": "calendar {name} is gone",
    "draining": "{node} takes no more work; {running} runs go on",
    "drain_progress": "draining {node}  {done} of {total} runs finished",
    "ago": "{lasting} ago",
    "slots_taken": "{running} of {slots} taken",
    "leader_now": "{leader}, term {term}",
    "servers_now": "{online} of {known} online",
    "workers_now": "{online} online, {slots} slots",
    "workers_unwell": ", {count} not well",
    "queue_now": "{queue} waiting, {running} running",
    "oldest": "; the oldest waits for {lasting}",
    "overdue": "the earliest due instant is undecided for {lasting}",
    "undrained": "{node} takes work again",
    "stepped_down": "{leader} leads now (term {term}), {before} no longer",
    "drained": "{node} is drained",
    "drain_goes_on": "the drain of {node} goes on without us",
    "restored": "the store begins anew: epoch {epoch} (was {before}), terms above {term}",
    "restored_plan": "foliot db restored would raise the epoch to {epoch} (now {before}), and terms above {term}",
    "restored_hands": (
        "{runs} runs were in progress: at-least-once ones run again, at-most-once ones end lost; "
        "{sessions} sessions are over"
    ),
    "restored_hands_plan": (
        "{runs} runs are in progress: at-least-once ones would run again, at-most-once ones end lost; "
        "{sessions} sessions would be over"
    ),
    "restored_behind": (
        "{jobs} jobs have undecided instants, the oldest {behind} ago ({since}): decided by each job's misfire policy"
    ),
    "restored_up_to_date": "no job is behind",
    "restored_restart": "restart these servers now, they remember what the store forgot: {servers}",
    "clock_right": "right",
    "clock_ahead": "{by} ahead",
    "clock_behind": "{by} behind",
    "clock_jumped": (
        "the store's clock jumped {by} ahead. Jobs fire by the time before; foliot db trust-clock if it is right"
    ),
    "clock_apart": (
        "the store's clock is far from those of most nodes. Jobs fire by it; foliot db trust-clock if it is right"
    ),
    "no_hits": 'nothing found for "{text}"',
    "no_changes": "no difference",
    "watching": "waiting for {run}; Ctrl-C stops watching, not the run",
    "no_runs_yet": "{job} has no runs yet; waiting for one",
    "bench_bar": "{what}: {value}, bar {bar}",
    "bench_ratio": "{name}: {per_s} per second, {ratio} of the raw twin's {twin}",
    "bench_reached": "{name}: every bar reached",
    "bench_missed": "{name}: {count} of {bars} bars missed",
    "bench_measured": "{name}: measured; it has no bar on this database",
    "unknown_code": "no message has the code {code}",
}

STATES: Final[Mapping[str, str]] = {
    "PENDING": "PENDING",
    "HELD": "HELD",
    "RUNNING": "RUNNING",
    "RETRYING": "RETRYING",
    "CANCELLING": "CANCELLING",
    "SUCCEEDED": "SUCCEEDED",
    "FAILED": "FAILED",
    "CANCELLED": "CANCELLED",
    "draining": "draining",
    "ONLINE": "ONLINE",
    "WARNING": "WARNING",
    "OFFLINE": "OFFLINE",
    "DEAD": "DEAD",
    "LEFT": "LEFT",
    "active": "active",
    "paused": "paused",
    "done": "done",
}
