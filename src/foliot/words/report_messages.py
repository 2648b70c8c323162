"""Reports as messages of channels: a few lines for chats, the whole of it for mails."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

from foliot.domain.alerts.channel import Channel
from foliot.domain.instants import Instant
from foliot.domain.reports.report import PeriodReport
from foliot.ports.notifier import AlertMessage
from foliot.ports.store.channels import Delivery
from foliot.words.chinese import messages as chinese
from foliot.words.english import messages as english
from foliot.words.language import Language
from foliot.words.report_forms import as_html, as_text
from foliot.words.report_sheets import NOTHING, Sheet, sheet_of

FIGURES_MAX: Final = 5
LINES_MAX: Final = 3
"""Lines of each table in a short message."""
VALUE_MAX: Final = 500
_BOOKS: Final = {Language.ENGLISH: english, Language.CHINESE: chinese}


def report_message(
    delivery: Delivery, channel: Channel, report: PeriodReport, *, now: Instant, public_url: str = ""
) -> AlertMessage:
    """The whole message, in the language of the schedule, or else of the channel."""
    notice = delivery.notice
    language = Language.of(str(notice.data.get("language") or channel.language))
    words = _BOOKS[language].WORDS
    sheet = sheet_of(report, language, link=report_link(report, public_url))
    return AlertMessage(
        delivery_id=delivery.delivery_id,
        kind=notice.kind,
        level=notice.level,
        key=notice.key,
        at=delivery.created_at,
        sent_at=now,
        title=sheet.title,
        text="\n".join(sheet.sentences),
        facts=dict(_short(sheet)),
        link=sheet.link,
        link_title=words["link"],
        is_repeat=delivery.is_repeat,
        repeat_mark=words["repeat"],
        data=notice.data,
        page_text=as_text(sheet),
        page_html=as_html(sheet, language),
    )


def report_link(report: PeriodReport, public_url: str) -> str:
    """The page of the console that shows the same report; empty: the server does not know its own address."""
    base = public_url.rstrip("/")
    if not base:
        return ""
    asked = {"tab": str(report.kind), "date": report.date, "tz": report.timezone}
    if report.namespace is not None:
        asked["namespace"] = report.namespace
    return f"{base}/reports?{urlencode(asked)}"


def _short(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The figures with their changes, and of each table with trouble the first lines."""
    for table in sheet.tables:
        if table.is_figures:
            for name, value, _, change in table.rows[:FIGURES_MAX]:
                yield name, value if change == NOTHING else f"{value} ({change})"
        elif table.told:
            lines = [f"{row[0]}: {row[table.told]}" for row in table.rows[:LINES_MAX]]
            more = len(table.rows) - len(lines)
            lines += [f"+ {more}"] if more else []
            yield table.heading, "; ".join(lines)[:VALUE_MAX]
