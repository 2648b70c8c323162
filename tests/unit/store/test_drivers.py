"""A store whose driver is not installed: the message names the extra that brings it."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from foliot.app.coordinators import GROUP as COORDINATORS
from foliot.app.plugins import known
from foliot.cli import main
from foliot.store.sql.kernel.dialects import DIALECTS
from foliot.store.sql.kernel.drivers import DRIVERS

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {
    extra: [re.split(r"[><=]", package)[0] for package in packages]
    for extra, packages in PROJECT["optional-dependencies"].items()
}
OF_NEITHER = {"otel", "top", "notify"}  # traces, a command, more kinds of channels
OF_STORES = {extra: EXTRAS[extra] for extra in ("postgres", "mysql")}
NEEDED = [
    (scheme, driver.extra, module) for scheme, driver in DRIVERS.items() for module in EXTRAS.get(driver.extra, ())
]
COMMANDS = (["db", "upgrade"], ["db", "status"], ["server", "--listen", "127.0.0.1:0"])


def test_every_other_extra_is_that_of_a_store_or_of_a_coordinator() -> None:
    assert {driver.extra: list(driver.modules) for driver in DRIVERS.values()} == OF_STORES
    assert EXTRAS.keys() - OF_STORES.keys() - OF_NEITHER < set(known(COORDINATORS))
    assert DRIVERS.keys() == DIALECTS.keys() - {"sqlite"}


@pytest.mark.parametrize(("scheme", "extra", "module"), NEEDED)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_its_driver_a_store_names_the_extra(
    scheme: str, extra: str, module: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `pip install foliot` and a URL of PostgreSQL lead to."""
    monkeypatch.setitem(sys.modules, module, None)  # an import of it fails, as if it were not installed
    said = CliRunner().invoke(main, [*command, "--db", f"{scheme}://foliot@127.0.0.1:1/foliot"], env={"LANG": "C"})
    assert said.exit_code == 8
    assert f'pip install "foliot[{extra}]"' in said.stderr
    assert "[FOL-5033]" in said.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/run-a-cluster.md", "docs/reference/database.md"])
def test_pages_that_name_a_database_name_its_extra(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for extra in OF_STORES:
        assert f'pip install "foliot[{extra}]"' in text
