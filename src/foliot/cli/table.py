"""Tables that fit the terminal: columns, and the widths of their cells; Chinese letters take two."""

import shutil
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from foliot.domain.visible import visible_line

WIDTH_DEFAULT: Final = 120
BETWEEN: Final = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its heading, and the field of an item that it shows, or how an item fills it."""

    title: str
    of: str | Callable[[Mapping[str, Any]], str | None]
    _: KW_ONLY
    empty: str = ""  # shown where there is nothing
    wide: bool = False  # only with -o wide
    state: bool = False  # coloured by its state
    least: int = 4  # narrowest it is cut to

    def text(self, item: Mapping[str, Any]) -> str:
        """What an item shows in it."""
        value = item[self.of] if isinstance(self.of, str) else self.of(item)
        if isinstance(value, list):
            value = ", ".join(value)
        return self.empty if value is None or value == "" else str(value)


def row_of(item: Mapping[str, Any], columns: Sequence[Column]) -> list[str]:
    """The texts of an item, each on one line."""
    return [_one_line(column.text(item)) for column in columns]


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, room: int | None) -> list[int]:
    """How wide each column is: as its widest text, or less where the room ends."""
    texts = zip(*([column.title for column in columns], *rows), strict=True)
    widths = [max(map(width_of, column)) for column in texts]
    if room is None:
        return widths
    return fitted(widths, [column.least for column in columns], room)


def cells_of(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The texts of a row, cut and padded to the widths."""
    return [pad(cut(text, width), width) for text, width in zip(row, widths, strict=True)]


def width_of(text: str) -> int:
    """How many cells a terminal needs for a text: Chinese letters take two, combining ones none."""
    if text.isascii():
        return len(text)
    cells = 0
    for letter in text:
        if unicodedata.combining(letter):
            continue
        cells += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return cells


def pad(text: str, width: int) -> str:
    """The text with spaces up to a width."""
    return text + " " * max(0, width - width_of(text))


def cut(text: str, width: int) -> str:
    """The text cut to a width, `…` at the end of what was cut."""
    if width_of(text) <= width:
        return text
    kept, cells = [], 0
    for letter in text:
        cells += width_of(letter)
        if cells > width - 1:
            break
        kept.append(letter)
    return "".join(kept) + "…"


def fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit the room: the widest column gives first, none below its least."""
    fitting = list(widths)
    spare = len(BETWEEN) * (len(fitting) - 1)
    while sum(fitting) + spare > room:
        widest = max(range(len(fitting)), key=lambda i: fitting[i] - least[i])
        if fitting[widest] <= least[widest]:
            break
        fitting[widest] -= 1
    return fitting


def terminal_width() -> int:
    """Columns of the terminal; plenty when there is none."""
    return shutil.get_terminal_size((WIDTH_DEFAULT, 25)).columns


def _one_line(text: str) -> str:
    return visible_line(text.replace("\n", " ").replace("\t", " "))
