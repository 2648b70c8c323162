"""Data on stdout, talk on stderr: tables that fit the terminal, JSON that stays stable, both languages."""

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final

from foliot.cli.speaking import Line, Said, Styled, echo, parts_of
from foliot.domain.visible import visible, visible_line
from foliot.words.language import Language
from foliot.words.phrases import phrase, state_word

if TYPE_CHECKING:
    from foliot.client.pages import Page

FORMATS: Final = ("table", "wide", "json", "jsonl", "yaml", "name")
WIDTH_DEFAULT: Final = 120

MARKS: Final[Mapping[str, tuple[str, str, str]]] = {
    # state: glyph, the same in ASCII, colour
    "PENDING": ("◌", ".", "white"),
    "HELD": ("◌", ".", "yellow"),
    "RUNNING": ("▶", ">", "blue"),
    "RETRYING": ("↻", "~", "yellow"),
    "CANCELLING": ("⊘", "-", "yellow"),
    "SUCCEEDED": ("✔", "ok", "green"),
    "FAILED": ("✖", "x", "red"),
    "CANCELLED": ("■", "#", "white"),
    "ONLINE": ("●", "o", "green"),
    "WARNING": ("▲", "!", "yellow"),
    "OFFLINE": ("○", "-", "white"),
    "DEAD": ("✖", "x", "red"),
    "LEFT": ("○", "-", "white"),
    "draining": ("◍", "%", "yellow"),
    "active": ("●", "o", "green"),
    "paused": ("‖", "=", "yellow"),
    "done": ("■", "#", "white"),
}


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


