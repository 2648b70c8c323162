"""The options of a kind of handler as people see them: a row for each, from the JSON Schema that the kind states."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from foliot.domain.schema import NOT_A_SCHEMA, Schema, property_words, shown

ROWS_MAX: Final = 50
MEANING_MAX: Final = 200
_DEFS: Final = "#/$defs/"


class OptionRow(NamedTuple):
    """One option of a kind."""

    name: str
    type: str  # in words: `whole number`
    default: str  # as JSON; empty: there is none
    is_required: bool
    meaning: str


def opened(schema: Schema) -> Schema:
    """The schema of the object itself: msgspec and pydantic write a reference to it at the top."""
    ref, defs = schema.get("$ref"), schema.get("$defs")
    if not isinstance(ref, str) or not isinstance(defs, Mapping):
        return schema
    target = defs.get(ref.removeprefix(_DEFS))
    return {**target, "$defs": defs} if isinstance(target, Mapping) else schema


def option_rows(schema: Schema) -> list[OptionRow]:
    """The first options that a schema names, in its order; none when it is no schema of an object."""
    inside = opened(schema)
    try:
        return [_row(inside, name, words) for name, words in property_words(inside)[:ROWS_MAX]]
    except NOT_A_SCHEMA:
        return []


def _row(schema: Schema, name: str, words: str) -> OptionRow:
    part: Mapping[str, Any] = schema["properties"][name]
    default = part.get("default")
    return OptionRow(
        name=name,
        type=words,
        default="" if default is None else shown(default),
        is_required=name in schema.get("required", ()),
        meaning=_meaning(schema, part),
    )


def _meaning(schema: Schema, part: Schema) -> str:
    """What the kind says of an option; else the first line of what it says of the option's type."""
    said = part.get("description") or opened({**part, "$defs": schema.get("$defs", {})}).get("description", "")
    return str(said).strip().partition("\n")[0][:MEANING_MAX]
