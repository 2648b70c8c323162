"""`foliot alert channel`: where alerts are told."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli.alert_previews import preview_channel
from foliot.cli.document_files import document_of
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo
from foliot.cli.values import in_words, pairs, set_path
from foliot.cli.yaml import to_yaml

LEVELS: Final = click.Choice(["info", "warning", "critical"])
PLAIN: Final = {
    "kind": "kind", "level": "level", "language": "language", "is_default": "default", "rate": "rate",
    "digest": "digest", "alive": "alive", "is_on": "on",
}  # fmt: skip
"""Options whose value is that of a field of a channel."""
LANGUAGES: Final = click.Choice(["en", "zh"])


@click.group(cls=Group)
def channel() -> None:
    """Channels: where alerts are told. To make and to change one needs an admin's token.

    A channel names its secrets, ${secret:NAME}; servers have the values.

    \b
    Examples:
      foliot alert channel list
      foliot alert channel kinds
      foliot alert channel add oncall --kind dingtalk --set webhook='${secret:DING}' --default
      foliot alert channel test oncall
    """


channel.add_command(preview_channel)


@channel.command("list")
@remote
def list_channels(user: User) -> None:
    """List the channels, and how each did lately.

    \b
    Examples:
      foliot alert channel list
      foliot alert channel list -o json
    """
    answer = user.client.channels.list(namespace=user.namespace).raw
    times = user.times
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace")),
        Column("KIND", "kind"),
        Column("FROM LEVEL", lambda row: user.out.word(row["level"])),
        Column("DEFAULT", lambda row: user.out.say("yes" if row["is_default"] else "no")),
        Column("ENABLED", lambda row: user.out.say("yes" if row["is_on"] else "no")),
        Column(times.title("LAST SENT"), lambda row: times.show(row["lately"]["last_sent_at"]), empty="-", least=8),
        Column("FAILURES", lambda row: str(row["lately"]["failures"] or "-")),
        Column("WAITING", lambda row: str(row["lately"]["waiting"] or "-")),
        Column("TROUBLE", lambda row: _trouble(user, row), least=10),
    ]
    user.out.items(answer["items"], columns, answer=answer, empty="no_channels")


def _trouble(user: User, found: Mapping[str, Any]) -> str:
    """What keeps a channel from telling: a secret that a server lacks, or the last error."""
    lacking = found["lacking"]
    if lacking:
        return "; ".join(_lacks(user, server, names) for server, names in lacking.items())
    return str(found["lately"]["last_error"] or "") if found["lately"]["failures"] else ""


def _lacks(user: User, server: str, names: list[str]) -> str:
    return user.out.say("lacks_secret", server=server, names=", ".join(names))


def _warn(user: User, found: Mapping[str, Any]) -> None:
    """Servers that cannot send there, each with the next step."""
    for warning in found["warnings"]:
        echo(user.out.mark("warn"), f"{warning['message']} ({warning['hint']})  [{warning['code']}]", err=True)


@channel.command("kinds")
@click.argument("kind", required=False)
@remote
def list_kinds(user: User, *, kind: str | None) -> None:
    """List the kinds of channels, or show the settings of one.

    \b
    Examples:
      foliot alert channel kinds
      foliot alert channel kinds webhook
    """
    answer = user.client.channels.kinds().raw
    items = [one for one in answer["items"] if kind in (None, one["name"])]
    if kind is not None and not items:
        known = ", ".join(one["name"] for one in answer["items"])
        raise click.UsageError(f'There is no kind of channel "{kind}". Known are: {known}.')
    if kind is None or not user.out.is_for_people:
        columns = [Column("NAME", "name", least=8), Column("SETTINGS", _settings, least=20)]
        user.out.items(items, columns, answer={**answer, "items": items})
        return
    user.out.item(items[0], _setting_lines(user, items[0]["settings"]))


def _settings(kind: Mapping[str, Any]) -> str:
    """The names of its settings, those that must be said first."""
    schema = kind["settings"]
    needed = schema.get("required", [])
    others = [name for name in schema.get("properties", {}) if name not in needed]
    return ", ".join([*needed, *(f"({name})" for name in others)])


def _setting_lines(user: User, schema: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    needed = schema.get("required", [])
    for name, part in schema.get("properties", {}).items():
        marks = [user.out.say("needed")] if name in needed else []
        if part.get("secret"):
            marks.append(user.out.say("is_secret"))
        described = part.get("description", part.get("type", ""))
        yield name, f"{described}  {' '.join(marks)}".rstrip()


@channel.command("show")
@click.argument("name")
@click.option("--yaml", "is_yaml", is_flag=True, help="The channel alone, as a file has it.")
@remote
def show_channel(user: User, *, name: str, is_yaml: bool) -> None:
    """Show a channel, and how it did lately.

    \b
    Examples:
      foliot alert channel show oncall
      foliot alert channel show oncall --yaml
    """
    found = user.client.channels.get(name, namespace=user.namespace)
    if is_yaml:
        echo(to_yaml({"channels": {found["name"]: found["channel"]}}))
        return
    user.out.item(found, _lines(user, found))


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    health, times = found["lately"], user.times
    yield "name", found["name"]
    yield "namespace", found["namespace"] or user.out.say("every_namespace")
    for field, value in found["channel"].items():
        yield field, in_words(value)
    yield "last sent", times.full(health["last_sent_at"]) or "-"
    yield "waiting", str(health["waiting"] or "")
    if health["failures"]:
        since = times.told(health["failing_since"])
        yield "failing", user.out.say("failing_since", count=health["failures"], since=since)
        yield "error", health["last_error"]
    for warning in found["warnings"]:
        yield "warning", f"{warning['message']} ({warning['hint']})  [{warning['code']}]"
    yield "version", f"v{found['version']}"


_OPTIONS: Final = (
    click.option("--kind", metavar="KIND", help="How it is told; foliot alert channel kinds lists them."),
    click.option("--set", "settings", multiple=True, metavar="K=V", help="A setting of its kind: url=https://…"),
    click.option("--level", type=LEVELS, help="Less grave alerts are not told here."),
    click.option("--language", type=LANGUAGES, help="Of its messages."),
    click.option("--default/--no-default", "is_default", default=None, help="Rules that name nobody tell it."),
    click.option("--rate", metavar="RATE", help='At most so many messages: "30 in 1m"; more go into one.'),
    click.option("--digest", metavar="DURATION", help="Collect so long, then tell all at once; critical ones at once."),
    click.option("--alive", metavar="DURATION", help="Tell so often that the cluster lives, for a dead man's switch."),
    click.option("--on/--off", "is_on", default=None, help="Use it, or not for now."),
    click.option("-f", "--file", metavar="FILE", help="The channel as a whole: YAML, TOML, JSON; - is standard input."),
    click.option("--reason", default="", metavar="TEXT"),
)


def _described(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@channel.command("add")
@click.argument("name")
@_described
@remote
def add_channel(user: User, *, name: str, reason: str, **said: Any) -> None:
    """Make a channel. Without -n every namespace may use it.

    \b
    Examples:
      foliot alert channel add oncall --kind dingtalk --set webhook='${secret:DING}' --default
      foliot alert channel add mail --kind email --set host=smtp.example.com --set to=ops@example.com --level critical
      foliot alert channel add oncall -f channel.yaml
    """
    _save(user, name, {}, None, said, reason)


@channel.command("set")
@click.argument("name")
@_described
@remote
def set_channel(user: User, *, name: str, reason: str, **said: Any) -> None:
    """Change what is said of a channel; what is left out stays.

    \b
    Examples:
      foliot alert channel set oncall --level critical
      foliot alert channel set oncall --digest 10m --language zh
      foliot alert channel set oncall --off --reason "holidays"
    """
    present = user.client.channels.get(name, namespace=user.namespace)
    _save(user, name, present["channel"], present["version"], said, reason)


def _save(
    user: User, name: str, before: Mapping[str, Any], version: int | None, said: Mapping[str, Any], reason: str
) -> None:
    document = dict(before)
    if said["file"] is not None:
        document = _channel_in(document_of(said["file"]), name)
    document |= {field: said[option] for option, field in PLAIN.items() if said[option] is not None}
    for field, value in pairs(said["settings"]).items():
        set_path(document, f"settings.{field}", value)
    if version is None and len(document) == 0:
        raise click.UsageError("Say of which kind it is: --kind webhook; foliot alert channel kinds lists them.")
    saved = user.client.channels.put(name, document, if_version=version, reason=reason, namespace=user.namespace)
    if not user.out.is_for_people:
        user.out.item(saved, ())
        return
    key = "created" if version is None else "same" if version == saved["version"] else "changed"
    user.out.talk(key, mark="good", name=saved["name"], version=saved["version"])
    _warn(user, saved)
    if version is None:
        user.out.talk("try_channel", name=name)


def _channel_in(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The channel in a file: the file is a channel, or has it under `channels`."""
    channels = document.get("channels")
    if isinstance(channels, Mapping):
        if name not in channels:
            raise click.UsageError(f'The file has no channel "{name}".')
        document = channels[name]
    return dict(document)


