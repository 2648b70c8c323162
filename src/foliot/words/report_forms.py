"""Forms of a report: plain text, Markdown, and HTML in one file that mail programs show as well."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from html import escape
from typing import Final
from unicodedata import east_asian_width

from foliot.domain.visible import visible_line
from foliot.words.language import Language
from foliot.words.report_sheets import Sheet, SheetTable


class ReportForm(StrEnum):
    """How a report is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"


_MEANT_IN_MARKDOWN: Final = "\\`*_[]<>#|~@!&"


def written(sheet: Sheet, form: ReportForm, language: Language) -> str:
    """The report in a form."""
    if form is ReportForm.HTML:
        return as_html(sheet, language)
    return as_markdown(sheet) if form is ReportForm.MARKDOWN else as_text(sheet)


# ----------------------------------------------------------------------------------------------------------------- text


def as_text(sheet: Sheet) -> str:
    """Lines for a terminal or a plain mail."""
    lines = [sheet.title, "=" * _width(sheet.title), sheet.range, "", *sheet.sentences]
    for table in sheet.tables:
        lines += ["", table.heading, "-" * _width(table.heading), *_text_rows(table)]
    lines += ["", sheet.footer]
    if sheet.link:
        lines.append(f"{sheet.link_title}: {sheet.link}")
    return "\n".join(map(visible_line, lines)) + "\n"


def _text_rows(table: SheetTable) -> list[str]:
    rows = [list(table.columns), *map(list, table.rows)]
    rows = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(_width(row[nth]) for row in rows) for nth in range(len(table.columns))]
    return ["  ".join(_padded(row, widths, table.numbers)).rstrip() for row in rows]


def _padded(row: Sequence[str], widths: Sequence[int], numbers: frozenset[int]) -> list[str]:
    cells = []
    for nth, cell in enumerate(row):
        gap = " " * (widths[nth] - _width(cell))
        cells.append(gap + cell if nth in numbers else cell + gap)
    return cells


def _width(text: str) -> int:
    """Columns of a terminal: a Chinese letter takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


# ------------------------------------------------------------------------------------------------------------- Markdown


def as_markdown(sheet: Sheet) -> str:
    """Markdown with tables. Names of users are made plain: they make no link and mention nobody."""
    lines = [f"# {_plain(sheet.title)}", "", f"*{_plain(sheet.range)}*", ""]
    lines += [_plain(sentence) + "  " for sentence in sheet.sentences]
    for table in sheet.tables:
        bars = ["---:" if nth in table.numbers else "---" for nth in range(len(table.columns))]
        lines += ["", f"## {_plain(table.heading)}", ""]
        lines += [_bar(map(_plain, table.columns)), _bar(bars)]
        lines += [_bar(map(_plain, row)) for row in table.rows]
    lines += ["", f"*{_plain(sheet.footer)}*"]
    if sheet.link:
        lines += ["", f"[{_plain(sheet.link_title)}]({_address(sheet.link)})"]
    return "\n".join(lines) + "\n"


def _bar(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    letters = ["\\" + letter if letter in _MEANT_IN_MARKDOWN else letter for letter in visible_line(text)]
    return "".join(letters)


def _address(to: str) -> str:
    return to.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


# ----------------------------------------------------------------------------------------------------------------- HTML

_FONT: Final = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif"
_BODY: Final = f"margin:0;padding:24px 12px;background:#f4f5f7;color:#1c2430;{_FONT};font-size:14px;line-height:1.5"
_CARD: Final = (
    "max-width:860px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #dfe3e8;border-radius:8px"
)
_CELL: Final = "padding:6px 10px;border-bottom:1px solid #e6e9ee;vertical-align:top"
_HEAD: Final = f"{_CELL};color:#5b6675;font-weight:600;vertical-align:bottom;word-break:keep-all"
_SOFT: Final = "color:#5b6675"
# Mail programs take the styles that stand at each element; a browser in the dark takes these as well.
_DARK: Final = (
    "@media (prefers-color-scheme:dark){"
    "body{background:#11151b!important;color:#e3e8ef!important}"
    ".card{background:#1a2029!important;border-color:#2c3542!important}"
    "td,th{border-color:#2c3542!important}"
    "th,.soft{color:#9aa7b8!important}"
    "h2{color:#e3e8ef!important}h2.bad{color:#ff8a80!important}a{color:#7db4ff!important}}"
)


def as_html(sheet: Sheet, language: Language) -> str:
    """One file without script and without anything from elsewhere. Everything that users wrote is escaped."""
    parts = [
        "<!doctype html>",
        f'<html lang="{language.value}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{_text(sheet.title)}</title><style>{_DARK}</style></head>",
        f'<body style="{_BODY}"><div class="card" style="{_CARD}">',
        f'<h1 style="margin:0 0 4px;font-size:22px">{_text(sheet.title)}</h1>',
        f'<p class="soft" style="margin:0 0 16px;{_SOFT}">{_text(sheet.range)}</p>',
        *(f'<p style="margin:0 0 4px">{_text(sentence)}</p>' for sentence in sheet.sentences),
        *map(_html_table, sheet.tables),
        f'<p class="soft" style="margin:24px 0 0;{_SOFT}">{_text(sheet.footer)}</p>',
    ]
    if sheet.link.startswith(("https://", "http://")):
        address = escape(sheet.link, quote=True)
        parts.append(f'<p><a style="color:#1a5fb4" href="{address}">{_text(sheet.link_title)}</a></p>')
    return "\n".join([*parts, "</div></body></html>"]) + "\n"


def _html_table(table: SheetTable) -> str:
    colour = "#b3261e" if table.is_bad else "#1c2430"
    mark = ' class="bad"' if table.is_bad else ""
    head = "".join(_html_cell("th", nth, name, table) for nth, name in enumerate(table.columns))
    rows = ["".join(_html_cell("td", nth, cell, table) for nth, cell in enumerate(row)) for row in table.rows]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<h2{mark} style="margin:24px 0 8px;font-size:16px;color:{colour}">{_text(table.heading)}</h2>'
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;width:100%">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _html_cell(tag: str, nth: int, text: str, table: SheetTable) -> str:
    is_number = nth in table.numbers
    side = "right" if is_number else "left"
    if is_number and tag == "td":
        side = "right;white-space:nowrap"  # a heading may take two lines: on a telephone the table fits then
    style = _HEAD if tag == "th" else _CELL
    return f'<{tag} style="{style};text-align:{side}">{_text(text)}</{tag}>'


def _text(text: str) -> str:
    return escape(visible_line(text), quote=True)
