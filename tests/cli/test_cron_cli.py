"""`foliot cron`: what people type and read."""

import json

import pytest
from click.testing import CliRunner, Result

from foliot.cli.cron import cron


def run(*arguments: str, lang: str = "C.UTF-8") -> Result:
    return CliRunner().invoke(cron, list(arguments), env={"LC_ALL": lang, "LANG": lang})


def test_next_prints_the_fires_as_one_document() -> None:
    answer = run(
        "next", "0 1 * * *", "--tz", "Asia/Shanghai", "--from", "2026-01-31T00:00:00Z", "-n", "2", "-o", "json"
    )
    assert answer.exit_code == 0
    assert answer.stdout == '{"items":[{"at":"2026-01-31T17:00:00Z"},{"at":"2026-02-01T17:00:00Z"}]}\n'


def test_next_starts_at_the_given_instant() -> None:
    answer = run("next", "0 0 * * *", "--from", "2026-02-01", "-n", "1", "-o", "jsonl")
    assert answer.stdout == '{"at":"2026-02-01T00:00:00Z"}\n'


def test_next_reads_now_from_the_machine() -> None:
    answer = run("next", "* * * * * *", "-n", "3", "-o", "json")
    assert len(json.loads(answer.stdout)["items"]) == 3


def test_next_as_a_table_shows_both_zones() -> None:
    answer = run("next", "0 2 * * *", "--tz", "Asia/Shanghai", "--from", "2026-02-01", "-n", "1")
    assert answer.stdout.splitlines() == [
        "  Asia/Shanghai                    UTC",
        "  Sun 2026-02-01 02:00:00 +08:00   Sat 2026-01-31 18:00:00Z   in 2 h",
    ]


def test_next_with_a_calendar_and_without_quotes() -> None:
    answer = run(
        "next", "0", "9", "*", "*", "*", "--calendar", "weekdays", "--from", "2026-01-03", "-n", "1", "-o", "json"
    )
    assert json.loads(answer.stdout) == {"items": [{"at": "2026-01-05T09:00:00Z"}]}


def test_next_with_choices_for_clock_changes() -> None:
    for gap, at in (("after", "2026-03-29T01:00:00Z"), ("skip", "2026-03-30T00:30:00Z")):
        answer = run(
            "next", "30 2 * * *", "--tz", "Europe/Berlin", "--dst-gap", gap, "--from", "2026-03-29", "-n1", "-ojson"
        )
        assert json.loads(answer.stdout)["items"] == [{"at": at}]
    answer = run(
        "next",
        "30 2 * * *",
        "--tz",
        "Europe/Berlin",
        "--dst-overlap",
        "second",
        "--from",
        "2026-10-25",
        "-n1",
        "-ojson",
    )
    assert json.loads(answer.stdout)["items"] == [{"at": "2026-10-25T01:30:00Z"}]


def test_next_of_what_never_comes() -> None:
    answer = run("next", "0 0 31 2 *")
    assert answer.exit_code == 0
    assert answer.stdout == "  no further fire\n"
    assert "never fires" in answer.stderr


def test_explain_says_what_it_means_and_what_to_look_out_for() -> None:
    answer = run("explain", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "2026-03-28", "-n", "2")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines() == [
        "30 2 * * *  (unix)",
        "  every day at 02:30, Europe/Berlin",
        "",
        "  Europe/Berlin                    UTC",
        "  Sat 2026-03-28 02:30:00 +01:00   Sat 2026-03-28 01:30:00Z   in 2 h 30 m",
        "  Sun 2026-03-29 03:00:00 +02:00   Sun 2026-03-29 01:00:00Z   in 1 d 2 h",
        "",
        "▲ 02:30 does not exist on 29 March in Europe/Berlin; that fire runs at 03:00.",
        "  choose a time before 02:00 or tz: UTC  [FOL-1005]",
        "",
        "▲ 02:30 comes twice on 25 October in Europe/Berlin; the fire runs once, at the first.",
        "  choose a time from 03:00 on or tz: UTC  [FOL-1005]",
    ]


