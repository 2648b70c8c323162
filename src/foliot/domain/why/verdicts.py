"""The closed lists of answers to "why?": what became of an instant or a run, and what a waiting run waits for."""

from enum import StrEnum


class WhyVerdict(StrEnum):
    """What became of an instant, where a run stands, or how a job as a whole stands."""

    # a run that is over
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    LOST = "lost"
    WORKER_GONE = "worker_gone"
    REJECTED = "rejected"
    POISON = "poison"
    CANCELLED = "cancelled"
    # a run in progress
    RUNNING = "running"
    WAITS_FOR_LOCK = "waits_for_lock"
    STARTING = "starting"
    CANCELLING = "cancelling"
    THREAD_GOES_ON = "thread_goes_on"
    # a run that waits: for its time, for the next poll of a worker, or held
    RETRYING = "retrying"
    LATER = "later"
    PACED = "paced"
    READY = "ready"
    HELD_MAINTENANCE = "held_maintenance"
    HELD_LINE = "held_line"
    HELD_NOBODY = "held_nobody"
    HELD_GROUP = "held_group"
    HELD_HANDLER = "held_handler"
    HELD_LABEL = "held_label"
    HELD_DRAINING = "held_draining"
    HELD_LIMIT = "held_limit"
    HELD_BUSY = "held_busy"
    # an instant with a skip
    SKIPPED_OVERLAP = "skipped_overlap"
    SKIPPED_MISFIRE = "skipped_misfire"
    SKIPPED_CALENDAR = "skipped_calendar"
    SKIPPED_BLACKOUT = "skipped_blackout"
    SKIPPED_PAUSED = "skipped_paused"
    SKIPPED_EDITED = "skipped_edited"
    SKIPPED_LIMIT = "skipped_limit"
    # an instant without a record
    BEFORE_CREATION = "before_creation"
    NO_SCHEDULE = "no_schedule"
    FIXED_DELAY = "fixed_delay"
    BEFORE_START = "before_start"
    AFTER_END = "after_end"
    NOT_DUE = "not_due"
    USED_UP = "used_up"
    PAUSED = "paused"
    FUTURE = "future"
    FUTURE_CLOSED = "future_closed"
    CLOSED = "closed"
    MAINTAINED = "maintained"
    UNDECIDED = "undecided"
    TROUBLED = "troubled"
    FORGOTTEN = "forgotten"
    # a job as a whole
    UNSCHEDULED = "unscheduled"
    PAUSED_NOW = "paused_now"
    OVER = "over"
    QUIET = "quiet"
    AHEAD = "ahead"


class HoldKind(StrEnum):
    """What keeps a pending run from starting."""

    MAINTENANCE = "maintenance"  # no server decides
    LINE = "line"  # a run of its job is in front of it
    NOBODY = "nobody"  # no worker is online
    GROUP = "group"  # none in its group
    HANDLER = "handler"  # none that offers its handler
    LABEL = "label"  # none with the labels it needs
    DRAINING = "draining"  # those that fit take no more work
    LIMIT = "limit"  # a limit of its lane is full
    BUSY = "busy"  # every slot is taken
    READY = "ready"  # nothing: a worker takes it at its next poll

    @property
    def is_held(self) -> bool:
        """Whether something keeps the run: users see it as HELD."""
        return self is not HoldKind.READY
