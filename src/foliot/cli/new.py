"""`foliot new`: sample jobs to start from. Never overwrites a file."""

from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from foliot.cli.language import say
from foliot.cli.table import pad
from foliot.cli.terminal import echo

TEMPLATES: Final = ("basic", "fastapi", "etl")
_WHAT: Final = {"test_jobs.py": "new_test", "foliot.toml": "new_settings"}  # what a file is, as a phrase


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--template", type=click.Choice(TEMPLATES), default="basic", show_default=True)
def new(folder: Path, template: str) -> None:
    """Put sample jobs into FOLDER (here by default).

    \b
    Examples:
      foliot new
      foliot new billing --template etl
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = files("foliot.cli") / "templates" / template
    samples = {entry.name.removesuffix(".txt"): entry.read_text("utf-8") for entry in source.iterdir()}
    for name, text in sorted(samples.items(), key=lambda sample: (sample[0] in _WHAT, sample[0] == "foliot.toml")):
        what = _WHAT.get(name, f"new_{template}" if name == "jobs.py" else "new_app")
        target = folder / name
        if target.exists():
            echo(f"  = {name:<14} {say('new_is_there')}")
            continue
        target.write_text(text, "utf-8")
        echo(f"  + {name:<14} {say(what)}")
    elsewhere = str(folder) if folder != Path() else None
    echo(f"  {pad(say('new_next'), 16)} {say('new_command', command=_next(folder, template), folder=elsewhere)}")


def _next(folder: Path, template: str) -> str:
    """What to type now: where `foliot up` runs already, the jobs are running by then."""
    if not (folder / ".foliot" / "client.json").exists():
        return "foliot up"
    return "foliot run logs -f --job tick" if template == "basic" else "foliot job list"
