"""Checks as documents: read and written. `heartbeats.check` shows one."""

from typing import Any, Final

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.document_values import duration, mapping, shown, text, texts, word
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.heartbeats.check import GRACE_US, HeartbeatCheck, PingKind
from foliot.domain.heartbeats.life import Ping
from foliot.domain.instants import DAY, SECOND, Micros, format_duration
from foliot.domain.names import check_label, check_name
from foliot.domain.policies.alert import TO_MAX
from foliot.domain.schedule import Cron
from foliot.domain.schedule.zones import zone
from foliot.domain.texts import DESCRIPTION_BYTES_MAX, OWNER_BYTES_MAX, is_kept

EVERY_MIN_US: Final[Micros] = 10 * SECOND
EVERY_MAX_US: Final[Micros] = 366 * DAY
GRACE_MIN_US: Final[Micros] = SECOND
SPAN_MAX_US: Final[Micros] = 31 * DAY
RUNBOOK_BYTES_MAX: Final = 2000
TAGS_MAX: Final = 20
PING_TEXT_BYTES_MAX: Final = 2000
EXIT_CODE_MAX: Final = 2**31 - 1

_FIELDS: Final = (
    *("every", "cron", "timezone", "grace", "longest", "owner", "description", "runbook", "level", "to", "tags"),
)


def check_from(written: Any, *, name: str, namespace: str, version: int = 0) -> HeartbeatCheck:
    """Read a check; `BadField` says what is wrong with it."""
    fields = mapping(written, "", _FIELDS)
    every, cron = fields.get("every"), fields.get("cron")
    if (every is None) == (cron is None):
        raise BadField("every", "a check has one rhythm", hint='write every: 1d, or cron: "0 2 * * *"')
    if cron is None and fields.get("timezone") is not None:
        raise BadField("timezone", "an interval has no time zone", hint="leave it out, or write cron")
    return HeartbeatCheck(
        name=check_name("check", name),
        namespace=namespace,
        every_us=_between(every, "every", EVERY_MIN_US, EVERY_MAX_US),
        cron=None if cron is None else _cron(cron, fields.get("timezone")),
        grace_us=_between(fields.get("grace"), "grace", GRACE_MIN_US, SPAN_MAX_US) or GRACE_US,
        longest_us=_between(fields.get("longest"), "longest", SECOND, SPAN_MAX_US),
        owner=_line(fields.get("owner"), "owner", OWNER_BYTES_MAX),
        description=_words(fields.get("description"), "description", DESCRIPTION_BYTES_MAX),
        runbook=_line(fields.get("runbook"), "runbook", RUNBOOK_BYTES_MAX),
        level=None if fields.get("level") is None else word(AlertLevel, fields["level"], "level"),
        to=_channels(fields.get("to")),
        tags=_tags(fields.get("tags")),
        version=version,
    )


def written_check(check: HeartbeatCheck) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    cron = check.cron
    written: dict[str, Any] = {
        "every": None if check.every_us is None else format_duration(check.every_us),
        "cron": None if cron is None else cron.text,
        "timezone": None if cron is None or cron.tz == "UTC" else cron.tz,
        "grace": None if check.grace_us == GRACE_US else format_duration(check.grace_us),
        "longest": None if check.longest_us is None else format_duration(check.longest_us),
        "owner": check.owner or None,
        "description": check.description or None,
        "runbook": check.runbook or None,
        "level": None if check.level is None else str(check.level),
        "to": list(check.to) or None,
        "tags": dict(sorted(check.tags.items())) or None,
    }
    return {field: value for field, value in written.items() if value is not None}


def ping_from(kind: str, *, text: str = "", exit_code: int | None = None) -> Ping:
    """Read a ping. A text that is too long loses its beginning: the end of a log says most."""
    if exit_code is not None and not -EXIT_CODE_MAX <= exit_code <= EXIT_CODE_MAX:
        raise BadField("exit_code", f"{exit_code} is out of bounds")
    return Ping(kind=word(PingKind, kind, "kind"), text=_end_of(text), exit_code=exit_code)


def _end_of(written: str) -> str:
    """The last bytes of a text that every store keeps."""
    kept = written.replace("\0", "").encode(errors="replace")[-PING_TEXT_BYTES_MAX:]
    return kept.decode(errors="ignore").strip()


def _cron(written: Any, timezone: Any) -> Cron:
    try:
        tz = "UTC" if timezone is None else zone(text(timezone, "timezone")).name
    except InvalidInput as error:
        raise BadField("timezone", error.sentence.rstrip("."), hint=error.hint) from error
    try:
        return Cron(text=text(written, "cron"), tz=tz)
    except InvalidInput as error:
        raise BadField("cron", error.sentence.rstrip("."), hint=error.hint) from error


def _between(written: Any, path: str, least: Micros, most: Micros) -> Micros | None:
    if written is None:
        return None
    value = duration(written, path)
    if not least <= value <= most:
        bounds = f"from {format_duration(least)} to {format_duration(most)}"
        raise BadField(path, f"{format_duration(value)} is out of bounds", hint=bounds)
    return value


def _line(written: Any, path: str, bytes_max: int) -> str:
    given = _words(written, path, bytes_max)
    if not given.isprintable():
        raise BadField(path, f"{shown(given)} has more than one line")
    return given


def _words(written: Any, path: str, bytes_max: int) -> str:
    given = "" if written is None else text(written, path).strip()
    if not is_kept(given, bytes_max):
        raise BadField(path, f"it is longer than {bytes_max} bytes, or has letters that cannot be kept")
    return given


def _channels(written: Any) -> tuple[str, ...]:
    if written is None:
        return ()
    given = list(written) if isinstance(written, list | tuple) else [written]
    if len(given) > TO_MAX:
        raise BadField("to", f"it has {len(given)} channels; the limit is {TO_MAX}")
    return tuple(dict.fromkeys(check_name("channel", text(one, "to")) for one in given))


def _tags(written: Any) -> dict[str, str]:
    tags = texts(written, "tags")
    if len(tags) > TAGS_MAX:
        raise BadField("tags", f"it has {len(tags)} tags; the limit is {TAGS_MAX}")
    return {check_name("tag", name): check_label(value, kind="tag value") for name, value in tags.items()}
