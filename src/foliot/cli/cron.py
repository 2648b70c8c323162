"""`foliot cron`: explain, preview and convert cron expressions. Needs no server."""

import json
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

import click

from foliot.cli.global_options import spoken_language
from foliot.cli.groups import Group
from foliot.cli.language import reader_language
from foliot.cli.refusal import refusals
from foliot.cli.table import cells_of, room_for_data, width_of
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant, isoformat, to_datetime, to_instant
from foliot.domain.schedule import Cron, CronDialect, Gap, RepeatedTime, Schedule, schedule_from_document
from foliot.domain.schedule.builtin import find_calendar
from foliot.domain.schedule.cron.conversion import NAMES as DIALECT_NAMES
from foliot.domain.schedule.cron.conversion import Converted
from foliot.domain.schedule.cron.conversion import convert as convert_expression
from foliot.domain.schedule.moments import read_instant
from foliot.domain.schedule.zones import tzdata_version, zone
from foliot.words.language import Language
from foliot.words.phrases import phrase
from foliot.words.schedules import describe
from foliot.words.schedules.warnings import ScheduleWarning, warnings_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FORMATS: Final = click.Choice(["table", "json", "jsonl"])
_WEEKDAYS: Final = {
    Language.ENGLISH: ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    Language.CHINESE: ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}


@click.group(cls=Group)
def cron() -> None:
    """Explain, preview and convert cron expressions.

    \b
    Examples:
      foliot cron explain "0 2 * * *" --tz Asia/Shanghai
      foliot cron next "0 0 12 L * ?" -n 3
      foliot cron convert "0 15 10 ? * MON-FRI" --to unix

    5 fields are Unix cron; 6 or 7 begin with seconds (Quartz, Spring).
    """


def _about_the_schedule(command: _Command) -> _Command:
    """Options that say what schedule is meant."""
    for option in reversed(
        (
            click.argument("expression", nargs=-1, required=True),
            click.option("--tz", default="UTC", show_default=True, help="Time zone of the wall clock."),
            click.option(
                "--dialect", type=click.Choice([one.value for one in CronDialect]), help="Else told by its fields."
            ),
            click.option("--calendar", help="Days that count: weekdays, cn-workdays, us-ny-holidays …"),
            click.option(
                "--dst-gap", type=click.Choice([one.value for one in Gap]), help="For hours that are skipped."
            ),
            click.option(
                "--dst-overlap", type=click.Choice([one.value for one in RepeatedTime]), help="For repeated hours."
            ),
            time_option("cron next --from", "since", help="Look from then on instead of now."),
            click.option("--job", default="", help="Name of the job, which places H."),
        )
    ):
        command = option(command)
    return command


def _about_the_answer(command: _Command) -> _Command:
    """Options that say how to answer."""
    for option in (
        click.option("--lang", help="en or zh-CN; else as your locale says.", callback=spoken_language),
        click.option("-o", "--output", type=_FORMATS, default="table", show_default=True, help="Form of the answer."),
    ):
        command = option(command)
    return command


