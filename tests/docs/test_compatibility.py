"""The page of what runs beside what says the same as the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import foliot
from foliot.operations import worker_service
from foliot.ports import worker_link

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/compatibility.md").read_text()
VERSIONS = Path(foliot.__file__).parent / "store/sql/kernel/migrations/versions"
STEPS = sorted(path for path in VERSIONS.glob("0*.py") if not path.name.startswith("0001"))
ADDING = {
    *("add_column", "create_index", "create_table", "create_partial_index", "create_live_column"),
    *("execute", "dialect_name"),
}


def protocols() -> dict[str, int]:
    """Each constant of the protocol that the code has."""
    named = {
        name: number
        for module in (worker_link, worker_service)
        for name, number in vars(module).items()
        if name.startswith("PROTOCOL_") and isinstance(number, int)
    }
    assert len(named) > 1
    return named


def test_each_number_of_the_protocol_is_on_the_page_and_the_last_is_what_is_spoken() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.MULTILINE)
    assert {name: int(number) for number, name in rows} == protocols()
    numbers = [int(number) for number, _ in rows]
    assert numbers == list(range(worker_service.PROTOCOL_MIN, worker_link.PROTOCOL + 1))


def calls_of(path: Path) -> Iterator[ast.Call]:
    """What a step does to the schema on the way up."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("op."):
            yield node


@pytest.mark.parametrize("step", STEPS, ids=[step.stem for step in STEPS])
def test_a_step_of_the_schema_only_adds_what_an_older_server_can_leave_out(step: Path) -> None:
    for call in calls_of(step):
        assert isinstance(call.func, ast.Attribute)
        assert call.func.attr in ADDING, f"{call.func.attr} takes something away: raise readable_from, and the page"
        assert "DROP" not in ast.unparse(call).upper(), f"line {call.lineno}"
        if call.func.attr == "add_column":
            column = call.args[1]
            assert isinstance(column, ast.Call)
            said = {word.arg: word.value for word in column.keywords}
            may_be_empty = ast.unparse(said["nullable"]) == "True"
            assert may_be_empty or "server_default" in said, f"line {call.lineno}: an older server leaves it out"
