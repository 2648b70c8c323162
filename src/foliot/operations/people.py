"""What operations for people work with: the services every operation has, and what only people need."""

from dataclasses import dataclass

from foliot.operations.offers import Offers
from foliot.operations.services import Services
from foliot.ports.backfills import BackfillStore
from foliot.ports.journal import Journal
from foliot.ports.lookups import Lookups
from foliot.ports.replies import ReplyStore
from foliot.ports.tokens import TokenStore


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleServices(Services):
    """The store, the policies, and the records people read and write."""

    lookups: Lookups
    tokens: TokenStore
    journal: Journal
    replies: ReplyStore
    backfills: BackfillStore
    offers: Offers
