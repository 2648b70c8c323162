"""`foliot check`: jobs outside of Foliot that are to be heard of."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.check_pings import ping, run
from foliot.cli.completion import check_name
from foliot.cli.document_files import document_of
from foliot.cli.editor import edited
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo
from foliot.cli.values import in_words, pairs, set_path
from foliot.cli.yaml import to_yaml

PINGS_SHOWN: Final = 10
PLAIN: Final = ("every", "cron", "timezone", "grace", "longest", "owner", "description", "runbook", "level")
"""Options whose value is that of a field of a check."""
NAME: Final = click.argument("name", shell_complete=check_name)
REASON: Final = click.option("--reason", default="", metavar="TEXT")


@click.group(cls=Group, epilog=EXIT_CODES)
def check() -> None:
    """Checks of jobs outside of Foliot: they are to be heard of by a rhythm, and people are told when they are not.

    Something outside pings its check: start, ok or fail. That needs a token with the scope ping, and no more.

    \b
    Examples:
      foliot check create nightly-backup --cron "0 2 * * *" --timezone Europe/Berlin --grace 30m --to oncall
      foliot token create backup-host --scope ping --for-namespace default
      foliot check run nightly-backup -- /usr/local/bin/backup.sh
      foliot check list --state down,late
    """


check.add_command(ping)
check.add_command(run)


@check.command("list")
@click.option("--state", metavar="STATES", help="Only these: new, up, running, late, down, paused.")
@click.option("--grep", "text", default="", metavar="TEXT", help="In the name, the owner or the description.")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_checks(user: User, *, state: str | None, text: str, most: int) -> None:
    """List checks: how each is, and when it is to be heard of next.

    \b
    Examples:
      foliot check list
      foliot check list --state down,late -n billing
      foliot check list -o json
    """
    checks = user.client.checks

    def listed(**page: Any) -> Any:
        return checks.list(state=state, q=text, **page)

    answer = user.listed(listed, limit=most)
    times = user.times
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace"),
        Column("STATE", lambda row: user.out.word(row["state"].lower())),
        Column("RHYTHM", _rhythm, least=8),
        Column(times.title("LAST PING"), times.instant("last_at"), empty="-", least=8),
        Column("SAID", "last_kind", empty="-"),
        Column(times.title("DUE"), times.instant("due_at"), empty="-", least=8),
        Column("TOOK", times.duration("took"), empty="-", wide=True),
        Column("OWNER", lambda row: row["check"].get("owner", ""), empty="-", wide=True),
    ]
    user.out.items(answer["items"], columns, answer=answer, empty="no_checks")


def _rhythm(row: Mapping[str, Any]) -> str:
    document = row["check"]
    return str(document.get("cron") or document["every"])


@check.command("show")
@NAME
@click.option("--yaml", "is_yaml", is_flag=True, help="The check alone, as a file has it.")
@remote
def show_check(user: User, *, name: str, is_yaml: bool) -> None:
    """Show a check: how it is, what is waited for, and its last pings.

    \b
    Examples:
      foliot check show nightly-backup
      foliot check show nightly-backup --yaml
    """
    found = user.client.checks.get(name)
    if is_yaml:
        echo(to_yaml({"checks": {found["name"]: found["check"]}}))
        return
    pings = user.client.checks.pings(name, limit=PINGS_SHOWN)
    if not user.out.is_for_people:
        user.out.item({**found, "last_pings": list(pings)}, ())
        return
    user.out.item(found, _lines(user, found, list(pings)))


def _lines(user: User, found: Mapping[str, Any], pings: list[Any]) -> Iterator[tuple[str, Line]]:
    times = user.times
    yield "name", found["name"]
    yield "namespace", found["namespace"]
    yield "state", user.out.word(found["state"].lower())
    yield "says", found["in_words"]
    for field, value in found["check"].items():
        yield field, in_words(value)
    if found["due_at"]:
        yield "due", times.full(found["due_at"])
    if found["deadline_at"]:
        yield "down from", times.full(found["deadline_at"])
    for one in pings:
        took = f"  {times.lasting(one['took'])}" if one["took"] is not None else ""
        code = f"  {one['exit_code']}" if one["exit_code"] is not None else ""
        text = " ".join(one["text"].split())[:100]
        yield "ping", f"{times.show(one['at'])}  {one['kind']}{took}{code}  {text}".rstrip()
    yield "version", f"v{found['version']}"


@check.command("create")
@click.argument("name")
@click.option("--every", metavar="DURATION", help="It is to be heard of so often: 10m, 1d.")
@click.option("--cron", metavar="EXPR", help='It is to be heard of at these instants: "0 2 * * *".')
@click.option("--timezone", metavar="ZONE", help="The zone of --cron; UTC when it is not said.")
@click.option("--grace", metavar="DURATION", help="So much later is still no trouble; 5m when it is not said.")
@click.option("--longest", metavar="DURATION", help="From its start to its end; until it is due again.")
@click.option("--to", multiple=True, metavar="CHANNEL", help="Whom to tell; the default channels when nobody is named.")
@click.option("--level", type=click.Choice(["info", "warning", "critical"]))
@click.option("--owner", metavar="TEXT")
@click.option("--description", metavar="TEXT")
@click.option("--runbook", metavar="URL")
@click.option("--tag", "tags", multiple=True, metavar="K=V")
@click.option("-f", "--file", metavar="FILE", help="The check as a whole: YAML, TOML, JSON; - is standard input.")
@REASON
@remote
def create_check(
    user: User, *, name: str, file: str | None, to: tuple[str, ...], tags: tuple[str, ...], reason: str, **said: Any
) -> None:
    """Make a check. Nobody waits for it until its first ping.

    \b
    Examples:
      foliot check create nightly-backup --cron "0 2 * * *" --timezone Europe/Berlin --grace 30m --to oncall
      foliot check create sync --every 10m --longest 5m --level critical
      foliot check create nightly-backup -f check.yaml
    """
    document = {} if file is None else _check_in(document_of(file), name)
    document |= {field: said[field] for field in PLAIN if said[field] is not None}
    if to:
        document["to"] = [channel for one in to for channel in one.split(",")]
    if tags:
        document["tags"] = pairs(tags, text=True)
    if not document.get("every") and not document.get("cron"):
        raise click.UsageError('A check needs a rhythm: --every 1d, or --cron "0 2 * * *".')
    made = user.client.checks.create(name, document, reason=reason)
    _tell_saved(user, made, "created")
    if user.out.is_for_people:
        user.out.talk("check_waits", name=made["name"])


def _check_in(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The check in a file: the file is a check, or has it under `checks`."""
    checks = document.get("checks")
    if isinstance(checks, Mapping):
        if name not in checks:
            raise click.UsageError(f'The file has no check "{name}".')
        document = checks[name]
    return dict(document)


