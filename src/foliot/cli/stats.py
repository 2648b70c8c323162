"""`foliot job stats`, `foliot node stats`, `foliot cluster stats`: how runs went in a range of time."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli.charts import STEP_S, bars, columns, levels_of
from foliot.cli.completion import job_name, node_name
from foliot.cli.load_lines import load_lines
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import Line
from foliot.cli.time_options import TypedTime, time_option

step_option: Final = click.option("--step", type=click.Choice(sorted(STEP_S)), help="How long one point is.")


@click.command("stats")
@click.argument("name", shell_complete=job_name)
@time_option("job stats --from", "from_", help="A week before --to, unless said.")
@time_option("job stats --to", help="Now, unless said.")
@step_option
@remote
def job_stats(user: User, *, name: str, from_: TypedTime | None, to: TypedTime | None, step: str | None) -> None:
    """Show how a job's runs went: how many, how long, how long they waited, and on which nodes. Tests do not count.

    A job that differs from what is usual for it has a line for each anomaly.

    \b
    Examples:
      foliot job stats settle
      foliot job stats settle --from 24h --step hour
      foliot job stats settle --from 90d -o json
    """
    times = user.times
    found = user.client.jobs.stats(name, from_=times.read(from_), to=times.read(to), step=step)
    _show(user, found)


@click.command("stats")
@click.argument("name", shell_complete=node_name)
@time_option("node stats --from", "from_", help="A week before --to, unless said.")
@time_option("node stats --to", help="Now, unless said.")
@step_option
@remote
def node_stats(user: User, *, name: str, from_: TypedTime | None, to: TypedTime | None, step: str | None) -> None:
    """Show how the runs of a node went and how loaded it was, up to a minute ago; also of a node that left.

    \b
    Examples:
      foliot node stats w-3
      foliot node stats w-3 --from 2h
      foliot node stats s-1 --from 30d --step day
    """
    times = user.times
    found = user.client.nodes.stats(name, from_=times.read(from_), to=times.read(to), step=step)
    _show(user, found)


@click.command("stats")
@time_option("cluster stats --from", "from_", help="A week before --to, unless said.")
@time_option("cluster stats --to", help="Now, unless said.")
@step_option
@remote
def cluster_stats(user: User, *, from_: TypedTime | None, to: TypedTime | None, step: str | None) -> None:
    """Show how all runs of the cluster went, what was scheduled and skipped, and how loaded its nodes were.

    \b
    Examples:
      foliot cluster stats
      foliot cluster stats --from 24h --step hour
      foliot cluster stats --from 90d -o json
    """
    times = user.times
    found = user.client.cluster.stats(from_=times.read(from_), to=times.read(to), step=step)
    _show(user, found)


def _show(user: User, found: Mapping[str, Any]) -> None:
    user.out.item(found, [*_lines(user, found), *_anomalies(user, found), *load_lines(user, found)])
    if user.out.is_for_people and not found["runs"] and not found.get("load"):
        user.out.talk("stats_none", mark="note")


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    out, times = user.out, user.times
    yield "name", found["name"]
    begin, end = times.show(found["from_at"]), times.told(found["to_at"])
    yield "range", out.say(f"stats_by_{found['step']}", begin=begin, end=end)
    if not found["runs"]:
        return
    yield (
        "runs",
        out.say("stats_runs", **{state: found[state] for state in ("runs", "succeeded", "failed", "cancelled")}),
    )
    kinds = [f"{outcome.partition(':')[2]} {count}" for outcome, count in found["outcomes"].items() if ":" in outcome]
    yield "failures", ", ".join(kinds)
    yield "success", rate(found)
    yield "retries", str(found["retries"] or "")
    yield "took", _spread(user, found["duration_s"])
    yield "queued", _spread(user, found["queue_delay_s"])
    yield "last", times.full(found["last_ended_at"])
    levels = levels_of(out)
    yield "runs", bars(columns(found, found["points"], _runs), levels)
    yield "p95", bars(columns(found, found["points"], _p95), levels)
    for node in found["nodes"]:
        mean = node["duration_s"] and times.lasting(node["duration_s"]["mean"])
        yield "on", out.say("stats_on_node", node=node["node"], runs=node["runs"], rate=rate(node), mean=mean)


def _anomalies(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    for anomaly in found.get("anomalies", ()):
        yield "anomaly", f"{user.times.show(anomaly['began_at'])}  {anomaly['message']}"


def rate(figures: Mapping[str, Any]) -> str:
    """The success rate as users read it; empty when nothing succeeded or failed."""
    part = figures["success_rate"]
    if part is None:
        return ""
    is_all = part == 1  # 99.97 % is not 100 %
    return "100 %" if is_all else f"{min(100 * part, 99.9):.1f} %"


def _spread(user: User, spread: Mapping[str, float] | None) -> str:
    if spread is None:
        return ""
    lasting = {name: user.times.lasting(seconds) for name, seconds in spread.items()}
    return user.out.say("stats_spread", **lasting)


def _runs(point: Mapping[str, Any]) -> float:
    return float(point["runs"])


def _p95(point: Mapping[str, Any]) -> float:
    spread = point["duration_s"]
    return float(spread["p95"]) if spread else 0.0
