"""Notifiers: how one message reaches one kind of channel. A kind is a row of `NOTIFIERS` in `app/plugins.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import Instant

REPEAT_MARK: Final = "repeat"
"""A message that may have been told before says so: the server that sent it died, or its answer was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMessage:
    """What is told, in the language of the channel."""

    delivery_id: str  # stable over all tries: receivers can drop a repeat by it
    kind: NoticeKind
    level: AlertLevel
    key: str  # of the trouble: the message that it is over has the same
    at: Instant
    title: str  # one line
    text: str
    markdown: str
    html: str
    facts: Mapping[str, str] = field(default_factory=dict)  # job, due time, cause …, in the order to show
    log: Sequence[str] = ()  # the last lines
    link: str = ""  # into the console
    runbook: str = ""
    is_repeat: bool = False  # it may have been told before
    data: Mapping[str, Any] = field(default_factory=dict)  # for receivers that are programs


class NotSent(Exception):
    """A message did not reach its receiver. No text of it holds a secret."""

    def __init__(self, why: str, *, is_final: bool = False, retry_after_s: float | None = None) -> None:
        """`is_final`: another try would end the same way. `retry_after_s`: the receiver said so."""
        super().__init__(why)
        self.why = why
        self.is_final = is_final
        self.retry_after_s = retry_after_s


class Notifier(Protocol):
    """One channel, ready to send."""

    async def send(self, message: AlertMessage) -> None:
        """Tell it. Returns when the receiver took it; raises `NotSent`. It ends within the caller's limit of time."""
        ...

    async def close(self) -> None: ...


class NotifierKind(Protocol):
    """A kind of channel."""

    name: str
    schema: Mapping[str, Any]  # JSON Schema of its settings; a secret one has "secret": true and must be a reference

    def make(self, settings: Mapping[str, Any]) -> Notifier:
        """A channel with these settings, secrets filled in. `BadField` when they do not fit each other."""
        ...
