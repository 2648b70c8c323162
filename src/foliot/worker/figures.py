"""What a worker counted since it started."""

from dataclasses import dataclass, field

from foliot.domain.verdict import Cause


@dataclass(slots=True)
class Figures:
    """Plain counters, changed by the loop (the beat's by its thread)."""

    leased: int = 0
    started: int = 0
    ended: dict[Cause, int] = field(default_factory=dict)
    acknowledged: int = 0
    fenced: int = 0  # reports whose lease was another's
    dropped: int = 0  # leases taken from us while we held them
    spooled: int = 0
    polls: int = 0
    polls_repeated: int = 0
    polls_given_up: int = 0
    beats: int = 0
    beats_unanswered: int = 0
    sessions: int = 0
    trust_lost: int = 0
    killed: int = 0  # child processes
    is_away: bool = False  # the last report got no answer
