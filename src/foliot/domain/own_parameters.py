"""The parameters that a job says itself: a JSON Schema in its definition, for jobs that are no Python function.

    parameters: {properties: {day: {type: string, format: date}, limit: {type: integer, default: 100}}, required: [day]}

A function's annotations say what it takes. A URL, a command or a statement says nothing: without this field its runs
take any parameters. What `domain.schema` would pass over is refused here: a keyword that nothing heeds misleads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from foliot.domain.document_values import mapping, shown
from foliot.domain.errors import BadField, InvalidInput, UnknownField
from foliot.domain.formats import FORMATS
from foliot.domain.handler import PYTHON
from foliot.domain.job import Definition
from foliot.domain.names import nearest
from foliot.domain.payload import DEPTH_MAX as JSON_DEPTH_MAX
from foliot.domain.payload import PARAMS_BYTES_MAX, json_text
from foliot.domain.schema import TYPE_NAMES, Schema, SharedCheck, TakesLong

DEPTH_MAX: Final = 20
PARTS_MAX: Final = 2000  # schemas inside one
NAME_MAX: Final = 200  # letters
CHECK_STEPS: Final = 4000  # of all checks of one definition, whatever its values are
STEPS_PER_ITEM: Final = 4  # besides, for each item of its values
_ITEM_LETTERS_MIN: Final = 3  # `1, `
_FOR_PEOPLE: Final = ("title", "description", "default", "examples")
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_SIZES: Final = ("minLength", "maxLength", "minItems", "maxItems")
_SCHEMAS: Final = ("items", "additionalProperties", "propertyNames")
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_TABLES: Final = ("properties", "$defs")
_KNOWN: Final = (
    *("type", "format", "enum", "const", "required", "$ref"),
    *_FOR_PEOPLE, *_NUMBERS, *_SIZES, *_SCHEMAS, *_LISTS, *_TABLES,
)  # fmt: skip


def read_own_parameters(written: Any, path: str) -> dict[str, Any]:
    """Read the schema. It is one of an object, and names that it does not know are refused unless it says otherwise."""
    schema = mapping(written, path, _KNOWN)
    if not schema:
        return {}
    if schema.get("type", "object") != "object":
        raise BadField(
            f"{path}.type", "parameters have names, and a schema of names is an object", hint="leave it away"
        )
    return {"type": "object", "additionalProperties": False, **schema}


def check_own_parameters(path: str, schema: Schema) -> None:
    """Refuse what is no schema, or says what nothing would heed."""
    try:
        json_text(schema, bytes_max=PARAMS_BYTES_MAX, depth_max=JSON_DEPTH_MAX, what=path)
    except InvalidInput as error:
        raise BadField(path, error.sentence.rstrip("."), hint=error.hint) from error
    for count, (inner, part) in enumerate(_parts(path, schema)):
        if count > PARTS_MAX:
            raise BadField(path, f"it has more than {PARTS_MAX} schemas inside", hint="write a shorter schema")
        _check_part(inner, part)


def default_params(schema: Schema) -> dict[str, Any]:
    """The values of parameters that neither a definition nor a trigger gives."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    return {name: part["default"] for name, part in properties.items() if "default" in part}


def usual_params(definition: Definition) -> Mapping[str, Any]:
    """The parameters of a run that was given none."""
    if not definition.parameters:
        return definition.params
    return {**default_params(definition.parameters), **definition.params}


def check_params(definition: Definition) -> None:
    """Refuse `params` that do not fit; and a schedule whose fires would lack a parameter."""
    schema = definition.parameters
    if not schema:
        return
    if definition.handler.kind == PYTHON:
        raise BadField("parameters", "the annotations of a Python function say what it takes", hint="leave it away")
    steps_max = check_steps_max(definition)
    together = SharedCheck(schema, steps_max=steps_max)
    try:
        _check_defaults(schema, together)
        problems = together.problems(schema, usual_params(definition))
    except TakesLong:
        trouble = f"to check its defaults and params takes more than {steps_max} steps"
        hint = "write a shorter schema, or fewer values into its defaults and into params"
        raise BadField("parameters", trouble, hint=hint) from None
    for problem in problems:
        is_missing = problem.said == "is missing"
        if not is_missing:
            raise BadField(f"params.{problem.path}", problem.said)
        if definition.schedule is not None:
            raise BadField(f"params.{problem.path}", "a fire of the schedule would lack it", hint="give it a value")


def check_steps_max(definition: Definition) -> int:
    """How many steps its checks may take: enough for long lists, few for a schema that leads in circles."""
    letters = len(repr(definition.params)) + len(repr(definition.parameters))
    return CHECK_STEPS + letters // _ITEM_LETTERS_MIN * STEPS_PER_ITEM