@channel.command("delete")
@click.argument("name")
@click.option("--force", is_flag=True, help="Also while rules name it.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def delete_channel(user: User, *, name: str, force: bool, reason: str) -> None:
    """Take a channel away, once no rule names it. What waits for it is dropped.

    \b
    Examples:
      foliot alert channel delete oncall
    """
    user.confirm([name])
    user.client.channels.delete(name, force=force, reason=reason, namespace=user.namespace)
    user.out.talk("channel_gone", mark="good", name=name)


@channel.command("test")
@click.argument("name")
@remote
def test_channel(user: User, *, name: str) -> None:
    """Send a test message to a channel, and say whether it arrived.

    \b
    Examples:
      foliot alert channel test oncall
    """
    found = user.client.channels.test(name, namespace=user.namespace)
    sent = found["delivery"]
    if not user.out.is_for_people:
        user.out.item(found, (), name="is_sent")
    elif found["is_sent"]:
        user.out.talk("channel_works", mark="good", name=name, server=sent["sent_by"])
    elif sent["state"] in ("WAITING", "SENDING"):
        user.out.talk("channel_waits", mark="wait", name=name, error=sent["error"])
    else:
        user.out.talk("channel_fails", mark="bad", name=name, error=sent["error"])
    _warn(user, found)
    if not found["is_sent"]:
        raise SystemExit(1)
