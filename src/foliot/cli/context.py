"""`foliot context`: which cluster commands ask, and as whom."""

from pathlib import Path

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import context_name
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.group(cls=Group, epilog=EXIT_CODES)
def context() -> None:
    """Contexts: the clusters you know. Flags > FOLIOT_* > foliot.toml > ./.foliot > the context in use.

    \b
    Examples:
      foliot context add prod --url https://foliot.example.org --token-from prod.token
      foliot context use prod
      foliot context show
    """


@context.command("list")
@remote
def list_contexts(user: User) -> None:
    """List contexts.

    \b
    Examples:
      foliot context list
      foliot context list -q
    """
    from foliot.client.contexts import Contexts

    contexts, current = Contexts().all()
    rows = [
        {
            "name": one.name,
            "server": one.server,
            "namespace": one.namespace,
            "has_token": one.token_file is not None,
            "in_use": one.name == current,
        }
        for one in contexts.values()
    ]
    columns = [
        Column("", lambda row: "*" if row["in_use"] else "", least=1),
        Column("NAME", "name"),
        Column("SERVER", "server"),
        Column("NAMESPACE", "namespace", empty="-"),
        Column("TOKEN", lambda row: user.out.say("yes" if row["has_token"] else "no")),
    ]
    user.out.items(rows, columns)


@context.command()
@click.argument("name", shell_complete=context_name)
@remote
def use(user: User, *, name: str) -> None:
    """Use a context from now on.

    \b
    Examples:
      foliot context use prod
    """
    from foliot.client.contexts import Contexts

    Contexts().use(name)
    _now_in_use(user, name)


@context.command()
@click.argument("name")
@click.option("--url", required=True, metavar="URL", help="The cluster's address; several with commas.")
@click.option("--for-namespace", metavar="NS", help="Where names are looked up.")
@click.option("--token-from", metavar="FILE", help="A file with its token, which is copied.")
@click.option("--no-use", is_flag=True, help="Do not use it yet.")
@remote
def add(user: User, *, name: str, url: str, for_namespace: str | None, token_from: str | None, no_use: bool) -> None:
    """Add a context, or replace one.

    \b
    Examples:
      foliot context add prod --url https://foliot.example.org --token-from prod.token
      foliot context add lab --url https://10.0.0.5:7171 --ca-file lab-ca.pem --no-use
    """
    from foliot.client.contexts import Context, Contexts
    from foliot.client.endpoint import Endpoint, read_secret

    insecure_http = user.resolved.flag("insecure_http")
    endpoint = Endpoint.of(url, insecure_http=bool(insecure_http), said_by="--url")
    token = None
    if token_from:
        endpoint.demand_safe_way()
        token = read_secret(token_from)
    said = user.resolved.flag("ca_file")
    ca_file = str(Path(said).resolve()) if said else None
    context = Context(name=name, server=url, namespace=for_namespace, ca_file=ca_file, insecure_http=insecure_http)
    Contexts().put(context, token=token, use=not no_use)
    if not no_use:
        _now_in_use(user, name)


@context.command("rm")
@click.argument("name", shell_complete=context_name)
@remote
def remove(user: User, *, name: str) -> None:
    """Forget a context and its token.

    \b
    Examples:
      foliot context rm lab
    """
    from foliot.client.contexts import Contexts

    Contexts().remove(name)
    user.out.talk("context_gone", mark="good", name=name)


@context.command()
@remote
def show(user: User) -> None:
    """Show what commands work with here, and who said it.

    \b
    Examples:
      foliot context show
      foliot context show -o json
    """
    settings = {
        name: setting for name, setting in user.resolved.settings.items() if name != "token"
    }  # its place is shown, never itself
    rows = [{"setting": name, "value": said.value, "said_by": said.said_by} for name, said in sorted(settings.items())]
    if "token" in user.resolved.settings:
        rows.append(
            {"setting": "token", "value": user.out.say("kept"), "said_by": user.resolved.settings["token"].said_by}
        )
    columns = [
        Column("SETTING", "setting"),
        Column("VALUE", "value", least=12),
        Column("SAID BY", "said_by", least=10),
    ]
    user.out.items(rows, columns, name="setting")


def _now_in_use(user: User, name: str) -> None:
    """Say that a context is in use, and what comes before it in this folder."""
    from foliot.client.discovery import PROJECT
    from foliot.client.endpoint import CLIENT_FILE

    user.out.talk("context_now", mark="good", name=name)
    server = user.resolved.settings.get("server")
    if server is not None and server.said_by in (str(CLIENT_FILE), str(PROJECT), "FOLIOT_SERVER"):
        user.out.talk("context_overruled", mark="warn", name=name, said_by=server.said_by, server=server.value)
