"""The command line in a real terminal: colour, width, questions, interruption, both languages."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pexpect
import pytest

from tests.cli.conftest import Shell, interruptible

ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@contextmanager
def terminal(shell: Shell, *args: str, columns: int = 100, **environment: str) -> Iterator[pexpect.spawn]:
    env = {"TERM": "xterm-256color", **shell.env, **environment}
    child = pexpect.spawn(
        sys.executable, ["-m", "foliot", *args], cwd=str(shell.folder), env=env, encoding="utf-8", timeout=90,
        dimensions=(40, columns), preexec_fn=interruptible,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.close(force=True)


def whole(child: pexpect.spawn) -> tuple[str, int]:
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus


def test_colour_is_for_terminals_and_can_be_refused(foliot: Shell) -> None:
    with terminal(foliot, "job", "list") as child:
        said, code = whole(child)
    assert code == 0
    assert "\x1b[32m" in said  # ● ACTIVE
    for name, value, args in (("NO_COLOR", "1", ()), ("X", "", ("--no-color",)), ("TERM", "dumb", ())):
        with terminal(replace(foliot, environment={name: value}), "job", "list", *args) as child:
            said, _ = whole(child)
        assert not ANSI.search(said), name
    assert not ANSI.search(foliot.process("job", "list").stdout)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_table_fits_the_terminal_and_never_wraps(foliot: Shell, columns: int) -> None:
    with terminal(foliot, "job", "list", "--no-color", columns=columns) as child:
        said, _ = whole(child)
    lines = said.splitlines()
    assert len(lines) == 8  # a heading and seven jobs
    assert all(cells(line) <= columns for line in lines), [cells(line) for line in lines]
    if columns == 40:
        assert "…" in said


def cells(text: str) -> int:
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def test_wide_letters_keep_columns_aligned(foliot: Shell) -> None:
    with terminal(foliot, "job", "list", "--no-color", "-o", "wide", "--lang", "zh-CN", columns=250) as child:
        said, _ = whole(child)
    heading, *rows = said.splitlines()
    at = cells(heading[: heading.index("负责人")])
    (settle,) = [row for row in rows if row.startswith("settle")]
    assert cells(settle[: settle.index("结算组")]) == at


def test_a_list_that_is_watched_is_drawn_again_in_place(foliot: Shell) -> None:
    with terminal(foliot, "job", "list", "--watch", "--no-color") as child:
        for _ in range(2):
            child.expect_exact("\x1b[H\x1b[J")
            child.expect("settle")
        child.sendintr()
        _, code = whole(child)
    assert code == 130
    with terminal(foliot, "job", "list", "--watch", "--no-color", "-o", "name") as child:
        child.expect("settle")
        child.expect("settle")
        assert "\x1b" not in child.before
        child.sendintr()


def test_a_question_is_asked_and_no_means_no(foliot: Shell) -> None:
    foliot("job", "create", "doomed", "--py", "jobs:greet")
    with terminal(foliot, "job", "delete", "doomed", "--no-color") as child:
        child.expect("this hits 1:")
        child.expect("doomed")
        child.expect("go on?")
        child.sendline("n")
        child.expect("nothing was changed")
        _, code = whole(child)
    assert code == 1
    assert foliot("job", "show", "doomed").code == 0
    with terminal(foliot, "job", "delete", "doomed", "--no-color", "--lang", "zh-CN") as child:
        child.expect("将影响 1 个")
        child.expect("继续？")
        child.sendline("y")
        child.expect("已删除")
        _, code = whole(child)
    assert code == 0
    assert foliot("job", "show", "doomed").code == 3


def test_an_interrupted_watch_leaves_the_run_alone(foliot: Shell) -> None:
    run = foliot("job", "trigger", "sleepy", "-q").out.strip()
    with terminal(foliot, "run", "watch", run, "--no-color") as child:
        child.expect("Ctrl-C stops watching, not the run")
        child.sendintr()
        _, code = whole(child)
    assert code == 130
    assert foliot("run", "show", run, "-o", "json").json["state"] in ("PENDING", "RUNNING")
    foliot("run", "cancel", run)


def test_a_followed_log_comes_line_by_line(foliot: Shell) -> None:
    with terminal(foliot, "run", "logs", "-f", "--job", "tick", "--no-color") as child:
        run = foliot("job", "trigger", "tick", "-q").out.strip()
        child.expect(run)
        for i in range(3):
            child.expect(f"tick  i={i}")
        child.sendintr()
        _, code = whole(child)
    assert code == 130


def test_events_are_followed(foliot: Shell) -> None:
    with terminal(foliot, "cluster", "events", "-f", "-o", "jsonl") as child:
        for _ in range(18):  # nothing shows when it has begun to listen
            run = foliot("job", "trigger", "greet", "-q").out.strip()
            if child.expect([rf'[^\r\n]*"id": "{run}"[^\r\n]*\r\n', pexpect.TIMEOUT], timeout=5) == 0:
                break
        event = json.loads(child.after)
        child.sendintr()
    assert event["job"] == "greet"
    assert event["event"].startswith("run.")
    assert datetime.fromisoformat(event["at"]).tzinfo is not None


def test_a_terminal_without_unicode_gets_words(foliot: Shell) -> None:
    with terminal(foliot, "job", "list", "--no-color", PYTHONIOENCODING="ascii:replace") as child:
        said, code = whole(child)
    assert code == 0
    assert "o ACTIVE" in said
    assert "●" not in said


def test_the_editor_is_opened_on_the_definition(foliot: Shell, tmp_path: object) -> None:
    foliot("job", "create", "edited", "--py", "jobs:greet", "--owner", "before")
    script = foliot.folder / "editor.sh"
    script.write_text('#!/bin/sh\nsed -i s/before/after/ "$1"\n')
    script.chmod(0o755)
    with terminal(foliot, "job", "edit", "edited", "--no-color", EDITOR=str(script)) as child:
        child.expect("edited is v2 now")
        _, code = whole(child)
    assert code == 0
    assert foliot("job", "show", "edited", "-o", "json").json["owner"] == "after"
    foliot("job", "delete", "edited", "--yes")


EDITOR = """#!/bin/sh
# Does the first of its lines of work, and forgets it.
work=$(head -1 "$0.todo"); sed -i 1d "$0.todo"
cp "$1" "$0.seen"
eval "$work"
"""


def editor(shell: Shell, *work: str) -> str:
    """An editor for which each line is what a person does when it is opened; what they see is kept beside it."""
    script = shell.folder / "mending.sh"
    script.write_text(EDITOR)
    script.chmod(0o755)
    script.with_suffix(".sh.todo").write_text("".join(f"{line}\n" for line in work))
    return str(script)


def test_an_edit_without_a_change_is_no_failure(foliot: Shell) -> None:
    before = foliot("job", "show", "greet", "-o", "json").json["version"]
    with terminal(foliot, "job", "edit", "greet", "--no-color", EDITOR=editor(foliot, "true")) as child:
        said, code = whole(child)
    assert (code, f"greet is v{before} already, nothing changed" in said) == (0, True), said


def test_a_mistake_in_the_editor_opens_it_again_on_what_was_written(foliot: Shell) -> None:
    foliot("job", "create", "mended", "--py", "jobs:greet", "--owner", "before")
    breaking, misspelling, mending = "s/{/{{/", "s/{{/{/;s/owner/ownr/;s/before/after/", "s/ownr/owner/"
    work = [f"sed -i '{step}' \"$1\"" for step in (breaking, misspelling, mending)]
    with terminal(foliot, "job", "edit", "mended", "--no-color", EDITOR=editor(foliot, *work)) as child:
        child.expect(r"✖ What you wrote is not JSON: .* \(line \d+, column \d+\)\.")
        child.expect(r"\[FOL-1100\]")
        child.expect("edit again\\?")
        child.sendline("")
        child.expect('"ownr" is not a field of a job')
        child.expect("edit again\\?")
        child.sendline("y")
        child.expect("mended is v2 now")
        _, code = whole(child)
    assert code == 0
    seen = (foliot.folder / "mending.sh.seen").read_text()
    assert seen.startswith('// "ownr" is not a field of a job')
    assert "after" in seen, "the editor opens on what was written, not on what was there"
    assert foliot("job", "show", "mended", "-o", "json").json["owner"] == "after"
    foliot("job", "delete", "mended", "--yes")


def test_who_gives_up_editing_keeps_the_text(foliot: Shell) -> None:
    work = editor(foliot, 'printf \'{"run": oops}\' > "$1"')
    with terminal(foliot, "job", "edit", "greet", "--no-color", EDITOR=work) as child:
        child.expect("edit again\\?")
        child.sendline("n")
        said, code = whole(child)
    kept = re.search(r"your text is kept in (\S+\.json)", said)
    assert kept is not None, said
    assert "oops" in Path(kept[1]).read_text()
    assert code == 2
    Path(kept[1]).unlink()
