"""What operations for people work with: the services every operation has, and what only people need."""

from dataclasses import dataclass, fields
from typing import Protocol

from foliot.operations.offers import Offers
from foliot.operations.services import Services
from foliot.ports.store.backfills import BackfillStore
from foliot.ports.store.calendars import CalendarStore
from foliot.ports.store.journal import Journal
from foliot.ports.store.limits import LimitStore
from foliot.ports.store.lookups import Lookups
from foliot.ports.store.replies import ReplyStore
from foliot.ports.store.tokens import TokenStore


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleServices(Services):
    """The store, the policies, and the records people read and write."""

    lookups: Lookups
    tokens: TokenStore
    journal: Journal
    replies: ReplyStore
    backfills: BackfillStore
    calendars: CalendarStore
    limits: LimitStore
    offers: Offers


class Records(Protocol):
    """What a store keeps for people, beside jobs and runs."""

    @property
    def lookups(self) -> Lookups: ...
    @property
    def tokens(self) -> TokenStore: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def replies(self) -> ReplyStore: ...
    @property
    def backfills(self) -> BackfillStore: ...
    @property
    def calendars(self) -> CalendarStore: ...
    @property
    def limits(self) -> LimitStore: ...


def with_records(services: Services, records: Records) -> PeopleServices:
    """The services of a server, with what people need."""
    return PeopleServices(
        **{field.name: getattr(services, field.name) for field in fields(Services)},
        lookups=records.lookups,
        tokens=records.tokens,
        journal=records.journal,
        replies=records.replies,
        backfills=records.backfills,
        calendars=records.calendars,
        limits=records.limits,
        offers=Offers(records.lookups, services.clock),
    )
