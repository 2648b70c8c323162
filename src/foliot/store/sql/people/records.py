"""The SQL records of the surfaces for people, on the database of a store."""

from dataclasses import dataclass
from typing import Self

from foliot.store.sql.firing.backfills import SqlBackfills
from foliot.store.sql.jobs.calendars import SqlCalendars
from foliot.store.sql.people.journal import SqlJournal
from foliot.store.sql.people.lookups import SqlLookups
from foliot.store.sql.people.named_limits import SqlLimits
from foliot.store.sql.people.replies import SqlReplies
from foliot.store.sql.people.tokens import SqlTokens
from foliot.store.sql.store import SqlStore


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlRecords:
    """What `operations.people.PeopleServices` needs of a store."""

    lookups: SqlLookups
    tokens: SqlTokens
    journal: SqlJournal
    replies: SqlReplies
    backfills: SqlBackfills
    calendars: SqlCalendars
    limits: SqlLimits

    @classmethod
    def of(cls, store: SqlStore) -> Self:
        """The records beside a store's own tables."""
        database = store.database
        return cls(
            lookups=SqlLookups(database),
            tokens=SqlTokens(database),
            journal=SqlJournal(database),
            replies=SqlReplies(database),
            backfills=SqlBackfills(database, store.definitions),
            calendars=SqlCalendars(database),
            limits=SqlLimits(database),
        )
