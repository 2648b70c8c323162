"""Streams of the API: a run's log, what changes in the cluster. One that breaks goes on where it was. No I/O here."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import httpx2

from foliot.client.calls import Call, call
from foliot.client.requests import Tries, refusal, strange

QUIET_MAX_S: Final = 60.0  # a living stream says something every 15 s
EVENTS: Final = "text/event-stream"
TOLD_KEPT_US: Final = 30_000_000  # a server repeats 10 s
TOLD_MANY: Final = 1000  # lines; then those of long ago are forgotten

Item = TypeVar("Item")


class Stream(ABC, Generic[Item]):
    """One stream: what to ask for next, and what the parts of an answer mean."""

    pause_s: float = 0.0  # before the next request, when the server ended the stream

    def __init__(self) -> None:
        self.is_over = False
        self._last_id = ""

    def call(self) -> Call:
        """The next request: from the beginning, or from where the last answer broke off."""
        asked = self._first_call()
        headers = {**asked.headers, **({"Last-Event-ID": self._last_id} if self._last_id else {})}
        return replace(asked, headers=headers)

    @abstractmethod
    def _first_call(self) -> Call:
        """The request for the whole stream."""

    def of_event(self, event: httpx2.ServerSentEvent) -> Iterator[Item]:
        """What one event brings. Its `id` is where the next answer begins."""
        self._last_id = event.id or self._last_id
        yield from self._items(event)

    @abstractmethod
    def _items(self, event: httpx2.ServerSentEvent) -> Iterator[Item]:
        """What one event brings."""

    def of_text(self, text: str) -> Iterator[Item]:
        """What a piece of an answer without events brings: nothing, unless the stream asks for such answers."""
        return iter(())

    def of_text_end(self) -> Iterator[Item]:
        """What is left when such an answer ends."""
        return iter(())


class ToldLines:
    """Which lines of all shards of a run came already: a stream that goes on repeats those of its last seconds.

    The id of such a line is `written:run:attempt:offset`, the first in microseconds. The ids of other logs have two
    parts, and their streams repeat nothing.
    """

    def __init__(self) -> None:
        self.last_id = ""
        """Where to go on: the newest. A line that became visible late is older than those before it."""
        self._newest = 0
        self._told: dict[str, int] = {}
        self._many = TOLD_MANY

    def is_repeated(self, event_id: str) -> bool:
        """Whether a line came before; from now on it did."""
        written, _, rest = event_id.partition(":")
        if rest.count(":") != 2 or not written.isdecimal():
            self.last_id = event_id or self.last_id
            return False
        if event_id in self._told:
            return True
        at = self._told[event_id] = int(written)
        if at >= self._newest:
            self._newest, self.last_id = at, event_id
        if len(self._told) > self._many:
            self._told = {told: at for told, at in self._told.items() if at >= self._newest - TOLD_KEPT_US}
            self._many = 2 * len(self._told) + TOLD_MANY
        return False


class LogStream(Stream[str]):
    """One run's log: plain text, or events up to `end`."""

    def __init__(self, run: str, *, follow: bool, tail: int | None = None, **which: Any) -> None:
        """`which`: attempt, shard, level, grep, since, as the API takes them."""
        super().__init__()
        self._run = run
        self._which = which
        self._tail = tail
        self._follow = follow
        self._rest = ""
        self._told = ToldLines()

    def _first_call(self) -> Call:
        self._rest = ""  # of an answer that broke off
        tail = None if self._last_id else self._tail  # an answer that goes on is behind it
        asked = call("get_run_logs", run=self._run, follow=self._follow, tail=tail, **self._which)
        if self._follow:
            return replace(asked, headers={"Accept": EVENTS}, wait_s=QUIET_MAX_S)
        return replace(asked, headers={"Accept": "text/plain"})

    def of_event(self, event: httpx2.ServerSentEvent) -> Iterator[str]:
        """The lines of an event that did not come before."""
        if event.event != "end":
            is_repeated = self._told.is_repeated(event.id or "")
            self._last_id = self._told.last_id
            if is_repeated:
                return
        yield from self._items(event)

    def _items(self, event: httpx2.ServerSentEvent) -> Iterator[str]:
        if event.event == "end":
            self.is_over = True
        elif event.data:
            yield from event.data.split("\n")

    def of_text(self, text: str) -> Iterator[str]:
        """Lines as the log has them: a newline ends one, and no other character that might (such as U+2028) does."""
        *whole, self._rest = (self._rest + text).split("\n")
        yield from whole

    def of_text_end(self) -> Iterator[str]:
        """A last line without a newline."""
        self.is_over = True
        if self._rest:
            yield self._rest


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """Something that changed. `kind` `reset` says: changes are missing here, read the lists again."""

    id: str
    kind: str
    data: dict[str, Any]


class EventStream(Stream[StreamEvent]):
    """What changes in the cluster, without an end."""

    pause_s = 1.0

    def __init__(self, topics: str) -> None:
        super().__init__()
        self._topics = topics

    def _first_call(self) -> Call:
        return replace(call("stream_events", topics=self._topics), headers={"Accept": EVENTS}, wait_s=QUIET_MAX_S)

    def _items(self, event: httpx2.ServerSentEvent) -> Iterator[StreamEvent]:
        if event.event != "hello":
            yield StreamEvent(id=event.id, kind=event.event, data=json.loads(event.data) if event.data else {})


def is_events(call: Call, response: httpx2.Response) -> bool:
    """Whether an answer is a stream of events. One of another type than the call wants is not Foliot's."""
    found = str(response.headers.get("content-type", ""))
    if not found.startswith(call.headers["Accept"]):
        raise strange(response)
    return found.startswith(EVENTS)


def pause_before_next(tries: Tries, response: httpx2.Response) -> float:
    """How long to pause before the next try after an answer that is no stream; or the error it stands for."""
    pause_s = tries.answered(response)
    if pause_s is None:
        raise refusal(response)
    return pause_s
