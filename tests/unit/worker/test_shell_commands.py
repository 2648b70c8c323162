"""Commands: what they are given, how their end counts, and what they leave."""

import os
from pathlib import Path

import pytest

from foliot.domain.policies.retry import RetryPolicy
from foliot.domain.verdict import Cause
from tests.unit.worker.shell_runs import argv, commands, error_of, result_of, sh

CORPUS = (
    "; touch {marker}",
    "$(touch {marker})",
    "`touch {marker}`",
    "a\ntouch {marker}\n",
    "' ; touch {marker} ; '",
    '" ; touch {marker} ; "',
    "&& touch {marker} #",
    "| touch {marker}",
    "${{IFS}}$(touch${{IFS}}{marker})",
    "() {{ :; }}; touch {marker}",
    "*",
    "~",
    "%s%n",
    "--help",
    "-rf",
    "日本 ü \u202e",
)


async def test_the_environment_is_built_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIOT_TOKEN", "canary-of-the-worker")
    monkeypatch.setenv("DATABASE_URL", "canary-of-the-worker")
    async with commands(env={"REGION": "north"}) as bench:
        row = await bench.run(argv("env", env={"MODE": "fast"}), params={"day-of": "x", "n": 3, "none": None})
    names = dict(line.split("  ", 2)[2].split("=", 1) for line in row.log.splitlines())
    folder = names["HOME"]
    assert names == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "REGION": "north",
        "MODE": "fast",
        "FOLIOT_RUN": "r-1",
        "FOLIOT_DUE": "2026-01-31T12:00:00+00:00",
        "FOLIOT_ATTEMPT": "1",
        "FOLIOT_FENCE": names["FOLIOT_FENCE"],
        "FOLIOT_JOB": "specimen",
        "FOLIOT_NAMESPACE": "default",
        "FOLIOT_SHARD": "0",
        "FOLIOT_SHARDS": "1",
        "FOLIOT_RESULT": f"{folder}/.foliot-result",
        "FOLIOT_FILES": names["FOLIOT_FILES"],
        "FOLIOT_PARAMS": '{"day-of":"x","n":3,"none":null}',
        "FOLIOT_PARAM_DAY_OF": "x",
        "FOLIOT_PARAM_N": "3",
    }
    assert not Path(folder).exists(), "the private folder outlived its run"


