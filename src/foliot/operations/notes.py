"""Notes in the journal about what users did. When the store cannot take a note, what was done stays done."""

from typing import Any

import structlog

from foliot.domain.access import Principal
from foliot.operations.services import Services
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Happening, Topic

log = structlog.get_logger("foliot.people")


async def note_job(
    services: Services,
    who: Principal,
    kind: str,
    namespace: str,
    name: str,
    *,
    key: str | None = None,
    **data: Any,
) -> None:
    """Note something that was done to a job."""
    await note(
        services,
        Happening(
            key=f"{kind}:{namespace}:{name}:{key or services.chance.token()}",
            topic=Topic.JOBS,
            kind=kind,
            subject=name,
            by=who.name,
            namespace=namespace,
            data={field: value for field, value in data.items() if value not in (None, "")},
        ),
    )


async def note(services: Services, happening: Happening) -> None:
    """Write a note into the log and the journal. When the store is away, the log alone has it."""
    kind, subject = happening.kind, happening.subject
    log.info(kind, subject=subject, by=happening.by, **dict(happening.data))
    try:
        await services.store.journal.note([happening])
    except (StoreBusy, StoreUnavailable) as away:
        log.warning("journal.note_lost", kind=kind, subject=subject, why=str(away))
