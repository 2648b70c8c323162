"""`foliot cluster failovers` and `foliot cluster policy`: what failed, and when a failure needs a person."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import click

from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.domain.failover import FailoverType

TYPES = click.Choice([str(type_) for type_ in FailoverType])


@click.command()
@click.argument("number", metavar="[ID]", type=click.IntRange(1), required=False)
@click.option("--type", "of_type", type=TYPES, metavar="KIND", help="Of one type; foliot cluster policy names them.")
@time_option("cluster failovers --since", help="Those that were not over by then.")
@click.option("--open", "only_open", is_flag=True, help="Only what is not over.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def failovers(
    user: User, *, number: int | None, of_type: str | None, since: TypedTime | None, only_open: bool, limit: int
) -> None:
    """Show what failed: when, what was affected, what was done, how long it took.

    \b
    Examples:
      foliot cluster failovers --since 12h
      foliot cluster failovers --type worker_crash --open
      foliot cluster failovers 42
    """
    if number is not None:
        found = user.client.cluster.failover(number)
        user.out.item(found, _lines(user, found), name="id")
        return
    times = user.times
    which = {"type": of_type, "since": times.read(since), "namespace": user.namespace}
    wanted = partial(user.client.cluster.failovers, only_open=only_open)
    answer = user.listed(wanted, limit=limit, **which)
    columns = [
        Column("ID", "id"),
        Column(times.title("BEGAN"), times.instant("began_at"), least=8),
        Column("TYPE", "type", least=12),
        Column("SUBJECT", "subject", least=8),
        Column("RUNS", lambda row: str(row["affected"]["runs"] or "-")),
        Column("OUTCOME", lambda row: _outcome(user, row)),
        Column("LASTED", times.duration("lasted_s")),
        Column("DETECTION", "detection", least=10),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)


@click.command()
@click.argument("type_", metavar="[KIND]", type=TYPES, required=False)
@click.option("--escalate-after", metavar="DURATION", help="A failure that lasts longer needs a person.")
@click.option("--attempts", type=int, metavar="N", help="One that needs its action more often, too.")
@click.option("--level", metavar="LEVEL", help="How urgent that is.")
@click.option("--channel", metavar="NAME", help="The channel that is told; - for none, then the default ones are.")
@click.option("--active-min", type=int, metavar="N", help="While fewer servers are active, a standby is promoted.")
@click.option("--standby-count", type=int, metavar="N", help="While fewer standbys live, the doctor warns.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def policy(
    user: User,
    *,
    type_: str | None,
    reason: str,
    escalate_after: str | None,
    active_min: int | None,
    standby_count: int | None,
    **others: Any,
) -> None:
    """Show what is done about each type of failure and when it needs a person; or set the latter, as an admin.

    It also holds how many servers are to be active and how many standbys there are to be.

    \b
    Examples:
      foliot cluster policy
      foliot cluster policy worker_crash --escalate-after 45s --level critical
      foliot cluster policy run_timeout --attempts 50 --channel night-shift
      foliot cluster policy --active-min 2 --standby-count 1
    """
    if active_min is not None or standby_count is not None:
        if type_ is not None:
            raise click.UsageError("Numbers of servers belong to no type: foliot cluster policy --active-min 2")
        _set_servers(user, active_min, standby_count, reason)
        return
    changes = {"timeout": escalate_after, **others}
    is_change = any(value is not None for value in changes.values())
    if is_change and type_ is None:
        raise click.UsageError("Say which policy is to change: foliot cluster policy worker_crash --escalate-after 45s")
    found = user.client.cluster.policies()
    by_type = {one["type"]: one for one in found["items"]}
    if type_ is not None and is_change:
        version = by_type[type_]["version"]
        kept = user.client.cluster.set_policy(type_, **changes, version=version, reason=reason)
        _tell_policy(user, kept)
        return
    items = found["items"] if type_ is None else [by_type[type_]]
    columns = [
        Column("TYPE", "type", least=12),
        Column("ACTION", "action", least=10),
        Column("ESCALATED AFTER", user.times.duration("timeout_s")),
        Column("ATTEMPTS", "attempts", empty="-"),
        Column("LEVEL", "level"),
        Column("CHANNEL", "channel", empty="-"),
        Column("DETECTION", "detection", least=10),
    ]
    user.out.items(items, columns, name="type", answer=found)
    if user.out.is_for_people and type_ is None:
        echo("")
        user.out.item(found["times"], _times(user, found), name="servers")


def _set_servers(user: User, active_min: int | None, standby_count: int | None, reason: str) -> None:
    kept = user.client.cluster.set_servers(active_min=active_min, standby_count=standby_count, reason=reason)
    if not user.out.is_for_people:
        user.out.item(kept, (), name="version")
        return
    user.out.talk("servers_set", mark="good", **kept)


def _tell_policy(user: User, kept: Mapping[str, Any]) -> None:
    if not user.out.is_for_people:
        user.out.item(kept, (), name="type")
        return
    timeout = user.times.lasting(kept["timeout_s"])
    told = {"type": kept["type"], "level": kept["level"], "channel": kept["channel"]}
    user.out.talk("policy_set", mark="good", timeout=timeout, **told)


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    times = user.times
    yield "type", found["type"]
    yield "subject", found["subject"]
    yield "began", times.full(found["began_at"])
    yield "detected", times.full(found["detected_at"])
    yield "detection", found["detection"]
    affected = found["affected"]
    if affected["runs"]:
        yield "runs", str(affected["runs"])
    if affected["run_ids"]:
        yield "run ids", ", ".join(affected["run_ids"])
    if affected["jobs"]:
        yield "jobs", ", ".join(affected["jobs"])
    if affected["nodes"]:
        yield "nodes", ", ".join(affected["nodes"])
    if affected["locks"]:
        yield "locks", ", ".join(affected["locks"])
    yield "action", found["action"]
    if found["done"]:
        yield "done", ", ".join(f"{name} {value}" for name, value in found["done"].items())
    yield "outcome", _outcome(user, found)
    if found["ended_at"]:
        yield "ended", times.full(found["ended_at"])
    yield "lasted", times.lasting(found["lasted_s"])
    if found["escalated_at"]:
        yield "escalated", times.full(found["escalated_at"])
        yield "level", found["level"]
    if found["channel"]:
        yield "channel", found["channel"]


def _times(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    lasting, times, servers = user.times.lasting, found["times"], found["servers"]
    yield "heartbeat interval", lasting(times["heartbeat_interval_s"])
    yield "failure threshold", str(times["failure_threshold"])
    yield "failover timeout", lasting(times["failover_timeout_s"])
    yield "promotion timeout", lasting(times["promotion_timeout_s"])
    yield "leader ttl", lasting(times["leader_ttl_s"])
    yield "lock timeout", lasting(times["lock_timeout_s"])
    yield "active servers", user.out.say("of_at_least", count=servers["active"], least=servers["active_min"])
    yield "standby count", user.out.say("of_at_least", count=servers["standbys"], least=servers["standby_count"])


def _outcome(user: User, found: Mapping[str, Any]) -> str:
    return found["outcome"] or user.out.say("failover_open")
