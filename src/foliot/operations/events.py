"""Events: the journal of what happened, for people."""

from foliot.domain.access import Principal, Scope
from foliot.operations.names import namespace_of
from foliot.operations.services import Services
from foliot.ports.store.journal import EventFilter, EventPage


async def list_events(
    services: Services,
    who: Principal,
    wanted: EventFilter,
    *,
    namespace: str | None = None,
    limit: int = 100,
    before_id: int | None = None,
) -> EventPage:
    """A page of events, newest first. A namespace that is asked for comes with what belongs to none, such as elections.

    A token limited to a namespace sees nothing else.
    """
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return EventPage(items=[])
    within = EventFilter(
        topics=wanted.topics,
        subject=wanted.subject,
        namespace=namespace_of(who, namespace),
        with_cluster=who.namespace is None,
        since=wanted.since,
        until=wanted.until,
    )
    return await services.store.journal.newest(within, limit=limit, before_id=before_id)
