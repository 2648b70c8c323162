"""Secrets of commands: in the environment, files and input of the run alone, and never in half."""

import io
import os
from collections.abc import Collection, Mapping
from typing import Any

import psutil
import pytest

from foliot.ports.secrets import Destination
from foliot.worker.handlers.shell.kind import Shell
from foliot.worker.handlers.shell.output import LINE_MAX, NOTE_MAX, PORTION, SECRET_MAX, Allowance, OutputStream
from tests.unit.worker.shell_runs import argv, commands

CANARY = "s3cret-canary-of-a-run"


class OneSecret:
    """`ports.secrets.Secrets` with one secret for every name."""

    async def filled(self, value: Any, *, namespace: str, to: Destination | None = None) -> Any:
        del namespace, to
        match value:
            case str():
                return value.replace("${secret:DB}", CANARY)
            case dict():
                return {key: await self.filled(inner, namespace="") for key, inner in value.items()}
        return value

    async def values(
        self, names: Collection[str], *, namespace: str, to: Destination | None = None
    ) -> Mapping[str, str]:
        del namespace, to
        return dict.fromkeys(names, CANARY)

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        del is_cut
        return text.replace(CANARY, "***")


async def test_a_secret_is_in_the_runs_own_environment_and_in_no_arguments() -> None:
    mark = f"foliot-secret-{os.getpid()}"
    given = '"$PASSWORD$(cat $FOLIOT_FILES/a)$(cat)"'  # neither they nor the text of the command name the value
    text = f"[ {given} = s3c$REST$PASSWORD$PASSWORD ] && echo same; sleep 600; :"
    options = argv(
        "sh", "-c", text, mark,
        env={"PASSWORD": "${secret:DB}", "REST": CANARY[3:]},
        files={"a": "${secret:DB}"},
        stdin="${secret:DB}",
    )  # fmt: skip
    async with commands() as bench:
        kind = bench.bench.kind
        assert isinstance(kind, Shell)
        kind.secrets = OneSecret()
        row = bench.start(options)
        assert await bench.first_line(row) == "same"
        family = psutil.Process().children(recursive=True)
        holders = [process for process in family if CANARY in " ".join(process.environ().values())]
        assert len(family) >= 3
        assert {process.name() for process in holders} <= {"sh", "sleep"}
        assert [process for process in family if CANARY in " ".join(process.cmdline())] == []
        bench.bench.server.cancel(row, force=True)
        await bench.bench.end_of(row)


@pytest.mark.parametrize("dropped", [0, 100_000])
@pytest.mark.parametrize("before", [0, LINE_MAX - 40, LINE_MAX - 10, LINE_MAX, LINE_MAX + SECRET_MAX - 6])
def test_a_long_line_is_cut_after_its_secrets_are_hidden(before: int, dropped: int) -> None:
    sink = io.StringIO()
    stream = OutputStream(
        sink, Allowance(10**9), encoding="utf-8", hide=OneSecret().hidden, progress=lambda *_: None
    )  # fmt: skip
    line = b"x" * before + CANARY.encode() * 3 + b"y" * (LINE_MAX + dropped) + b"\n"
    for at in range(0, len(line), PORTION):
        stream.feed(line[at : at + PORTION])
    stream.end()
    kept = sink.getvalue()
    assert CANARY[:4] not in kept
    assert "bytes of this line are not kept" in kept
    assert len(kept) < LINE_MAX + 100


@pytest.mark.parametrize("room", [4, 10, 25])
def test_output_is_cut_at_its_limit_after_its_secrets_are_hidden(room: int) -> None:
    sink, allowance = io.StringIO(), Allowance(room)
    stream = OutputStream(sink, allowance, encoding="utf-8", hide=OneSecret().hidden, progress=lambda *_: None)
    stream.feed(f"as {CANARY} and {CANARY}\n".encode())
    assert sink.getvalue() == f"{'as *** and ***'[:room]}\n"
    assert allowance.left == max(0, room - len("as *** and ***"))


def test_a_note_is_cut_after_its_secrets_are_hidden() -> None:
    notes: list[str] = []
    stream = OutputStream(
        None, Allowance(10**9), encoding="utf-8", hide=OneSecret().hidden, progress=lambda *said: notes.append(said[2])
    )  # fmt: skip
    stream.feed(f"::progress 1/2 {'x' * (NOTE_MAX - 8)}{CANARY}\n".encode())
    assert notes == [f"{'x' * (NOTE_MAX - 8)}***"]
