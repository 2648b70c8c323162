"""Notifiers: how one message reaches one kind of channel. A kind is a row of `NOTIFIERS` in `app/plugins.py`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.egress import Egress
from foliot.domain.instants import Instant

CUT_MARK: Final = "[…]"
"""Where the limits of a kind left something out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMessage:
    """What is told, in the language of the channel."""

    delivery_id: str  # stable over all tries: receivers can drop a repeat by it
    kind: NoticeKind
    level: AlertLevel
    key: str  # of the trouble: the message that it is over has the same
    at: Instant  # when it was decided
    sent_at: Instant  # now, by the store's time: signatures have it
    title: str  # one line
    text: str  # the sentence below it; plain
    facts: Mapping[str, str] = field(default_factory=dict)  # job, due time, cause …, in the order to show
    log: Sequence[str] = ()  # the last lines, redacted
    log_title: str = "log"
    link: str = ""  # into the console
    link_title: str = "open"
    runbook: str = ""
    runbook_title: str = "runbook"
    is_repeat: bool = False  # it may have been told before
    repeat_mark: str = ""  # in words, where it may be a repeat
    data: Mapping[str, Any] = field(default_factory=dict)  # for receivers that are programs
    page_text: str = ""  # of a report: the whole of it, for receivers that have room
    page_html: str = ""  # the same as HTML

    @property
    def heading(self) -> str:
        """The title, marked where it may be a repeat."""
        return f"{self.repeat_mark} {self.title}" if self.is_repeat and self.repeat_mark else self.title

    @property
    def is_over(self) -> bool:
        """Whether it says that a trouble is over."""
        return self.kind is NoticeKind.RESOLVED


class NotSent(Exception):
    """A message did not reach its receiver. No text of it holds a secret."""

    def __init__(
        self, why: str, *, is_final: bool = False, retry_after_s: float | None = None, may_have_arrived: bool = False
    ) -> None:
        """`is_final`: another try would end the same way. `retry_after_s`: the receiver said so."""
        super().__init__(why)
        self.why = why
        self.is_final = is_final
        self.retry_after_s = retry_after_s
        self.may_have_arrived = may_have_arrived


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyRules:
    """What channels of a server may reach, and for how long."""

    egress: Egress = field(default_factory=Egress)
    ca_file: str | None = None  # certificates to trust besides those of the machine
    within_s: float = 15.0  # one message
    allows_apprise: bool = False  # it connects by itself, whatever the rules say


class Notifier(Protocol):
    """One channel, ready to send."""

    def shown(self, message: AlertMessage) -> Mapping[str, Any]:
        """What would be sent, within the limits of the kind, without address and signature. Nothing is reached."""
        ...

    async def send(self, message: AlertMessage) -> None:
        """Tell it. Returns when the receiver took it; raises `NotSent`. It ends within the rules' limit of time."""
        ...


class NotifierKind(Protocol):
    """A kind of channel."""

    name: str
    schema: Mapping[str, Any]  # JSON Schema of its settings; a secret one has "secret": true and must be a reference

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> Notifier:
        """A channel with these settings, secrets filled in. `BadField` when they do not fit each other."""
        ...


class NotifierKinds(Protocol):
    """The kinds of channels that this installation has."""

    def names(self) -> Sequence[str]: ...

    def find(self, name: str) -> NotifierKind:
        """The kind of this name; `UnknownPart` or `PartNotLoaded` otherwise."""
        ...


MakeKind: TypeAlias = Callable[[], NotifierKind]
