"""Reading documents: one value at a time, with the path of what is wrong in the words of the document."""

import unicodedata
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar

from foliot.domain.errors import BadField, InvalidInput, UnknownField
from foliot.domain.instants import parse_duration
from foliot.domain.names import nearest

TEXTS_MAX: Final = 1000  # far more than any field takes: what is allowed is checked with the bounds

Word = TypeVar("Word", bound=StrEnum)
Read = TypeVar("Read")


def mapping(written: Any, path: str, known: tuple[str, ...] | None = None) -> Mapping[str, Any]:
    """A mapping with text keys, all of them known; nothing written is an empty one."""
    if written is None:
        return {}
    if not isinstance(written, Mapping):
        raise BadField(path or "the definition", f"{shown(written)} is not a mapping")
    for key in written:
        if not isinstance(key, str):
            raise BadField(path or "the definition", f"{shown(key)} is not a name", hint="put it in quotes")
        if known is not None and key not in known:
            raise UnknownField(f"{path}.{key}" if path else key, nearest=nearest(key[:200], known), known=known)
    return written


def texts(written: Any, path: str) -> dict[str, str]:
    """A mapping of names to text, both in their one form."""
    given = mapping(written, path)
    if len(given) > TEXTS_MAX:
        raise BadField(path, f"it has {len(given)} names, more than are looked at")
    return {name(key): name(text({"value": value}, "value", "", f"{path}.{key}")) for key, value in given.items()}


def name(written: str) -> str:
    """A name in its one form; whether it may be one is checked with the bounds."""
    return unicodedata.normalize("NFC", written)


def text(fields: Mapping[str, Any], field: str, usual: str, path: str | None = None) -> str:
    """Text, and nothing that merely looks like it: a YAML 1.0 or yes is refused, not guessed."""
    value = fields.get(field)
    if value is None:
        return usual
    if not isinstance(value, str):
        raise BadField(path or field, f"{shown(value)} is not text", hint="put it in quotes")
    return value


def whole(fields: Mapping[str, Any], field: str, usual: Any, path: str | None = None) -> Any:
    """A whole number."""
    value = fields.get(field)
    if value is None:
        return usual
    if type(value) is not int:
        raise BadField(path or field, f"{shown(value)} is not a whole number")
    return value


def truth(fields: Mapping[str, Any], field: str, usual: bool, path: str | None = None) -> bool:
    """True or false."""
    value = fields.get(field)
    if value is None:
        return usual
    if not isinstance(value, bool):
        raise BadField(path or field, f"{shown(value)} is neither true nor false")
    return value


def word(kind: type[Word], fields: Mapping[str, Any], field: str, usual: Any) -> Any:
    """One of a few words."""
    value = fields.get(field)
    if value is None:
        return usual
    words = [one.value for one in kind]
    if not isinstance(value, str) or value not in words:
        meant = nearest(value[:200], words) if isinstance(value, str) else None
        hint = f"did you mean {meant}?" if meant else None
        raise BadField(field, f"{shown(value)} is not one of {', '.join(words)}", hint=hint)
    return kind(value)


def duration(fields: Mapping[str, Any], field: str, usual: Any = None, path: str | None = None) -> Any:
    """A duration in microseconds."""
    value = fields.get(field)
    return usual if value is None else parsed(parse_duration, value, path or field)


def parsed(read: Callable[[Any], Read], value: Any, path: str) -> Read:
    """What a parser of the domain makes of a value; its refusal gets the path."""
    if isinstance(value, Mapping | bool):
        raise BadField(path, f"{shown(value)} is not a duration", hint="write 90s, 15m, 1h30m or 2d")
    try:
        return read(value)
    except InvalidInput as error:
        raise BadField(path, error.sentence.rstrip("."), hint=error.hint) from error


def shown(value: object) -> str:
    """A value as a sentence can show it."""
    if isinstance(value, str):
        return f'"{value[:80]}"' if value.isprintable() else "this text"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else "this number"
    return str(value) if isinstance(value, float) else f"a {type(value).__name__}"