async def test_hostile_parameters_are_data_in_every_way(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    values = [piece.format(marker=marker) for piece in CORPUS]
    named = {f"p{at}": value for at, value in enumerate(values)}
    variables = " ".join(f'"$FOLIOT_PARAM_P{at}"' for at in range(len(values)))
    write = "printf '%s\\037' {} > \"$FOLIOT_RESULT\""
    dump = "import json, sys; print(json.dumps('\\x1f'.join([*json.load(sys.stdin).values(), ''])))"
    as_env = sh(write.format(variables))
    as_argv = sh("shift; " + write.format('"$@"'), args=["--", "${params.all}"], params_as="argv")
    as_stdin = {"script": dump, "language": "python", "params_as": "stdin"}
    async with commands(sandbox="none", run_as="root" if os.geteuid() == 0 else None) as bench:
        rows = [
            await bench.run(as_env, params=named),
            await bench.run(as_argv, params={"all": values}),
            await bench.run(as_stdin, params=named),
        ]
    for row in rows:
        assert result_of(row).split("\x1f")[:-1] == values
    assert list(tmp_path.iterdir()) == []


async def test_a_parameter_is_an_option_only_behind_two_dashes() -> None:
    async with commands() as bench:
        free = argv("printf", "%s|", "${params.files}", params_as="argv")
        guarded = argv("printf", "--", "%s|", "${params.files}", params_as="argv")
        refused = await bench.run(free, params={"files": "--version"})
        listed = await bench.run(free, params={"files": ["a", "b c", -3]})
        behind = await bench.run(guarded, params={"files": ["--version"]})
        missing = await bench.run(free)
        assert [row.cause for row in (refused, missing)] == [Cause.REJECTED, Cause.REJECTED]
        assert "begins with -" in error_of(refused)
        assert "is missing" in error_of(missing)
        assert [result_of(row) for row in (listed, behind)] == ["a|b c|-3|", "--version|"]


async def test_an_exit_code_is_a_success_an_error_of_its_own_name_or_final() -> None:
    retried, final = RetryPolicy(max=3), RetryPolicy(max=3, on=("ExitCode4",))
    async with commands() as bench:
        fine = await bench.run(argv("sh", "-c", "exit 3", success_codes=[0, 3]))
        plain = await bench.run(argv("sh", "-c", "echo what >&2; exit 4"))
        again = await bench.run(argv("sh", "-c", "exit 75", retry_codes=[75]))
        over = await bench.run(argv("sh", "-c", "exit 4", retry_codes=[75]))
        struck = await bench.run(argv("sh", "-c", "kill -SEGV $$"))
        absent = await bench.run(argv("no-such-command-here"))
        folder = await bench.run(argv("/etc"))
    assert fine.cause is Cause.SUCCEEDED
    assert [row.cause for row in (plain, again, over, struck)] == [Cause.ERROR] * 4
    assert error_of(plain) == "ExitCode4: sh ended with exit code 4: what."
    types = [row.reports[-1].error_type for row in (plain, again, over, struck)]
    assert [retried.allows(failures=0, error_type=one) for one in types] == [True, True, False, True]
    assert [final.allows(failures=0, error_type=one) for one in types] == [True, False, False, False]
    assert "SIGSEGV" in error_of(struck)
    assert [absent.cause, folder.cause] == [Cause.REJECTED, Cause.REJECTED]
    assert "does not allow the command no-such-command-here, which it does not have" in error_of(absent)


async def test_the_result_is_the_file_or_the_last_line_as_json_or_text(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    both = 'echo first; echo "[1, 2]"; echo; echo \'{"a": 1}\' > "$FOLIOT_RESULT"'
    async with commands() as bench:
        expected = {"": {"a": 1}, "file": {"a": 1}, "last_line": [1, 2], "none": None}
        for way, value in expected.items():
            row = await bench.run(argv("sh", "-c", both, **({"result": way} if way else {})))
            assert result_of(row) == value, way
        text = await bench.run(argv("sh", "-c", "echo some words"))
        assert result_of(text) == "some words"
        linked = await bench.run(argv("sh", "-c", f'ln -s {secret} "$FOLIOT_RESULT"', result="file"))
        assert result_of(linked) is None
        large = await bench.run(argv("sh", "-c", 'head -c 70000 /dev/zero | tr "\\0" x > "$FOLIOT_RESULT"'))
        assert large.cause is Cause.SUCCEEDED
        assert "the limit is 65536 bytes (64 KiB)" in error_of(large)


async def test_progress_is_read_from_lines_and_output_of_any_bytes_becomes_text() -> None:
    text = "echo ::progress 3/10 half way; printf 'a\\377b\\n'; printf '\\304\\343\\n'; echo no end >&2"
    async with commands() as bench:
        row = await bench.run(argv("sh", "-c", text))
        chinese = await bench.run(argv("printf", "\\304\\343\\272\\303\\n", encoding="gbk"))
        quiet = await bench.run(argv("sh", "-c", "echo aaa; echo bbb >&2", capture={"stdout": False, "max_kb": 1}))
        bounded = await bench.run(argv("sh", "-c", "head -c 5000 /dev/zero | tr '\\0' x", capture={"max_kb": 1}))
    assert "OUT  a\\xffb\n" in row.log
    assert "ERR  no end\n" in row.log
    assert "::progress" not in row.log
    assert result_of(chinese) == "你好"
    assert "aaa" not in quiet.log
    assert "ERR  bbb" in quiet.log
    assert len(bounded.log) < 1300
    assert "characters=3976" in bounded.log


async def test_files_and_stdin_reach_the_command_and_nobody_else() -> None:
    text = 'stat -c %a "$FOLIOT_FILES"/a.json; cat "$FOLIOT_FILES"/a.json -'
    async with commands() as bench:
        row = await bench.run(argv("sh", "-c", text, files={"a.json": "one\n"}, stdin="two\n"))
        whole = await bench.run(argv("wc", "-c", params_as="stdin"), params={"x": "a" * 60_000})
    assert [line.split("  ", 2)[2] for line in row.log.splitlines()] == ["600", "one", "two"]
    assert result_of(whole) == len('{"x":""}') + 60_000
