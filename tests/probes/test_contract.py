"""What a generated client and a plain HTTP client rely on."""

from typing import Any

from tests.probes.scene import V1, Up


def test_the_document_declares_headers_and_every_answer(up: Up) -> None:
    document = up.ask("GET", f"{V1}/openapi.json").json()

    def operation(method: str, path: str) -> dict[str, Any]:
        found: dict[str, Any] = document["paths"][f"{V1}{path}"][method]
        return found

    def headers(method: str, path: str) -> set[str]:
        return {one["name"] for one in operation(method, path).get("parameters", ()) if one["in"] == "header"}

    assert "If-Match" in headers("patch", "/jobs/{name}")
    assert "Idempotency-Key" in headers("post", "/jobs/{name}:trigger")
    triggered = operation("post", "/jobs/{name}:trigger")["responses"]
    assert triggered["201"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/RunOut"}
    assert {"ETag", "Location"} <= operation("post", "/jobs")["responses"]["201"].get("headers", {}).keys()
    assert "cookie" in document["components"]["securitySchemes"]


def test_names_of_every_script_methods_and_missing_bodies(up: Up) -> None:
    made = up.job("结算", group="nobody")
    assert made.status_code == 201
    location = made.headers["Location"]
    assert location.isascii()
    assert up.ask("GET", location).json()["name"] == "结算"
    wrong = up.ask("DELETE", f"{V1}/jobs")
    assert wrong.status_code == 405
    assert {one.strip() for one in wrong.headers["Allow"].split(",")} >= {"GET", "POST"}
    bodies: list[dict[str, Any] | None] = [None, {}]
    for body in bodies:
        assert up.ask("POST", f"{V1}/jobs/结算:trigger", body).status_code == 201
        assert up.ask("POST", f"{V1}/jobs/结算:pause", body).status_code == 200
