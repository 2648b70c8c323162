"""Options of a job, read as the type of its kind says; what is wrong with them names the field.

A kind writes its options as a `msgspec.Struct` with `forbid_unknown_fields`: the same type checks them on servers, is
read by its handler on workers, and gives the JSON Schema that people and forms are shown.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from foliot.domain.errors import BadField
from foliot.domain.names import nearest

Options = TypeVar("Options", bound=msgspec.Struct)

NO_MEANINGS: Final[Mapping[str, str]] = {}
_WHERE: Final = re.compile(r" - at `\$([^`]*)`$")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `([^`]*)`")
_MISSING: Final = re.compile(r"Object missing required field `([^`]*)`")


def read_options(kind: str, options: Any, wanted: type[Options]) -> Options:
    """The options of a job of this kind; `BadField` names the field that cannot be used."""
    try:
        return msgspec.convert(options, wanted)
    except msgspec.ValidationError as error:
        raise _bad_field(f"run.{kind}", str(error), wanted) from None


def options_schema(wanted: type[msgspec.Struct], meanings: Mapping[str, str] = NO_MEANINGS) -> dict[str, Any]:
    """The JSON Schema of a kind's options. `meanings`: what each option means, in a few words for people."""
    schema = msgspec.json.schema(wanted)
    properties = schema["$defs"][wanted.__name__]["properties"]
    for name, meaning in meanings.items():
        properties[name] = {**properties[name], "description": meaning}
    return schema


def _bad_field(path: str, said: str, wanted: type[msgspec.Struct]) -> BadField:
    """What msgspec says of a value, as an error of the field that holds it."""
    where = _WHERE.search(said)
    if where is not None:
        path, said = path + where[1], said[: where.start()]
    unknown, missing = _UNKNOWN.match(said), _MISSING.match(said)
    if unknown is not None:
        return BadField(f"{path}.{unknown[1]}", "there is no such option", hint=_advice(unknown[1], where, wanted))
    if missing is not None:
        return BadField(f"{path}.{missing[1]}", "it is missing")
    return BadField(path, said.replace("`", "").replace("Expected", "expected", 1).rstrip("."))


def _advice(written: str, where: re.Match[str] | None, wanted: type[msgspec.Struct]) -> str | None:
    """The options there are; known at the top alone, where most are written."""
    if where is not None:
        return None
    fields: Mapping[str, Any] = {field.encode_name: field for field in msgspec.structs.fields(wanted)}
    meant = nearest(written, fields)
    return f"did you mean {meant}?" if meant else "known are: " + ", ".join(sorted(fields))
