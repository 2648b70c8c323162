"""The console's sources: types of the API as it is, packages by their hashes alone."""

import fcntl
import json
import os

import pytest

from web.api_types import api_types
from web.build import TYPES, WEB, alone


def test_the_types_of_the_console_are_those_of_the_api() -> None:
    assert TYPES.read_text() == api_types(), "run python -m web.build types"


def test_the_lock_pins_every_package_by_its_hash_and_names_no_registry() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    pinned = {name: entry for name, entry in packages.items() if name}
    assert [name for name, entry in pinned.items() if "resolved" in entry] == []
    assert [name for name, entry in pinned.items() if not entry.get("integrity", "").startswith("sha512-")] == []


def test_versions_are_exact() -> None:
    package = json.loads((WEB / "package.json").read_text())
    wanted = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, version in wanted.items() if not version[0].isdigit()] == []


def test_two_builds_are_never_at_work_at_once() -> None:
    with alone():
        other = os.open(WEB, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)