@pytest.mark.parametrize("how", [("--lang", "zh-CN"), ()])
def test_explain_in_chinese_by_option_or_locale(how: tuple[str, ...]) -> None:
    answer = run(
        "explain", "0 9 1 * MON", "--from", "2026-02-01", "-n", "1", *how, lang="C.UTF-8" if how else "zh_CN.UTF-8"
    )
    assert "  每月 1 日以及每周一 09:00\n" in answer.stdout
    assert "周日 2026-02-01 09:00:00Z   9 小时后" in answer.stdout
    assert "只要第一个周一：MON#1  [FOL-1003]" in answer.stdout


def test_explain_as_a_document() -> None:
    answer = run("explain", "0 15 10 ? * MON-FRI", "--from", "2026-01-01", "-n", "1", "-o", "json")
    document = json.loads(answer.stdout)
    assert document["dialect"] == "quartz"
    assert document["description"] == "at 10:15 Monday to Friday"
    assert document["items"] == [{"at": "2026-01-01T10:15:00Z"}]
    assert document["warnings"] == []
    assert document["tzdata"].startswith("20")


def test_explain_places_h_by_the_name_of_the_job() -> None:
    said = {run("explain", "H H * * *", "--job", f"job-{n}", "-n", "1", "-o", "json").stdout for n in range(8)}
    assert len(said) > 4


def test_convert() -> None:
    assert run("convert", "0 15 10 ? * MON-FRI", "--to", "unix").stdout == "15 10 * * MON-FRI\n"
    answer = run("convert", "0 0 2 ? * 2", "--dialect", "quartz", "--to", "spring", "-o", "json")
    assert json.loads(answer.stdout) == {
        "expression": "0 0 2 ? * 2",
        "to": "spring",
        "text": "0 0 2 * * MON",
        "is_portable": True,
    }
    noted = run("convert", "0 0 12 L * ?", "--to", "unix")
    assert noted.stdout == "0 12 L * *\n"
    assert "▲ Foliot reads this" in noted.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ("explain", "0 25 * * *"),
            2,
            ('✖ "0 25 * * *": hour 25 is out of range 0–23 (2nd field).\n  did you mean 0 23 * * *?  [FOL-1001]\n'),
        ),
        (
            ("next", "0 0 2 ? * 2"),
            2,
            (
                '✖ "0 0 2 ? * 2": 2 is Monday in Quartz, Tuesday in Spring and Unix.\n'
                "  write MON or TUE, or set dialect: quartz  [FOL-1002]\n"
            ),
        ),
        (
            ("next", "0 2 * * *", "--tz", "Asia/Beijing"),
            2,
            '✖ Time zone "Asia/Beijing" does not exist.\n  use Asia/Shanghai  [FOL-1004]\n',
        ),
        (
            ("next", "0 2 * * *", "--from", "soon"),
            2,
            (
                '✖ "soon" is not a time.\n'
                "  write 14:02, 2026-03-02 14:02, 2026-03-02T06:02:00Z, now, 2h or +2h  [FOL-1031]\n"
            ),
        ),
        (
            ("next", "0 2 * * *", "--calendar", "cn-workday"),
            3,
            '✖ No calendar "cn-workday".\n  did you mean cn-workdays?  [FOL-2010]\n',
        ),
        (
            ("convert", "*/5 * * * * *", "--to", "unix"),
            2,
            '✖ "*/5 * * * * *": Unix cron has no seconds.\n  keep the dialect, or use every: for seconds  [FOL-1033]\n',
        ),
    ],
)
def test_errors_say_what_why_and_the_next_step(arguments: tuple[str, ...], code: int, told: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == code
    assert answer.stdout == ""
    assert answer.stderr == told


def test_every_command_has_examples_in_its_help() -> None:
    for command in ("explain", "next", "convert"):
        answer = run(command, "--help")
        assert "Examples:" in answer.stdout
        assert f"foliot cron {command}" in answer.stdout
    assert "Examples:" in run("--help").stdout
