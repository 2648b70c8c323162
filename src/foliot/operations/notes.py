"""Noting in the journal what people did. A note that cannot be written never undoes what it tells of."""

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
    """Note something; a store that is away keeps no notes, and the log line stays."""
    log.info(happening.kind, subject=happening.subject, by=happening.by, **dict(happening.data))
    try:
        await services.store.journal.note([happening])
    except (StoreBusy, StoreUnavailable) as away:
        log.warning("journal.note_lost", kind=happening.kind, subject=happening.subject, why=str(away))
