"""Drills: failures that are made on purpose."""

# Written by python -m tests.client.derive: change foliot/client/awaited/drills.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from foliot.client.calls import Answer, Duration
from foliot.client.errors import DrillNotOver
from foliot.client.pages import AnswerPage, page_of
from foliot.domain.instants import SECOND, parse_duration

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot

LOOK_EVERY_S: Final = 1.0
OPEN: Final = ("ASKED", "RUNNING")


class Drills:
    """Drills: failures that are made on purpose."""

    def __init__(self, client: Foliot) -> None:
        self._client = client
        self._ask = client.ask

    def types(self) -> Answer:
        """What can be broken, and the nodes that take part."""
        return dict(self._ask("list_drill_types"))

    def preview(
        self,
        type: str,  # noqa: A002  as the API says it
        *,
        on: str,
        for_: Duration = "30s",
        size: Duration | None = None,
    ) -> Answer:
        """What a drill would break; nothing is."""
        return dict(self._ask("preview_drill", type=type, on=on, for_=for_, size=size))

    def run(
        self,
        type: str,  # noqa: A002
        *,
        on: str,
        for_: Duration = "30s",
        size: Duration | None = None,
        alone: bool = False,
        reason: str = "",
    ) -> Answer:
        """Break a node. `alone`: also when no other node can do its work. `wait` returns the report.

        `size`: how far the clock is ahead (`clock_step`; `"-1h"`: back), or what each transaction takes longer
        (`slow_store`).
        """
        wanted = {"type": type, "on": on, "for_": for_, "size": size, "alone": alone}
        return dict(self._ask("run_drill", **wanted, reason=reason))

    def wait(self, number: int, timeout: Duration = "15m") -> Answer:
        """The drill once it is over and judged; `DrillNotOver` when that takes longer."""
        looks = int(parse_duration(timeout) / SECOND / LOOK_EVERY_S)
        for _ in range(looks + 1):
            seen = self.get(number)
            if seen["state"] not in OPEN:
                return seen
            self._client.machine.pause(LOOK_EVERY_S)
        raise DrillNotOver(number)

    def get(self, number: int) -> Answer:
        """One drill: how far it is, or how it went."""
        return dict(self._ask("get_drill", number=number))

    def list(
        self,
        *,
        type: str | None = None,  # noqa: A002
        limit: int = 50,
        cursor: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of the drills there were, newest first."""
        return page_of(dict, self._ask("list_drills", type=type, limit=limit, cursor=cursor))

    def stop(self, number: int) -> Answer:
        """End a drill early, where its node can hear of it."""
        return dict(self._ask("stop_drill", number=number))
