"""What a handler returns, as JSON.

Taken as they are: None, true/false, numbers, text, lists, tuples, sets (sorted), mappings with text or integer keys.
Written as text: dates and times (ISO 8601), durations (ISO 8601), UUIDs; an enum is its value. Dataclasses and Pydantic
models become objects; a dataclass says what its fields are, so a `Decimal` inside one is written as text, while a bare
`Decimal` is refused rather than guessed at.
"""

import dataclasses
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

import msgspec

from foliot.domain.errors import BadNumber, BadText, InvalidInput, NotJson, PayloadTooLarge, TooDeep, beyond
from foliot.domain.payload import RESULT_BYTES_MAX, json_text


class Unwritable(TypeError):
    """A value that JSON has no form for: what it is (`a "Decimal"`) and where in the whole it stands."""

    def __init__(self, thing: str, path: str = "") -> None:
        super().__init__(f"{thing} at {path}" if path else thing)
        self.thing = thing
        self.path = path


class ResultTooLarge(InvalidInput):
    """The run succeeded; its result is too large to keep."""

    code = "FOL-1007"

    def __init__(self, run: str, size: int) -> None:
        super().__init__(
            f"Result of {run} is {beyond(size, RESULT_BYTES_MAX)}. The run succeeded, the result was not kept.",
            hint="store the data elsewhere and return where it is",
            run=run,
            size=size,
            bytes_max=RESULT_BYTES_MAX,
        )


class ResultNotJson(InvalidInput):
    """The run succeeded; its result cannot be written as JSON."""

    code = "FOL-1008"

    def __init__(self, function: str, thing: str, path: str = "") -> None:
        where = f" (at {path})" if path else ""
        super().__init__(
            f"{function} returned {thing}{where}, which is not JSON. The run succeeded, the result was not kept.",
            hint="return str(value), or a dataclass",
            function=function,
            thing=thing,
            type=thing.partition('"')[2].rpartition('"')[0] or None,
            path=path,
        )


def encode_result(value: Any, *, function: str, run: str) -> str:
    """The result as JSON text; `ResultTooLarge` or `ResultNotJson` when it cannot be kept."""
    try:
        return to_json(value, bytes_max=RESULT_BYTES_MAX)
    except Unwritable as error:
        raise ResultNotJson(function, error.thing, error.path) from error
    except PayloadTooLarge as error:
        raise ResultTooLarge(run, error.data["size"]) from error


def to_json(value: Any, *, bytes_max: int) -> str:
    """The value as JSON text with sorted keys; `Unwritable` when it has none, `PayloadTooLarge` when it is too long."""
    try:
        return json_text(to_plain(value), bytes_max=bytes_max)
    except NotJson as error:
        thing = next((said for kind, said in _THINGS.items() if isinstance(error, kind)), "a value")
        raise Unwritable(thing, error.path) from None
    except RecursionError:
        raise Unwritable(_THINGS[TooDeep]) from None


def to_plain(value: Any, path: str = "", *, typed: bool = False) -> Any:
    """The value made of None, bool, int, float, str, list, dict. `typed`: inside a dataclass, where Decimal is text."""
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is float or (isinstance(value, float) and not isinstance(value, Enum)):
        if not math.isfinite(value):
            raise Unwritable(f'"{value}"', path)
        return float(value)
    if kind is list or kind is tuple:
        return [to_plain(item, f"{path}[{i}]", typed=typed) for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {_key(key, path): to_plain(item, _below(path, key), typed=typed) for key, item in value.items()}
    return _rare(value, path, typed=typed)


def _rare(value: Any, path: str, *, typed: bool) -> Any:
    if isinstance(value, Enum):
        return to_plain(value.value, path, typed=typed)
    if (text := _text(value)) is not None:
        return text
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_plain(getattr(value, field.name), _below(path, field.name), typed=True)
            for field in dataclasses.fields(value)
        }
    if isinstance(value, tuple):  # a named tuple
        return [to_plain(item, f"{path}[{i}]", typed=typed) for i, item in enumerate(value)]
    if isinstance(value, set | frozenset):
        items = [to_plain(item, f"{path}[]", typed=typed) for item in value]
        return sorted(items, key=lambda item: msgspec.json.encode(item, order="sorted"))
    if hasattr(type(value), "model_dump"):  # Pydantic, without importing it
        return value.model_dump(mode="json", by_alias=True)
    if typed and isinstance(value, Decimal):
        return str(value)
    raise Unwritable(_named(type(value)), path)


def _text(value: Any) -> str | None:
    if isinstance(value, datetime):
        text = value.isoformat()
        return text[:-6] + "Z" if text.endswith("+00:00") else text
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(msgspec.to_builtins(value))
    return str(value) if isinstance(value, UUID) else None


def _key(key: Any, path: str) -> str:
    if type(key) is str:
        return key
    plain = to_plain(key, path)
    if isinstance(plain, str) or (isinstance(plain, int) and not isinstance(plain, bool)):
        return str(plain)
    raise Unwritable(f"a mapping with {_named(type(key))} as key", path)


def _below(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _named(kind: type) -> str:
    """`a "Decimal"`, `an "object"`."""
    article = "an" if kind.__name__[0] in "AEIOaeio" else "a"
    return f'{article} "{kind.__name__}"'


_AS_IT_IS: Final[frozenset[type]] = frozenset({type(None), bool, int, str})
_THINGS: Final[Mapping[type[NotJson], str]] = {
    BadNumber: "a whole number beyond 64 bits",
    BadText: "text that no store keeps (NUL, or half a character)",
    TooDeep: "a structure that is nested too deeply",
}
