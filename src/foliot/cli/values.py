"""Values typed on a command line: `k=v`, JSON where it is JSON, text otherwise; or in a file that it names."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from foliot.domain.parameters import from_words
from foliot.domain.schema import NOT_A_SCHEMA, property_words

FILE_BYTES_MAX: Final = 16 * 1024 * 1024


def pairs(written: Iterable[str], *, text: bool = False, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`k=v` pairs. A value is JSON where it reads as JSON, unless `text`, or unless the schema takes the text alone."""
    words: dict[str, str] = {}
    for one in written:
        key, sign, value = one.partition("=")
        if not sign or not key:
            raise click.BadParameter(f'"{one}" is not K=V.')
        words[key] = value
    if schema is not None:
        return from_words(words, schema)
    return {key: value if text else _value(value) for key, value in words.items()}


def text_of(file: str | Path, *, errors: str = "strict") -> str:
    """The text in a file of the user's, up to more than a server takes."""
    try:
        with Path(file).open("rb") as opened:
            return opened.read(FILE_BYTES_MAX).decode(errors=errors)  # a device may have no end
    except OSError as error:
        raise click.BadParameter(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # not UTF-8, or no path
        raise click.BadParameter(f"{file} cannot be read: {error}.") from None


def in_words(value: Any, *, is_inside: bool = False) -> str:
    """A value of a definition as people read it: `max: 3, backoff: 30s..10m`."""
    if isinstance(value, Mapping):
        text = ", ".join(f"{key}: {in_words(below, is_inside=True)}" for key, below in value.items())
        return f"({text})" if is_inside else text
    if isinstance(value, list):
        text = ", ".join(in_words(below, is_inside=True) for below in value)
        return f"({text})" if is_inside and len(value) > 1 else text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parameters_in_words(schema: Mapping[str, Any] | None) -> str:
    """What a job takes, with types and defaults: `day (date), dry_run (true/false) = false`."""
    try:
        named = property_words(schema or {})
    except NOT_A_SCHEMA:  # of another Foliot
        return ""
    parts = (schema or {}).get("properties", {})
    return ", ".join(f"{name} ({kind}){_default(parts[name])}" for name, kind in named)


def _default(part: Mapping[str, Any]) -> str:
    return f" = {json.dumps(part['default'], ensure_ascii=False)}" if "default" in part else ""


def set_path(document: dict[str, Any], path: str, value: Any) -> None:
    """Set a field by its path (`place.priority`); None takes it away."""
    *above, last = path.split(".")
    at = document
    for part in above:
        below = at.get(part)
        if not isinstance(below, dict):
            below = at[part] = {}
        at = below
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written
