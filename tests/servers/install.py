"""Installs the Debian packages the test servers need, starting none of Debian's own daemons (`make services`)."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from tests.console import browser
from tests.servers import SERVERS, faketime

GUARD = Path("/usr/sbin/policy-rc.d")
GUARD_TEXT = "#!/bin/sh\n# Foliot's make services: install packages, start nothing.\nexit 101\n"
LOCK_WAIT_S = 300


def main() -> int:
    """Install what is missing and say so; say nothing much when nothing is."""
    if not shutil.which("dpkg-query"):
        print(
            f"services: made for Debian 12; install the like of these yourself: {' '.join(wanted())}", file=sys.stderr
        )
        return 1
    missing = [package for package in wanted() if not installed(package)]
    if not missing:
        print("services: all there")
        return 0
    become_root = as_root()
    if become_root is None:
        print(
            f"services: missing {' '.join(missing)}, and neither root nor sudo to install them.\n"
            f"  as root:  apt-get install --no-install-recommends {' '.join(missing)}",
            file=sys.stderr,
        )
        return 1
    began = time.monotonic()
    with daemons_held_back(become_root):
        for what, command in (
            ("reading the package lists", ["apt-get", "-qq", "update"]),
            (f"installing {' '.join(missing)}", [*install_command(), *missing]),
        ):
            print(f"services: {what} …", flush=True)
            if (code := run([*become_root, *command])) != 0:
                return code
    print(f"services: installed in {time.monotonic() - began:.0f} s")
    return 0


def wanted() -> list[str]:
    """The packages of every server and tool, each once."""
    packages: dict[str, None] = {}
    for place in SERVERS.values():
        module, _, name = place.partition(":")
        packages.update(dict.fromkeys(getattr(import_module(module), name).packages))
    packages.update(dict.fromkeys(faketime.PACKAGES))
    packages.update(dict.fromkeys(browser.PACKAGES))
    return list(packages)


def installed(package: str) -> bool:
    """Whether Debian has it installed and configured."""
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status}", package]
    return subprocess.run(query, check=False, capture_output=True, text=True).stdout == "installed"


def as_root() -> list[str] | None:
    """The prefix that makes a command run as root; None if there is no way."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and (sys.stdin.isatty() or run([sudo, "-n", "true"], quiet=True) == 0):
        return [sudo]
    return None


def install_command() -> list[str]:
    """Install without asking anything, waiting for a neighbour's apt to finish."""
    quiet = [
        "-qq",
        "-y",
        "--no-install-recommends",
        "-o",
        "Dpkg::Use-Pty=0",
        "-o",
        f"DPkg::Lock::Timeout={LOCK_WAIT_S}",
    ]
    return ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *quiet, "install"]


@contextmanager
def daemons_held_back(become_root: list[str]) -> Iterator[None]:
    """Keep packages from starting daemons, by Debian's own means; a guard already there is left alone, ours removed."""
    if GUARD.exists():
        yield
        return
    subprocess.run([*become_root, "tee", str(GUARD)], input=GUARD_TEXT.encode(), stdout=subprocess.DEVNULL, check=True)
    subprocess.run([*become_root, "chmod", "755", str(GUARD)], check=True)
    try:
        yield
    finally:
        subprocess.run([*become_root, "rm", "-f", str(GUARD)], check=True)


def run(command: list[str], *, quiet: bool = False) -> int:
    """Run without a word; show what it said only if it failed (and not even then if `quiet`)."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 and not quiet:
        print(done.stdout, file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
