"""Help whose letters may take two cells of a terminal, such as Chinese ones."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import click

from foliot.cli.table import pad, width_of

_PIECES: Final = re.compile(r"[（“《]*(?:[!-~]+|[^\s])[，。；：、）”》？！…]*|\s+")
"""What stays together on a line: an ASCII word, or one letter, with the marks before and behind it."""


def wrapped(text: str, width: int) -> list[str]:
    """A paragraph in lines of at most so many cells. Chinese may break between any two letters."""
    lines: list[str] = [""]
    for piece in _PIECES.findall(" ".join(text.split())):
        if width_of(lines[-1] + piece.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines]


class WideFormatter(click.HelpFormatter):
    """Writes help as click does, and counts cells instead of letters."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{heading}：\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        paragraphs = [self._lines(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
        self.write("\n".join("".join(f"{indent}{line}".rstrip() + "\n" for line in lines) for lines in paragraphs))

    def _lines(self, paragraph: str) -> list[str]:
        """A paragraph behind a backspace keeps its lines."""
        first, *others = paragraph.splitlines()
        return others if first.strip() == "\b" else wrapped(paragraph, self.width - self.current_indent)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        given = list(rows)
        widest = max((width_of(first) for first, _ in given), default=0)
        column = min(widest, col_max)
        room = max(self.width - column - col_spacing - 2, 10)
        for first, second in given:
            for left, right in _side_by_side(first, wrapped(second, room), column):
                line = f"{pad(left, column)}{' ' * col_spacing}{right}"
                self.write(f"{'':>{self.current_indent}}{line.rstrip()}\n")


def _side_by_side(first: str, lines: list[str], column: int) -> Iterator[tuple[str, str]]:
    """The lines of a row. A first column that is too wide stands above the second."""
    if width_of(first) > column:
        yield first, ""
        first = ""
    for line in lines:
        yield first, line
        first = ""


class WideContext(click.Context):
    """The context of a command with such help."""

    formatter_class = WideFormatter
