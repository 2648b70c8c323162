"""Options of commands: a parameter never becomes code, and what no run could use is refused when the job is saved."""

from typing import Any

import pytest

from foliot.domain.errors import BadField
from foliot.domain.verdict import Cause
from foliot.worker.handlers.shell.kind import value_of
from foliot.worker.handlers.shell.options import shell_options
from tests.unit.worker.shell_runs import argv, commands, error_of, result_of, sh

PARAM = "${params.c}"


@pytest.mark.parametrize(
    "words",
    [
        ("bash", "-lc", PARAM),
        ("sh", "-ec", PARAM),
        ("/usr/bin/bash", "-c", "--", PARAM),
        ("bash", "-c", "-x", PARAM),
        ("zsh", "-c", "echo", PARAM),
        ("python3", "-Ic", PARAM),
        ("python3.11", "-I", "-c", PARAM),
        ("perl", "-ne", PARAM),
        ("perl", "-E", "1;", "-x", PARAM),
        ("ruby", "-ne", PARAM),
        ("node", "-pe", PARAM),
        ("node", "--eval", "1", PARAM),
        ("php", "-r", PARAM),
        ("psql", "-Atc", PARAM),
        ("mysql", "-Be", PARAM),
        ("mysql", "--execute", PARAM),
        ("timeout", "5", "bash", "-lc", PARAM),
        ("awk", "-F", ":", PARAM),
        ("ssh", "host", PARAM),
        ("env", "-i", PARAM),
        ("xargs", PARAM),
        ("su", "anne", PARAM),
        ("sudo", "-n", PARAM),
    ],
)
def test_a_parameter_where_it_would_be_code_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(BadField, match="code, and a parameter is data"):
        shell_options(argv(*words, params_as="argv"))


@pytest.mark.parametrize(
    "words",
    [
        ("bash", "-e", "/opt/report.sh", PARAM),
        ("python3", "-I", "/opt/report.py", "--day", PARAM),
        ("perl", "-n", "/opt/report.pl", PARAM),
        ("psql", "-p", "5432", "-f", "/opt/report.sql", PARAM),
        ("cp", "env.txt", "sh", PARAM),
        ("tar", "-czf", "out.tgz", PARAM),
        ("cp", "--", PARAM, "copy"),
    ],
)
def test_a_parameter_that_is_data_is_taken(words: tuple[str, ...]) -> None:
    assert shell_options(argv(*words, params_as="argv")).argv == [*words]
    # A script gets the same words as data.
    assert shell_options(sh("echo", args=[*words], params_as="argv")).args == [*words]


@pytest.mark.parametrize("encoding", ["idna", "punycode", "utf-16", "rot13", "no-such"])
def test_an_encoding_that_cannot_read_any_output_is_refused(encoding: str) -> None:
    with pytest.raises(BadField, match=r"run\.shell\.encoding"):
        shell_options(argv("echo", encoding=encoding))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[" * 3000, "[" * 3000),
        ("[" * 3000 + "]" * 3000, "[" * 3000 + "]" * 3000),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('{"n": 123456789012345678901234567890}', '{"n": 123456789012345678901234567890}'),
        ('["a\\u0000"]', '["a\\u0000"]'),
        ("a\0b", "a\\x00b"),
        ('{"n": 1}', {"n": 1}),
        ("", None),
    ],
    ids=["open", "deep", "large", "large-inside", "nul-inside", "nul", "fine", "nothing"],
)
def test_a_result_that_no_store_keeps_as_json_is_text(written: str, value: Any) -> None:
    assert value_of(written) == value


async def test_a_job_sets_no_variable_of_a_listed_command_unless_the_worker_names_it() -> None:
    job = argv("env", env={"SSL_CERT_FILE": "/x"}, result="none")
    async with commands(commands=["env"]) as bench:
        refused = await bench.run(job)
        plain = await bench.run(argv("sh", "-c", "exit 0"))
        params = await bench.run(argv("env", result="none"), params={"day": 1})
    assert refused.cause is Cause.REJECTED
    assert "does not allow the variable SSL_CERT_FILE" in error_of(refused)
    assert "the command sh" in error_of(plain)
    assert result_of(params) is None
    assert "FOLIOT_PARAM_DAY=1" in params.log
    async with commands(commands=["env"], env_names=["SSL_CERT_FILE"]) as bench:
        named = await bench.run(job)
    assert "SSL_CERT_FILE=/x" in named.log
