"""`foliot check ping` and `foliot check run`: what a job outside of Foliot says of itself.

A wrapped command is what counts: when no ping gets through, it runs all the same, and its exit code is the wrapper's.
"""

import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, Any, Final

import click

from foliot.cli.completion import check_name
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.domain.errors import FoliotError

KEPT: Final = 2000  # letters of the end of the output that a failure is told with
NOT_FOUND: Final = 127
NOT_STARTED: Final = 126
BY_SIGNAL: Final = 128


@click.command()
@click.argument("name", shell_complete=check_name)
@click.argument("kind", type=click.Choice(["start", "ok", "fail"]), default="ok")
@click.option("--text", default="", metavar="TEXT", help="A note, such as the last line of a log; - is standard input.")
@click.option("--exit-code", type=int, metavar="CODE", help="Of the program: shown in the alert.")
@remote
def ping(user: User, *, name: str, kind: str, text: str, exit_code: int | None) -> None:
    """Let a check be heard of: start, ok or fail.

    \b
    Examples:
      foliot check ping nightly-backup start
      foliot check ping nightly-backup ok
      foliot check ping nightly-backup fail --exit-code 28 --text - < backup.log
    """
    said = sys.stdin.read() if text == "-" else text
    heard = user.client.checks.ping(name, kind, text=said, exit_code=exit_code)
    user.out.done("check_heard", heard, name=name, kind=kind, state=user.out.word(heard["state"].lower()))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", shell_complete=check_name)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@remote
def run(user: User, *, name: str, command: tuple[str, ...]) -> None:
    """Run a command and let its check be heard of: start before it, ok or fail after it.

    The exit code is that of the command. When no server can be reached, the command runs all the same.

    \b
    Examples:
      foliot check run nightly-backup -- /usr/local/bin/backup.sh --full
      foliot check run report -- sh -c "make report && rsync out/ host:"
    """
    say = _Saying(user, name)
    say("start")
    tail = Tail()
    code = executed(command, tail, on_trouble=lambda why: echo(user.out.mark("bad"), why, err=True))
    if code == 0:
        say("ok", exit_code=0)
    else:
        say("fail", exit_code=code, text=tail.text())
    raise SystemExit(code)


class _Saying:
    """Pings that never keep a command from running."""

    def __init__(self, user: User, name: str) -> None:
        self._user = user
        self._name = name

    def __call__(self, kind: str, **said: Any) -> None:
        try:
            self._user.client.checks.ping(self._name, kind, **said)
        except FoliotError as error:
            why = error.sentence
            self._user.out.talk("check_not_heard", mark="warn", name=self._name, kind=kind, why=why)


class Tail:
    """The end of what a command said, from both of its outputs."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._lock = threading.Lock()  # two threads read, one for each output

    def add(self, piece: bytes) -> None:
        with self._lock:
            self._pieces.append(piece)
            self._size += len(piece)
            while self._size - len(self._pieces[0]) >= KEPT:
                self._size -= len(self._pieces.popleft())

    def text(self) -> str:
        with self._lock:
            return b"".join(self._pieces)[-KEPT:].decode(errors="replace").strip()


def executed(command: Sequence[str], tail: Tail, *, on_trouble: Callable[[str], None]) -> int:
    """Run a command with its output passed through; its exit code, as a shell counts it."""
    try:
        child = subprocess.Popen(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603
    except OSError as error:
        why = f"{command[0]}: {error.strerror or error}"
        tail.add(why.encode())
        on_trouble(why)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED
    with child, _passed_on(child):
        readers = [
            _reader(child.stdout, sys.stdout.buffer, tail),
            _reader(child.stderr, sys.stderr.buffer, tail),
        ]
        code = child.wait()
        for reader in readers:
            reader.join()
    return code if code >= 0 else BY_SIGNAL - code


def _reader(source: IO[bytes] | None, sink: IO[bytes], tail: Tail) -> threading.Thread:
    """A thread that passes an output on as it comes. It ends with the output."""
    assert source is not None

    def work() -> None:
        while piece := source.read1(65536):  # type: ignore[attr-defined]  # a buffered reader
            tail.add(piece)
            sink.write(piece)
            sink.flush()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


class _passed_on:  # noqa: N801  reads as words
    """While a command runs: who ends the wrapper ends the command, and the wrapper still says how that ended."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        self._child = child
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._pass)

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _pass(self, number: int, _frame: object) -> None:
        """A terminal sends Ctrl-C to both; a second one does no harm."""
        if self._child.poll() is None:
            self._child.send_signal(number)
