"""The first five minutes, typed into two real terminals in an empty folder, with the wheel as users install it."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pexpect
import pytest

from tests.cli.conftest import interruptible
from web import build

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROMPT = "you> "
WITHIN_S = 90
PACKED_FROM = 512  # bytes; smaller files of the console are sent as they are
RUN_ID = r"r-[0-9a-z]+"
TIME = r"(?:[\w ]+ |\d\d-\d\d )?\d\d:\d\d:\d\d"  # with a date around midnight


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What users install, with the console in it."""
    folder = tmp_path_factory.mktemp("dist")
    assert build.build() == 0
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (built,) = folder.glob("foliot-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that has the wheel, and what it depends on, but not this tree."""
    folder = tmp_path_factory.mktemp("installed")
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv" / "bin" / "python"
    uv = [sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-index", "--no-deps"]
    _run(*uv, "--python", str(python), str(wheel))
    (library,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # The dependencies as they are installed here. A folder named in a .pth file is only looked into: the .pth file in
    # it that points to this tree's own sources does not count.
    (library / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    found = _run(str(python), "-P", "-c", "import foliot; print(foliot.__file__)", cwd=folder).strip()
    assert Path(found).is_relative_to(library), found
    return python.parent


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Terminal:
    """A terminal with a shell in it, of which a test reads what a person would."""

    def __init__(self, shell: pexpect.spawn) -> None:
        self._shell = shell
        self.seen = ""  # all that was read so far
        self.sees(re.escape(PROMPT))

    def types(self, line: str) -> None:
        self._shell.sendline(line)
        self.sees(re.escape(line) + r"\r\n")  # its echo

    def sees(self, *patterns: str) -> str:
        """All of these, one after the other; the last of them as it was."""
        for pattern in patterns:
            self._shell.expect(pattern)
            self.seen += f"{self._shell.before}{self._shell.after}"
        return str(self._shell.after)

    def ends_with(self, code: int) -> None:
        """The command is over, and this is its exit code."""
        self.sees(re.escape(PROMPT))
        self.types("echo code $?")
        self.sees(rf"code {code}\r\n", re.escape(PROMPT))

    def interrupts(self) -> None:
        self._shell.sendintr()


@contextmanager
def terminal(folder: Path, commands: Path) -> Iterator[Terminal]:
    environment = {
        "HOME": str(folder.parent),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": f"{commands}{os.pathsep}{os.defpath}",
        "PS1": PROMPT,
        "TERM": "xterm-256color",
        "TZ": "Asia/Shanghai",
    }
    shell = pexpect.spawn(
        "/bin/sh", ["-i"], cwd=str(folder), env=environment, encoding="utf-8", timeout=WITHIN_S, dimensions=(40, 110),
        preexec_fn=interruptible,
    )  # fmt: skip
    try:
        yield Terminal(shell)
    finally:
        shell.close(force=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    empty = tmp_path / "my-jobs"
    empty.mkdir()
    return empty


def test_the_first_five_minutes(folder: Path, installed: Path) -> None:
    with terminal(folder, installed) as first, terminal(folder, installed) as second:
        first.types("foliot up --port 0")
        first.sees(
            r"foliot \d+\.\d+\.\d+ · all-in-one · data in \./\.foliot \(SQLite\)\r\n",
            r"  ✔ database     new, schema \d+ +[\d.]+ m?s\r\n",
            r"  ✔ scheduler    \S+\r\n",
            r"  ✔ worker       \S+ · 8 slots · watching \./jobs\.py \(not there yet\)\r\n",
        )
        api = first.sees(r"  ✔ api          http://127\.0\.0\.1:\d+\r\n").split()[-1]
        first.sees(
            r"  Reachable from this machine only\. A real cluster: foliot server --help\r\n",
            r"Ctrl-C stops\r\n",
            r"  No jobs yet\. In a second terminal:  foliot new\r\n",
        )
        _the_console(api)
        _new_jobs(first, second)
        _a_job_by_hand(second)
        _a_job_by_schedule(second)
        _mistakes(second)
        _a_broken_file(folder, first, second)
        second.types("python -m pytest -q -p no:cacheprovider test_jobs.py")
        second.sees(r"\d+ passed")
        second.ends_with(0)
        first.interrupts()
        first.sees("stopping: waiting for what runs")
        first.ends_with(0)


def test_the_wheel_holds_the_console_as_it_is_and_packed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        size = {entry.filename: entry.file_size for entry in packed.infolist()}
    assert "foliot/console/index.html" in size
    assets = [name for name in size if re.fullmatch(r"foliot/console/assets/[^/]+\.(js|css)", name)]
    large = [name for name in assets if size[name] >= PACKED_FROM]
    assert len(large) > 2
    assert [name for name in large if not {f"{name}.br", f"{name}.gz"} <= size.keys()] == []


def _the_console(api: str) -> None:
    """The page of the installed server, whose policy names the nonce that is in it, and a packed file of it."""
    page = httpx2.get(f"{api}/")
    nonce = re.search(r"'nonce-([^']+)'", page.headers["content-security-policy"])
    assert nonce is not None
    assert nonce[1] in page.text
    script = re.search(r'src="(/assets/[^"]+)"', page.text)
    assert script is not None
    answer = httpx2.get(f"{api}{script[1]}", headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")


def _new_jobs(first: Terminal, second: Terminal) -> None:
    second.types("foliot new")
    second.sees(
        r"  \+ jobs\.py        two sample jobs: tick \(every 10 s\), greet \(by hand\)\r\n",
        r"  \+ test_jobs\.py   how to test them without a server\r\n",
        r"  \+ foliot\.toml    project settings\r\n",
        r"  next             foliot run logs -f --job tick\r\n",
    )
    second.ends_with(0)
    first.sees(r"\d\d:\d\d:\d\d  ✔ jobs\.py loaded: 2 jobs\r\n")
    second.types("cat jobs.py")
    second.sees(r'@job\(every\("10s"\)\)\r\ndef tick\(ctx: Ctx\) -> int:', r"def greet\(name: str = \"world\"")
    second.ends_with(0)


def _a_job_by_hand(second: Terminal) -> None:
    second.types("foliot job trigger greet -p name=Foliot -p shout=true --wait")
    run = re.findall(RUN_ID, second.sees(rf"▶ greet  {RUN_ID}  queued"))[0]
    second.sees(rf"▶ greet  {run}  → \S+\r\n")
    second.sees(rf"✔ greet  {run}  succeeded in [\d.]+ (µs|ms|s)\r\n", r"HELLO FOLIOT\r\n")
    second.ends_with(0)


def _a_job_by_schedule(second: Terminal) -> None:
    second.types("foliot run logs -f --job tick")
    second.sees(rf"▶ tick  {RUN_ID}  due {TIME} CST", r"INFO  tick  i=0\r\n", r"INFO  tick  i=1\r\n")
    # On a slow machine the first run may be over before one looks: a bar is drawn below those that come after it.
    run = re.findall(RUN_ID, second.sees(rf"▶ tick  {RUN_ID}  █+░+  [1-4]/5  \d+\.\d/s  [\d ms]+ left"))[0]
    assert re.search(rf"▶ tick  {run}  due {TIME} CST", second.seen)
    second.sees(r"INFO  tick  i=4\r\n")
    second.interrupts()
    second.ends_with(130)


def _mistakes(second: Terminal) -> None:
    second.types("foliot job trigger gret")
    second.sees(r'✖ No job "gret" in namespace "default"\.\r\n', r"did you mean greet\?  \[FOL-2001\]\r\n")
    second.ends_with(3)
    second.types("foliot job why tick --at 10m")
    second.sees(rf"{TIME} CST  no fire: tick was created at {TIME}\. First fire {TIME}, created {RUN_ID}")
    second.ends_with(0)


def _a_broken_file(folder: Path, first: Terminal, second: Terminal) -> None:
    good = (folder / "jobs.py").read_text()
    _save(folder / "jobs.py", f"import nowhere_to_be_found\n{good}")
    first.sees(
        r'✖ jobs\.py:1 cannot be loaded: no module "nowhere_to_be_found"\. '
        r"The previous version \(2 jobs\) keeps running\."
    )
    second.types("foliot job trigger greet --wait")
    second.sees(r"hello world\r\n")
    second.ends_with(0)
    _save(folder / "jobs.py", good.replace('"hello {name}"', '"good day {name}"'))
    first.sees(r"✔ jobs\.py loaded again: 2 jobs\r\n")
    second.types("foliot job trigger greet --wait")
    second.sees(r"good day world\r\n")
    second.ends_with(0)


def _save(file: Path, text: str) -> None:
    """As editors do it: never half a file."""
    whole = file.with_suffix(".new")
    whole.write_text(text)
    whole.replace(file)
