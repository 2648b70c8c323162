"""What a message says of the run that it is about: when it was due, and the last lines of its log."""

from typing import Final

from foliot.operations.log_reader import window_near
from foliot.operations.services import Services
from foliot.words.alert_messages import RunTold

LINES: Final = 20


async def told_run(services: Services, run_id: int) -> RunTold | None:
    """None: the run is gone."""
    run = await services.store.lookups.run(run_id)
    if run is None:
        return None
    _, window = await window_near(services, run, attempt=None, before=None, limit=LINES)
    return RunTold(due_at=run.due_at, log=[line.text for line in window.lines if line.text])
