"""`foliot bench`: how quick Foliot is on this machine, beside the raw limit of the database."""

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.language import reader_language
from foliot.cli.output import Output
from foliot.cli.refusal import failures
from foliot.cli.terminal import echo
from foliot.domain.routing import ANY, ROUTES
from foliot.words.language import Language

if TYPE_CHECKING:
    from foliot_bench.benchmark import Benchmark

_Command = TypeVar("_Command", bound=Callable[..., Any])

COUNT: Final = click.IntRange(1)
SLOTS: Final = click.IntRange(1, 10_000)
FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_COMMON: Final = (
    click.option("--db", envvar="FOLIOT_BENCH_DB", metavar="URL", help="An empty database; left out: SQLite files."),
    click.option("--db-file", type=FILE, help="A file with its URL, so that a password stands in no command line."),
    click.option("--twin-db", metavar="URL", help="Another empty one for the twin; left out: made beside --db."),
    click.option("--json", "as_json", is_flag=True, help="One JSON document."),
    click.option("-q", "--quiet", is_flag=True, help="No progress."),
    click.option("--no-color", is_flag=True, help="No colour."),
    click.option("--lang", metavar="LANG", help="en or zh-CN."),
)
_NAMES: Final = ("db", "db_file", "twin_db", "as_json", "quiet", "no_color", "lang")


@click.group(cls=Group, epilog=EXIT_CODES)
def bench() -> None:
    """Measure Foliot on this machine, beside the raw limit of the database.

    Each benchmark starts servers and a worker as processes of its own, works on an empty database, verifies every row,
    and sets its figure beside a raw twin: the same row work as bare set-based SQL in the same run. What it wrote is
    removed after. Ratios travel between machines; seconds do not.

    \b
    Examples:
      foliot bench storm                                       10 000 jobs due at once, on SQLite
      foliot bench storm --db postgresql://foliot@db/scratch   the same on your database
      foliot bench steady --jobs 5000 --seconds 60 --json
    """


def _measuring(command: _Command) -> _Command:
    """A command that says which benchmark is meant; it is carried through and told."""

    @wraps(command)
    def run(**given: Any) -> None:
        options = {name: given.pop(name) for name in _NAMES}
        context = click.get_current_context()
        with failures(options):
            _carry_through(command(**given), options, context.obj or {})

    for option in reversed(_COMMON):
        run = option(run)
    return run  # type: ignore[return-value]


@bench.command()
@click.option("--jobs", type=COUNT, default=10_000, show_default=True)
@click.option("--slots", type=SLOTS, default=100, show_default=True, help="Runs at one time.")
@click.option("--overlap", type=click.Choice(["skip", "allow", "queue"]), default="skip", show_default=True)
@click.option("--pairs", type=COUNT, default=5, show_default=True, help="How often, each time beside the twin.")
@click.option(
    "--route",
    "routes",
    type=click.Choice([name for name in ROUTES if name != ANY]),
    multiple=True,
    metavar="ROUTE",
    help="Jobs with this route beside jobs without one, on two workers. Again: several.",
)
@_measuring
def storm(routes: tuple[str, ...], **sizes: Any) -> "Benchmark":
    """Many jobs due at one instant: fired, leased over HTTP, executed, recorded.

    \b
    Examples:
      foliot bench storm
      foliot bench storm --db postgresql://foliot@db/scratch --jobs 50000
      foliot bench storm --route round --route least_running
    """
    from foliot_bench.routed_storm import RoutedStorm
    from foliot_bench.storm import Storm

    return RoutedStorm(routes=routes, **sizes) if routes else Storm(**sizes)


@bench.command()
@click.option("--jobs", type=COUNT, default=1000, show_default=True)
@click.option("--seconds", type=COUNT, default=25, show_default=True)
@click.option("--slots", type=SLOTS, default=100, show_default=True, help="Runs at one time.")
@click.option("--only", type=click.Choice(["phase", "spread"]), help="One of the two shapes.")
@_measuring
def steady(only: str | None, **sizes: Any) -> "Benchmark":
    """Many jobs, each every second: all in phase, then spread over the second. None may be missed.

    \b
    Examples:
      foliot bench steady
      foliot bench steady --jobs 5000 --only spread --db mariadb://foliot@db/scratch
    """
    from foliot_bench.steady import Steady

    return Steady(**sizes, shapes=(only,)) if only else Steady(**sizes)


