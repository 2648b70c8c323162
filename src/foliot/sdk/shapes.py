"""Shapes: what an annotation means as JSON. Each has a schema and reads checked JSON into Python."""

import dataclasses
import sys
import types
import typing
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from foliot.domain.formats import FORMATS
from foliot.domain.schema import Schema, fits
from foliot.sdk.results import to_plain

Definitions = dict[str, Any]


class Unsupported(TypeError):
    """An annotation that JSON cannot fill."""

    def __init__(self, annotation: Any) -> None:
        super().__init__(annotation if isinstance(annotation, str) else type_name(annotation))


class Shape(NamedTuple):
    """An annotation as JSON. `read` is given only what fits `schema`."""

    schema: Schema
    read: Callable[[Any], Any]


class Shapes:
    """Makes shapes; gathers the named ones (dataclasses and the like) so that they may refer to themselves."""

    def __init__(self) -> None:
        self.definitions: Definitions = {}
        self._readers: dict[str, Callable[[Any], Any]] = {}
        self._names: dict[Any, str] = {}

    def of(self, annotation: Any) -> Shape:
        """The shape of an annotation; `Unsupported` when JSON cannot fill it."""
        if annotation in (Any, object):
            return Shape({}, _as_it_is)
        if annotation is None:
            annotation = type(None)
        if (behind := getattr(annotation, "__supertype__", getattr(annotation, "__value__", None))) is not None:
            return self.of(behind)  # NewType, and `type X = …`
        if mentions_pydantic(annotation):
            return self._pydantic(annotation)
        origin = get_origin(annotation)
        if origin is Annotated:
            return self._annotated(annotation)
        if origin is Literal:
            return Shape({"enum": list(get_args(annotation))}, _as_it_is)
        if origin in (Union, types.UnionType):
            return self._union(get_args(annotation))
        return self._scalar(annotation) or self._container(annotation) or self._named(annotation)

    def _scalar(self, annotation: Any) -> Shape | None:
        if not isinstance(annotation, type):
            return None
        if issubclass(annotation, Enum):
            return self._enum(annotation)
        return _SCALARS.get(annotation)

    def _enum(self, kind: type[Enum]) -> Shape:
        values = [to_plain(member.value) for member in kind]
        members = dict(zip(map(_hashable, values), kind, strict=True))
        schema = {"title": kind.__name__, "enum": values}
        return Shape(schema, lambda value: members[_hashable(value)])

    def _container(self, annotation: Any) -> Shape | None:
        origin, args = get_origin(annotation) or annotation, get_args(annotation)
        if origin is tuple:
            return self._tuple(args)
        if origin in _LISTS:
            item = self.of(args[0] if args else Any)
            make = _LISTS[origin]
            unique = {"uniqueItems": True} if make in (set, frozenset) else {}
            return Shape({"type": "array", "items": item.schema} | unique, lambda value: make(map(item.read, value)))
        if origin in _DICTS:
            key, item = map(self.of, args or (str, Any))
            return self._dict(key, item)
        return None

    def _tuple(self, args: tuple[Any, ...]) -> Shape:
        if not args:
            return self._tuple((Any, ...))
        if len(args) == 2 and args[1] is Ellipsis:
            item = self.of(args[0])
            schema = {"type": "array", "items": item.schema}
            return Shape(schema, lambda value: tuple(map(item.read, value)))
        items = [self.of(arg) for arg in args if arg != ()]
        fixed = _fixed([item.schema for item in items])
        return Shape(fixed, lambda value: tuple(_each(items, value)))

    def _dict(self, key: Shape, item: Shape) -> Shape:
        schema: dict[str, Any] = {"type": "object", "additionalProperties": item.schema}
        read_key = key.read
        if key.schema.get("type") == "integer":  # JSON writes it as text
            schema["propertyNames"] = {"type": "string", "format": "integer"}
            read_key = int
        elif not _is_text(key.schema):
            raise Unsupported("a mapping whose keys are not text or whole numbers")
        elif key.schema != {"type": "string"}:
            schema["propertyNames"] = key.schema

        def read(value: Any) -> Any:
            return {read_key(name): item.read(part) for name, part in value.items()}

        return Shape(schema, read)

    def _union(self, args: tuple[Any, ...]) -> Shape:
        # The first branch that fits wins, in the order written; but 1 given for `float | int` stays whole.
        branches = [
            self.of(arg) for arg in sorted(args, key=lambda arg: (arg is float and int in args, arg is type(None)))
        ]

        def read(value: Any) -> Any:
            root = {"$defs": self.definitions}
            branch = next((branch for branch in branches if fits(branch.schema, value, root=root)), branches[0])
            return branch.read(value)

        return Shape({"anyOf": [branch.schema for branch in branches]}, read)

    def _annotated(self, annotation: Any) -> Shape:
        inner, *notes = get_args(annotation)
        shape = self.of(inner)
        said = next((note for note in notes if isinstance(note, str)), None)
        return shape._replace(schema={**shape.schema, "description": said}) if said else shape

    def _named(self, annotation: Any) -> Shape:
        fields = _fields_of(annotation)
        if fields is None:
            raise Unsupported(annotation)
        if annotation not in self._names:
            name = self._names[annotation] = self._free_name(annotation)
            self.definitions[name] = {}  # so that a field may refer to it
            self.definitions[name], self._readers[name] = self._object(annotation, fields)
        name = self._names[annotation]
        return Shape({"$ref": f"#/$defs/{name}"}, lambda value: self._readers[name](value))  # noqa: PLW0108  not there yet

    def _object(self, annotation: Any, fields: "list[_Field]") -> tuple[Schema, Callable[[Any], Any]]:
        shapes = {field.name: self.of(field.annotation) for field in fields}
        if issubclass(annotation, tuple):
            required = sum(field.required for field in fields)
            schema = {"title": annotation.__name__} | _fixed([shape.schema for shape in shapes.values()], required)
            return schema, lambda value: annotation(*_each(list(shapes.values()), value))
        schema = {
            "type": "object",
            "title": annotation.__name__,
            "properties": {name: shape.schema for name, shape in shapes.items()},
            "required": [field.name for field in fields if field.required],
            "additionalProperties": False,
        }
        return schema, lambda value: annotation(**{name: shapes[name].read(part) for name, part in value.items()})

    def _free_name(self, annotation: Any) -> str:
        name: str = annotation.__name__
        return name if name not in self.definitions else f"{annotation.__module__}.{annotation.__qualname__}"

    def _pydantic(self, annotation: Any) -> Shape:
        from pydantic import PydanticSchemaGenerationError, TypeAdapter

        try:
            adapter: TypeAdapter[Any] = TypeAdapter(annotation)
            schema = adapter.json_schema()
        except PydanticSchemaGenerationError as error:
            raise Unsupported(annotation) from error
        for name, part in schema.pop("$defs", {}).items():
            self.definitions.setdefault(name, part)
        return Shape(schema, adapter.validate_python)


