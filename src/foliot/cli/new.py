"""`foliot new`: sample jobs to start from. Never overwrites a file."""

from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from foliot.cli.speaking import echo

TEMPLATES: Final = {
    "basic": "two sample jobs: tick (every 10 s), greet (by hand)",
    "fastapi": "a web app that triggers a job",
    "etl": "a nightly job with retries, catch-up and a checkpoint",
}
_WHAT: Final = {"test_jobs.py": "how to test them without a server", "foliot.toml": "project settings"}


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--template", type=click.Choice(list(TEMPLATES)), default="basic", show_default=True)
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
        what = _WHAT.get(name, TEMPLATES[template] if name == "jobs.py" else "the web app")
        target = folder / name
        if target.exists():
            echo(f"  = {name:<14} is there already, left alone")
            continue
        target.write_text(text, "utf-8")
        echo(f"  + {name:<14} {what}")
    echo(f"  {'next':<16} {_next(folder, template)}" + (f", in {folder}" if folder != Path() else ""))


def _next(folder: Path, template: str) -> str:
    """What to type now: where `foliot up` runs already, the jobs are running by then."""
    if not (folder / ".foliot" / "client.json").exists():
        return "foliot up"
    return "foliot run logs -f --job tick" if template == "basic" else "foliot job list"
