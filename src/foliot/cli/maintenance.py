"""`foliot cluster maintenance`: servers stop deciding and keep serving."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo


@click.command()
@click.argument("switch", metavar="[on|off]", type=click.Choice(["on", "off"]), required=False)
@click.option("--for", "lasts", metavar="DURATION", help="End it by itself; unless said, off ends it.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def maintenance(user: User, *, switch: str | None, lasts: str | None, reason: str) -> None:
    """Stop deciding, keep serving: no job fires and no run starts until it is off.

    Running runs go on to their end. What was due meanwhile is decided afterwards, by each job's misfire policy.

    \b
    Examples:
      foliot cluster maintenance
      foliot cluster maintenance on --for 30m --reason "database upgrade"
      foliot cluster maintenance off
    """
    if switch != "on" and lasts is not None:
        raise click.UsageError("--for belongs to on.")
    if switch == "on":
        found = user.client.cluster.begin_maintenance(lasts=lasts, reason=reason)["maintenance"]
    elif switch == "off":
        _end(user, reason)
        return
    else:
        found = user.client.cluster.status()["maintenance"]
    if not user.out.is_for_people:
        user.out.item({"maintenance": found}, (), name="maintenance")
    elif switch == "on":
        running = user.client.cluster.status()["running"]
        user.out.talk("maintenance_on", mark="good", running=running, **told(user, found))
    elif found is None:
        echo(user.out.say("maintenance_none"))
    else:
        echo(user.out.say("maintenance_now", **told(user, found)))


def told(user: User, found: Mapping[str, Any]) -> dict[str, Any]:
    """What phrases say of a maintenance."""
    times = user.times
    until = times.told(found["until"]) if found["until"] else None
    return {"since": times.told(found["since"]), "until": until, "by": found["by"], "reason": found["reason"] or None}


def _end(user: User, reason: str) -> None:
    changed = user.client.cluster.end_maintenance(reason=reason)
    if not user.out.is_for_people:
        user.out.item(changed, (), name="maintenance")
    elif changed["ended"] is None:
        user.out.talk("maintenance_none", mark="warn")
    else:
        user.out.talk("maintenance_off", mark="good", **told(user, changed["ended"]))
