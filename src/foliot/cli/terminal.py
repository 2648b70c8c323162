"""The one way to the terminal. What others wrote cannot steer it: only what is `Styled` here becomes a style there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import click

from foliot.domain.visible import visible


@dataclass(frozen=True, slots=True)
class Styled:
    """A part of a line with a style of ours. Inside another text it is plain."""

    text: str
    fg: str | None = None
    bold: bool | None = None
    dim: bool | None = None

    def __str__(self) -> str:
        return self.text


Said: TypeAlias = str | Styled
"""A part of a line."""

Line: TypeAlias = str | Styled | Sequence[str | Styled]
"""A line as its parts."""


def echo(
    *parts: Line,
    err: bool = False,
    nl: bool = True,
    colour: bool | None = None,
    file: IO[Any] | None = None,
) -> None:
    """Say something: every part as it may be shown, styles only where they are ours. `colour` False: none at all."""
    shown: list[str] = []
    for line in parts:
        shown += [_shown(part, colour) for part in parts_of(line)]
    text = "".join(shown)
    click.echo(text, err=err, nl=nl, color=colour, file=file)


def parts_of(line: Line) -> Sequence[Said]:
    """The parts of a line."""
    return (line,) if isinstance(line, str | Styled) else line


def echo_exactly(text: str) -> None:
    """Data for another program, as it is. Never to a terminal."""
    click.echo(text, color=True)  # else click takes out what it knows to be a style


def steer(sequence: str, *, err: bool = False) -> None:
    """A sequence of our own for the terminal, such as one that clears a line."""
    click.echo(sequence, nl=False, err=err)


def _shown(part: Said, colour: bool | None) -> str:
    if isinstance(part, str):
        return visible(part)
    shown = visible(part.text)
    return shown if colour is False else click.style(shown, fg=part.fg, bold=part.bold, dim=part.dim)
