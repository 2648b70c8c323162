"""What users type before they know the commands: the answer names the command that they meant."""

import click
import pytest

from foliot.cli import COMMANDS, main
from foliot.cli.groups import GROUPS
from tests.cli.conftest import Shell


def test_foliot_alone_shows_its_help(alone: Shell) -> None:
    told = alone.process()
    assert told.returncode == 2
    assert "foliot [OPTIONS] COMMAND [ARGS]..." in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("logs", "tick"), 'No command "logs". Did you mean run logs? See foliot --help.'),
        (("trigger", "greet"), 'No command "trigger". Did you mean job trigger? See foliot --help.'),
        (("list",), 'No command "list". Did you mean job list, run list, node list? See foliot --help.'),
        (("job", "logs"), 'No command "foliot job logs". Did you mean run logs?'),
        (("job", "lst"), 'No command "foliot job lst". Did you mean list?'),
        (("jbo",), 'No command "jbo". Did you mean job? See foliot --help.'),
        (("job", "list", "--json"), "No such option '--json'. Did you mean '-o json'?"),
    ],
)
def test_a_guess_is_answered_with_the_command_that_was_meant(alone: Shell, typed: tuple[str, ...], meant: str) -> None:
    refused = alone(*typed)
    assert (refused.code, refused.err.splitlines()[-1]) == (2, f"Error: {meant}")


def test_guesses_are_looked_for_in_every_group() -> None:
    context = click.Context(main)
    found = {name for name in COMMANDS if isinstance(main.get_command(context, name), click.Group)}
    assert found == set(GROUPS)


def test_a_guess_is_answered_in_chinese_too(alone: Shell) -> None:
    refused = alone("--lang", "zh-CN", "trigger", "greet")
    assert refused.err.splitlines()[-1] == "错误：没有命令“trigger”。是否想写 job trigger？见 foliot --help。"


def test_a_context_that_this_folder_overrules_is_said_to_be_overruled(foliot: Shell) -> None:
    server = foliot("context", "show", "-o", "json").json["items"][0]["value"]
    added = foliot("context", "add", "prod", "--url", "http://127.0.0.1:1")
    assert added.err.splitlines() == [
        "✔ context prod is in use",
        f"▲ in this folder .foliot/client.json comes first: commands ask {server}; to ask prod: --context prod",
    ]
    assert foliot("context", "use", "prod").err.splitlines()[1:] == added.err.splitlines()[1:]


def test_a_context_that_nothing_overrules_is_just_used(alone: Shell) -> None:
    added = alone("context", "add", "prod", "--url", "http://127.0.0.1:1")
    assert added.err.splitlines() == ["✔ context prod is in use"]
