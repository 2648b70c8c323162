"""A wheel holds the console. Where that was not built there is no wheel, but a word what to do.

Hatchling loads this file by its path, in a tree of sources that has nothing else of this folder.
"""

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CONSOLE: Final = Path("src", "foliot", "console")


class WithConsole(BuildHookInterface[Any]):
    """Refuses to pack a tree in which the console was not built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Look before anything is packed. An editable install serves the tree itself, which is built later."""
        if version != "editable" and not is_built(Path(self.root) / CONSOLE):
            self.app.abort(f"{CONSOLE} has no console. Build it first: make console-build")


def is_built(folder: Path) -> bool:
    """Whether the page is there, with its files as they are and packed."""
    return (folder / "index.html").is_file() and all(
        any(folder.glob(f"assets/*.js{end}")) for end in ("", ".br", ".gz")
    )