class Output:
    """How this command speaks: format, language, colour, width."""

    def __init__(self, *, form: str, quiet: bool, colour: bool | None, chinese: bool) -> None:
        self.form = form
        self.quiet = quiet
        self.chinese = chinese
        self._language = Language.CHINESE if chinese else Language.ENGLISH
        self.colour = wants_colour() if colour is None else colour
        self.ascii = not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")

    @property
    def is_for_people(self) -> bool:
        """Whether a table is shown, not data for a program."""
        return self.form in ("table", "wide") and not self.quiet

    # ------------------------------------------------------------------------------------------------------------ data

    def items(
        self,
        items: Sequence[Mapping[str, Any]],
        columns: Sequence[Column],
        *,
        name: str = "name",
        empty: str = "nothing_matches",
        answer: Mapping[str, Any] | None = None,
    ) -> None:
        """A list: a table for people, or the whole answer for programs."""
        if self.quiet or self.form == "name":
            for item in items:
                echo(visible_line(str(item[name])))
        elif self.form == "jsonl":
            for item in items:
                echo(_json(item, indent=None))
        elif self.form in ("json", "yaml"):
            whole = dict(answer) if answer is not None else {"items": list(items)}
            echo(_json(whole, indent=2) if self.form == "json" else to_yaml(whole))
        elif items:
            self._table(items, [column for column in columns if self.form == "wide" or not column.wide])
        else:
            self.talk(empty)

    def page(self, page: "Page[Any]", columns: Sequence[Column], *, empty: str = "nothing_matches") -> None:
        """A list as the client got it."""
        self.items(page.raw["items"], columns, answer=page.raw, empty=empty)

    def item(self, item: Mapping[str, Any], lines: Iterable[tuple[str, Line]], *, name: str = "name") -> None:
        """One thing: aligned lines for people, or the whole answer for programs."""
        if self.quiet or self.form == "name":
            echo(visible_line(str(item[name])))
        elif self.form in ("json", "jsonl"):
            echo(_json(item, indent=2 if self.form == "json" else None))
        elif self.form == "yaml":
            echo(to_yaml(item))
        else:
            told = [(label, text) for label, text in lines if text]
            width = max((width_of(label) for label, _ in told), default=0)
            for label, text in told:
                echo(self.dim(pad(label, width)), "  ", *parts_of(text))

    def _table(self, items: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> None:
        cells = [[_one_line(column.text(item)) for column in columns] for item in items]
        shown = [[self._shown(text, column) for text, column in zip(row, columns, strict=True)] for row in cells]
        widths = [
            max([width_of(column.title), *(width_of(row[i]) for row in shown)]) for i, column in enumerate(columns)
        ]
        if self.form == "table":
            widths = fitted(widths, [column.least for column in columns], terminal_width())
        head = [pad(cut(c.title, w), w) for c, w in zip(columns, widths, strict=True)]
        echo(self.dim("  ".join(head).rstrip()))
        for row, raw in zip(shown, cells, strict=True):
            line: list[Said] = []
            for text, word, column, width in zip(row, raw, columns, widths, strict=True):
                padded = pad(cut(text, width), width)
                line += [self._coloured(padded, word) if column.state else padded, "  "]
            echo(_without_end(line))

    def _shown(self, text: str, column: Column) -> str:
        return self._named(text) if column.state else text

    def state(self, word: str) -> Said:
        """A state as glyph and word: never colour alone."""
        return self._coloured(self._named(word), word)

    def _named(self, word: str) -> str:
        mark = MARKS.get(word)
        if mark is None:
            return word
        return f"{mark[1] if self.ascii else mark[0]} {state_word(word, self._language)}"

    def _coloured(self, text: str, word: str) -> Said:
        mark = MARKS.get(word)
        return Styled(text, fg=mark[2]) if mark is not None and self.colour else text

    # ------------------------------------------------------------------------------------------------------------ talk

    def say(self, key: str, **values: Any) -> str:
        """A phrase in the reader's language. What it speaks of stays within its place in it."""
        shown = {name: visible_line(value) if isinstance(value, str) else value for name, value in values.items()}
        return phrase(key, shown, self._language)

    def talk(self, key: str, *, mark: str = "", **values: Any) -> None:
        """Say something beside the data, unless asked to be quiet or to speak to a program."""
        if self.is_for_people:
            echo(self.mark(mark), self.say(key, **values), err=True)

    def mark(self, kind: str) -> Said:
        """A glyph in front of a line: good, bad, warn, run."""
        glyphs = {"good": ("✔", "ok", "green"), "bad": ("✖", "x", "red"), "warn": ("▲", "!", "yellow")}
        glyphs["run"] = ("▶", ">", "blue")
        if kind not in glyphs:
            return ""
        glyph, plain, colour = glyphs[kind]
        text = f"{plain if self.ascii else glyph} "
        return Styled(text, fg=colour) if self.colour else text

    def dim(self, text: str) -> Said:
        """Detail."""
        return Styled(text, dim=True) if self.colour else text


# -------------------------------------------------------------------------------------------------------------- widths


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
    spare = 2 * (len(fitting) - 1)
    while sum(fitting) + spare > room:
        widest = max(range(len(fitting)), key=lambda i: fitting[i] - least[i])
        if fitting[widest] <= least[widest]:
            break
        fitting[widest] -= 1
    return fitting


def terminal_width() -> int:
    """Columns of the terminal; plenty when there is none."""
    return shutil.get_terminal_size((WIDTH_DEFAULT, 25)).columns


def _without_end(line: Sequence[Said]) -> list[Said]:
    """A row without the spaces behind its last cell."""
    kept = list(line)
    while kept and not str(kept[-1]).strip():
        kept.pop()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept


def _one_line(text: str) -> str:
    return visible_line(text.replace("\n", " ").replace("\t", " "))


def wants_colour() -> bool:
    """Whether this terminal is one for colours, and its owner has not said no."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


# --------------------------------------------------------------------------------------------------------------- forms


def _json(value: Any, *, indent: int | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def to_yaml(value: Any, indent: int = 0) -> str:
    """YAML of a JSON value. Text is quoted as JSON quotes it whenever a reader could take it for something else."""
    return "\n".join(visible(line) for line in _yaml(value, indent))


def _yaml(value: Any, indent: int) -> Iterable[str]:
    room = " " * indent
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            if isinstance(below, Mapping | list) and below:
                yield f"{room}{_scalar(key)}:"
                yield from _yaml(below, indent + 2)
            else:
                yield f"{room}{_scalar(key)}: {_scalar(below)}"
    elif isinstance(value, list) and value:
        for item in value:
            if isinstance(item, Mapping | list) and item:
                below = list(_yaml(item, indent + 2))
                yield f"{room}- {below[0].lstrip()}"
                yield from below[1:]
            else:
                yield f"{room}- {_scalar(item)}"
    else:
        yield f"{room}{_scalar(value)}"


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"})


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return "{}" if value == {} else "[]" if value == [] else json.dumps(value, ensure_ascii=False)
    is_plain = value and set(value) <= _PLAIN and value[0].isalpha() and value.lower() not in _WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)
