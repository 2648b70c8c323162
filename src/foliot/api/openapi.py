"""The OpenAPI document: what the framework knows of the routes, and what every route does besides.

Operation ids are the names by which generated clients call: those of the functions in `routes/`. A test compares them
with the table of calls of Foliot's own clients, so that a function that is renamed by mistake is noticed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from foliot import __version__
from foliot.api.auth.authenticator import COOKIE, CSRF_HEADER
from foliot.api.auth.rights import PUBLIC, Right
from foliot.api.limits import REPLICA_AGE
from foliot.api.models.common import Problem
from foliot.api.models.definition import FORMS, SCHEMA_MARK

TITLE: Final = "Foliot API"
DESCRIPTION: Final = "Jobs, runs, nodes: everything Foliot can do. Times are RFC 3339 in UTC, durations are seconds."
REF: Final = "#/components/schemas/{model}"

_HEADERS: Final[Mapping[str, tuple[str, str]]] = {
    "ETag": ("The version of the job, for If-Match of a change.", '"v3"'),
    "Location": ("Where what was made is read.", "/api/v1/jobs/settle?namespace=default"),
    "Foliot-Outcome": ("Whether the save created, changed or left the job.", "changed"),
    "Retry-After": ("Seconds after which to ask again.", "1"),
    "Idempotent-Replayed": ("true: the answer to an earlier request with this Idempotency-Key.", "true"),
    REPLICA_AGE: ("A replica gave the answer, because the store is away: seconds that it is old at most.", "7"),
    "WWW-Authenticate": ("How to log in.", 'Bearer realm="foliot"'),
}
_TAGGED: Final = frozenset({"get_job", "create_job", "put_job", "patch_job", "clone_job", "rollback_job"})
_LOCATED: Final = frozenset({"create_job", "put_job", "clone_job", "trigger_job", "retry_run", "start_backfill"})
_CONDITIONAL: Final = frozenset({"patch_job", "delete_job"})  # 428 without If-Match

_WAYS_TO_LOG_IN: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token: fol_…"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "The console's session."},
    "csrf": {
        "type": "apiKey",
        "in": "header",
        "name": CSRF_HEADER.title(),
        "description": "Any value: a change with the cookie needs a header that another site cannot send.",
    },
}
_IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key and body from the same token: the same answer, for a day. Another body is 422.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "example": "settle-jan",
}


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document of an app, with the right each operation needs."""
    if app.openapi_schema:
        return app.openapi_schema
    schema = get_openapi(
        title=TITLE, version=__version__, openapi_version="3.1.0", description=DESCRIPTION, routes=app.router.routes
    )
    schema["components"] = _components(schema.get("components", {}))
    rights: Mapping[tuple[str, str], Right] = app.state.rights
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            _complete(operation, method.upper(), rights[method.upper(), path])
    app.openapi_schema = schema
    return schema


def _components(found: dict[str, Any]) -> dict[str, Any]:
    schemas = found.setdefault("schemas", {})
    forms: dict[str, type[BaseModel]] = {"Problem": Problem, **FORMS}
    for name, model in forms.items():
        schema = model.model_json_schema(ref_template=REF)
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema
    for name in sorted(schemas):
        schemas[name] = _with_forms(schemas[name])
    headers = {
        name: {"description": description, "schema": {"type": "string"}, "example": example}
        for name, (description, example) in _HEADERS.items()
    }
    return {**found, "headers": headers, "securitySchemes": _WAYS_TO_LOG_IN}


def _with_forms(schema: Any) -> Any:
    """Fields that are checked by the domain refer to the form they have."""
    if isinstance(schema, list):
        return [_with_forms(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if SCHEMA_MARK in schema:
        return {"$ref": REF.format(model=schema[SCHEMA_MARK])}
    return {key: _with_forms(value) for key, value in schema.items()}


def _complete(operation: dict[str, Any], method: str, right: Right) -> None:
    operation_id = operation["operationId"]
    operation["x-foliot-right"] = str(right)
    operation["security"] = _security(method, right)
    if method == "POST" and right != PUBLIC:
        operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    for parameter in operation.get("parameters", ()):
        if parameter["name"] == "If-Match":
            parameter["required"] = operation_id in _CONDITIONAL
    for status, answer in operation["responses"].items():
        _only_problems(status, answer)
        headers = _headers_of(operation_id, method, right, status)
        if headers:
            answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def _security(method: str, right: Right) -> list[dict[str, list[str]]]:
    if right == PUBLIC:
        return []
    by_token: dict[str, list[str]] = {"bearer": []}
    by_cookie: dict[str, list[str]] = {"cookie": []}
    if method != "GET":
        by_cookie["csrf"] = []
    return [by_token, by_cookie]


def _headers_of(operation_id: str, method: str, right: Right, status: str) -> list[str]:
    """The headers an answer of this status may have."""
    return list(_each_header(operation_id, method, right, status))


def _each_header(operation_id: str, method: str, right: Right, status: str) -> Iterator[str]:
    is_good = status.startswith("2")
    if is_good and method == "GET" and right != PUBLIC:
        yield REPLICA_AGE
    if is_good and operation_id in _TAGGED:
        yield "ETag"
        if method != "GET":
            yield "Foliot-Outcome"
    if status == "201" and operation_id in _LOCATED:
        yield "Location"
    if is_good and method == "POST" and right != PUBLIC:
        yield "Idempotent-Replayed"
    if status in ("429", "503") or (status == "409" and method == "POST"):
        yield "Retry-After"
    if status == "401":
        yield "WWW-Authenticate"


def _only_problems(status: str, answer: dict[str, Any]) -> None:
    """Errors are problem+json and nothing else."""
    content = answer.get("content", {})
    if "application/problem+json" in content and status != "200":
        answer["content"] = {"application/problem+json": content["application/problem+json"]}
