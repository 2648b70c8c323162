"""`foliot alert channel preview` and `foliot alert rule preview`: what would be told. Nothing is sent."""

import json
from collections.abc import Mapping
from typing import Any, Final

import click

from foliot.cli.document_files import document_of
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.domain.alerts.channel import LANGUAGES

NOTICES: Final = ("fired", "reminded", "escalated", "resolved", "test", "alive")
MARKS: Final = {"now": "good", "later": "wait", "never": "warn"}

_NOTICE: Final = click.option(
    "--notice", type=click.Choice(NOTICES), default="fired", show_default=True, help="What is told."
)
_LANGUAGE: Final = click.option("--language", type=click.Choice(LANGUAGES), help="In this language alone.")
_BODY: Final = click.option("--body", "is_body", is_flag=True, help="What would go over the line, as JSON.")


@click.command("preview")
@click.argument("name")
@click.option("--alert", "number", metavar="ID", type=click.IntRange(1), help="About this alert.")
@click.option("--run", "run_id", metavar="RUN", help="As if this run had caused it.")
@click.option("--rule", metavar="RULE", help="By this rule; else by what a job itself asks for.")
@_NOTICE
@_LANGUAGE
@_BODY
@remote
def preview_channel(
    user: User,
    *,
    name: str,
    number: int | None,
    run_id: str | None,
    rule: str | None,
    notice: str,
    language: str | None,
    is_body: bool,
) -> None:
    """Show what a channel would be told, in every language. Nothing is sent.

    Without an alert and a run it is a made up trouble.

    \b
    Examples:
      foliot alert channel preview oncall
      foliot alert channel preview oncall --alert 17 --notice resolved
      foliot alert channel preview oncall --run r-8k2f --language zh
      foliot alert channel preview oncall --run r-8k2f --body
    """
    found = user.client.channels.preview(
        name, kind=notice, alert=number, run=run_id, rule=rule, namespace=user.namespace
    )
    if not user.out.is_for_people:
        user.out.item(found, (), name="channel")
        return
    _tell(user, found, language, is_body)


@click.command("preview")
@click.argument("name")
@click.option("--run", "run_id", metavar="RUN", help="As if this run had caused it.")
@click.option("-f", "--file", metavar="FILE", help="Ask this rule, which is not saved: YAML, TOML or JSON.")
@click.option("--everywhere", is_flag=True, help="The cluster's rule, where the namespace has one of that name, too.")
@_NOTICE
@_LANGUAGE
@_BODY
@remote
def preview_rule(
    user: User,
    *,
    name: str,
    run_id: str | None,
    file: str | None,
    everywhere: bool,
    notice: str,
    language: str | None,
    is_body: bool,
) -> None:
    """Show what the channels of a rule would be told, in every language. Nothing is sent.

    \b
    Examples:
      foliot alert rule preview night-failures
      foliot alert rule preview night-failures --run r-8k2f
      foliot alert rule preview night-failures --notice escalated --language en
    """
    document = None
    if file is not None:
        document = dict(document_of(file))
        document = dict(document.get("rules", {}).get(name, document))
    found = user.client.rules.preview(name, kind=notice, run=run_id, rule=document, everywhere=everywhere or None)
    if not user.out.is_for_people:
        user.out.items(found["items"], (), name="channel", answer=found)
        return
    for one in found["items"]:
        _tell(user, one, language, is_body)
    if not found["items"]:
        user.out.talk("would_tell", mark="warn", to=user.out.say("nobody"))


def _tell(user: User, found: Mapping[str, Any], language: str | None, is_body: bool) -> None:
    """One channel: whether it hears it, and each message."""
    say = user.out.say
    at = user.times.told(found["told_at"]) if found["told"] == "later" else ""
    head = say(f"preview_{found['told']}", channel=found["channel"], kind=found["kind"], at=at, why=found["why"])
    echo(user.out.mark(MARKS[found["told"]]), head)
    for message in found["messages"]:
        if language not in (None, message["language"]):
            continue
        echo("")
        echo(user.out.dim(_of(user, message, is_own=message["language"] == found["language"])))
        if is_body:
            echo(json.dumps(message["body"], ensure_ascii=False, indent=2))
            continue
        _lines(user, message)


def _of(user: User, message: Mapping[str, Any], *, is_own: bool) -> str:
    say = user.out.say
    own = say("preview_own") if is_own else None
    cut = say("preview_cut") if message["is_cut"] else None
    return say("preview_of", language=message["language"], bytes=message["bytes"], own=own, cut=cut)


def _lines(user: User, message: Mapping[str, Any]) -> None:
    echo(f"  {message['title']}")
    for line in message["text"].splitlines():
        echo(f"  {line}")
    for name, value in message["facts"].items():
        echo(f"  {name}: {value}")
    for line in message["log"]:
        echo(user.out.dim(f"  | {line}"))
    for address in (message["link"], message["runbook"]):
        if address:
            echo(f"  {address}")
