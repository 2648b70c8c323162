"""A package that brings one part of Foliot, as far as Python can tell: a folder with its metadata."""

from pathlib import Path


def make_package(folder: Path, *, group: str, name: str, target: str) -> Path:
    """The folder to put on Python's path."""
    packages = folder / "packages"
    about = packages / f"foliot_{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: foliot-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")
    return packages
