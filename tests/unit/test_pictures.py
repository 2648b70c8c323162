"""Each page of the console has a picture in both themes, and each picture stands in the documentation."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SHOWN = ROOT / "docs" / "reference" / "console-pages.md"


def taken() -> set[str]:
    """The names of the pictures that `make screenshots` takes."""
    script = (ROOT / "web" / "e2e" / "screenshots.ts").read_text("utf-8")
    return set(re.findall(r'^  \["([a-z]+)", ', script, re.MULTILINE))


def test_each_page_has_a_picture_in_both_themes() -> None:
    wanted = {f"console-{name}{theme}.png" for name in taken() for theme in ("", "-dark")}
    assert len(wanted) >= 40
    assert {file.name for file in IMAGES.glob("console-*.png")} == wanted


def test_each_picture_is_shown() -> None:
    shown = set(re.findall(r"images/(console-[a-z-]+\.png)", SHOWN.read_text("utf-8")))
    assert shown == {file.name for file in IMAGES.glob("console-*.png")}