class _Field(NamedTuple):
    name: str
    annotation: Any
    required: bool


def mentions_pydantic(annotation: Any) -> bool:
    """Whether Pydantic has to read this: a model, or constraints written with its words, anywhere inside."""
    if "pydantic" not in sys.modules:
        return False
    if get_origin(annotation) is Annotated and any(
        type(note).__module__.split(".")[0] in ("pydantic", "annotated_types") for note in get_args(annotation)[1:]
    ):
        return True
    if isinstance(annotation, type) and (
        hasattr(annotation, "model_fields") or hasattr(annotation, "__pydantic_fields__")
    ):
        return True
    return any(mentions_pydantic(arg) for arg in get_args(annotation) if not isinstance(arg, str | int))


def type_name(annotation: Any) -> str:
    """An annotation as its author wrote it, more or less."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


def _fields_of(annotation: Any) -> list[_Field] | None:
    if not isinstance(annotation, type):
        return None
    if dataclasses.is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return [
            _Field(field.name, hints[field.name], field.default is field.default_factory is dataclasses.MISSING)
            for field in dataclasses.fields(annotation)
            if field.init
        ]
    if typing.is_typeddict(annotation):
        required: frozenset[str] = vars(annotation)["__required_keys__"]
        return [_Field(name, _bare(hint), name in required) for name, hint in get_type_hints(annotation).items()]
    if issubclass(annotation, tuple) and hasattr(annotation, "_field_defaults"):
        hints = get_type_hints(annotation, include_extras=True)
        names, defaults = vars(annotation)["_fields"], vars(annotation)["_field_defaults"]
        return [_Field(name, hints.get(name, Any), name not in defaults) for name in names]
    return None


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (typing.Required, typing.NotRequired) else hint


def _fixed(schemas: list[Schema], required: int | None = None) -> dict[str, Any]:
    least = len(schemas) if required is None else required
    return {"type": "array", "prefixItems": schemas, "items": False, "minItems": least, "maxItems": len(schemas)}


def _each(shapes: list[Shape], values: list[Any]) -> list[Any]:
    return [shape.read(value) for shape, value in zip(shapes, values, strict=False)]


def _as_it_is(value: Any) -> Any:
    return value


def _is_text(schema: Schema) -> bool:
    if schema.get("type") == "string":
        return True
    choices = schema.get("enum", [None])
    return all(isinstance(choice, str) for choice in choices)


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else msgspec.json.encode(value)


_SCALARS: Final[Mapping[type, Shape]] = {
    type(None): Shape({"type": "null"}, _as_it_is),
    bool: Shape({"type": "boolean"}, _as_it_is),
    int: Shape({"type": "integer"}, _as_it_is),
    float: Shape({"type": "number"}, float),
    str: Shape({"type": "string"}, _as_it_is),
    date: Shape({"type": "string", "format": "date"}, FORMATS["date"][1]),
    datetime: Shape({"type": "string", "format": "date-time"}, FORMATS["date-time"][1]),
    time: Shape({"type": "string", "format": "time"}, FORMATS["time"][1]),
    timedelta: Shape({"type": ["string", "number"], "format": "duration"}, FORMATS["duration"][1]),
    Decimal: Shape({"type": ["string", "integer"], "format": "decimal"}, FORMATS["decimal"][1]),
    UUID: Shape({"type": "string", "format": "uuid"}, UUID),
}
_LISTS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    list: list,
    Sequence: list,
    MutableSequence: list,
    set: set,
    AbstractSet: set,
    frozenset: frozenset,
}
_DICTS: Final = (dict, Mapping, MutableMapping)
