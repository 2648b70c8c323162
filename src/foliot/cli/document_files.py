"""Files that users write for Foliot: YAML, TOML or JSON, read as the same values."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import yaml

from foliot.cli.values import FILE_BYTES_MAX, text_of
from foliot.domain.errors import InvalidInput

STANDARD_INPUT: Final = "-"


class UnreadableFile(InvalidInput):
    """A file that is neither YAML nor TOML nor JSON, or has no mapping in it."""

    code = "FOL-1392"

    def __init__(self, file: str, trouble: str) -> None:
        super().__init__(f"{file} cannot be read: {trouble}.", hint="it is YAML, TOML or JSON", file=file, why=trouble)


def document_of(file: str) -> dict[str, Any]:
    """The mapping in a file; `-` is standard input. Its name says what it is: .toml, .json, else YAML."""
    if file == STANDARD_INPUT:
        return _mapping("standard input", _yaml("standard input", sys.stdin.read(FILE_BYTES_MAX)))
    text = text_of(file)
    match Path(file).suffix.lower():
        case ".toml":
            return _mapping(file, _toml(file, text))
        case ".json":
            return _mapping(file, _json(file, text))
        case _:
            return _mapping(file, _yaml(file, text))


def _mapping(file: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableFile(file, "it holds no mapping of names to values")
    return value


def _toml(file: str, text: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(file, str(error)) from error


def _json(file: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(file, str(error)) from error


def _yaml(file: str, text: str) -> Any:
    try:
        return yaml.load(text, Loader=PlainLoader)  # noqa: S506  a safe loader with fewer kinds of values
    except (yaml.YAMLError, RecursionError) as error:
        trouble = " ".join(str(error).split())[:300]
        raise UnreadableFile(file, trouble) from error


class PlainLoader(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
    """YAML as JSON has it (the core schema of YAML 1.2), without surprises.

    YAML 1.1 takes `on`, `yes` and `no` for truth values, `18:00` for 1080, 2026-01-31 for a date; here they are text.
    A key that comes twice and an alias (`*name`) are refused: the first is a mistake, and a few of the second make
    gigabytes.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.constructor.ConstructorError(None, None, "aliases are not read", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, f"the key {key} is not text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key} comes twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_VALUES: Final = (
    # kind, how it looks, with which letters it begins; what is none of them is text
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("int", r"[-+]?(0|[1-9][0-9]*)", [*"-+0123456789"]),
    ("float", r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?", [*"-+0123456789."]),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
)
PlainLoader.yaml_implicit_resolvers = {}
for _kind, _look, _first in _VALUES:
    PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_look})\Z"), _first)
