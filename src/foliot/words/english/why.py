"""Explanations in English. A sentence is a head, the words of its verdict, and a tail."""

from typing import Final

from foliot.words.templates import Catalogue

PIECES: Final[Catalogue] = {
    "head.range": "{first_at}–{last_at}  {count} instants ",
    "head.instant": "{at:full}  [created {run} ({late:lag}), ]",
    "head.run": "{run} of {job}[ (shard {shard} of {parent})][ (merge of {merge_of})], {origin}, ",
    "route.open": "; its route {route} is asked when a worker asks for runs[; it chooses among {among}]",
    "route.named": "; its route {route} means it for {assignee} until {until:short}[ ({because})][, after {before}]; "
    "it chooses among {among}",
    "route.anyone": "; its route {route} leaves it to any worker that fits[, after {before}]",
    "route.went": "; it came to {node} by its route {route}[, after {before}]",
    "route.moved": "; it came to {node} by its route {route}[, after {before}], which had moved the job there from "
    "{from} at {moved_at:short} (score [{score} there, ]{score_after} here)",
    "because.only": "no other worker fits",
    "because.wished": "the wishes of the job leave no other",
    "because.least_full": "the least full",
    "because.first": "the first by name",
    "because.last": "the last by name",
    "because.turn": "its turn after {other}",
    "because.drawn": "drawn by weight",
    "because.key": "its key {key}",
    "because.key_of_job": "all runs of the job have one key",
    "because.fewest_of_job": "the fewest runs of the job",
    "because.longest_ago": "its last run of the job is the longest ago",
    "because.first_healthy": "the first by name that is not in {band}",
    "because.first_of_strained": "the first by name; all are in {band}",
    "because.idle": "the first by name with nothing to do",
    "because.free_slot": "the first by name with a free slot",
    "because.weight": "its turn by weight",
    "because.fewest_running": "the fewest running and waiting for its weight",
    "because.least_load": "the least load when the route was asked",
    "because.stays": "stays: {score_of_other} of {other} is not under {below} of {score}",
    "because.moved": "moved from {other}, which had clearly more to do",
    "because.probe": "measured with every {every}th run",
    "because.unmeasured": "the least full; no pace is known yet",
    "because.soonest": "done there soonest",
    "because.untried": "its pace is not known yet",
    "broadcast.open": "; it is cut when a worker asks for runs: one shard for each live worker that fits"
    "[, now {among}]",
    "broadcast.own": "; this shard is for {assignee} alone",
    "route.candidate": "{name} ({running} of {slots} slots[, {waiting} waiting][, load {load}][, weight {weight}]"
    "[, score {score}]"
    "[, {health}][, preferred by {preferred}][, {avoided}][, {part} with {own|run|runs} of the job]"
    "[, {pace:span} a run])",
    "strained": "these get runs for a part of their slots: {workers}",
    "strained.worker": "{name} ({why})",
    "strained.candidate": "{band}: {why}",
    "strained.by_silence": "its beat is late",
    "strained.by_memory": "its memory is short",
    "strained.by_load": "its load is high",
    "strained.before": "it was late or strained until a moment ago",
    "route.avoided": "to be avoided",
    "route.wishes": "[; the job prefers {prefer}][; the job avoids {avoid}][; its runs are spread over {spread}]",
    "tail": "[; it keeps version {kept} ({newest} is the newest): {kept_why}].",
    "origin.schedule": "due at {due_at:short}",
    "origin.backfill": "a backfill of {due_at:short}[ ({reason})]",
    "origin.retry": "a retry of {retry_of} by {by} at {created_at:short}[ ({reason})]",
    "origin.test": "a test by {by} at {created_at:short}[ ({reason})]",
    "origin.trigger": "triggered by {by} at {created_at:short}[ ({reason})]",
    "kept.begun": "the run was tried before",
    "kept.pinned": "that version was asked for",
    "kept.shards": "the newest has another number of shards",
    "kept.workers": "each of its shards is one worker's own",
    "kept.line": "another part of its run was started before",
    "kept.merge": "the newest merges nothing",
    "lost.job": "on_lost is fail",
    "lost.test": "a test is not tried again",
    "nobody_known": "nobody known",
    "its_worker": "its worker",
    "a_worker": "a worker",
    "by_callback": "ended by a callback",
    "late_work": "it catches up, and late work gives way to work on time",
    "no_error": "no error was reported",
    "range": ("{several} instants from {from_at:short} to {to_at:short}", "1 instant"),
    "neighbour": ("{at:short}, created {run} ({late:lag})", "{at:short}, skipped ({skipped})", "{at:short}"),
    "reason.overlap": "overlap",
    "reason.misfire": "misfire",
    "reason.calendar": "calendar",
    "reason.blackout": "blackout",
    "reason.paused": "paused",
    "reason.edited": "edited",
    "reason.limit": "limit",
    "cause.stands_for": "missed; the fire of {fire_at:short} ran instead",
    "cause.was_due": "missed; the fire of {fire_at:short} was due instead",
    "cause.beyond_window": "missed by more than {window}",
    "cause.newest_only": "missed; only the newest {most} were caught up",
    "cause.policy": "missed, and misfire is skip",
    "cause.before_pause": "missed; not yet decided when the job was paused",
    "cause.open_run": "an earlier run was still open",
    "cause.another_waits": "another run was already waiting",
    "cause.queue_full": "{most|run was|runs were} already waiting",
    "cause.closed": "{text}",
    "cause.paused": "the job was paused",
    "cause.before_edit": "not yet decided when the job was edited",
    "cause.before_delete": "not yet decided when the job was deleted",
    "cause.unreadable": "the version before could not be read, so its instants are not known",
    "cause.other": "{text}",
}

