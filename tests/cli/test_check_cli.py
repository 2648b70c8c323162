"""`foliot check`: made, pinged by hand and around a command, shown, changed and taken away."""

import re
import sys

from tests.cli.conftest import Shell


def test_a_check_from_its_making_to_its_end(foliot: Shell) -> None:
    made = foliot("check", "create", "dump", "--every", "1d", "--grace", "30m", "--tag", "team=data", "--to", "nobody")
    assert made.code == 0
    assert "✔ dump v1 created\n" in made.err
    assert 'There is no channel "nobody"' in made.err
    assert foliot("check", "create", "dump", "--every", "1d").code == 5
    assert foliot("check", "create", "other").code == 2
    assert foliot("check", "ping", "dump", "start").err == "✔ dump: start was heard; it is running\n"
    assert foliot("check", "ping", "dump").err == "✔ dump: ok was heard; it is up\n"
    assert re.search(r"dump +default +up +1d ", foliot("check", "list").out)
    assert foliot("check", "list", "--state", "down", "-o", "json").json["items"] == []
    failed = foliot("check", "ping", "dump", "fail", "--exit-code", "28", "--text", "no space", "-o", "json").json
    assert failed["state"] == "DOWN"
    shown = foliot("check", "show", "dump").out
    assert "with exit code 28: no space." in shown
    assert re.search(r"ping +\S.*  fail  28  no space\n", shown)
    changed = foliot("check", "edit", "dump", "--set", "every=12h", "--unset", "to", "--reason", "twice a day")
    assert changed.err == "✔ dump is v2 now\n"
    assert foliot("check", "show", "dump", "--yaml").out == (
        'checks:\n  dump:\n    every: "12h"\n    grace: "30m"\n    tags:\n      team: data\n'
    )
    assert foliot("check", "pause", "dump").err == "✔ dump is not waited for\n"
    assert foliot("check", "resume", "dump").err == "✔ dump is waited for again\n"
    assert foliot("check", "delete", "dump", "--yes").code == 0
    assert foliot("check", "show", "dump").code == 3


def test_a_command_is_run_and_its_check_hears_of_it(foliot: Shell) -> None:
    assert foliot("check", "create", "wrapped", "--every", "1d").code == 0
    good = foliot("check", "run", "wrapped", "--", sys.executable, "-c", "print('done')")
    assert (good.code, good.out) == (0, "done\n")
    bad = foliot("check", "run", "wrapped", "--", sys.executable, "-c", "import sys; sys.exit('disk full')")
    assert (bad.code, "disk full" in bad.err) == (1, True)
    assert foliot("check", "run", "wrapped", "--", "no-such-command-here").code == 127
    shown = foliot("check", "show", "wrapped", "-o", "json").json
    said = [(one["kind"], one["exit_code"], one["text"]) for one in reversed(shown["last_pings"])]
    assert said == [
        ("start", None, ""),
        ("ok", 0, ""),
        ("start", None, ""),
        ("fail", 1, "disk full"),
        ("start", None, ""),
        ("fail", 127, "no-such-command-here: No such file or directory"),
    ]
    unheard = foliot("check", "run", "unknown", "--", sys.executable, "-c", "print('done')")
    assert (unheard.code, unheard.out) == (0, "done\n")
    assert 'unknown: ok was not heard: No check "unknown".' in unheard.err
    foliot("check", "delete", "wrapped", "--yes")
