"""Help: every command has examples, exit codes are told, and looking costs next to nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from foliot.cli import COMMANDS, PLUGINS, main
from foliot.cli.output import MARKS
from foliot.words.chinese.phrases import STATES

TIMES_MAX = 6  # of what Python needs to start and to import click; usual is less than twice


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = list(commands(main))


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_every_command_begins_with_what_it_does_and_has_examples(path: tuple[str, ...], command: click.Command) -> None:
    said = command.get_help(click.Context(command, info_name=" ".join(("foliot", *path))))
    assert "Examples:" in said
    assert f"foliot {' '.join(path)}" in said


def test_the_table_of_commands_is_true() -> None:
    for name, (place, what) in COMMANDS.items():
        assert place.startswith("foliot.cli."), name
        assert what.endswith("."), name


def asked(*words: str) -> tuple[int, str]:
    """The exit code of a command, and what it printed."""
    done = CliRunner().invoke(main, list(words))
    return done.exit_code, done.output


def test_a_command_of_a_package_that_is_not_installed_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.cli.entry_points", lambda group: [])
    code, said = asked("bench", "storm")
    assert code == 2
    assert "pip install foliot-bench" in said
    assert " bench " not in asked("--help")[1]


def test_a_command_of_a_package_that_cannot_be_loaded_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint(name="sing", value="no_such_package:sing", group=PLUGINS)
    monkeypatch.setattr("foliot.cli.entry_points", lambda group: [entry])
    code, said = asked("sing")
    assert code == 1
    assert "no_such_package" in said
    assert "Traceback" not in said
    assert asked("--help")[0] == 0


def test_exit_codes_are_told() -> None:
    for group in ("job", "run", "node", "cluster", "token", "context"):
        command = dict(ALL)[(group,)]
        assert "130 interrupted" in command.get_help(click.Context(command))


@pytest.mark.parametrize("args", [("--help",), ("job", "--help"), ("job", "trigger", "--help"), ("version",)])
def test_looking_for_help_is_cheap(args: tuple[str, ...], tmp_path: Path) -> None:
    """Each the best of three, in CPU time of the process itself: how fast or busy the machine is does not count."""
    asked = "from foliot.cli import main\ntry: main(sys.argv[1:], prog_name='foliot')\nexcept SystemExit: pass\n"
    pairs = [(cpu_s("import click\n", (), tmp_path), cpu_s(asked, args, tmp_path)) for _ in range(3)]
    least, ours = (min(column) for column in zip(*pairs, strict=True))
    assert ours < TIMES_MAX * least


def cpu_s(code: str, args: tuple[str, ...], folder: Path) -> float:
    """What a process with this code uses, seconds; nothing heavy may be imported."""
    script = (
        f"import resource, sys\n{code}"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print('CPU', used.ru_utime + used.ru_stime)\n"
        "print('HEAVY', sorted({'httpx2', 'fastapi', 'sqlalchemy', 'pydantic', 'rich'} & set(sys.modules)))\n"
    )
    # The first process writes byte code, as an installation does; the best of three does not compile.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder)
    command = [sys.executable, "-c", script, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith(("CPU", "HEAVY")))
    assert lines["HEAVY"] == "[]"
    return float(lines["CPU"])


def test_every_state_has_a_mark_and_a_word() -> None:
    assert STATES.keys() == MARKS.keys()
