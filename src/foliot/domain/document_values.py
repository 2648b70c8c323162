"""Values of documents, read one at a time. A refusal names the path of the value in the words of the document."""

import unicodedata
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar

from foliot.domain.errors import BadField, InvalidInput, UnknownField
from foliot.domain.instants import Micros, parse_duration
from foliot.domain.names import nearest

TEXTS_MAX: Final = 1000  # far more than any field takes: what is allowed is checked with the bounds

Word = TypeVar("Word", bound=StrEnum)
Read = TypeVar("Read")


def mapping(written: Any, path: str, known: Collection[str] | None = None) -> Mapping[str, Any]:
    """A mapping with text keys, all of them known; nothing written is an empty one."""
    if written is None:
        return {}
    if type(written) is not dict and not isinstance(written, Mapping):  # most are: asking for a Mapping is slow
        raise BadField(path or "the definition", f"{shown(written)} is not a mapping")
    for key in written:
        if not isinstance(key, str):
            raise BadField(path or "the definition", f"{shown(key)} is not a name", hint="put it in quotes")
        if known is not None and key not in known:
            raise UnknownField(f"{path}.{key}" if path else key, nearest=nearest(key[:200], known), known=tuple(known))
    return written


def part(fields: Mapping[str, Any], within: str, name: str, read: Callable[[Any, str], Any], usual: Any) -> Any:
    """One field of the mapping at the path `within`; `usual` when it is not written."""
    value = fields.get(name)
    return usual if value is None else read(value, f"{within}.{name}")


def texts(written: Any, path: str) -> dict[str, str]:
    """A mapping of names to text, both in their one form."""
    given = mapping(written, path)
    if len(given) > TEXTS_MAX:
        raise BadField(path, f"it has {len(given)} names, more than are looked at")
    return {in_one_form(key): name("" if value is None else value, f"{path}.{key}") for key, value in given.items()}


def name(written: Any, path: str) -> str:
    """A name in its one form; whether it may be one is checked with the bounds."""
    return in_one_form(text(written, path))


def in_one_form(written: str) -> str:
    """Text in the Unicode form that names are compared in."""
    return unicodedata.normalize("NFC", written)


def text(written: Any, path: str) -> str:
    """Text, and nothing that merely looks like it: a YAML 1.0 or yes is refused, not guessed."""
    if not isinstance(written, str):
        raise BadField(path, f"{shown(written)} is not text", hint="put it in quotes")
    return written


def whole(written: Any, path: str) -> int:
    """A whole number."""
    if type(written) is not int:
        raise BadField(path, f"{shown(written)} is not a whole number")
    return written


def truth(written: Any, path: str) -> bool:
    """True or false."""
    if not isinstance(written, bool):
        raise BadField(path, f"{shown(written)} is neither true nor false")
    return written


def word(kind: type[Word], written: Any, path: str) -> Word:
    """One of a few words."""
    try:
        return kind(written)
    except ValueError:
        pass
    words = [one.value for one in kind]
    meant = nearest(written[:200], words) if isinstance(written, str) else None
    hint = f"did you mean {meant}?" if meant else None
    raise BadField(path, f"{shown(written)} is not one of {', '.join(words)}", hint=hint)


def duration(written: Any, path: str) -> Micros:
    """A duration in microseconds."""
    return parsed(parse_duration, written, path)


def parsed(read: Callable[[Any], Read], value: Any, path: str) -> Read:
    """What a parser of the domain makes of a value; its refusal gets the path."""
    if not isinstance(value, str) and isinstance(value, Mapping | bool):
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
