"""Tables that fit the terminal: columns, and the widths of their cells; Chinese letters take two."""

import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from foliot.domain.visible import visible_line

WIDTH_DEFAULT: Final = 120
BETWEEN: Final = "  "
LEFT_OUT: Final = "  …"  # behind the heading of a table whose last columns have no room


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
    texts: list[str] = []
    for column in columns:
        text = column.text(item)
        texts.append(_one_line(text))
    return texts


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, room: int | None) -> list[int]:
    """How wide each column is: as its widest text, or less where the room ends.

    There may be fewer widths than columns: those at the right that have no room are left out.
    """
    titles = [column.title for column in columns]
    texts = zip(titles, *rows, strict=True)
    widths = [max(map(width_of, column)) for column in texts]
    if room is None:
        return widths
    least = [min(column.least, width) for column, width in zip(columns, widths, strict=True)]
    count = how_many_fit(least, room)
    if count < len(widths):
        room -= width_of(LEFT_OUT)  # the heading says that there are more
    return fitted(widths[:count], least, room)


def how_many_fit(least: Sequence[int], room: int) -> int:
    """How many columns have room at their narrowest; the first always stays."""
    count = len(least)
    while count > 1:
        left_out = 0 if count == len(least) else width_of(LEFT_OUT)
        between = len(BETWEEN) * (count - 1)
        if sum(least[:count]) + between + left_out <= room:
            break
        count -= 1
    return count


def cells_of(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The texts of a row, cut and padded to the widths. Columns without a width are left out."""
    cells: list[str] = []
    for text, width in zip(row, widths, strict=False):
        shown = cut(text, width)
        cells.append(pad(shown, width))
    return cells


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
    missing = max(0, width - width_of(text))
    return text + " " * missing


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
    """Widths that fit the room: the widest column gives first, none below its least unless it is alone."""
    fitting = list(widths)
    between = len(BETWEEN) * (len(fitting) - 1)
    if len(fitting) == 1:
        return [max(1, min(fitting[0], room))]
    while sum(fitting) + between > room:
        spare = [width - narrowest for width, narrowest in zip(fitting, least, strict=False)]
        widest = spare.index(max(spare))
        if spare[widest] <= 0:
            break
        fitting[widest] -= 1
    return fitting


def terminal_width() -> int:
    """Columns of the terminal; plenty when there is none."""
    return shutil.get_terminal_size((WIDTH_DEFAULT, 25)).columns


def room_for_data() -> int | None:
    """How wide a table on stdout may be: as the terminal is. Behind a pipe nothing is cut."""
    return terminal_width() if sys.stdout.isatty() else None


def _one_line(text: str) -> str:
    return visible_line(text.replace("\n", " ").replace("\t", " "))
