"""`foliot alert rule`: what to look for, how grave it is, and whom to tell."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli.alert_previews import preview_rule
from foliot.cli.document_files import document_of
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo
from foliot.cli.values import in_words, pairs, set_path
from foliot.cli.yaml import to_yaml
from foliot.domain.errors import NotFound

LEVELS: Final = click.Choice(["info", "warning", "critical"])
PLAIN: Final = {
    "when": "when", "level": "level", "lasting": "for", "remind": "remind", "runbook": "runbook", "recover": "recover",
    "is_on": "on",
}  # fmt: skip
"""Options whose value is that of a field of a rule."""
_HOURS: Final = re.compile(r"(?:([a-zA-Z,-]+) )?(\d{1,2}:\d\d)-(\d{1,2}:\d\d)(?: (\S+))?")


@click.group(cls=Group)
def rule() -> None:
    """Alert rules: what to look for, how grave it is, and whom to tell.

    A rule about jobs belongs to a namespace. One about nodes, the leader or the store belongs to the whole cluster and
    needs an admin's token.

    \b
    Examples:
      foliot alert rule list
      foliot alert rule set night-failures --when "failed 2 of 3" --of group=etl --level critical --to oncall
      foliot alert rule set dead-nodes --when "node dead" --to oncall
      foliot alert rule test night-failures --run r-8k2f
    """


rule.add_command(preview_rule)


@rule.command("list")
@remote
def list_rules(user: User) -> None:
    """List the rules of the cluster and of namespaces, with those that come with Foliot.

    A rule that comes with Foliot is switched off or changed by its name: foliot alert rule set NAME --off.

    \b
    Examples:
      foliot alert rule list
      foliot alert rule list -n billing -o json
    """
    answer = user.client.rules.list(namespace=user.namespace).raw
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace")),
        Column("LOOKS FOR", "when", least=10),
        Column("ASKED OF", lambda row: in_words(row["rule"].get("of", {})), empty="-", least=6),
        Column("LEVEL", lambda row: user.out.word(row["level"])),
        Column("TO", "to", empty=user.out.say("default_channels")),
        Column("ENABLED", lambda row: user.out.say("yes" if row["is_on"] else "no")),
        Column("ORIGIN", lambda row: user.out.say(f"origin_{row['origin']}")),
        Column("VERSION", lambda row: f"v{row['version']}" if row["version"] else "-", wide=True),
        Column("SAYS", "in_words", wide=True),
    ]
    user.out.items(answer["items"], columns, answer=answer, empty="no_rules")


@rule.command("show")
@click.argument("name")
@click.option("--yaml", "is_yaml", is_flag=True, help="The rule alone, as a file has it.")
@click.option("--everywhere", is_flag=True, help="The cluster's rule, where the namespace has one of that name, too.")
@remote
def show_rule(user: User, *, name: str, is_yaml: bool, everywhere: bool) -> None:
    """Show a rule, and what it does in words.

    \b
    Examples:
      foliot alert rule show night-failures
      foliot alert rule show night-failures --yaml
    """
    found = user.client.rules.get(name, everywhere=everywhere or None)
    if is_yaml:
        echo(to_yaml({"rules": {found["name"]: found["rule"]}}))
        return
    user.out.item(found, _lines(user, found))


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    yield "name", found["name"]
    yield "namespace", found["namespace"] or user.out.say("every_namespace")
    yield "says", found["in_words"]
    for field, value in found["rule"].items():
        yield field, in_words(value)
    yield "origin", user.out.say(f"origin_{found['origin']}")
    yield "version", f"v{found['version']}" if found["version"] else ""


@rule.command("set")
@click.argument("name")
@click.option("--when", metavar="CONDITION", help='What to look for: failed, "failed 2 of 3", "late 10m", "node dead".')
@click.option("--of", "of", multiple=True, metavar="K=PATTERN", help="Of what: job=, group=, node=, or a tag of a job.")
@click.option("--level", type=LEVELS)
@click.option("--to", multiple=True, metavar="CHANNEL", help="Whom to tell; the default channels when nobody is named.")
@click.option("--for", "lasting", metavar="DURATION", help="It must be so for this long.")
@click.option("--after", metavar="TIMES", help='It must be seen so often: 3, or "2 in 24h".')
@click.option("--remind", metavar="DURATION", help="Tell it again so often, until somebody looks after it.")
@click.option("--escalate", multiple=True, metavar="DURATION=CHANNELS", help="After so long tell these, too: 30m=boss.")
@click.option(
    "--hours", metavar="HOURS", help='When people work: "mon-fri 09:00-18:00 Asia/Shanghai"; else only critical ones.'
)
@click.option("--do", "action", metavar="K=V", help="What Foliot does by itself: retry=1, pause=true, trigger=JOB.")
@click.option("--runbook", metavar="URL")
@click.option("--recover/--no-recover", default=None, help="Tell also when it is over.")
@click.option("--on/--off", "is_on", default=None, help="Look for it, or not for now.")
@click.option("--set", "settings", multiple=True, metavar="K=V", help="Any field of a rule: hours.timezone=UTC.")
@click.option("-f", "--file", metavar="FILE", help="The rule as a whole: YAML, TOML, JSON; - is standard input.")
@click.option("--everywhere", is_flag=True, help="A rule of the whole cluster, also if it is about jobs.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def set_rule(
    user: User, *, name: str, file: str | None, settings: tuple[str, ...], everywhere: bool, reason: str, **said: Any
) -> None:
    """Make a rule, or change what is said of it; what is left out stays.

    \b
    Examples:
      foliot alert rule set night-failures --when "failed 2 of 3" --of group=etl --level critical --to oncall
      foliot alert rule set night-failures --remind 4h --escalate 30m=boss
      foliot alert rule set check-warning --off --reason "we look at the doctor every morning"
      foliot alert rule set slow --when "slower p95*2" --of job='settle*' --of team=data
      foliot alert rule set night-failures -f rule.yaml
    """
    present = _present(user, name, everywhere)
    document = dict(present["rule"]) if present else {}
    if file is not None:
        document = _rule_in(document_of(file), name)
    document |= _fields(said)
    for field, value in pairs(settings).items():
        set_path(document, field, value)
    if not document.get("when"):
        raise click.UsageError('A new rule needs to know what to look for: --when "failed 2 of 3".')
    version = present["version"] if present else None
    saved = user.client.rules.put(
        name, document, if_version=version or None, everywhere=everywhere or None, reason=reason
    )
    for warning in saved["warnings"]:
        hint = f" ({warning['hint']})" if warning["hint"] else ""
        echo(user.out.mark("warn"), f"{warning['message']}{hint}", err=True)
    if not user.out.is_for_people:
        user.out.item(saved, ())
        return
    key = "same" if version == saved["version"] else "changed"
    user.out.talk(key, mark="good", name=saved["name"], version=saved["version"])
    user.out.talk("rule_says", says=saved["in_words"])


def _present(user: User, name: str, everywhere: bool) -> Mapping[str, Any] | None:
    try:
        found = user.client.rules.get(name, everywhere=everywhere or None)
    except NotFound:
        return None
    return found


def _rule_in(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The rule in a file: the file is a rule, or has it under `rules`."""
    rules = document.get("rules")
    if isinstance(rules, Mapping):
        if name not in rules:
            raise click.UsageError(f'The file has no rule "{name}".')
        document = rules[name]
    return dict(document)


