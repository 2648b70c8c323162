"""Sentences that are made in English where they arise, found in a catalogue by their own words, whatever they hold.

    "{name} is not a {kind}."      matches `settle is not a workflow.`; the other language has the same holes
    "{name} {why}"                 `why` and the like hold words of Foliot again; other values are the user's

Of several keys that match, the one with the most words of its own is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

TEXT_MAX: Final = 500  # letters: a longer text is said as it is, so that no pattern takes long
_HOLE: Final = re.compile(r"\{(\w+)\}")
_QUOTED: Final = frozenset({"kind", "what", "why"})  # the other values are the user's own words


class Patterns:
    """A catalogue: Chinese templates by English ones."""

    def __init__(self, catalogue: Mapping[str, str], *, pieces: Patterns | None = None) -> None:
        """`pieces`: what a sentence may quote, such as why something was refused; looked up on its own."""
        self._catalogue = catalogue
        self._pieces = pieces

    def find(self, text: str) -> str | None:
        """What the catalogue says for a text, if it knows it."""
        if text in self._catalogue:
            return self._catalogue[text]
        if len(text) > TEXT_MAX:
            return None
        for key in sorted(self._catalogue, key=_words_of_its_own, reverse=True):
            found = _pattern(key).fullmatch(text)
            if found is not None:
                return self._filled(self._catalogue[key], found.groupdict())
        return None

    def _filled(self, template: str, values: Mapping[str, str]) -> str:
        return _HOLE.sub(lambda hole: self._said(hole[1], values[hole[1]]), template)

    def _said(self, name: str, value: str) -> str:
        found = self._pieces.find(value) if self._pieces is not None and name in _QUOTED else None
        return value if found is None else found


def holes(template: str) -> set[str]:
    """The names of the values a template takes."""
    return set(_HOLE.findall(template))


def _words_of_its_own(template: str) -> int:
    return len(_HOLE.sub("", template))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A value is as short as it can be; a name that comes twice holds the same value."""
    pieces = _HOLE.split(template)  # texts and names in turn
    known: set[str] = set()
    written = re.escape(pieces[0])
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        written += f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
        written += re.escape(text)
        known.add(name)
    return re.compile(written, re.DOTALL)
