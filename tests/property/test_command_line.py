"""No words on the command line lead to a traceback, or to a mistake that only the last handler catches.

Every command of Foliot's own is drawn with hostile values for its arguments and options. There is no server, so what
asks one ends when it would send something. Commands that run for long are stopped when they would begin.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from foliot.cli import COMMANDS, main
from tests.cli.test_help import commands

CODE_OF_MISTAKES = "FOL-5034"

PLACES = (".", "file", "file/below", "binary", "nowhere", "/proc/none/x", "/dev/full", "/dev/null/x", "~", "jobs.py")
STORES = (
    "sqlite:///store.db", "sqlite:///binary", "sqlite:///file/below", "sqlite:////proc/none/x.db", "sqlite:///",
    "postgresql://", "postgresql://127.0.0.1:port/x", "postgresql://u:p@127.0.0.1:1/x", "mariadb://[::1/x", "mysql://:0/",
    "mariadb://127.0.0.1:1/x?sslmode=odd", "postgresql://127.0.0.1:1/x?connect_timeout=odd", "mongodb://x/y",
)  # fmt: skip
ADDRESSES = (
    "127.0.0.1:99999", "127.0.0.1:²", "127.0.0.1:0", "[::1", "::1:0", ":0", "http://127.0.0.1:1", "https://127.0.0.1:1",
    "http://[", "https://", "no host:1", "\N{SNOWMAN}:1",
)  # fmt: skip
NUMBERS = ("0", "-1", "1", "7", "²", "٣", "1e999", "NaN", "9" * 30, "9" * 5000, "0x10", "1_000", "99999")
TIMES = ("now", "7d", "-7d", "+1h", "16:45", "25:61", "2026-02-30", "2026-01-01", "9999-12-31T23:59:59Z", "0001-01-01",
         "9" * 20 + "d", "10m", "0s", "UTC", "Mars/Phobos", "../../etc/passwd")  # fmt: skip
TEXTS = (
    "", " ", "-", "--", "a", "r-1", "r-zzzzzzzzzzzzzzzzzzzzzz", "任务", "\udcff", "\x1b[2J", "a\nb", "\u202e", "%s",
    "{0}", "a" * 5000, "=", "a=", "=b", "a=b", "a=b=c", "{", "{}", "[1", '{"a": NaN}', "[" * 3000, "null", "* * * * *",
    "0 0 31 2 *", "gpu=yes", "memory=1G", "FOL-1001", "FOL-", "en", "zh-CN", "v1", "v²", "default", ".a", "a.b.c=1",
)  # fmt: skip
VALUES = (*PLACES, *STORES, *ADDRESSES, *NUMBERS, *TIMES, *TEXTS)

ALL = [(path, command) for path, command in commands(main) if path[0] in COMMANDS]


def values_of(parameter: click.Parameter) -> st.SearchStrategy[str]:
    known = getattr(parameter.type, "choices", ())
    return st.sampled_from([*VALUES, *map(str, known)] if not known else [*map(str, known)] * 20 + [*VALUES])


@st.composite
def typed(draw: st.DrawFn) -> list[str]:
    """A command with some of its options and most of its arguments."""
    path, command = draw(st.sampled_from(ALL))
    words: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            count = draw(st.integers(0, 2)) if parameter.nargs == -1 else draw(st.sampled_from([1, 1, 1, 1, 0]))
            words += [draw(values_of(parameter)) for _ in range(count)]
        elif parameter.required or draw(st.integers(0, 5)) == 0:
            assert isinstance(parameter, click.Option)
            words.append(draw(st.sampled_from(parameter.opts)))
            if not parameter.is_flag:
                words.append(draw(values_of(parameter)))
    return [*path, *words]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a few files, as the working folder of a user who has nothing else."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "work"
    folder.mkdir()
    (folder / "file").write_text("text\n")
    (folder / "binary").write_bytes(bytes(range(128, 256)) * 20)
    (folder / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    before = Path.cwd()
    os.chdir(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("FOLIOT", "XDG_", "LC_", "LANG"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("EDITOR", "true")
        for role in ("up", "server", "worker"):
            patch.setattr(f"foliot.cli.{role}.run_for_long", lambda main: main.close())
        yield home
    os.chdir(before)


@given(words=typed())
@example(words=["up", "--port", "99999"])
@example(words=["server", "--db", "sqlite:///x.db", "--listen", "127.0.0.1:²"])
@example(words=["server", "--db-file", "binary"])
@example(words=["db", "upgrade", "--db", "sqlite:///file/below"])
@example(words=["new", "/proc/none/x"])
@example(words=["context", "add", "a", "--url", "http://127.0.0.1:1", "--token-from", "binary"])
@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_words_lead_to_a_traceback(stage: Path, words: list[str]) -> None:
    said = CliRunner().invoke(main, words, prog_name="foliot", env={"FOLIOT_CONFIG": str(stage / "config")})
    told = said.stderr + said.stdout
    assert said.exception is None or isinstance(said.exception, SystemExit), words
    assert "Traceback" not in told, words
    if CODE_OF_MISTAKES in told:
        reports = sorted((stage / ".local/state/foliot/reports").iterdir())
        raise AssertionError(f"{words}\n{reports[-1].read_text()}")
