"""The house rules hold: the checks go red for what they forbid, and the tree keeps what no tool checks."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "foliot"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

MODULES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "packages").rglob("*.py")])
PACKAGES = sorted({module.parent for module in SOURCE.rglob("*.py")})
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAY_LET_TIME_PASS = {
    ROOT / "tests/eventually.py",  # the one way to wait
    ROOT / "tests/servers/link.py",  # delay is what it is for
    ROOT / "tests/cluster/acting.py",  # jobs whose work is to take time
    ROOT / "tests/cluster/test_store_restarts.py",  # a store that is away for longer than a session is the fault
    ROOT / "tests/sql/galera/test_galera.py",  # ten seconds without a quorum are the fault
}


SUBJECT = re.compile(r"[^\n]+(?:\n\n.+)?", re.DOTALL)
"""A sentence; what more there is to say follows after an empty line."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_package_says_its_subject_in_one_line() -> None:
    subjects = {name(package): docstring(package / "__init__.py") for package in PACKAGES}
    assert [package for package, subject in subjects.items() if not SUBJECT.fullmatch(subject)] == []


def test_every_module_says_its_subject_in_its_first_line() -> None:
    modules = [*MODULES, *(module for module in TESTS if module.read_text())]
    assert [name(module) for module in modules if not re.match(r'r?"""\S', module.read_text())] == []


def test_tests_wait_for_conditions_and_not_for_time() -> None:
    places = [
        f"{name(module)}:{line}"
        for module in TESTS
        if module not in MAY_LET_TIME_PASS
        for line in sleeps(ast.parse(module.read_text()))
    ]
    assert places == [], "poll with tests.eventually, await an event or drive a clock"


ACTIVITIES = {"firing", "leasing", "alerting", "rescheduling", "packing", "paging", "ranking", "least_running"}
"""What servers do, by the words of the glossary, the store's own trade, and the word of a route."""


def test_a_module_is_named_by_a_noun() -> None:
    """A verb (`declaring`) says what somebody does; a noun (`declarations`) says what is in the file."""
    verbs = {name(module) for module in SOURCE.rglob("*ing.py") if module.stem not in ACTIVITIES}
    assert {path for path in verbs if not path.startswith(MIGRATIONS)} == set()


MIGRATIONS = "src/foliot/store/sql/kernel/migrations/"


def test_a_file_stays_below_500_lines() -> None:
    """A catalogue of words may be longer: nobody reads it from top to bottom."""
    code = [module for module in MODULES if SOURCE / "words" not in module.parents]
    assert [name(module) for module in [*code, *TESTS] if len(module.read_text().splitlines()) > 500] == []


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = {}
    for module in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name(module))
    twice = {one: sorted(where) for one, where in homes.items() if len(where) > 1}
    assert twice == {}, "a second thing needs another word"


def docstring(module: Path) -> str:
    return (ast.get_docstring(ast.parse(module.read_text())) or "") if module.exists() else ""


