"""Values typed on a command line: `k=v`, JSON where it is JSON, text otherwise."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click


def pairs(written: Iterable[str], *, text: bool = False, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`k=v` pairs. A value is JSON where it reads as JSON, unless `text`, or unless the schema wants text there."""
    found: dict[str, Any] = {}
    for one in written:
        key, sign, value = one.partition("=")
        if not sign or not key:
            raise click.BadParameter(f'"{one}" is not K=V.')
        found[key] = value if text or _wants_text(schema, key) else _value(value)
    return found


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
    except ValueError:
        return written


def _wants_text(schema: Mapping[str, Any] | None, key: str) -> bool:
    """Whether a parameter takes text and nothing else: then `5` is the text "5"."""
    if schema is None:
        return False
    part = schema.get("properties", {}).get(key, {})
    branches = part.get("anyOf") or part.get("oneOf") or [part]
    types = {branch.get("type") for branch in branches if isinstance(branch, Mapping)} - {"null"}
    return types == {"string"}
