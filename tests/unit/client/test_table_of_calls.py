"""The table of calls is the server's OpenAPI document, and both clients are made of it."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot import AsyncFoliot, Foliot
from foliot.client import awaited
from foliot.client.calls import CALLS, PREFIX, CallField, Route, call, fields
from tests.api.test_contract import DOCUMENT
from tests.client.derive import stale

PROBES = {"healthz", "readyz", "metrics"}  # for load balancers and Prometheus: text, outside of the API
OF_OTHERS = {"call_back"}  # systems that a run waits for call it, with the token of that run
EVERY_POST_TAKES = "Idempotency-Key"
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def test_the_table_has_every_operation_once() -> None:
    assert CALLS.keys() == OPERATIONS.keys() - PROBES - OF_OTHERS


@pytest.mark.parametrize("name", CALLS)
def test_an_entry_is_what_the_document_says(name: str) -> None:
    route, (method, path, operation) = CALLS[name], OPERATIONS[name]
    assert (route.method, PREFIX + route.path) == (method, path)
    assert spelled(route.query) == parameters(operation, "query")
    assert spelled(route.headers) == parameters(operation, "header") - {(EVERY_POST_TAKES, False)}
    assert spelled(route.body) == body(operation)
    assert route.answer in answers(operation)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_left_out_is_the_servers_default(name: str) -> None:
    """Empty text and False are not sent: the server must take nothing for the same."""
    _, _, operation = OPERATIONS[name]
    schemas = {one["name"]: one["schema"] for one in operation.get("parameters", ()) if one["in"] == "query"}
    schemas |= model(operation).get("properties", {})
    defaults = {wire: schema.get("default") for wire, schema in schemas.items()}
    assert {wire for wire, default in defaults.items() if default is True} == set()


@pytest.mark.parametrize("name", CALLS)
def test_no_two_values_of_a_call_are_given_under_one_name(name: str) -> None:
    arguments = [one.argument for one in everything(CALLS[name])]
    assert len(arguments) == len(set(arguments))


def test_every_entry_is_asked_by_the_async_client() -> None:
    folder = Path(inspect.getfile(awaited)).parent
    sources = [*folder.glob("*.py"), *(folder.parent / name for name in ("streams.py", "run_end.py"))]
    words = {word for file in sources for word in texts(ast.parse(file.read_text()))}
    assert CALLS.keys() - words == set()


def test_the_blocking_client_is_derived_from_the_async_one() -> None:
    assert stale() == [], "run python -m tests.client.derive"


def test_both_clients_have_the_same_calls() -> None:
    with Foliot("http://127.0.0.1:1") as client:
        assert calls_of(client) == calls_of(AsyncFoliot("http://127.0.0.1:1"))


def test_a_call_refuses_what_its_route_does_not_take() -> None:
    with pytest.raises(AssertionError, match="get_job does not take color"):
        call("get_job", name="tick", color="red")


# -- the document ----------------------------------------------------------------------------------------------------


def spelled(written: str) -> set[tuple[str, bool]]:
    return {(one.wire, one.is_needed) for one in fields(written)}


def everything(route: Route) -> list[CallField]:
    in_path = [
        CallField(part[1:].partition("}")[0], part[1:].partition("}")[0], True) for part in path_parts(route.path)
    ]
    return [*in_path, *fields(route.query), *fields(route.body)]


def path_parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part.startswith("{")]


def parameters(operation: dict[str, Any], where: str) -> set[tuple[str, bool]]:
    found = [one for one in operation.get("parameters", ()) if one["in"] == where]
    return {(one["name"], bool(one.get("required"))) for one in found}


def body(operation: dict[str, Any]) -> set[tuple[str, bool]]:
    needed = model(operation).get("required", ())
    return {(name, name in needed) for name in model(operation).get("properties", {})}


def model(operation: dict[str, Any]) -> dict[str, Any]:
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    found: dict[str, Any] = DOCUMENT["components"]["schemas"].get(last(schema), {})
    return found


def answers(operation: dict[str, Any]) -> set[str]:
    """The models of its good answers; "" for none."""
    found = set()
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            found.add(last(answer.get("content", {}).get("application/json", {}).get("schema", {})))
    return found


def last(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def texts(tree: ast.AST) -> Iterator[object]:
    """Every constant of a module."""
    yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))


def calls_of(client: Any) -> dict[str, set[str]]:
    """The public methods of each namespace of a client."""
    return {
        name: {word for word, _ in inspect.getmembers(part, inspect.ismethod) if not word.startswith("_")}
        for name, part in vars(client).items()
        if type(part).__module__.startswith(("foliot.client.awaited", "foliot.client.blocking"))
    }
