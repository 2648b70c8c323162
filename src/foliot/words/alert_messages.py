"""Messages of alerts: from what a notice keeps to what people read, in the language of the channel."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.instants import SECOND, Instant, isoformat
from foliot.domain.redaction import redacted
from foliot.domain.run import format_run_id
from foliot.ports.notifier import AlertMessage
from foliot.ports.store.channels import Delivery
from foliot.words.alerts import notice_next_step, notice_title
from foliot.words.chinese import messages as chinese
from foliot.words.english import messages as english
from foliot.words.language import Language

LOG_LINES_MAX: Final = 20
LINE_MAX: Final = 500
TITLE_MAX: Final = 300
VALUE_MAX: Final = 500
DIGEST_SHOWN: Final = 20
_BOOKS: Final[Mapping[Language, Any]] = {Language.ENGLISH: english, Language.CHINESE: chinese}
_OWN: Final = frozenset({"own_store", "own_leader", "own_over"})


class RunTold(NamedTuple):
    """What a message says of the run that it is about, besides what its notice keeps."""

    due_at: Instant
    log: Sequence[str] = ()  # the last lines


def message_of(
    delivery: Delivery, channel: Channel, *, now: Instant, public_url: str = "", run: RunTold | None = None
) -> AlertMessage:
    """The whole message. Texts of users and logs are redacted and bounded."""
    notice = delivery.notice
    language = Language.of(channel.language)
    words = _BOOKS[language].WORDS
    log = () if run is None else run.log
    data = notice.data if run is None else {**notice.data, "due_at": run.due_at}
    title, text, facts = _told(notice.kind, data, str(notice.level), channel, language)
    runbook = str(notice.data.get("runbook") or "")
    if runbook and not runbook.startswith(("http://", "https://")):
        facts = {**facts, words["runbook"]: runbook}  # no link, but words: every kind of channel shows facts
    return AlertMessage(
        delivery_id=delivery.delivery_id,
        kind=notice.kind,
        level=notice.level,
        key=_key(delivery),
        at=delivery.created_at,
        sent_at=now,
        title=_clean(title, TITLE_MAX),
        text=redacted(text)[:5000],
        facts={name: _clean(value, VALUE_MAX) for name, value in facts.items() if value},
        log=[_clean(line, LINE_MAX) for line in log[-LOG_LINES_MAX:]],
        log_title=words["log"],
        link=link_of(delivery, public_url),
        link_title=words["link"],
        runbook=runbook,
        runbook_title=words["runbook"],
        is_repeat=delivery.is_repeat,
        repeat_mark=words["repeat"],
        data={**notice.data, "alert": notice.alert_id},
    )


def held_back(why: str, language: Language) -> str:
    """Why a channel does not hear something now, as delivery says it, in a language; empty: it does."""
    held: Mapping[str, str] = _BOOKS[language].HELD_BACK
    return held.get(why, why)


def link_of(delivery: Delivery, public_url: str) -> str:
    """Where the console shows it; empty: the server does not know its own address."""
    base = public_url.rstrip("/")
    if not base:
        return ""
    notice = delivery.notice
    if notice.alert_id is not None:
        return f"{base}/alerts/{notice.alert_id}"
    return f"{base}/alerts"


def run_of(data: Mapping[str, Any]) -> int | None:
    """The run whose log a message shows: that of the first subject."""
    subjects = data.get("subjects") or ()
    run_id = subjects[0].get("run_id") if subjects else None
    return run_id if isinstance(run_id, int) else None


def _told(
    kind: NoticeKind, data: Mapping[str, Any], level: str, channel: Channel, language: Language
) -> tuple[str, str, Mapping[str, str]]:
    book = _BOOKS[language]
    words = book.WORDS
    own = data.get("own")
    if own in _OWN:
        return (
            words[own].format(node=data.get("node", "")),
            words["own_text"],
            {words["began"]: _time(data.get("began_at"))},
        )
    match kind:
        case NoticeKind.TEST:
            by = str(data.get("by", ""))
            return words["test"].format(channel=channel.name), words["test_text"].format(by=by), {}
        case NoticeKind.ALIVE:
            return words["alive"], words["alive_text"].format(node=data.get("node", "")), {}
        case NoticeKind.DIGEST:
            return _digest(data, language)
        case NoticeKind.REPORT:
            return str(data.get("title") or words["report"]), str(data.get("text", "")), {}
    head = book.HEADS[str(kind)].format(level=words[level], title=notice_title(data, language))
    return head, _cause(data), _facts(kind, data, language)


def _cause(data: Mapping[str, Any]) -> str:
    """What is known of the reason, as it was kept: the error of a run, the reason of a check."""
    cause = data.get("cause") or {}
    for name in ("error", "message", "why", "text"):
        if cause.get(name):
            return str(cause[name])
    return ""


def _facts(kind: NoticeKind, data: Mapping[str, Any], language: Language) -> dict[str, str]:
    words = _BOOKS[language].WORDS
    subjects = data.get("subjects") or ()
    first = subjects[0] if subjects else {}
    is_over = kind is NoticeKind.RESOLVED
    facts = {
        words["job"]: str(first.get("subject", "")) if first.get("job_id") else "",
        words["run"]: format_run_id(first["run_id"]) if isinstance(first.get("run_id"), int) else "",
        words["due"]: _time(data.get("due_at") or first.get("due_at")),
        words["namespace"]: str(data.get("namespace") or ""),
        words["rule"]: str(data.get("rule") or ""),
        words["began"]: _time(data.get("began_at")),
        words["over"]: _time(data.get("resolved_at")),
        words["by"]: str(data.get("by") or ""),
        words["reason"]: str(data.get("reason") or ""),
        words["count"]: str(data["seen"]) if int(data.get("seen") or 0) > 1 else "",
        words["subjects"]: ", ".join(str(one.get("subject", "")) for one in subjects[1:10]),
        words["next"]: "" if is_over else notice_next_step(data, language),
    }
    return {name: value for name, value in facts.items() if value}


def _digest(data: Mapping[str, Any], language: Language) -> tuple[str, str, Mapping[str, str]]:
    book = _BOOKS[language]
    words = book.WORDS
    items = list(data.get("items") or ())
    lines = []
    for item in items[:DIGEST_SHOWN]:
        head = book.HEADS.get(str(item.get("kind")), "{title}")
        lines.append(head.format(level=words.get(str(item.get("level")), ""), title=notice_title(item, language)))
    count = int(data.get("count") or len(items))
    if count > len(lines):
        lines.append(words["digest_more"].format(count=count - len(lines)))
    return words["digest"].format(count=count), "\n".join(lines), {}


def _key(delivery: Delivery) -> str:
    notice = delivery.notice
    if notice.alert_id is not None:
        return f"foliot-alert-{notice.alert_id}"
    return str(notice.data.get("key") or notice.key)


def _time(instant: Any) -> str:
    return isoformat(instant // SECOND * SECOND) if isinstance(instant, int) and instant > 0 else ""


def _clean(text: str, most: int) -> str:
    """One line without secrets and without letters that a terminal or a phone would obey."""
    line = redacted(" ".join(str(text).split()))
    return "".join(letter for letter in line if letter.isprintable())[:most]
