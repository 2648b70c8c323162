"""Parameters of a handler: from its annotations to a JSON Schema, from a payload to keyword arguments."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args, get_type_hints

import msgspec

from foliot.domain.errors import InvalidInput
from foliot.domain.parameters import BadParameters, require_fit
from foliot.domain.payload import PARAMS_BYTES_MAX
from foliot.domain.schema import Schema, SchemaProblem
from foliot.sdk.ctx import Ctx
from foliot.sdk.results import Unwritable, to_json, to_plain
from foliot.sdk.shapes import Shape, Shapes, Unsupported, type_name

_NOTHING: Final = (None, "", "{}")
_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class UnsupportedParameter(InvalidInput):
    """A parameter whose annotation JSON cannot fill."""

    code = "FOL-1070"

    def __init__(self, function: str, parameter: str, annotation: str) -> None:
        super().__init__(
            f"{function}: parameter {parameter} ({annotation}) cannot be filled from JSON.",
            hint="use builtins, dates, enums, dataclasses, TypedDicts or Pydantic models",
            function=function,
            parameter=parameter,
            annotation=annotation,
        )


class Parameters:
    """What a function wants: some parameters from the payload, perhaps a Ctx."""

    def __init__(self, function: Callable[..., Any], *, name: str, ignores_unknown: bool = False) -> None:
        self.name = name
        self._ignores_unknown = ignores_unknown
        self._shapes = Shapes()
        self._fields: dict[str, Shape] = {}
        self._positional: list[str] = []
        self.ctx_names: list[str] = []
        self._rest: Shape | None = None
        self.schema: Final[Schema] = self._schema_of(function)

    def parse(self, payload: str | bytes | None) -> dict[str, Any]:
        """Read a JSON payload into keyword arguments; `BadParameters` names everything that is wrong."""
        if payload in _NOTHING and not self.schema["required"]:
            return {}
        try:
            given = msgspec.json.decode(payload) if payload else {}
        except (msgspec.DecodeError, RecursionError):
            raise self._bad([SchemaProblem("the payload", "is not JSON")]) from None
        return self.read({} if given is None else given)

    def read(self, given: Any) -> dict[str, Any]:
        """The same from JSON values that are decoded already."""
        if not isinstance(given, dict):
            raise self._bad([SchemaProblem("the payload", "is not an object of parameters")])
        if self._ignores_unknown:
            given = {name: value for name, value in given.items() if name in self._fields}
        self.check(given)
        try:
            return {name: self._shape(name).read(value) for name, value in given.items()}
        except (ValueError, TypeError) as error:  # a dataclass or model that refuses its own fields
            raise self._bad([SchemaProblem("the payload", f"was refused: {error}")]) from error

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise `BadParameters` unless these JSON values fit."""
        require_fit(self.name, self.schema, given)

    def dump(self, given: Mapping[str, Any], *, defaults: Mapping[str, Any] | None = None) -> str:
        """Python values as the JSON text of a payload, checked together with the job's own `defaults`."""
        try:
            plain = {name: to_plain(value, name, typed=True) for name, value in given.items()}
            self.check({**(defaults or {}), **plain})
            return to_json(plain, bytes_max=PARAMS_BYTES_MAX)
        except Unwritable as error:
            problem = SchemaProblem(error.path or "the payload", f"is {error.thing}, which is not JSON")
            raise self._bad([problem]) from None

    def arguments(self, parsed: dict[str, Any], ctx: Ctx) -> tuple[list[Any], dict[str, Any]]:
        """What to call the function with: positional arguments, keyword arguments, the Ctx among them."""
        if not self.ctx_names and not self._positional:
            return [], parsed
        named = {**parsed, **dict.fromkeys(self.ctx_names, ctx)}
        return [named.pop(name) for name in self._positional if name in named], named

    def _shape(self, name: str) -> Shape:
        shape = self._fields.get(name, self._rest)
        assert shape is not None, name
        return shape

    def _bad(self, problems: list[SchemaProblem]) -> BadParameters:
        return BadParameters(self.name, problems, self.schema)

    def _schema_of(self, function: Callable[..., Any]) -> Schema:
        hints = get_type_hints(function, include_extras=True)
        properties: dict[str, Any] = {}
        required: list[str] = []
        for name, parameter in inspect.signature(function).parameters.items():
            annotation = hints.get(name, Any)
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                self._positional.append(name)
            if is_ctx(annotation):
                self.ctx_names.append(name)
                continue
            if parameter.kind in _VARIADIC:
                if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                    self._rest = self._shape_of(function, name, annotation)
                continue
            shape = self._fields[name] = self._shape_of(function, name, annotation)
            properties[name] = _with_default(shape.schema, parameter.default)
            if parameter.default is inspect.Parameter.empty:
                required.append(name)
        schema: dict[str, Any] = {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": self._rest.schema if self._rest else False,
        }
        return schema | ({"$defs": self._shapes.definitions} if self._shapes.definitions else {})

    def _shape_of(self, function: Callable[..., Any], name: str, annotation: Any) -> Shape:
        try:
            return self._shapes.of(annotation)
        except Unsupported as error:
            said = type_name(annotation) if not isinstance(error.args[0], str) else error.args[0]
            raise UnsupportedParameter(function.__qualname__, name, said) from error


def is_ctx(annotation: Any) -> bool:
    """Whether a parameter with this annotation gets the Ctx."""
    return annotation is Ctx or Ctx in get_args(annotation)


def _with_default(schema: Schema, default: Any) -> Schema:
    if default is inspect.Parameter.empty:
        return schema
    try:
        return {**schema, "default": to_plain(default, typed=True)}
    except Unwritable:
        return schema
