"""Global options, written before the command, within it, or behind it."""

import pytest

from foliot.cli.global_options import GLOBALS, GlobalOption
from tests.cli.conftest import Shell

VALUES = {"output": "json", "timeout": "1s", "tz": "UTC", "lang": "zh-CN", "server": "http://127.0.0.1:1"}


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "json", "job", "list"),
        ("job", "-o", "json", "list"),
        ("job", "list", "-o", "json"),
        ("-ojson", "job", "list"),
        ("--output=json", "job", "list"),
        ("-vojson", "job", "list"),
        ("--no-color", "-o", "json", "job", "list"),
        ("-o", "name", "job", "-o", "yaml", "list", "-o", "json"),
    ],
)
def test_it_does_not_matter_where_a_global_option_stands(foliot: Shell, words: tuple[str, ...]) -> None:
    said = foliot(*words)
    assert (said.code, said.err) == (0, "")
    assert [job["name"] for job in said.json["items"]] == foliot("-q", "job", "list").out.split()


@pytest.mark.parametrize("option", GLOBALS, ids=lambda option: option.parameter)
def test_every_global_option_is_taken_before_a_command(alone: Shell, option: GlobalOption) -> None:
    for name in option.names:
        words = [name] if option.is_flag else [name, VALUES.get(option.parameter, "x")]
        before, behind = alone(*words, "context", "show"), alone("context", "show", *words)
        assert (before.code, before.out, before.err) == (behind.code, behind.out, behind.err)
        assert before.code != 2, before.err


def test_the_cluster_and_namespace_are_named_before_the_command(foliot: Shell, alone: Shell) -> None:
    away = alone("--server", "http://127.0.0.1:1", "--timeout", "1s", "job", "list")
    assert (away.code, "No answer from http://127.0.0.1:1" in away.err) == (8, True)
    nowhere = foliot("-n", "lab", "job", "show", "greet")
    assert (nowhere.code, 'No job "greet" in namespace "lab"' in nowhere.err) == (3, True)


@pytest.mark.parametrize("words", [("job", "list"), ("db", "status"), ("docs", "FOL-2001"), ("cron", "next", "@daily")])
def test_a_language_that_foliot_does_not_speak_is_refused_with_those_that_it_speaks(
    alone: Shell, words: tuple[str, ...]
) -> None:
    for line in ((*words, "--lang", "fr"), ("--lang", "fr", *words)):
        refused = alone(*line)
        assert refused.code == 2
        assert 'Foliot speaks en and zh-CN, not "fr".' in refused.err
    assert alone("docs", "FOL-2001", "--lang", "zh_CN.UTF-8").out.startswith("FOL-2001  任务不存在")


def test_every_command_is_told_the_language_and_to_use_no_colour(alone: Shell) -> None:
    for words in (("--lang", "zh-CN", "db", "status"), ("db", "status", "--lang", "zh-CN", "--no-color")):
        assert alone(*words).err.startswith("✖ 未指定存储。")
    assert alone("--no-color", "version").code == 0


def test_an_option_that_means_nothing_to_a_command_is_refused(alone: Shell) -> None:
    for words in (("--namespace", "lab", "version"), ("-n", "lab", "cron", "next", "0 2 * * *")):
        refused = alone(*words)
        assert (refused.code, "--namespace" in refused.err) == (2, True)
    unfinished = alone("-o")
    assert (unfinished.code, "'-o' requires an argument" in unfinished.err) == (2, True)


def test_help_names_them(alone: Shell) -> None:
    said = alone("--help").out
    assert all(option.names[-1] in said for option in GLOBALS)
