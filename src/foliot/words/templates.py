"""The one formatter: a template of a language, filled with values.

    {name}             the value
    {name:span}        the value in a form: a duration here; `FORMS` lists them
    {name|one|many}    a count with its noun: `1 shard`, `3 shards`
    [ on {node}]       left out when a value inside is missing (None, or nothing)
    {{  }}             braces themselves

A catalogue gives one template for a key, or several: the first whose values are all there is said.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.instants import Instant, isoformat
from foliot.words.humane import Clockface, human_duration
from foliot.words.language import Language

Template: TypeAlias = str | tuple[str, ...]
Catalogue: TypeAlias = Mapping[str, Template]
Values: TypeAlias = Mapping[str, Any]

_SEGMENT: Final = re.compile(r"\[([^\[\]]*)\]")
_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\w+)(?::(\w+))?(?:\|([^|{}]*)\|([^|{}]*))?\}")
_BETWEEN: Final = {Language.ENGLISH: ", ", Language.CHINESE: "、"}
_AND_MORE: Final = {Language.ENGLISH: "…", Language.CHINESE: " 等"}
_LISTED_MAX: Final = 3


class Placeholder(NamedTuple):
    """A value's place in a template."""

    name: str
    form: str
    one: str | None
    many: str | None


class Segment(NamedTuple):
    """A piece of a template: text and placeholders in turn. An optional one needs all its values."""

    parts: tuple[str | Placeholder, ...]
    is_optional: bool

    @property
    def names(self) -> frozenset[str]:
        return frozenset(part.name for part in self.parts if isinstance(part, Placeholder))


class Speech:
    """One language, and the clock face its reader sees times by."""

    def __init__(
        self,
        language: Language,
        *,
        clock: Clockface | None = None,
        beside: Instant | None = None,
        words: Mapping[str, str] | None = None,
    ) -> None:
        """`beside`: an instant the reader sees already, whose day need not be said again. `words`: a dictionary."""
        known = words or {}
        self._language = language
        self._clock = clock
        self._beside = beside
        self._forms: Mapping[str, Callable[[Any], str]] = {
            "span": lambda micros: human_duration(micros, language),
            "lag": lambda micros: f"{'+' if micros >= 0 else ''}{human_duration(micros, language)}",
            "short": self._short,
            "full": self._full,
            "iso": isoformat,
            "bytes": human_size,
            "number": lambda value: f"{value:g}",
            "list": _BETWEEN[language].join,
            "word": lambda value: known.get(value, value),
            "few": self._few,
        }

    def fill(self, template: Template, values: Values) -> str:
        """The template with its values; of several the first that has all it needs."""
        if isinstance(template, str):
            return self._filled(template, values)
        return self._filled(next((one for one in template if _has_all(one, values)), template[-1]), values)

    def _filled(self, template: str, values: Values) -> str:
        said = [
            self._part(part, values)
            for segment in segments_of(template)
            if not segment.is_optional or all(_is_there(values.get(name)) for name in segment.names)
            for part in segment.parts
        ]
        return "".join(said)

    def _part(self, part: str | Placeholder, values: Values) -> str:
        if isinstance(part, str):
            return part
        value = values[part.name]
        if part.one is not None:
            return f"{value} {part.one if value == 1 else part.many}"
        return self._forms[part.form](value) if part.form else str(value)

    def _short(self, instant: Instant) -> str:
        assert self._clock is not None, "this speech has no clock"
        return self._clock.short(instant, beside=self._beside)

    def _full(self, instant: Instant) -> str:
        assert self._clock is not None, "this speech has no clock"
        return self._clock.full(instant)

    def _few(self, names: Sequence[str]) -> str:
        """The first names of a list, and a sign when there are more."""
        return _BETWEEN[self._language].join(names[:_LISTED_MAX]) + (
            _AND_MORE[self._language] if len(names) > _LISTED_MAX else ""
        )


FORMS: Final = frozenset({"span", "lag", "short", "full", "iso", "bytes", "number", "list", "few", "word"})


@cache
def segments_of(template: str) -> tuple[Segment, ...]:
    """The pieces of a template."""
    pieces = _SEGMENT.split(template)  # every second one stood in brackets
    return tuple(
        Segment(tuple(_parts(text)), is_optional=number % 2 == 1) for number, text in enumerate(pieces) if text
    )


def _parts(text: str) -> list[str | Placeholder]:
    found: list[str | Placeholder] = []
    end = 0
    for match in _FIELD.finditer(text):
        found.append(text[end : match.start()])
        end = match.end()
        name = match[1]
        found.append(match[0][0] if name is None else Placeholder(name, match[2] or "", match[3], match[4]))
    found.append(text[end:])
    return [part for part in found if part != ""]


def _has_all(template: str, values: Values) -> bool:
    needed = [segment.names for segment in segments_of(template) if not segment.is_optional]
    return all(_is_there(values.get(name)) for names in needed for name in names)


def _is_there(value: Any) -> bool:
    return value is not None and value not in ("", (), [])


def human_size(size: int) -> str:
    """A number of bytes as people say it."""
    if size >= 1024 * 1024 * 1024:
        return f"{size / (1024 * 1024 * 1024):.1f} GiB"
    if size >= 1024 * 1024:
        return f"{size / (1024 * 1024):.1f} MiB"
    return f"{size / 1024:.1f} KiB".replace(".0 ", " ") if size >= 1024 else f"{size} B"