@check.command("edit")
@NAME
@click.option("--set", "settings", multiple=True, metavar="PATH=V", help="A field: grace=1h, tags.team=data.")
@click.option("--unset", "unset", multiple=True, metavar="PATH", help="A field to take away.")
@REASON
@remote
def edit_check(user: User, *, name: str, settings: tuple[str, ...], unset: tuple[str, ...], reason: str) -> None:
    """Change a check: some fields with --set, or all of it in your editor. Its rhythm counts from its last ping.

    \b
    Examples:
      foliot check edit nightly-backup --set grace=1h
      foliot check edit nightly-backup --set every=1d --unset cron --unset timezone
    """
    found = user.client.checks.get(name)

    def save(document: Any) -> Any:
        return user.client.checks.put(name, document, if_version=found["version"], reason=reason)

    document = copy.deepcopy(found["check"])
    if settings or unset:
        for field, value in pairs(settings).items():
            set_path(document, field, value)
        for field in unset:
            set_path(document, field, None)
        saved = save(document)
    else:
        saved = edited(user, document, save, name=name) or found
    _tell_saved(user, saved, "same" if saved["version"] == found["version"] else "changed")


@check.command("pause")
@NAME
@REASON
@remote
def pause_check(user: User, *, name: str, reason: str) -> None:
    """Do not wait for a check. Its alert is over; its pings are kept all the same.

    \b
    Examples:
      foliot check pause nightly-backup --reason "the shop moves"
    """
    user.out.done("check_paused_now", user.client.checks.pause(name, reason=reason), name=name)


@check.command("resume")
@NAME
@REASON
@remote
def resume_check(user: User, *, name: str, reason: str) -> None:
    """Wait for a check again. Its rhythm counts from now on.

    \b
    Examples:
      foliot check resume nightly-backup
    """
    user.out.done("check_resumed_now", user.client.checks.resume(name, reason=reason), name=name)


@check.command("delete")
@NAME
@REASON
@remote
def delete_check(user: User, *, name: str, reason: str) -> None:
    """Take a check away, with its pings. Its alert is over.

    \b
    Examples:
      foliot check delete nightly-backup --yes
    """
    found = user.client.checks.get(name)
    user.confirm([found["name"]])
    user.client.checks.delete(name, reason=reason)
    user.out.done("check_deleted", found, name=found["name"])


def _tell_saved(user: User, saved: Mapping[str, Any], key: str) -> None:
    for warning in saved["warnings"]:
        hint = f" ({warning['hint']})" if warning["hint"] else ""
        echo(user.out.mark("warn"), f"{warning['message']}{hint}", err=True)
    user.out.done(key, saved, name=saved["name"], version=saved["version"])
