"""Parts chosen by name: Foliot's own and those of installed packages, and what is said when there is none."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foliot.app import plugins
from foliot.app.plugins import PartNameTaken, PartNotLoaded, UnknownPart, known, load
from foliot.app.server_process import store_opener
from foliot.store.sql.kernel.connect import BadStoreUrl
from foliot.store.sql.store import SqlStore
from foliot.words.errors import tell
from foliot.words.language import Language

GROUP = "foliot.handlers"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install a package with one entry point, as far as Python can tell."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, name: str, value: str, *, code: str = "") -> None:
        folder = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {value}\n")
        (tmp_path / f"{value.partition(':')[0]}.py").write_text(code)

    return install


@pytest.fixture(autouse=True)
def own_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "TABLES", {GROUP: {"own": "fractions:Fraction"}})


def test_a_part_of_foliot_is_imported_when_it_is_chosen() -> None:
    assert load(GROUP, "own").__name__ == "Fraction"


def test_every_row_of_every_table_leads_to_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for group in plugins.TABLES:
        for name in plugins.TABLES[group]:
            assert load(group, name) is not None


def test_an_installed_package_adds_a_part_that_is_imported_only_when_chosen(install: Callable[..., None]) -> None:
    install("foliot-owl", "owl", "owl_parts:Owl", code="class Owl: ...")
    assert known(GROUP) == {"own": "fractions:Fraction", "owl": "owl_parts:Owl"}
    assert "owl_parts" not in sys.modules
    assert load(GROUP, "owl").__name__ == "Owl"


def test_an_unknown_name_is_told_the_known_ones(install: Callable[..., None]) -> None:
    install("foliot-owl", "owl", "owl_parts:Owl")
    with pytest.raises(UnknownPart, match=r'There is no handler "awl".*known are: owl, own;') as refused:
        load(GROUP, "awl")
    assert tell(refused.value, Language.CHINESE)[0] == "没有名为“awl”的处理器。"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import no_such_module_of_owls", "ModuleNotFoundError: No module named 'no_such_module_of_owls'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("", "has no attribute 'Owl'"),
    ],
)
def test_a_part_that_cannot_be_imported_says_why(install: Callable[..., None], code: str, why: str) -> None:
    install("foliot-owl", "owl", "broken_owl_parts:Owl", code=code)
    with pytest.raises(PartNotLoaded, match=r'The handler "owl" \(broken_owl_parts:Owl\) cannot be loaded') as refused:
        load(GROUP, "owl")
    assert why in refused.value.sentence
    assert "处理器“owl”" in tell(refused.value, Language.CHINESE)[0]


def test_nobody_takes_a_name_of_foliot(install: Callable[..., None]) -> None:
    install("foliot-owl", "own", "owl_parts:Owl")
    with pytest.raises(PartNameTaken, match='The package foliot-owl brings a handler "own", a name that Foliot has'):
        load(GROUP, "own")


def test_two_packages_do_not_share_a_name(install: Callable[..., None]) -> None:
    install("foliot-owl", "owl", "owl_parts:Owl")
    install("foliot-bird", "owl", "bird_parts:Owl")
    with pytest.raises(PartNameTaken, match=r"foliot-owl brings .* that foliot-bird has already") as refused:
        known(GROUP)
    assert "foliot-bird 的重名" in tell(refused.value, Language.CHINESE)[0]


@pytest.mark.parametrize("url", ["sqlite:///x.db", "postgresql+asyncpg://h/db", "postgres://h/db", "MariaDB://h/db"])
def test_a_store_is_opened_by_the_scheme_of_its_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.undo()
    assert store_opener(url) == SqlStore.open


def test_a_url_of_no_known_store_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(BadStoreUrl, match="mongodb"):
        store_opener("mongodb://h/db")
