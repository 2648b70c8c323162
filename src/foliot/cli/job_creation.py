"""`foliot job create`: a job of what is typed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import click

from foliot.cli.handler_words import handler_of, handler_words
from foliot.cli.job_changes import tell_saved, tell_warnings
from foliot.cli.job_views import zone_of
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.cli.time_options import time_option
from foliot.cli.values import pairs, set_path
from foliot.cli.yaml import to_yaml
from foliot.domain.errors import FoliotError

NOBODY_SERVES: Final = "FOL-1099"


@click.command()
@click.argument("name")
@click.option("--cron", metavar="EXPR", help="When: a cron expression.")
@click.option("--every", metavar="DURATION", help="When: every so often.")
@click.option("--after-end", metavar="DURATION", help="When: so long after the end of the last run.")
@time_option("job create --at", help="When: once.")
@click.option("--zone", metavar="ZONE", help="The zone of --cron.")
@handler_words
@click.option("-p", "--param", "params", multiple=True, metavar="K=V", help="A parameter.")
@click.option("--group", metavar="GROUP")
@click.option("--owner", metavar="WHO")
@click.option("--description", metavar="TEXT")
@click.option("--tag", "tags", multiple=True, metavar="K=V")
@click.option("--job-timeout", metavar="DURATION", help="How long a run may take.")
@click.option("--retries", type=click.IntRange(0, 1000))
@click.option("--overlap", type=click.Choice(["allow", "skip", "queue", "queue_all", "replace"]))
@click.option("--route", metavar="ROUTE", help="Which of the fitting workers gets a run: round, least_load ...")
@click.option("--require", multiple=True, metavar="K=V", help="A label that a worker must have.")
@click.option("--prefer", multiple=True, metavar="K=V", help="A label of workers that are preferred.")
@click.option("--avoid", multiple=True, metavar="K=V", help="A label of workers that get a run only when no other can.")
@click.option("--spread", metavar="LABEL", help="A label over whose values its runs are spread.")
@click.option("--set", "settings", multiple=True, metavar="PATH=V", help="Any field of a definition: place.priority=7.")
@click.option("--reason", default="", metavar="TEXT")
@click.option("--check", is_flag=True, help="Only say what it would mean.")
@click.option("--dry-run", is_flag=True, help="Only check, and print the definition.")
@remote
def create(user: User, *, name: str, check: bool, dry_run: bool, reason: str, **said: Any) -> None:
    """Create a job.

    \b
    Examples:
      foliot job create nightly --cron "0 2 * * *" --zone Asia/Shanghai --py billing.jobs:settle
      foliot job create ping --every 5m --http https://example.org/ping --header Accept=text/plain
      foliot job create notify --http https://example.org/hook --body '{"day": "${params.day}"}' -p day=2026-01-31
      foliot job create dump --cron "@daily" --run "pg_dump --file /backup/billing.sql billing"
      foliot job create tidy --every 1h --script tidy.sh
      foliot job create prune --cron "0 3 * * *" --sql "delete from carts where age > 90" --connection shop
      foliot job create render --py media:render --route consistent_hash:film --prefer disk=ssd --avoid spot=yes
      foliot job create cleanup --cron "@daily" --py ops:cleanup --set place.priority=3 --check
    """
    definition = _definition(user, said)
    found = user.client.jobs.validate(definition, name=name)
    if dry_run:
        _print(user, found["definition"])
    elif check:
        user.out.item(found, _meaning(user, found), name="hash")
        return
    else:
        saved = user.client.jobs.create(name, definition, reason=reason)
        tell_saved(user, saved, "created")
        _warn(user, found, told=[warning["code"] for warning in saved.warnings])
        return
    _warn(user, found)


def _print(user: User, definition: Mapping[str, Any]) -> None:
    if user.out.is_for_people:
        echo(to_yaml(definition))
    else:
        user.out.item(definition, ())


def _warn(user: User, found: Mapping[str, Any], *, told: Sequence[str] = ()) -> None:
    """Say what the user may not expect of the job. `told`: codes of warnings that the user has read already."""
    warnings = [warning for warning in found["warnings"] if warning["code"] not in told]
    tell_warnings(user, warnings)
    is_said = NOBODY_SERVES in (*told, *(warning["code"] for warning in warnings))
    if not found["is_offered"] and not is_said:
        user.out.talk("job_not_offered", mark="warn")


def _definition(user: User, said: Mapping[str, Any]) -> dict[str, Any]:
    parts = {"run": handler_of(said, partial(_schema, user)), "schedule": _schedule(user, said)}
    definition: dict[str, Any] = {field: value for field, value in parts.items() if value}
    if said["params"]:
        definition["params"] = pairs(said["params"])
    if said["tags"]:
        definition["tags"] = {key: str(value) for key, value in pairs(said["tags"], text=True).items()}
    for field, flag in (("group", "group"), ("owner", "owner"), ("description", "description"),
                        ("timeout", "job_timeout"), ("retries", "retries"), ("overlap", "overlap")):  # fmt: skip
        if said[flag] is not None:
            definition[field] = said[flag]
    if place := _place(said):
        definition["place"] = place
    for path, value in pairs(said["settings"]).items():
        set_path(definition, path, value)
    if "run" not in definition:
        raise click.UsageError("Say what runs with --py, --http, --run, --script, --sql or --handler.")
    return definition


def _place(said: Mapping[str, Any]) -> dict[str, Any]:
    """Where its runs may be, as far as an option says."""
    place: dict[str, Any] = {}
    for field in ("require", "prefer", "avoid"):
        if said[field]:
            place[field] = {label: str(value) for label, value in pairs(said[field], text=True).items()}
    if said["spread"] is not None:
        place["spread"] = said["spread"]
    if said["route"] is not None:
        name, colon, by = said["route"].partition(":")
        place["route"] = {"name": name, "by": by} if colon else name
    return place


def _schema(user: User, kind: str) -> Mapping[str, Any] | None:
    """The options of a kind, as a live worker states them; None: nobody does."""
    with suppress(FoliotError):
        schema: Mapping[str, Any] | None = user.client.handlers.get(kind)["options_schema"]
        return schema
    return None


def _schedule(user: User, said: Mapping[str, Any]) -> dict[str, Any]:
    given = [kind for kind in ("cron", "every", "after_end", "at") if said[kind]]
    if len(given) > 1:
        raise click.UsageError("Say when with one of --cron, --every, --after-end, --at.")
    if not given:
        return {}
    match given[0]:
        case "cron":
            return {"cron": said["cron"], "tz": said["zone"] or user.times.name}
        case "every":
            return {"every": said["every"]}
        case "after_end":
            return {"fixed_delay": said["after_end"]}
        case _:
            return {"at": user.times.read(said["at"])}


def _meaning(user: User, found: Mapping[str, Any]) -> Any:
    yield "schedule", found["schedule"] or user.out.say("by_hand")
    zone = zone_of(user, found["definition"])
    ahead = [user.times.told(at, zone) for at in found["next"]]
    yield "next", " · ".join(ahead)
    for warning in found["warnings"]:
        yield "warning", f"{warning['message']} ({warning['hint']})  [{warning['code']}]"
    yield "offered", user.out.say("offered" if found["is_offered"] else "not_offered")
    if found["exists_at_version"]:
        version, count = found["exists_at_version"], len(found["changes"])
        yield "exists", user.out.say("exists", version=version, count=count)