@cron.command()
@_about_the_schedule
@click.option("-n", "count", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many fires.")
@_about_the_answer
def explain(count: int, output: str, lang: str | None, **about: Any) -> None:
    """Say what an expression means, when it fires next, and what to look out for.

    \b
    Examples:
      foliot cron explain "0 2 * * *" --tz Asia/Shanghai --calendar cn-workdays
      foliot cron explain "30 2 * * *" --tz Europe/Berlin
      foliot cron explain "0 0 2 ? * 2" --dialect quartz --lang zh-CN
    """
    language = reader_language(lang)
    with refusals({"lang": lang}):
        schedule, since = _meant(**about)
        said = describe(schedule, language)
        fires = list(islice(schedule.upcoming(since - 1), count))
        warnings = warnings_of(schedule, now=since, language=language)
        if output == "table":
            trigger = schedule.triggers[0]
            assert isinstance(trigger, Cron)
            echo(f"{trigger.text}  ({trigger.expression.dialect.value})")
            echo(f"  {said}\n")
            _print_fires(fires, schedule, since, language)
            _print_warnings(warnings, file=sys.stdout)
        else:
            _print_json(_explained(schedule, said, fires, warnings))


@cron.command(name="next")
@_about_the_schedule
@click.option("-n", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many fires.")
@_about_the_answer
def next_fires(count: int, output: str, lang: str | None, **about: Any) -> None:
    """List the next fires.

    \b
    Examples:
      foliot cron next "*/15 9-17 * * MON-FRI" -n 3
      foliot cron next "0 2 * * *" --tz Asia/Shanghai --from 2026-02-01
      foliot cron next "0 9 1 * *" -o json
    """
    language = reader_language(lang)
    with refusals({"lang": lang}):
        schedule, since = _meant(**about)
        fires = list(islice(schedule.upcoming(since - 1), count))
        if output == "json":
            _print_json({"items": [{"at": isoformat(at)} for at in fires]})
        elif output == "jsonl":
            for at in fires:
                echo(json.dumps({"at": isoformat(at)}, separators=(",", ":")))
        else:
            _print_fires(fires, schedule, since, language)
        _print_warnings(warnings_of(schedule, now=since, language=language), file=sys.stderr)


@cron.command()
@click.argument("expression", nargs=-1, required=True)
@click.option("--to", type=click.Choice([one.value for one in CronDialect]), required=True, help="The dialect wanted.")
@click.option(
    "--dialect", type=click.Choice([one.value for one in CronDialect]), help="The one it is in, if not evident."
)
@_about_the_answer
def convert(expression: tuple[str, ...], to: str, dialect: str | None, output: str, lang: str | None) -> None:
    """Write an expression in another dialect, weekdays by name.

    \b
    Examples:
      foliot cron convert "0 15 10 ? * MON-FRI" --to unix
      foliot cron convert "0 2 * * 1-5" --to quartz
      foliot cron convert "0 0 2 ? * 2" --dialect quartz --to spring
    """
    language = reader_language(lang)
    with refusals({"lang": lang}):
        text = " ".join(expression)
        found = convert_expression(text, CronDialect(to), dialect=CronDialect(dialect) if dialect else None)
        if output == "table":
            echo(found.text)
        else:
            _print_json({"expression": text, "to": to, "text": found.text, "is_portable": found.is_portable})
        if not found.is_portable:
            echo(f"{_glyph('▲', '!')} {_foreign_told(found, language)}", err=True)


def _foreign_told(found: Converted, language: Language) -> str:
    name = DIALECT_NAMES[found.dialect]
    said = {"name": name, "foreign": found.foreign}
    return phrase("cron_foreign", said, language)


def _meant(
    expression: tuple[str, ...],
    tz: str,
    dialect: str | None,
    calendar: str | None,
    dst_gap: str | None,
    dst_overlap: str | None,
    since: TypedTime | None,
    job: str,
) -> tuple[Schedule, Instant]:
    words = {
        "cron": " ".join(expression),
        "tz": tz,
        "dialect": dialect,
        "calendar": calendar,
        "dst_gap": dst_gap,
        "dst_overlap": dst_overlap,
    }
    schedule = schedule_from_document({key: word for key, word in words.items() if word is not None}, job=job)
    if schedule.missing_calendar is not None:
        find_calendar(schedule.missing_calendar, {})  # raises, with the nearest name
    return schedule, _beginning(since, tz)


def _beginning(since: TypedTime | None, tz: str) -> Instant:
    """The instant from which on fires are wanted: what was typed, or now."""
    from foliot.app.system import SystemClock
    from foliot.cli.times import Times

    now = SystemClock().now()
    if since is None:
        return to_instant(now)
    times = Times(tz, chinese=False, now=now)
    return read_instant(times.instant_of(since))


def _explained(
    schedule: Schedule, said: str, fires: list[Instant], warnings: tuple[ScheduleWarning, ...]
) -> dict[str, Any]:
    trigger = schedule.triggers[0]
    assert isinstance(trigger, Cron)
    return {
        "expression": trigger.text,
        "dialect": trigger.expression.dialect.value,
        "tz": trigger.tz,
        "tzdata": tzdata_version(),
        "description": said,
        "items": [{"at": isoformat(at)} for at in fires],
        "warnings": [{"code": one.code, "detail": one.sentence, "hint": one.hint} for one in warnings],
    }


def _print_json(document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    echo(text)


def _print_fires(fires: list[Instant], schedule: Schedule, since: Instant, language: Language) -> None:
    if not fires:
        echo(phrase("no_further_fire", {}, language))
        return
    tz = schedule.tz
    rows = [[tz, "UTC", ""]]
    for at in fires:
        here, utc = _shown(at, tz, language), _shown(at, "UTC", language)
        rows.append([here, utc, _ahead(at - since, language)])
    wanted = ((0, 2), (0,)) if tz == "UTC" else ((0, 1, 2), (0, 2), (0,))
    for line in _first_that_fits(rows, wanted):
        echo(line)


def _first_that_fits(rows: Sequence[Sequence[str]], choices: Sequence[Sequence[int]]) -> list[str]:
    """The lines of a table with the first choice of its columns that fits the terminal, else with the last."""
    room = room_for_data()
    lines: list[str] = []
    for choice in choices:
        chosen = [[row[at] for at in choice] for row in rows]
        widths = [max(map(width_of, column)) for column in zip(*chosen, strict=True)]
        lines = [f"  {'   '.join(cells_of(row, widths))}".rstrip() for row in chosen]
        if room is None or max(map(width_of, lines)) <= room:
            break
    return lines


def _shown(instant: Instant, tz: str, language: Language) -> str:
    offset = zone(tz).offset_at(instant // SECOND)
    moment = to_datetime(instant + offset * SECOND)
    sign, (hours, rest) = "+" if offset >= 0 else "-", divmod(abs(offset) // 60, 60)
    shift = "Z" if tz == "UTC" else f" {sign}{hours:02}:{rest:02}"
    return f"{_WEEKDAYS[language][moment.weekday()]} {moment:%Y-%m-%d %H:%M:%S}{shift}"


def _ahead(micros: int, language: Language) -> str:
    """How far ahead, in the two largest units: `in 11 h 55 m`."""
    units = ((DAY, "d", "天"), (HOUR, "h", "小时"), (MINUTE, "m", "分"), (SECOND, "s", "秒"))
    parts: list[str] = []
    for unit, english, chinese in units:
        n, micros = divmod(micros, unit)
        if n and len(parts) < 2:
            parts.append(f"{n} {chinese if language is Language.CHINESE else english}")
    told = " ".join(parts) or "0 s"
    return f"{told}后" if language is Language.CHINESE else f"in {told}"


def _print_warnings(warnings: tuple[ScheduleWarning, ...], *, file: Any) -> None:
    for one in warnings:
        echo(f"\n{_glyph('▲', '!')} {one.sentence}\n  {one.hint}  [{one.code}]", file=file)


def _glyph(glyph: str, plain: str) -> str:
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    return glyph if "utf" in encoding.lower() else plain
