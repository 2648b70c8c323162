"""The product a scene is played on: the source as it is, or a copy of it with one mistake patched in."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.mutants.catalogue import Mutant

ROOT = Path(__file__).parents[2]
SOUND = ROOT / "src"


class PatchIsStale(AssertionError):
    """A patch that no longer fits the source."""

    def __init__(self, mutant: Mutant, said: str) -> None:
        patch = mutant.patch.relative_to(ROOT)
        super().__init__(
            f"{patch} no longer applies: the code it breaks was changed.\n{said.strip()}\n"
            f"Renew the patch: make the mistake of {mutant.number} ({mutant.what}) in a clean checkout, then\n"
            f"    git diff -U1 -- src > {patch} && git checkout -- src"
        )


def mutated(mutant: Mutant, folder: Path) -> Path:
    """A copy of the source with the mutant's mistake in it; where Python finds it."""
    # Compiled modules come along: they hold until their source changes, and compiling all anew would take seconds.
    # One that is being written just now has a passing name, and is gone when its turn to be copied comes.
    shutil.copytree(SOUND, folder / "src", ignore=shutil.ignore_patterns("*.pyc.*"))
    apply(mutant, folder)
    return folder / "src"


def apply(mutant: Mutant, copy: Path, *, dry: bool = False) -> None:
    """Patch the tree at `copy`; `dry`: only see whether it could be done."""
    command = ["git", "apply", "--whitespace=nowarn", *(["--check"] if dry else []), str(mutant.patch)]
    # A repository around the copy would make git skip files that are not its own.
    surroundings = {**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.parent)}
    done = subprocess.run(command, cwd=copy, env=surroundings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PatchIsStale(mutant, done.stderr)
