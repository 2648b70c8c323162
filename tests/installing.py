"""Packages that bring a part of Foliot: as far as Python can tell, or really built as a wheel and installed."""

import sys
from pathlib import Path
from subprocess import run


def make_package(folder: Path, *, group: str, name: str, target: str) -> Path:
    """The folder to put on Python's path."""
    packages = folder / "packages"
    about = packages / f"foliot_{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: foliot-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")
    return packages


def install_wheel(source: Path, folder: Path) -> Path:
    """Build a package as a wheel and install that, without a network; the folder to put on Python's path."""
    wheels, target = folder / "wheels", folder / "installed"
    built = wheels / source.name
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built], cwd=source, check=True)
    (wheel,) = built.glob("*.whl")
    options = ("--offline", "--no-index", "--no-deps", "--no-cache", "--python", sys.executable)
    run([sys.executable, "-m", "uv", "pip", "install", "-q", *options, "--target", target, wheel], check=True)
    return target
