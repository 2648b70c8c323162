"""How many runs of a job may wait (`place.max_waiting`): a trigger beyond it is refused, a fire is left out."""

from typing import ClassVar, Final

from foliot.domain.errors import Conflict

RETRY_AFTER_S: Final = 5


class QueueFull(Conflict):
    """As many runs of the job wait as its `max_waiting` allows."""

    code = "FOL-3091"
    retry_after_s: ClassVar = RETRY_AFTER_S

    def __init__(self, job: str, *, most: int) -> None:
        super().__init__(
            f"{most} run{'' if most == 1 else 's'} of {job} wait{'s' if most == 1 else ''} already, "
            "the most that may (place.max_waiting). Nothing was queued.",
            job=job,
            most=most,
        )
