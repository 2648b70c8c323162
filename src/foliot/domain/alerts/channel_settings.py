"""The settings of a channel, checked by the JSON Schema of its kind: what is secret is a reference, and only that."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.errors import BadField
from foliot.domain.schema import check
from foliot.domain.secret_references import REFERENCE, check_references


def check_settings(schema: Mapping[str, Any], settings: Mapping[str, Any], *, path: str = "settings") -> None:
    """Refuse settings that do not fit. No message repeats what was written in the place of a secret."""
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    secrets = [name for name, one in properties.items() if one.get("secret")]
    for name in secrets:
        if name in settings and not _is_reference(settings[name]):
            raise BadField(f"{path}.{name}", "it is a secret, so it must be a reference", hint="write ${secret:NAME}")
    check_references(path, dict(settings), fields=secrets)
    for problem in check(schema, dict(settings), path=path):
        raise BadField(problem.path or path, problem.said.rstrip("."))


def filled_with_usual(schema: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, and what is usual where nothing is written."""
    usual = {name: one["default"] for name, one in schema["properties"].items() if "default" in one}
    return {**usual, **settings}


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and REFERENCE.fullmatch(value) is not None