_GIVES_WAY: Final = (
    "[; {surplus} runs of its job waited before it, and what is beyond gives way to other jobs]"
    "[; {surplus_shards} shards of its run come before it, and what is beyond gives way to other jobs][; {late_work}]"
)

SENTENCES: Final[Catalogue] = {
    "succeeded": (
        "succeeded in {took:span}[ on {node}][ at attempt {tries}][ with {shards|shard|shards}][, {by_callback}]"
    ),
    "failed": (
        "failed after {tries} attempts: {error}",
        "failed after {took:span}[ on {node}][, {by_callback}]: {error}",
    ),
    "timeout": "ran out of time after {took:span}[ on {node}][ (attempt {tries})]",
    "worker_gone": "lost: {last_node} drained, was gone or could not execute it any more before the shard was done, "
    "and it was for no other worker",
    "lost": ("lost: {last_node} stopped answering while running it, and nobody knows whether it finished ({why_lost})"),
    "rejected": "rejected before it started: {error}",
    "poison": "given up: {deaths} workers vanished while running it",
    "cancelled": (
        "cancelled at {over_at:short}[ by {cancelled_by}] after {ran:span}[ on {node}][: {cancel_reason}]",
        "cancelled at {over_at:short}[ by {cancelled_by}] before it started[: {cancel_reason}]",
    ),
    "running": (
        "running[ on {node}][ for {running_for:span}][ as attempt {tries}]"
        "[, waiting {callback_for:span} for a callback][, asking another system for {poll_for:span} whether it is done]"
        "[; {lost_by} stopped answering during attempt {lost_try}][; attempt {failed_try} failed: {failed_error}]"
        "[: {shards_succeeded} of {shards} shards succeeded]"
        "[, {shards_running} running][, {shards_pending} waiting][, {shards_failed} failed]"
    ),
    "waits_for_lock": (
        "waits {lock_for:span}[ on {node}] for the lock {lock}"
        "[, held by {lock_holder} since {lock_held_at:short} (token {lock_token})]"
        "[; {lock_ahead|other waits|others wait} before it]"
    ),
    "starting": "handed to {worker} {leased_for:span} ago, not started yet",
    "cancelling": (
        "asked to stop {asked_for:span} ago[ by {cancelled_by}][ ({cancel_reason})], still running[ on {node}]"
    ),
    "thread_goes_on": (
        "asked to stop {asked_for:span} ago[ by {cancelled_by}][ ({cancel_reason})]; "
        "it has not checked ctx.cancelled. Threads cannot be killed"
    ),
    "retrying": (
        (
            "{retry_lost_by} stopped answering during attempt {attempt}. "
            "Attempt {next_attempt} starts at {not_before:short}"
        ),
        "attempt {attempt} failed: {retry_error}. Attempt {next_attempt} starts at {not_before:short}",
    ),
    "later": "waits for its time: {not_before:short}[; a further trigger puts it off (debounce {debounce})]",
    "paced": "catches up, at {not_before:short}: late runs are spread out",
    "ready": (
        "ready for {held:span}: a worker takes it when it may take more; {strained}" + _GIVES_WAY,
        "ready for {held:span}: a worker takes it at its next poll" + _GIVES_WAY,
    ),
    "held_maintenance": (
        "held {held:span}: the cluster is in maintenance since {maintained_at:short} by {maintained_by}"
        "[ until {maintained_until:short}][ ({maintained_for})]"
    ),
    "held_line": (
        (
            "held {held:span}: {ahead_running} of {ahead_at:short} is still running[ ({ahead_for:span})], "
            "and overlap is {overlap}"
        ),
        "held {held:span}: {ahead} of {ahead_at:short} is waiting in front of it, and overlap is {overlap}",
    ),
    "held_nobody": "held {held:span}: no worker is online",
    "held_group": "held {held:span}: no worker is online in group {group} ({online} in others)",
    "held_handler": (
        "held {held:span}: no worker offers {handler} ({online} online[; nearest: {nearest} on {nearest_on}])"
    ),
    "held_label": "held {held:span}: needs {needs:list}; 0 of {fitting} workers have it",
    "held_draining": "held {held:span}: the workers that can run it ({fitting}) are draining and take no more work",
    "held_limit": (
        "held {held:span}: as many runs of its key {key_full} execute as may[, {key_holder} among them]",
        "held {held:span}: the rate of its key {key_spent} is used up; the next may start in {limit_next:span}",
        "held {held:span}: each worker that can run it ({full_on}) runs {per_worker} of this job, as many as one may",
        "held {held:span}: it needs {limit_never} of the limit {limit}, which has only {limit_max}: it can never start",
        "held {held:span}: it needs {limit_takes} of the limit {limit}; free: {limit_free} of {limit_max}",
        (
            "held {held:span}: what is free of the limit {limit_kept} ({limit_free} of {limit_max}) is kept for a run "
            "that was due before and needs more of it"
        ),
        (
            "held {held:span}: {limit_spent_job} of the job ({limit_rate}) is used up; the next run may start in "
            "{limit_next:span}"
        ),
        (
            "held {held:span}: the rate of group {limit_spent_group} ({limit_rate}) is used up; the next run may start "
            "in {limit_next:span}"
        ),
        (
            "held {held:span}: the rate of namespace {limit_spent_namespace} ({limit_rate}) is used up; the next run "
            "may start in {limit_next:span}"
        ),
        "held {held:span}: the limit of group {limit_full_group} is full ({limit_used} of {limit_max})",
        "held {held:span}: the limit of namespace {limit_full_namespace} is full ({limit_used} of {limit_max})",
        "held {held:span}: the limit {limit} is full ({limit_used} of {limit_max})",
    ),
    "held_busy": (
        "held {held:span}: all slots of the workers that can run it are taken "
        "({running} of {slots} on {fitting|worker|workers})[; {strained}]" + _GIVES_WAY
    ),
    "skipped_overlap": (
        "skipped: an earlier run was still open ({open_run} of {open_at:short}), and overlap is {skip_overlap}",
        "skipped: an earlier run was still open, and overlap is {skip_overlap}",
    ),
    "skipped_overlap.queue": "skipped: another run was already waiting, and overlap is queue (one waits)",
    "skipped_misfire": (
        "skipped: {cause} ({among} were decided at {decided_at:short})",
        "skipped: {cause} (decided at {decided_at:short})",
    ),
    "skipped_calendar": "skipped by the calendar: {cause}",
    "skipped_blackout": "skipped in a closed time: {cause}",
    "skipped_paused": "skipped: {job} was paused[ ({range})]",
    "skipped_edited": "skipped: the schedule of {job} was changed[ ({range})]",
    "skipped_limit": "skipped: {cause}, the most that may",
    "before_creation": "no fire: {job} was created at {born_at:short}[. First fire {first}]",
    "no_schedule": "no fire: {job} has no schedule; it runs when it is triggered",
    "fixed_delay": "no fire: {job} is due so long after the end of its last run, not at given times",
    "before_start": "no fire: the schedule of {job} begins at {start_at:short}[. First instant {after_at:short}]",
    "after_end": "no fire: the schedule of {job} ended at {end_at:short}[. Last instant {before_at:short}]",
    "not_due": (
        "no fire: {job} is not due then. Before it {before}; after it {after}",
        "no fire: {job} is not due then. Before it {before}",
        "no fire: {job} is not due then. After it {after}",
        "no fire: {job} is not due then",
    ),
    "used_up": "no fire: {job} has used up the number of runs its schedule allows",
    "paused": (
        (
            "no fire: {job} is retired: no longer declared by {retired_by} since {retired_at:short}"
            "[; the nearest name there is {renamed_to}]"
        ),
        (
            "no fire: {job} is paused[ by {paused_by}][ since {paused_at:short}][ until {paused_until:short}]"
            "[ ({pause_reason})]"
        ),
    ),
    "future": "not yet: due in {due_in:span}",
    "future_closed": "will be skipped by the calendar: {ruling}",
    "closed": "skipped by the calendar: {ruling}",
    "maintained": (
        "due for {overdue:span} and not decided: the cluster is in maintenance since {maintained_at:short} "
        "by {maintained_by}[ until {maintained_until:short}][ ({maintained_for})]"
    ),
    "undecided": (
        "due for {overdue:span} and not decided yet: {alive|server is|servers are} alive",
        "due for {overdue:span} and not decided yet: no server is alive",
    ),
    "troubled": "due, but it cannot be decided: {trouble}",
    "unscheduled": "{job} has no schedule: it runs when it is triggered",
    "paused_now": (
        (
            "{job} is retired: no longer declared by {retired_by} since {retired_at:full}"
            "[; the nearest name there is {renamed_to}]"
        ),
        "{job} is paused[ by {paused_by}][ since {paused_at:full}][, until {paused_until:full}][ ({pause_reason})]",
    ),
    "over": "{job} is done: its schedule has no more instants",
    "quiet": (
        "{job}: nothing was due since it was created at {young_at:full}[; next {after_at:full} (in {after_in:span})]",
        "{job}: nothing was due since {since:full}[; next {after_at:full} (in {after_in:span})]",
    ),
    "ahead": (
        (
            "{job}: its next fire is set to {next_due_at:full}, though its schedule has one at {after_at:full}; "
            "this happens when the store's clock was ahead"
        ),
        (
            "{job}: it is done, though its schedule has one at {after_at:full}; "
            "this happens when the store's clock was ahead"
        ),
    ),
    "forgotten": "decided, but its record is gone: finished runs are kept for a time only",
}

