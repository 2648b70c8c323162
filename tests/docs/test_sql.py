"""The files in docs/reference/sql are the statements that really run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import foliot.store.sql
from tests.sql.rendered import outdated

FILES = sorted(Path(foliot.store.sql.__path__[0]).rglob("*.py"))


def test_the_written_sql_is_what_the_code_renders() -> None:
    assert outdated() == [], "run: make sql"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_statement_is_made_when_its_module_is_read(file: Path) -> None:
    """One that a function makes while it works would be in no file. A function that the module calls may make some."""
    module = ast.parse(file.read_text())
    made_at_once = [part for part in module.body if isinstance(part, ast.Assign | ast.AnnAssign)]
    called = {name for part in made_at_once for name in _calls(part)}
    makers = {part.name for part in ast.walk(module) if isinstance(part, _FUNCTION) and "Statement" in _calls(part)}
    assert makers <= called


_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def _calls(part: ast.AST) -> Iterator[str]:
    """The functions that are called somewhere in this part by their plain names."""
    for node in ast.walk(part):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
