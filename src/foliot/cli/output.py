"""Data on stdout, talk on stderr: tables for people, JSON that stays stable, both languages."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from foliot.cli.table import BETWEEN, LEFT_OUT, Column, cells_of, pad, room_for_data, row_of, width_of, widths_of
from foliot.cli.terminal import Line, Said, Styled, echo, parts_of
from foliot.cli.yaml import to_yaml
from foliot.domain.visible import visible_line
from foliot.words.language import Language
from foliot.words.phrases import heading, label, phrase, state_word, value_word

if TYPE_CHECKING:
    from foliot.client.pages import AnswerPage

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
    "STARTING": ("◌", ".", "white"),
    "REGISTERING": ("◌", ".", "white"),
    "SYNCING": ("◌", ".", "white"),
    "READY": ("●", "o", "green"),
    "DRAINING": ("◍", "%", "yellow"),
    "GONE": ("○", "-", "white"),
    "ACTIVE": ("●", "o", "green"),
    "PAUSED": ("‖", "=", "yellow"),
    "RETIRED": ("▲", "!", "yellow"),
    "DONE": ("■", "#", "white"),
    "FIRING": ("▲", "!", "red"),
    "ACKNOWLEDGED": ("◍", "%", "yellow"),
    "RESOLVED": ("✔", "ok", "green"),
    "WAITING": ("◌", ".", "white"),
    "SENDING": ("▶", ">", "blue"),
    "SENT": ("✔", "ok", "green"),
    "DROPPED": ("○", "-", "white"),
}

GLYPHS: Final[Mapping[str, tuple[str, str, str]]] = {
    # in front of a line: glyph, the same in ASCII, colour
    "good": ("✔", "ok", "green"),
    "bad": ("✖", "x", "red"),
    "warn": ("▲", "!", "yellow"),
    "run": ("▶", ">", "blue"),
    "wait": ("◌", ".", "yellow"),
    "note": ("•", "*", "blue"),
}


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
            shown = [column for column in columns if self.form == "wide" or not column.wide]
            self._table(items, [replace(one, title=heading(one.title, self._language)) for one in shown])
        else:
            self.talk(empty)

    def page(
        self,
        page: "AnswerPage[Any]",
        columns: Sequence[Column],
        *,
        empty: str = "nothing_matches",
    ) -> None:
        """A list as the client got it."""
        answer = page.raw
        self.items(answer["items"], columns, answer=answer, empty=empty)

    def item(self, item: Mapping[str, Any], lines: Iterable[tuple[str, Line]], *, name: str = "name") -> None:
        """One thing: aligned lines for people, or the whole answer for programs."""
        if self.quiet or self.form == "name":
            echo(visible_line(str(item[name])))
        elif self.form in ("json", "jsonl"):
            indent = 2 if self.form == "json" else None
            echo(_json(item, indent=indent))
        elif self.form == "yaml":
            echo(to_yaml(item))
        else:
            told = [(label(name, self._language), text) for name, text in lines if text]
            width = max((width_of(name) for name, _ in told), default=0)
            for name, text in told:
                echo(self.dim(pad(name, width)), "  ", *parts_of(text))

    def _table(self, items: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> None:
        words = [row_of(item, columns) for item in items]
        shown = [self._shown(row, columns) for row in words]
        room = room_for_data() if self.form == "table" else None
        widths = widths_of(columns, shown, room=room)
        self._heading([column.title for column in columns], widths)
        for row, its_words in zip(shown, words, strict=True):
            cells = cells_of(row, widths)
            line: list[Said] = []
            for cell, word, column in zip(cells, its_words, columns, strict=False):
                line += [self._coloured(cell, word) if column.state else cell, BETWEEN]
            echo(_without_end(line))

    def _heading(self, titles: Sequence[str], widths: Sequence[int]) -> None:
        heads = BETWEEN.join(cells_of(titles, widths)).rstrip()
        are_left_out = len(widths) < len(titles)
        more = LEFT_OUT if are_left_out else ""
        echo(self.dim(f"{heads}{more}"))

    def _shown(self, row: Sequence[str], columns: Sequence[Column]) -> list[str]:
        """A row as it is printed: states with their glyphs."""
        shown: list[str] = []
        for word, column in zip(row, columns, strict=True):
            shown.append(self._named(word) if column.state else word)
        return shown

    def state(self, word: str) -> Said:
        """A state as glyph and word: never colour alone."""
        return self._coloured(self._named(word), word)

    def _named(self, word: str) -> str:
        state = word.upper()  # an older server says some in small letters
        mark = MARKS.get(state)
        if mark is None:
            return word
        return f"{mark[1] if self.ascii else mark[0]} {state_word(state, self._language)}"

    def _coloured(self, text: str, word: str) -> Said:
        mark = MARKS.get(word.upper())
        if mark is None or not self.colour:
            return text
        _, _, colour = mark
        return Styled(text, fg=colour)

    # ------------------------------------------------------------------------------------------------------------ talk

    def say(self, key: str, **values: Any) -> str:
        """A phrase in the reader's language. What it speaks of stays within its place in it."""
        shown = dict(values)
        for name, value in values.items():
            if isinstance(value, str):
                shown[name] = visible_line(value)
        return phrase(key, shown, self._language)

    def done(self, key: str, answer: Mapping[str, Any], **values: Any) -> None:
        """Say that something was done, and to programs what came of it."""
        self.talk(key, mark="good", **values)
        if not self.is_for_people:
            self.item(answer, ())

    def talk(self, key: str, *, mark: str = "", **values: Any) -> None:
        """Say something beside the data, unless asked to be quiet or to speak to a program."""
        if not self.is_for_people:
            return
        said = self.say(key, **values)
        echo(self.mark(mark), said, err=True)

    def mark(self, kind: str) -> Said:
        """A glyph in front of a line: good, bad, warn, run, wait, note."""
        if kind not in GLYPHS:
            return ""
        glyph, plain, colour = GLYPHS[kind]
        text = f"{plain if self.ascii else glyph} "
        return Styled(text, fg=colour) if self.colour else text

    def word(self, value: str) -> str:
        """A value of the API as the reader calls it."""
        return value_word(value, self._language)

    def state_word(self, state: str) -> str:
        """A state as the reader calls it, for the middle of a sentence."""
        return state_word(state, self._language)

    def dim(self, text: str) -> Said:
        """Detail."""
        return Styled(text, dim=True) if self.colour else text


def wants_colour() -> bool:
    """Whether this terminal is one for colours, and its owner has not said no."""
    is_refused = "NO_COLOR" in os.environ
    is_plain = os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not is_refused and not is_plain


def _without_end(line: Sequence[Said]) -> list[Said]:
    """A row without the spaces behind its last cell."""
    kept = list(line)
    while kept and not str(kept[-1]).strip():
        kept.pop()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept


def _json(value: Any, *, indent: int | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)