_PAUSED: Final = (
    "declare it in {retired_by} again, or foliot job delete {job}; foliot job resume {job} lets it go on as it is",
    "foliot job resume {job}; to catch up what was missed: --catch-up",
)

HINTS: Final[Catalogue] = {
    "failed": ("foliot run show {sharded_run}", "foliot run logs {run}"),
    "timeout": "foliot run logs {run}; to allow more time: timeout",
    "lost": "foliot run logs {run}; to run it again: foliot run retry {run}",
    "worker_gone": "for the workers of now: foliot run retry {parent}",
    "rejected": "foliot run show {run}",
    "poison": "foliot run logs {run} --attempt 1",
    "cancelling": "foliot run cancel {run} --force",
    "waits_for_lock": (
        "foliot run show {lock_run}; the whole line: foliot lock show {lock}",
        "foliot lock show {lock}",
    ),
    "thread_goes_on": 'isolation="process", or restart {worker_node} after foliot node drain {worker_node}',
    "held_line": "foliot run show {ahead}",
    "held_nobody": "start one: foliot worker MODULE",
    "held_group": "start one: foliot worker MODULE --group {group}",
    "held_handler": (
        "start a worker that offers {other_offer}, or fix run.{other_kind}",
        "deploy the code, or fix run.python",
    ),
    "held_label": "tag a worker, or edit place.require",
    "held_draining": "start another worker, or foliot node list",
    "held_limit": (
        "foliot limit set {limit} {limit_never}, or take less: place.takes.{limit} of {job}",
        "foliot run show {key_holder}; to allow more: place.max_per_key of {job}",
        "to allow more for {key_full}: place.max_per_key of {job}",
        "to start more for {key_spent}: place.rate or place.rate_burst of {job}",
        "start another worker, or raise place.max_per_worker of {job} (now {per_worker})",
        "to start more: edit {limit_spent_job} or place.rate_burst of {job}",
        "see what starts: foliot limit show --group {limit_spent_group}",
        "see what starts: foliot limit show --namespace {limit_spent_namespace}",
        "who holds it: foliot limit show --group {limit_full_group}",
        "who holds it: foliot limit show --namespace {limit_full_namespace}",
        "to allow more: {limit_full_job}; what runs now: foliot run list --job {job}",
        "who holds it: foliot limit show {limit_full_named}",
    ),
    "held_busy": "start another worker, or see what runs: foliot run list",
    "skipped_overlap.skip": "to let it wait instead: overlap: queue",
    "skipped_misfire.beyond_window": (
        "to widen the window: misfire: {{latest: 6h}}; "
        "to run it now: foliot job backfill {job} --from {at:iso} --to {second_later:iso}"
    ),
    "no_schedule": "foliot job trigger {job}",
    "paused": _PAUSED,
    "unscheduled": "foliot job trigger {job}",
    "paused_now": _PAUSED,
    "ahead": "foliot job reschedule {job}",
    "undecided": "foliot cluster status",
    "held_maintenance": "foliot cluster maintenance off",
    "maintained": "foliot cluster maintenance off; its misfire policy then says what becomes of it",
    "troubled": "foliot job show {job}",
    "kept": "to run the newest version instead: foliot run cancel {run}, then foliot job trigger {job}",
}
