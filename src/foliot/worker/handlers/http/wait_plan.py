"""How a run waits for work that goes on elsewhere, as its job says: by callback, by asking, or both."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from foliot.domain.errors import BadDuration, BadField
from foliot.domain.instants import DAY, SECOND, parse_duration
from foliot.domain.json_check import BadCheck, JsonCheck, check_from, path_from
from foliot.domain.template import BadTemplate, Template, parsed
from foliot.worker.handlers.http.options import HttpCallback, HttpCancel, HttpOptions, HttpPoll
from foliot.worker.handlers.http.settings import KIND
from foliot.worker.handlers.http.statuses import StatusSet

WITHIN_MAX_US: Final = 30 * DAY
EVERY_MIN_US: Final = SECOND // 10
_WHERE: Final = f"run.{KIND}"

Path: TypeAlias = tuple[str | int, ...]
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterUrl:
    """Where a later request goes: a URL of the job, or what the first answer says."""

    url: Template | None = None
    at: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPlan:
    """How the worker asks for the end."""

    target: LaterUrl
    every_s: float
    until: tuple[JsonCheck, ...]
    failed: tuple[JsonCheck, ...]
    progress: Path | None
    total: Path | None
    result: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelPlan:
    """How the worker tells the other system to stop."""

    target: LaterUrl
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitPlan:
    """When a run waits, for what, and how long."""

    accepted: StatusSet
    has_callback: bool
    poll: PollPlan | None
    cancel: CancelPlan | None
    within_s: float

    @property
    def reads_answer(self) -> bool:
        """Whether the first answer says where later requests go."""
        plans = (self.poll, self.cancel)
        return any(plan is not None and plan.target.at is not None for plan in plans)


def wait_plan_of(options: HttpOptions) -> WaitPlan | None:
    """The plan of a job; None: its runs wait for nothing. `BadField` names what cannot be used."""
    has_callback = options.callback is not False
    if not has_callback and options.poll is None:
        if options.cancel is not None:
            raise BadField(f"{_WHERE}.cancel", "nothing waits that could be cancelled", hint="add callback or poll")
        return None
    callback = options.callback if isinstance(options.callback, HttpCallback) else HttpCallback()
    within = [_micros(callback.within, f"{_WHERE}.callback.within")] if has_callback else []
    if options.poll is not None:
        within.append(_micros(options.poll.within, f"{_WHERE}.poll.within"))
    return WaitPlan(
        accepted=StatusSet.of(options.accepted, f"{_WHERE}.accepted"),
        has_callback=has_callback,
        poll=None if options.poll is None else _poll(options.poll),
        cancel=None if options.cancel is None else _cancel(options.cancel),
        within_s=min(within) / SECOND,
    )


def _poll(written: HttpPoll) -> PollPlan:
    where = f"{_WHERE}.poll"
    every_us = _micros(written.every, f"{where}.every")
    if every_us < EVERY_MIN_US:
        raise BadField(f"{where}.every", "it is less than 0.1 s")
    until = _checks(written.until, f"{where}.until")
    if not until:
        raise BadField(f"{where}.until", "it is missing")
    return PollPlan(
        target=_target(written.url, written.at, where),
        every_s=every_us / SECOND,
        until=until,
        failed=_checks(written.failed, f"{where}.failed"),
        progress=_path(written.progress, f"{where}.progress"),
        total=_path(written.total, f"{where}.total"),
        result=_path(written.result, f"{where}.result"),
    )


def _cancel(written: HttpCancel) -> CancelPlan:
    return CancelPlan(target=_target(written.url, written.at, f"{_WHERE}.cancel"), method=written.method)


def _target(url: str | None, at: str | None, where: str) -> LaterUrl:
    if url is not None and at is not None:
        raise BadField(where, "it has both url and at", hint="keep one of them")
    if url is None:
        return LaterUrl(at=_path(at, f"{where}.at"))
    try:
        template = parsed(url)
    except BadTemplate as error:
        raise BadField(f"{where}.url", str(error), hint="write $${ for ${ itself") from None
    first = template.parts[0] if template.parts else ""
    if not isinstance(first, str) or not first.startswith(("/", "http://", "https://")):
        raise BadField(f"{where}.url", "it does not begin with /, http:// or https://")
    if any(name.secret is not None or name.written.startswith("callback.") for name in template.names):
        raise BadField(f"{where}.url", "a secret cannot stand here", hint="the headers and auth of the job are sent")
    return LaterUrl(url=template)


def _checks(written: str | list[str], where: str) -> tuple[JsonCheck, ...]:
    return tuple(_read(check_from, one, where) for one in _listed(written))


def _listed(written: str | list[str]) -> Iterable[str]:
    return [written] if isinstance(written, str) else written


def _path(written: str | None, where: str) -> Path | None:
    return None if written is None else _read(path_from, written, where)


def _read(read: Callable[[str], Part], written: str, where: str) -> Part:
    try:
        return read(written)
    except BadCheck as error:
        raise BadField(where, str(error)) from None


def _micros(written: str | float, where: str) -> int:
    try:
        micros = parse_duration(written)
    except BadDuration as error:
        raise BadField(where, error.sentence.rstrip("."), hint=error.hint) from error
    if not 0 < micros <= WITHIN_MAX_US:
        raise BadField(where, "it is not more than nothing and at most 30 days")
    return micros
