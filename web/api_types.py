"""The types of the REST API in TypeScript, written from its OpenAPI document.

Two things are written: an interface for each model, and one entry for each operation with what it takes and answers.
The console calls by operation id, as the Python clients do.
"""

import json
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from foliot.operations.services import Services

HEAD: Final = "// Written by python -m web.build types: change the API, then run it.\n"
PRIMITIVES: Final[Mapping[str, str]] = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def api_types() -> str:
    """The whole file."""
    document = openapi_document()
    models = document["components"]["schemas"]
    parts = [HEAD, *(_model(name, models[name]) for name in sorted(models)), _operations(document)]
    return "\n".join(parts)


def openapi_document() -> dict[str, Any]:
    """The document of an API that nobody serves: only its routes are asked."""
    from foliot.api.app import build_api
    from foliot.api.openapi import openapi_of

    return openapi_of(build_api(cast("Services", SimpleNamespace(clock=None, chance=None))))


def _model(name: str, schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return f"export type {_name(name)} = {_type(schema)};\n"
    needed = set(schema.get("required", ()))
    lines = [f"export interface {_name(name)} {{"]
    for field, kind in schema["properties"].items():
        # An answer holds every field; what may be missing in a request has a default.
        mark = "" if field in needed or _is_answer(name) else "?"
        lines.append(f"  {json.dumps(field)}{mark}: {_type(kind)};")
    return "\n".join([*lines, "}\n"])


def _is_answer(name: str) -> bool:
    return name.endswith(("Out", "Out_", "Entry"))


def _name(name: str) -> str:
    return name.replace("-", "_")


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _name(schema["$ref"].rpartition("/")[2])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_type(one) for one in schema[key]))
    if "allOf" in schema:
        return " & ".join(_type(one) for one in schema["allOf"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    return _by_kind(schema)


def _by_kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(PRIMITIVES.get(one, "unknown") for one in kind)
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
    return PRIMITIVES.get(str(kind), "unknown")


def _operations(document: Mapping[str, Any]) -> str:
    entries = sorted(_each_operation(document), key=lambda entry: entry[0])
    types = "\n".join(f"  {name}: {kind};" for name, kind, _ in entries)
    routes = "\n".join(f"  {name}: {route}," for name, _, route in entries)
    return (
        f"export interface Operations {{\n{types}\n}}\n\n"
        f"export const ROUTES: Record<keyof Operations, readonly [method: string, path: string]> = {{\n{routes}\n}};\n"
    )


def _each_operation(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            parameters = operation.get("parameters", ())
            in_path = _fields(one for one in parameters if one["in"] == "path")
            in_query = _fields(one for one in parameters if one["in"] == "query")
            body = _body(operation)
            answer = _answer(operation)
            kind = f"{{ path: {in_path}; query: {in_query}; body: {body}; answer: {answer} }}"
            yield name, kind, json.dumps([method.upper(), path])


def _fields(parameters: Iterator[Mapping[str, Any]]) -> str:
    fields = [_field(one) for one in parameters]
    return f"{{ {'; '.join(fields)} }}" if fields else "Record<never, never>"


def _field(parameter: Mapping[str, Any]) -> str:
    mark = "" if parameter.get("required") else "?"
    return f"{json.dumps(parameter['name'])}{mark}: {_type(parameter['schema'])}"


def _body(operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return _type(schema) if schema else "undefined"


def _answer(operation: Mapping[str, Any]) -> str:
    found: list[str] = []
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            found.append(_type(schema) if schema else "undefined")
    return " | ".join(dict.fromkeys(found)) or "undefined"
