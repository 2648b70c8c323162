"""`make check` goes red for what the house forbids: each rule is broken in a copy of the tree."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
VENV = Path(sys.prefix)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of everything `make check-lint` and `make check-imports` read."""
    copy = tmp_path_factory.mktemp("house")
    for file in ("pyproject.toml", "Makefile"):
        shutil.copy(ROOT / file, copy)
    for folder in ("src", "packages"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def hut(tmp_path: Path) -> Path:
    """The same settings around next to nothing, so that the type check takes a moment only."""
    for file in ("pyproject.toml", "Makefile"):
        shutil.copy(ROOT / file, tmp_path)
    for folder in ("src/foliot/engine", "tests", "bench", "examples"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "nothing.py").write_text('"""Nothing."""\n')
    return tmp_path


def check(kind: str, tree: Path) -> subprocess.CompletedProcess[str]:
    """Run one part of `make check` on a tree, with our tools."""
    return subprocess.run(
        ["make", f"check-{kind}", f"VENV={VENV}"],
        cwd=tree,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": sources(tree), "COLUMNS": "200", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def sources(tree: Path) -> str:
    """Where the packages of a tree stand, for PYTHONPATH."""
    return ":".join(map(str, [tree / "src", *sorted(tree.glob("packages/*/src"))]))


class Planted:
    """A file that is in the tree only while the test looks."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def __enter__(self) -> None:
        assert not self.path.exists()
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(f'"""Planted by a test."""\n\n{self.text}')

    def __exit__(self, *_: object) -> None:
        self.path.unlink()


ROOMS = "A room imports only rooms below it"
EDGES = "The edges (api, gateways, importers) reach the rest only through operations and ports"
STORES = "The store decides nothing: plans are handed in by its callers"
PURE = "The domain imports no I/O, no clock, no third-party package"
CALENDARS = "Holidays, calendar rules and zone data are read in domain/schedule only"
BENCH = "Foliot knows nothing of its benchmarks"
JUDGE = "The checker and what it judges know nothing of each other"


def test_the_house_as_it_stands_keeps_its_import_rules(house: Path) -> None:
    done = check("imports", house)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("where", "line", "contract"),
    [
        ("domain", "import foliot.ports", ROOMS),
        ("ports", "import foliot.engine", ROOMS),
        ("engine", "import foliot.app", ROOMS),
        ("engine", "import foliot.store", ROOMS),
        ("worker", "import foliot.operations", ROOMS),
        ("attic", "import foliot.domain", ROOMS),
        ("api", "import foliot.store", EDGES),
        ("api", "def late() -> None:\n    import foliot.engine", EDGES),
        ("gateways", "import foliot.store", EDGES),
        ("store/sql/jobs", "import foliot.domain.plans", STORES),
        ("ports/store", "import foliot.domain.planner", STORES),
        ("domain", "import asyncio", PURE),
        ("domain", "from sqlalchemy import select", PURE),
        ("domain/schedule", "import time", PURE),
        ("engine", "import holidays", CALENDARS),
        ("domain", "import holidays", CALENDARS),
        ("../../packages/check/src/foliot_check", "import foliot.domain", JUDGE),
        ("engine", "import foliot_check", JUDGE),
        ("cli", "import foliot_bench", BENCH),
    ],
)
def test_an_import_against_the_rules_is_red(house: Path, where: str, line: str, contract: str) -> None:
    package = house / "src/foliot" / where
    made = not package.exists()
    with Planted(package / ("__init__.py" if made else "planted.py"), f"{line}\n"):
        done = check("imports", house)
    if made:
        shutil.rmtree(package)
    assert done.returncode != 0
    assert f"{contract} BROKEN" in done.stdout


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import UTC, datetime\n\nNOW = datetime.now(UTC)",
        "import datetime\n\nNOW = datetime.datetime.now(datetime.UTC)",
        "import time\n\nNOW = time.time()",
        "import time\n\nNOW = time.monotonic()",
        "from time import sleep\n\nsleep(1)",
        "import asyncio\n\n\nasync def rest() -> None:\n    await asyncio.sleep(1)",
        "import random\n\nCHANCE = random.random()",
        "from uuid import uuid4\n\nNAME = uuid4()",
        "import secrets\n\nTOKEN = secrets.token_hex()",
        "import pickle\n\nload = pickle.loads",
    ],
    ids=lambda code: code.splitlines()[-1].strip(),
)
@pytest.mark.parametrize("room", ["engine", "domain", "store/sql", "worker"])
def test_reading_the_clock_or_chance_past_the_ports_is_red(house: Path, room: str, code: str) -> None:
    path = house / "src/foliot" / room / "planted.py"
    with Planted(path, f"{code}\n"):
        done = check("lint", house)
    assert done.returncode != 0
    assert "TID251" in done.stdout
    assert f"foliot/{room}/planted.py" in done.stdout


def test_an_untyped_function_is_red(hut: Path) -> None:
    planted = hut / "src/foliot/engine/planted.py"
    planted.write_text('"""Planted by a test."""\n\n\ndef double(number: int) -> int:\n    return 2 * number\n')
    assert check("types", hut).returncode == 0
    planted.write_text('"""Planted by a test."""\n\n\ndef double(number):\n    return 2 * number\n')
    done = check("types", hut)
    assert done.returncode != 0
    assert "Function is missing a type annotation" in done.stdout


def test_a_badly_formatted_file_is_red(hut: Path) -> None:
    planted = hut / "src/foliot/engine/planted.py"
    planted.write_text('"""Planted by a test."""\n\nNUMBER = 1\n')
    assert check("format", hut).returncode == 0
    planted.write_text('"""Planted by a test."""\nNUMBER  =  1\n')
    assert check("format", hut).returncode != 0
