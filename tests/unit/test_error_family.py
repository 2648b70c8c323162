"""The family of errors: drawn as it is, each with a code of its own in its branch."""

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import foliot
from foliot.domain import errors
from foliot.domain.errors import FoliotError, JobNotFound, NameClaimedTwice, VersionConflict


def load_all_rooms_below_the_edges() -> None:
    for room in ("domain", "ports"):
        package = importlib.import_module(f"foliot.{room}")
        for module in pkgutil.walk_packages(package.__path__, prefix=f"foliot.{room}."):
            importlib.import_module(module.name)


def family(branch: type[FoliotError] = FoliotError) -> Iterator[type[FoliotError]]:
    for child in branch.__subclasses__():
        yield child
        yield from family(child)


def test_the_drawn_tree_is_true() -> None:
    drawn: dict[str, str] = {}
    parents = ["FoliotError"]
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    (?P<rail>[│ ]*)[├└]── (?P<name>\w+) +FOL-(?P<code>\w{4})", line)
        if found:
            depth = len(found["rail"]) // 4 + 1
            parents[depth:] = [found["name"]]
            drawn[found["name"]] = parents[depth - 1]
            assert getattr(errors, found["name"]).code.startswith(f"FOL-{found['code'].rstrip('x')}")
    real = {
        error.__name__: error.__bases__[0].__name__ for error in family() if error.__module__ == "foliot.domain.errors"
    }
    assert drawn == real


def test_no_two_errors_share_a_code() -> None:
    """Read from the text of every room, so that also rooms with optional parts are covered."""
    owners: dict[str, set[str]] = defaultdict(set)
    for file in Path(foliot.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                for code in codes_set_in(node):
                    owners[code].add(node.name)
    assert owners, "no error was found"
    assert {code: names for code, names in owners.items() if len(names) > 1} == {}


def codes_set_in(node: ast.ClassDef) -> Iterator[str]:
    for line in node.body:
        value = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Constant) and str(value.value).startswith("FOL-"):
            yield str(value.value)


def test_every_code_lies_in_its_branch() -> None:
    load_all_rooms_below_the_edges()
    for branch in FoliotError.__subclasses__():
        for error in family(branch):
            assert error.code[:5] == branch.code[:5], error
            assert error.__doc__, error


def test_an_error_says_the_next_step() -> None:
    assert str(JobNotFound("gret", nearest="greet")) == 'No job "gret" in namespace "default". (did you mean greet?)'
    assert str(VersionConflict("settle", expected=8, found=9)).startswith(
        "settle is v9 now; your change was against v8."
    )
    assert "does not exist any more" in str(VersionConflict("settle", expected=8, found=0))
    assert "was to create it" in str(VersionConflict("settle", expected=0, found=1))
    assert NameClaimedTwice("tick", first="a/jobs.py:4", second="b/jobs.py:9").hint == 'give one name="..."'


def test_a_hostile_name_cannot_break_the_line_or_fill_the_screen() -> None:
    sentence = JobNotFound("a\nb\x1b[31m" + "x" * 10_000).sentence
    assert sentence.isprintable()
    assert len(sentence) < 200