@bench.command()
@click.option("--runs", type=COUNT, default=50_000, show_default=True)
@click.option("--slots", type=SLOTS, default=100, show_default=True, help="Runs at one time.")
@click.option("--pairs", type=COUNT, default=3, show_default=True, help="How often, each time beside the twin.")
@click.option(
    "--beside",
    type=click.Choice(["pgqueuer", "none"]),
    default="pgqueuer",
    show_default=True,
    help="Who else drains as many, on PostgreSQL and where it is installed.",
)
@_measuring
def drain(**sizes: Any) -> "Benchmark":
    """A long queue of triggered runs: leased over HTTP, executed, recorded.

    \b
    Examples:
      foliot bench drain
      foliot bench drain --runs 200000 --db postgresql://foliot@db/scratch
    """
    from foliot_bench.drain import Drain

    return Drain(**sizes)


@bench.command()
@click.option("--jobs", type=COUNT, default=100_000, show_default=True)
@click.option("--few", type=COUNT, default=1000, show_default=True, help="How many jobs memory is compared with.")
@click.option("--seconds", type=COUNT, default=30, show_default=True)
@click.option("--settle", type=COUNT, default=10, show_default=True, help="Seconds after a start that do not count.")
@_measuring
def idle(**sizes: Any) -> "Benchmark":
    """Many jobs of which none is due: statements, CPU and memory of a leader and of a follower.

    \b
    Examples:
      foliot bench idle --db postgresql://foliot@db/scratch
      foliot bench idle --jobs 1000000
    """
    from foliot_bench.idle import Idle

    return Idle(**sizes)


@bench.command()
@click.option("--jobs", type=COUNT, default=100_000, show_default=True)
@click.option("--runs", type=COUNT, default=500_000, show_default=True, help="Finished ones.")
@click.option("--due", type=COUNT, default=10_000, show_default=True, help="Jobs fired in each round.")
@click.option("--pairs", type=COUNT, default=5, show_default=True, help="How often, each time beside the twin.")
@_measuring
def bigdata(**sizes: Any) -> "Benchmark":
    """Firing and leasing with a long history, beside an empty database.

    \b
    Examples:
      foliot bench bigdata --db postgresql://foliot@db/scratch
      foliot bench bigdata --jobs 1000000 --runs 10000000 --db postgresql://foliot@db/scratch
    """
    from foliot_bench.bigdata import BigData

    return BigData(**sizes)


@bench.command()
@click.option("--jobs", type=COUNT, default=300, show_default=True)
@click.option("--kills", type=COUNT, default=6, show_default=True)
@click.option("--every", type=click.IntRange(3), default=4, show_default=True, help="Seconds from kill to kill.")
@click.option("--slots", type=SLOTS, default=100, show_default=True, help="Runs at one time.")
@_measuring
def failover(**sizes: Any) -> "Benchmark":
    """Kill servers (SIGKILL) one after the other under load: what it delays. Needs PostgreSQL or MariaDB.

    \b
    Examples:
      foliot bench failover --db postgresql://foliot@db/scratch
      foliot bench failover --kills 20 --db mariadb://foliot@db/scratch
    """
    from foliot_bench.failover import Failover

    return Failover(**sizes)


# ------------------------------------------------------------------------------------------------------------- telling


def _carry_through(benchmark: "Benchmark", options: Mapping[str, Any], more: Mapping[str, Any]) -> None:
    from foliot.app.run_loop import run
    from foliot.observability.log_lines import configure_logging
    from foliot_bench.progress import Progress
    from foliot_bench.report import carried_through

    configure_logging(level="error", form="console")
    url = options["db_file"].read_text("utf-8").strip() if options["db_file"] else options["db"]
    with Progress(quiet=options["quiet"]) as progress:
        report = run(carried_through(benchmark, progress, url=url, twin=options["twin_db"], **more))
    out = Output(
        form="json" if options["as_json"] else "table",
        quiet=False,
        colour=False if options["no_color"] else None,
        chinese=reader_language(options["lang"]) is Language.CHINESE,
    )
    _tell(report, out)


def _tell(report: Mapping[str, Any], out: Output) -> None:
    from foliot_bench.report import lines

    out.item(report, lines(report))
    if not out.is_for_people:
        return
    name, bars = report["benchmark"], report["bars"]
    for one in bars:
        said = out.say("bench_bar", what=one["what"], value=f"{one['is']:,}", bar=one["bar"])
        echo(out.mark("good" if one["reached"] else "bad"), said)
    if "twin_median_per_s" in report:
        rates = {"per_s": f"{report['per_s']:,}", "twin": f"{report['twin_median_per_s']:,}"}
        echo(out.say("bench_ratio", name=name, ratio=report["ratio"], **rates))
    missed = sum(not one["reached"] for one in bars)
    key = "bench_missed" if missed else "bench_reached" if bars else "bench_measured"
    echo(out.mark("bad" if missed else "good"), out.say(key, name=name, count=missed, bars=len(bars)))
    sys.stdout.flush()
