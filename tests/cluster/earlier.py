"""Foliot as it was before its newest migration, to run beside the present one. Git has it."""

import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from alembic.script import ScriptDirectory

ROOT = Path(__file__).parents[2]
MIGRATIONS = Path("src/foliot/store/sql/kernel/migrations")


def newest_migration() -> Path:
    """The file of the migration at the end of the chain."""
    chain = ScriptDirectory(str(ROOT / MIGRATIONS))
    (head,) = chain.get_heads()
    return Path(chain.get_revision(head).path)


def commit_before() -> str | None:
    """The last commit without the newest migration; None: this copy of the code has no history before it."""
    added = _git("log", "--diff-filter=A", "--format=%H", "-1", "--", str(newest_migration()))
    return _git("rev-parse", "--verify", "--quiet", f"{added}^") or None if added else None


def unpacked(folder: Path) -> Mapping[str, str]:
    """The environment in which `python -m foliot` is the earlier one.

    A copy without history has no earlier one: there the present code is restarted as if it were, and the test says so.
    """
    commit = commit_before()
    if commit is None:
        print("▲ this copy of the code has no history before the newest migration: both versions are the present one")
        return {}
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    environment = {"PYTHONPATH": str(folder / "src")}
    assert _where(environment).startswith(str(folder)), "the earlier code is found first"
    assert not (folder / newest_migration().relative_to(ROOT)).exists()
    return environment


def foliot(environment: Mapping[str, str], *words: str) -> str:
    """What a command of this version prints."""
    command = [sys.executable, "-m", "foliot", *words]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _where(environment: Mapping[str, str]) -> str:
    command = [sys.executable, "-c", "import foliot; print(foliot.__file__)"]
    asked = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=asked, capture_output=True, text=True, check=True).stdout


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
