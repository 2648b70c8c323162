"""Pieces of the JSON Schemas of channels' settings."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.secret_references import REFERENCE

JsonSchema = Mapping[str, Any]
TEXT_MAX: Final = 2000


def settings(required: tuple[str, ...] = (), /, **properties: JsonSchema) -> JsonSchema:
    """The settings of a kind: these and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def secret(description: str) -> JsonSchema:
    """A value that only servers have: a channel names it, `${secret:NAME}`."""
    return {
        "type": "string",
        "pattern": f"^{REFERENCE.pattern}$",
        "secret": True,
        "description": description,
        "examples": ["${secret:NAME}"],
    }


def text(description: str, *, default: str | None = None, example: str | None = None, most: int = 200) -> JsonSchema:
    """A text of one line."""
    found: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": most, "description": description}
    if default is not None:
        found["default"] = default
    if example is not None:
        found["examples"] = [example]
    return found


def url(description: str, *, default: str | None = None) -> JsonSchema:
    """An address that begins with https:// or http://."""
    found: dict[str, Any] = {
        "type": "string",
        "pattern": "^https?://[^\\s]+$",
        "maxLength": TEXT_MAX,
        "description": description,
    }
    if default is not None:
        found["default"] = default
    return found


def texts(description: str, *, most: int = 50) -> JsonSchema:
    """A list of texts."""
    items = {"type": "string", "minLength": 1, "maxLength": 200}
    return {"type": "array", "items": items, "maxItems": most, "description": description}
