"""Where to add what: every row of CONTRIBUTING's table leads to a file, a table and a proof that exist."""

import re
from pathlib import Path

import pytest

from foliot.app import plugins
from foliot.domain.routing import ROUTES
from foliot.engine.leader_duties import LEADER_DUTIES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "foliot"
TABLE = re.compile(r"^\| to add a … \|.*\n\| --- .*\n((?:\|.*\n)+)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
PLANNED = "planned:"


def rows() -> list[list[str]]:
    """The cells of each row that is not planned."""
    found = TABLE.search((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert found, "the table is gone"
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in found[1].splitlines()]
    return [row for row in cells if not row[0].startswith(PLANNED)]


ROWS = rows()


@pytest.fixture(params=ROWS, ids=[row[0] for row in ROWS])
def row(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = request.param
    return found


def files_to_write(row: list[str]) -> list[str]:
    return [code for code in CODE.findall(row[1]) if code.endswith(".py")]


def in_tree(path: str) -> Path:
    return ROOT / path if path.startswith("tests/") else SOURCE / path


def test_the_example_of_a_row_is_a_file_of_the_tree(row: list[str]) -> None:
    assert files_to_write(row), row
    assert [file for file in files_to_write(row) if not in_tree(file).is_file()] == []


def test_the_table_of_a_row_stands_in_the_file_it_names(row: list[str]) -> None:
    name, file = CODE.findall(row[2])
    assert re.search(rf"^ *(?:def )?{name}\b", in_tree(file).read_text("utf-8"), re.MULTILINE), f"{file} has no {name}"


def test_the_example_of_a_row_is_named_in_its_table(row: list[str]) -> None:
    _, file = CODE.findall(row[2])
    text = in_tree(file).read_text("utf-8")
    named = [example for example in files_to_write(row) if re.search(rf"\b{Path(example).stem}\b", text)]
    assert named, f"{file} names none of them"


def test_a_row_counts_the_files_to_touch(row: list[str]) -> None:
    _, table = CODE.findall(row[2])
    assert int(row[4]) == len({*files_to_write(row), table})


def test_the_proof_of_a_row_is_there(row: list[str]) -> None:
    proofs = CODE.findall(row[3])
    assert proofs, row
    assert [proof for proof in proofs if not (ROOT / proof).exists()] == []


def test_the_console_offers_every_route_in_its_form() -> None:
    text = (ROOT / "web" / "src" / "format" / "place.ts").read_text("utf-8")
    listed = re.search(r"^export const ROUTES = \[(.*?)\] as const;", text, re.MULTILINE | re.DOTALL)
    assert listed, "the list is gone"
    assert sorted(re.findall(r'"(\w+)"', listed[1])) == sorted(ROUTES)


def test_every_table_of_plug_ins_has_a_row() -> None:
    named = {CODE.findall(row[2])[0] for row in ROWS}
    tables = {name for name, value in vars(plugins).items() if any(value is table for table in plugins.TABLES.values())}
    assert tables, "no table is found"
    assert tables <= named


def test_the_engines_page_lists_every_duty_of_the_leader() -> None:
    page = (ROOT / "docs" / "architecture" / "engine.md").read_text("utf-8")
    listed = re.findall(r"^\| (\w[\w ]*) \| leader \|", page, re.MULTILINE)
    assert listed == [duty.name for duty in LEADER_DUTIES]
