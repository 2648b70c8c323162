"""Foreign calls: a worker's token is used in a session of another token.

The server answers such a call as if the session did not exist. It counts the call and notes it in the journal, so that
users see it.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import structlog

from foliot.domain.access import Principal
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Happening, Journal, Topic
from foliot.ports.worker_link import Hello

NOTED_MAX: Final = 1000

log = structlog.get_logger("foliot.workers")


class ForeignCalls:
    """Counts foreign calls, and notes each token and session in the journal once."""

    def __init__(self, journal: Journal, on_foreign: Callable[[], None]) -> None:
        self.count = 0
        self._on_foreign = on_foreign
        self._journal = journal
        self._noted: OrderedDict[str, None] = OrderedDict()

    async def note(self, hello: Hello, by: Principal) -> None:
        """Record that the token `by` was used in the session of `hello`, which is not its own."""
        self.count += 1
        self._on_foreign()
        log.warning("session.foreign", token=by.name, worker=hello.name, session=hello.session)
        key = f"session.foreign:{by.token_id}:{hello.session}"
        if key in self._noted:
            return  # a thousand calls are one event
        self._remember(key)
        await self._write(
            Happening(
                key=key,
                topic=Topic.NODES,
                kind="session.foreign",
                subject=hello.name,
                by=by.name,
                data={"token": by.name},
            )
        )

    def _remember(self, key: str) -> None:
        self._noted[key] = None
        if len(self._noted) > NOTED_MAX:
            self._noted.popitem(last=False)

    async def _write(self, happening: Happening) -> None:
        try:
            await self._journal.note([happening])
        except (StoreBusy, StoreUnavailable) as away:
            log.warning("journal.note_lost", kind=happening.kind, subject=happening.subject, why=str(away))
