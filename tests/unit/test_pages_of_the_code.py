"""The pages about the code name what is there: files, folders, names in files, and the numbers of constants.

How pages write them:

- A path begins at the root of the tree, at `src/foliot/`, or at the page's own room: the first folder of `src/` or
  `packages/` that the page names.
- `engine/firing.py: Firing.step` names a function, a class, a method or a constant of that file.
- A name in backticks, or `Class.method` in a picture, occurs in the code, its tests or its settings.
- `engine/firing.py: BATCH_MIN` = 200 also says its value, with a unit if it has one: 50 ms, 8 MiB. The name alone
  will do where all files that have a constant of this name agree.
"""

import ast
import importlib
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "foliot"
PAGES: Final = [*sorted((ROOT / "docs" / "architecture").glob("*.md")), ROOT / "CONTRIBUTING.md"]

FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
QUOTED: Final = re.compile(r"`([^`\n]+)`")
PATH: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?:\.py|\.md|\.toml|/)")
IN_A_FILE: Final = re.compile(r"([\w/.-]+\.py): ([\w.]+)")
ROOM: Final = re.compile(r"`((?:src|packages)/[\w/-]+/)`")
VALUE: Final = re.compile(r"`(?:([\w/.-]+\.py): )?(_?[A-Z][A-Z0-9_]+)` = (\d+(?:\.\d+)?)(?: (µs|ms|s|min|KiB|MiB)\b)?")
UNITS: Final = {"": 1, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "KiB": 1024, "MiB": 1024 * 1024}

WORD: Final = re.compile(r"[A-Za-z_][\w.]*")
METHOD: Final = re.compile(r"\b[A-Z][a-z]\w+\.[a-z_]\w+")

NOT_THERE_YET: Final = {"worker/handlers/grpc.py", "notify/", "scaling/", "importers/"}
"""Files that pages tell of as examples or plans."""
NAMES_NOT_THERE_YET: Final = {"NOTIFIERS", "SCALERS", "IMPORTERS"}
USERS_OWN: Final = {"billing/jobs.py"}
"""Files of users, in examples."""


class Named(NamedTuple):
    """A name in a file, as a page writes it."""

    file: str
    name: str


def room_of(page: Path) -> Path:
    """The folder that the page is about."""
    found = ROOM.search(page.read_text())
    return SOURCE if found is None else ROOT / found[1]


def found(page: Path, path: str) -> Path | None:
    """The file or folder that a page means."""
    places = [folder / path for folder in (ROOT, SOURCE, room_of(page))]
    return next((place for place in places if place.exists()), None)


def quotes(page: Path) -> list[str]:
    """What stands between backticks, but for whole blocks."""
    return QUOTED.findall(FENCE.sub("", page.read_text()))


def paths_of(page: Path) -> Iterator[str]:
    for quote in quotes(page):
        path = quote.partition(": ")[0]
        if PATH.fullmatch(path):
            yield path


def names_of(page: Path) -> Iterator[Named]:
    for quote in quotes(page):
        named = IN_A_FILE.fullmatch(quote)
        if named is not None:
            yield Named(named[1], named[2])


@cache
def text_of(module: Path) -> str:
    return module.read_text()


def has_name(module: Path, name: str) -> bool:
    """Whether a file defines a name; a dot leads into a class."""
    text = text_of(module)
    parts = name.split(".")
    if not all(part in text for part in parts):
        return False
    body: list[ast.stmt] = ast.parse(text).body
    for part in parts:
        inner = [node for node in body if part in defined_by(node)]
        if not inner:
            return False
        body = inner[0].body if isinstance(inner[0], ast.ClassDef) else []
    return True


def defined_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def constants(file: Path | None, name: str) -> set[float]:
    """The values that a file, or each file of Foliot, gives to a name. In seconds where the name says its unit."""
    unit = 1e-6 if name.endswith("_US") else 1
    files = SOURCE.rglob("*.py") if file is None else [file]
    return {value_in(module, name) * unit for module in files if has_name(module, name)}


def value_in(module: Path, name: str) -> float:
    dotted = ".".join(module.relative_to(ROOT / "src").with_suffix("").parts)
    value: float = getattr(importlib.import_module(dotted), name)
    return value


def test_the_pages_name_files_names_and_numbers() -> None:
    assert sum(len(list(paths_of(page))) for page in PAGES) > 200
    assert sum(len(list(names_of(page))) for page in PAGES) > 50
    assert sum(len(VALUE.findall(page.read_text())) for page in PAGES) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_file_that_a_page_names_is_there(page: Path) -> None:
    gone = [path for path in paths_of(page) if found(page, path) is None]
    assert set(gone) - NOT_THERE_YET - USERS_OWN == set()


@pytest.mark.parametrize("room", ["api", "app", "domain", "sdk", "store/sql", "words", "worker"])
def test_each_file_of_a_room_is_on_a_page_by_itself_or_in_its_folder(room: str) -> None:
    told = {place for page in PAGES for path in paths_of(page) if (place := found(page, path)) is not None}
    rooms = {SOURCE, *(SOURCE / room).parents, SOURCE / room, ROOT}
    folders = {place for place in told if place.is_dir()} - rooms
    files = [file for file in (SOURCE / room).rglob("*.py") if file.name != "__init__.py"]
    assert [file for file in files if file not in told and folders.isdisjoint(file.parents)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_name_that_a_page_places_in_a_file_is_defined_there(page: Path) -> None:
    gone = [named for named in names_of(page) if (file := found(page, named.file)) and not has_name(file, named.name)]
    assert gone == []


@pytest.fixture(scope="module")
def known_words() -> frozenset[str]:
    """Every word of the code, its tests and its settings."""
    code = [module for folder in ("src", "packages", "tests") for module in (ROOT / folder).rglob("*.py")]
    files = [file for file in (*code, ROOT / "pyproject.toml", ROOT / "Makefile") if file != Path(__file__)]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_name_that_a_page_quotes_is_known_to_the_code(page: Path, known_words: frozenset[str]) -> None:
    in_pictures = METHOD.findall("".join(FENCE.findall(page.read_text())))
    quoted = [quote for quote in quotes(page) if WORD.fullmatch(quote)]
    names = {word for name in (*quoted, *in_pictures) for word in name.split(".")}
    assert names - known_words - NAMES_NOT_THERE_YET == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_number_beside_a_constant_is_its_value(page: Path) -> None:
    for file, name, number, unit in VALUE.findall(page.read_text()):
        told = float(number) * UNITS[unit]
        known = constants(found(page, file) if file else None, name)
        assert len(known) == 1, f"{name}: say of which file; it has the values {known}"
        assert math.isclose(known.pop(), told), f"{name} is not {number} {unit}"
