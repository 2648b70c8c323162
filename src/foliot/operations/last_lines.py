"""The last lines of a run's log, for a message about it."""

from collections.abc import Sequence
from typing import Final

from foliot.operations.log_reader import window_near
from foliot.operations.services import Services

LINES: Final = 20


async def last_lines(services: Services, run_id: int) -> Sequence[str]:
    """As many as a message shows; none when the run is gone or wrote nothing."""
    run = await services.store.lookups.run(run_id)
    if run is None:
        return ()
    _, window = await window_near(services, run, attempt=None, before=None, limit=LINES)
    return [line.text for line in window.lines if line.text]
