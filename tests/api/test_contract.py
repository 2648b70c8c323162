"""The contract: whatever fits the OpenAPI document, or does not, is answered as the document says, never with a 5xx."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from foliot.api.app import build_api
from foliot.api.openapi import openapi_of
from foliot.operations.services import Services
from tests.api.serving import Served, served

DOCUMENT = openapi_of(build_api(cast("Services", SimpleNamespace(clock=None, chance=None))))
FUZZED = {**DOCUMENT, "paths": {path: said for path, said in DOCUMENT["paths"].items() if path != "/api/v1/events"}}
schema = schemathesis.openapi.from_dict(FUZZED)


@pytest.fixture(scope="module")
def server(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with something of everything in it."""
    with served(migrated_sqlite, tmp_path_factory.mktemp("contract")) as found:
        fill(found)
        yield found


def fill(found: Served) -> None:
    with httpx2.Client(base_url=f"{found.url}/api/v1", headers={"Authorization": f"Bearer {found.token}"}) as http:
        for name in ("a", "0", "tick", "结算"):
            document = {"run": {"python": "m:f"}, "schedule": {"every": "1h"}, "shards": 2 if name == "a" else 0}
            http.post("/jobs", json={"name": name, "definition": document}).raise_for_status()
            http.post(f"/jobs/{name}:trigger", json={}).raise_for_status()
        http.post("/tokens", json={"name": "a", "scopes": ["read"]}).raise_for_status()


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_every_operation_keeps_the_contract(case: Any, server: Served) -> None:
    case.headers = {**(case.headers or {}), "Authorization": f"Bearer {server.token}"}
    if case.path == "/api/v1/logout":
        case.headers["Authorization"] = "Bearer none"  # the others need theirs
    if isinstance(case.query, dict):
        for waiting in ("wait", "follow"):
            case.query.pop(waiting, None)
    response = case.call(base_url=server.url, timeout=60)
    names = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
    case.validate_response(response, checks=(schemathesis.checks.not_a_server_error, *CHECKS.get_by_names(list(names))))


def test_the_document_is_of_the_version_it_says_and_has_examples() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    bodies = [
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    assert len(bodies) > 15
    for name in ("NewJob", "TriggerJob", "NewTokenIn", "CronIn", "BulkRuns"):
        assert "examples" in str(DOCUMENT["components"]["schemas"][name]), name