def sleeps(tree: ast.AST) -> Iterator[int]:
    """Lines that sleep for longer than a turn of the loop."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="sleep", value=ast.Name(id="asyncio" | "anyio")), args=[ast.Constant(value=0)]
            ):
                continue
            case ast.Call(func=ast.Attribute(attr="sleep", value=ast.Name(id="time" | "asyncio" | "anyio"))):
                yield node.lineno
            case ast.ImportFrom(module="time" | "asyncio" | "anyio", names=names) if any(
                n.name == "sleep" for n in names
            ):
                yield node.lineno


def test_a_suite_of_a_port_knows_the_port_alone() -> None:
    """What needs a table, a statement or a class of the SQL store stands in tests/sql. Types see to the rest: the
    `World` of these suites has no SQL."""
    may_be_known = ("foliot.domain", "foliot.ports", "foliot.words", "tests.conformance", *SUPPORT)
    strays = {
        (name(module), known)
        for module in (ROOT / "tests/conformance").rglob("*.py")
        if module.name not in ADAPTERS
        for known in imported_modules(ast.parse(module.read_text()))
        if known.startswith(("foliot", "tests")) and not known.startswith(may_be_known)
    }
    assert strays == set()


ADAPTERS = {"conftest.py", "world.py", "handling.py", "echo_kind.py", "indiscreet_kind.py", "sql_kind.py"}
"""These of tests/conformance open a store, start a worker, or are behind a port; the others know the port."""

SUPPORT = ("tests.eventually", "tests.servers", "foliot.app.plugins")
"""Waiting, servers to test on, and the table of what there is behind a port."""


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports from, anywhere in it."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module


def test_the_domain_stands_on_the_standard_library_and_calendar_packages_alone() -> None:
    foreign = {
        (name(module), package)
        for module in (SOURCE / "domain").rglob("*.py")
        for package in imported(ast.parse(module.read_text()))
        if package not in sys.stdlib_module_names and package != "foliot"
    }
    calendars = {"holidays", "dateutil", "tzdata"}
    strays = {
        (module, package) for module, package in foreign if package not in calendars or "domain/schedule" not in module
    }
    assert strays == set()


def imported(tree: ast.AST) -> Iterator[str]:
    """The top-level packages a module imports, anywhere in it."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def test_every_dependency_is_kept_out_of_the_domain() -> None:
    contracts = {contract["id"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
    barred = {*contracts["pure-domain"]["forbidden_modules"], *contracts["calendar-packages"]["forbidden_modules"]}
    modules: dict[str, set[str]] = {}
    for module, distributions in packages_distributions().items():
        for distribution in distributions:
            modules.setdefault(canonicalize_name(distribution), set()).add(module)
    declared = {canonicalize_name(requirement.name) for requirement in requirements(extras=True)}
    unbarred = {dependency for dependency in declared if not modules.get(dependency, set()) & barred}
    assert unbarred == set()


# -- the locks -------------------------------------------------------------------------------------------------------


def test_the_locks_satisfy_what_is_declared() -> None:
    locked = dict(re.findall(r"^([a-z0-9._-]+)==([^\s;\\]+)", (ROOT / "locks/dev.txt").read_text(), re.MULTILINE))
    wrong = {
        str(requirement): locked.get(canonicalize_name(requirement.name))
        for requirement in requirements(extras=True, dev=True)
        if locked.get(canonicalize_name(requirement.name), "none") not in requirement.specifier
    }
    assert wrong == {}


@pytest.mark.parametrize("lock", ["dev.txt", "uv.txt"])
def test_every_locked_package_carries_hashes(lock: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / "locks" / lock).read_text().strip())
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def requirements(*, extras: bool = False, dev: bool = False) -> list[Requirement]:
    project = PROJECT["project"]
    lines = list(project["dependencies"])
    if extras:
        lines += [line for extra in project["optional-dependencies"].values() for line in extra]
    if dev:
        lines += PROJECT["dependency-groups"]["dev"]
    return [Requirement(line) for line in lines]


# -- the repository --------------------------------------------------------------------------------------------------

MACHINE_PATHS = re.compile(rb"(?<![\w.])/(?:home|root|work|farm|Users|opt/wheels)/[\w.-]")
REGISTRIES = re.compile(
    rb"(?i)pypi\.(?:org|io)|pythonhosted|registry\.(?:npmjs|yarnpkg)|(?:deb|security)\.debian\.org|/simple/"
)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / entry.decode() for entry in listed.split(b"\0") if entry and (ROOT / entry.decode()).is_file()]


@pytest.mark.parametrize("forbidden", [MACHINE_PATHS, REGISTRIES], ids=["machine path", "registry"])
def test_nothing_names_a_place_of_one_machine(tracked: list[Path], forbidden: re.Pattern[bytes]) -> None:
    us = Path(__file__)
    assert [name(path) for path in tracked if path != us and forbidden.search(path.read_bytes())] == []


def test_ci_runs_the_tests_and_nothing_else() -> None:
    entry = ROOT / ".ci" / "run"
    assert entry.read_text() == "#!/bin/sh\nexec make test\n"
    assert entry.stat().st_mode & 0o111


def test_help_names_the_targets_people_need() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = {line.split()[0] for line in listed.splitlines()}
    assert targets >= {"up", "test", "check", "fast", "services", "bench", "clean", "help", "lock", "setup"}


# -- the command line --------------------------------------------------------------------------------------------------


def test_the_command_line_asks_by_the_client_and_knows_no_address_of_the_api() -> None:
    from foliot.client.calls import CALLS, PREFIX

    roots = {route.path.partition("/{")[0].partition(":")[0] for route in CALLS.values()}
    address = re.compile(rf"({PREFIX}|{'|'.join(sorted(roots))})(?=[:/?]|$)")
    found = [
        f"{name(module)}:{node.lineno}"
        for module in (SOURCE / "cli").rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and address.match(node.value)
    ]
    assert found == [], "ask with the client: user.client.jobs, user.client.runs …"