def _fields(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said by options, as fields of a rule."""
    found = {field: said[option] for option, field in PLAIN.items() if said[option] is not None}
    if said["after"] is not None:
        found["after"] = int(said["after"]) if said["after"].isdecimal() else said["after"]
    if said["to"]:
        found["to"] = [name for one in said["to"] for name in one.split(",")]
    if said["of"]:
        found["of"] = _subjects(said["of"])
    if said["escalate"]:
        found["escalate"] = [_step(one) for one in said["escalate"]]
    if said["hours"] is not None:
        found["hours"] = _hours(said["hours"])
    if said["action"] is not None:
        found["do"] = pairs([said["action"]])
    return found


def _subjects(written: tuple[str, ...]) -> dict[str, Any]:
    """`job=`, `group=` and `node=` are patterns; any other name is a tag."""
    named = pairs(written, text=True)
    of: dict[str, Any] = {name: named.pop(name) for name in ("job", "group", "node") if name in named}
    return {**of, "tags": named} if named else of


def _step(written: str) -> dict[str, Any]:
    after, sign, to = written.partition("=")
    if not sign or not to:
        raise click.UsageError(f'"{written}" is not DURATION=CHANNELS: write 30m=boss.')
    return {"after": after, "to": to.split(",")}


def _hours(written: str) -> dict[str, str]:
    found = _HOURS.fullmatch(" ".join(written.split()))
    if found is None:
        raise click.UsageError(f'"{written}" are no hours: write "mon-fri 09:00-18:00 Asia/Shanghai".')
    named = {"days": found[1], "from": found[2], "to": found[3], "timezone": found[4]}
    return {field: value for field, value in named.items() if value}


@rule.command("delete")
@click.argument("name")
@click.option("--everywhere", is_flag=True, help="The cluster's rule, where the namespace has one of that name, too.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def delete_rule(user: User, *, name: str, everywhere: bool, reason: str) -> None:
    """Take a rule away. Its alerts are over.

    A rule that comes with Foliot cannot be taken away; one that was changed is then as it came.

    \b
    Examples:
      foliot alert rule delete night-failures
    """
    user.confirm([name])
    user.client.rules.delete(name, everywhere=everywhere or None, reason=reason)
    user.out.talk("rule_gone", mark="good", name=name)


@rule.command("test")
@click.argument("name")
@click.option("--run", "run_id", metavar="RUN", required=True, help="The run that the rule is asked of.")
@click.option("-f", "--file", metavar="FILE", help="Ask this rule, which is not saved: YAML, TOML or JSON.")
@click.option("--everywhere", is_flag=True, help="The cluster's rule, where the namespace has one of that name, too.")
@remote
def test_rule(user: User, *, name: str, run_id: str, file: str | None, everywhere: bool) -> None:
    """Say whether a rule would fire for a run, and why. Nothing is told, and nothing changes.

    \b
    Examples:
      foliot alert rule test night-failures --run r-8k2f
      foliot alert rule test night-failures --run r-8k2f -f rule.yaml
    """
    document = None if file is None else _rule_in(document_of(file), name)
    found = user.client.rules.test(name, run_id, rule=document, everywhere=everywhere or None)
    if not user.out.is_for_people:
        user.out.item(found, (), name="would_fire")
        return
    key = "would_fire" if found["would_fire"] else "would_not_fire"
    echo(user.out.mark("warn" if found["would_fire"] else "good"), user.out.say(key, name=name, run=run_id))
    for why in found["why"]:
        echo(f"  {why}")
    if found["would_fire"]:
        echo(f"  {user.out.say('would_tell', to=', '.join(found['to']) or user.out.say('nobody'))}")