def check_named(definition: Definition, where: str, name: str) -> None:
    """Refuse an option that names a parameter which no run can have, because the job's own schema has no such name."""
    schema = definition.parameters
    if schema.get("additionalProperties", True) is not False or name in schema.get("properties", {}):
        return
    known = tuple(schema.get("properties", {}))
    meant = nearest(name[:NAME_MAX], known)
    hint = f"did you mean {meant}?" if meant else "add it to properties of parameters"
    raise BadField(where, f'the job has no parameter "{name:.{NAME_MAX}}"', hint=hint)


def may_lack(definition: Definition) -> frozenset[str]:
    """The parameters that the job's own schema knows, and without which a run may start all the same."""
    schema = definition.parameters
    known = frozenset(schema.get("properties", {}))
    return known.difference(schema.get("required", ()), usual_params(definition))


class ParameterMayLack(InvalidInput):
    """A job puts in a parameter that its runs need not have. Nobody raises it: it is advice."""

    code = "FOL-1140"

    def __init__(self, where: str, name: str) -> None:
        super().__init__(
            f"{where} names the parameter {name}, which a run may lack: such a run is rejected.",
            hint=f"add {name} to required of parameters, or give it a default",
            where=where,
            name=name,
        )


def _check_defaults(schema: Schema, together: SharedCheck) -> None:
    for path, part in _parts("parameters", schema):
        if "default" in part and together.problems(part, part["default"]):
            raise BadField(f"{path}.default", f"{shown(part['default'])} does not fit the schema that it stands in")


def _parts(path: str, schema: Schema, depth: int = 0) -> Iterator[tuple[str, Schema]]:
    """A schema and all schemas inside it, each with its path."""
    if depth > DEPTH_MAX:
        raise BadField(path, f"schemas are nested more than {DEPTH_MAX} deep")
    yield path, schema
    for inner, part in _inside(path, schema):
        if not isinstance(part, Mapping):
            raise BadField(inner, f"{shown(part)} is not a schema", hint="write {type: string}")
        yield from _parts(inner, part, depth + 1)


def _inside(path: str, schema: Schema) -> Iterator[tuple[str, Any]]:
    for keyword in _TABLES:
        for name, part in mapping(schema.get(keyword), f"{path}.{keyword}").items():
            if len(name) > NAME_MAX:
                raise BadField(f"{path}.{keyword}.{name:.20}…", f"its name has more than {NAME_MAX} letters")
            yield f"{path}.{keyword}.{name}", part
    for keyword in _SCHEMAS:
        part = schema.get(keyword, True)
        if not isinstance(part, bool):
            yield f"{path}.{keyword}", part
    for keyword in _LISTS:
        for at, part in enumerate(_list(f"{path}.{keyword}", schema.get(keyword, []))):
            yield f"{path}.{keyword}[{at}]", part


def _check_part(path: str, schema: Schema) -> None:
    for keyword, value in schema.items():
        where = f"{path}.{keyword}"
        if keyword not in _KNOWN:
            raise UnknownField(where, nearest=nearest(keyword[:200], _KNOWN), known=_KNOWN)
        check_value = _CHECKS.get(keyword)
        if check_value is not None:
            check_value(where, value)
    _check_required(f"{path}.required", schema)


def _check_required(where: str, schema: Schema) -> None:
    properties = schema.get("properties", {})
    for name in _list(where, schema.get("required", [])):
        if not isinstance(name, str) or name not in properties:
            raise BadField(where, f"{shown(name)} is not among the properties")


def _list(where: str, value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise BadField(where, f"{shown(value)} is not a list")
    return value


def _one_of(where: str, word: Any, known: Sequence[str]) -> None:
    if word not in known:
        meant = nearest(word[:200], known) if isinstance(word, str) else None
        hint = f"did you mean {meant}?" if meant else f"known are: {', '.join(known)}"
        raise BadField(where, f"{shown(word)} is not known", hint=hint)


def _check_type(where: str, value: Any) -> None:
    for name in _list(where, value if isinstance(value, list) else [value]):
        _one_of(where, name, TYPE_NAMES)


def _check_format(where: str, value: Any) -> None:
    _one_of(where, value, tuple(FORMATS))


def _check_choices(where: str, value: Any) -> None:
    if not _list(where, value):
        raise BadField(where, "it names no choice")


def _check_number(where: str, value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadField(where, f"{shown(value)} is not a number")


def _check_size(where: str, value: Any) -> None:
    if type(value) is not int or value < 0:
        raise BadField(where, f"{shown(value)} is not a whole number from 0")


def _check_reference(where: str, value: Any) -> None:
    if not isinstance(value, str) or not value.startswith("#/$defs/"):
        raise BadField(where, f"{shown(value)} is not a reference inside the schema")


_CHECKS: Final[Mapping[str, Callable[[str, Any], None]]] = {
    "type": _check_type,
    "format": _check_format,
    "enum": _check_choices,
    "$ref": _check_reference,
    **dict.fromkeys(_NUMBERS, _check_number),
    **dict.fromkeys(_SIZES, _check_size),
}
