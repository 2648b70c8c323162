"""`foliot token`: who may do what."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.output import Output
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.client.private import write_private_file


@click.group(cls=Group, epilog=EXIT_CODES)
def token() -> None:
    """Tokens: list, create, rotate, revoke. A token is shown once, when it is made.

    \b
    Examples:
      foliot token create ci --scope read --scope run --expires 90d
      foliot token create w-1 --scope worker --write worker.token
      foliot token rotate ci --grace 24h
      foliot token revoke ci
    """


@token.command("list")
@click.option("--all", "all_", is_flag=True, help="Also those that are over.")
@remote
def list_tokens(user: User, *, all_: bool) -> None:
    """List tokens, without their secrets.

    \b
    Examples:
      foliot token list
      foliot token list --all -o wide
    """
    times = user.times
    columns = [
        Column("NAME", "name", least=8),
        Column("SCOPES", lambda row: ",".join(row["scopes"]), least=8),
        Column("LIMITED TO", partial(_limits, user.out), empty="-"),
        Column(times.title("EXPIRES"), times.instant("expires_at")),
        Column(times.title("LAST USED"), times.instant("last_used_at"), empty=user.out.say("never")),
        Column(times.title("ENDS"), times.instant("revoked_at"), empty="-", wide=True),
        Column("MADE BY", "created_by", wide=True),
        Column("ID", "id", wide=True),
    ]
    user.out.page(user.client.tokens.list(include_ended=all_), columns)


def _limits(out: Output, row: Mapping[str, Any]) -> str:
    parts = [f"{out.word(kind)} {row[kind]}" for kind in ("namespace", "group") if row[kind]]
    return ", ".join(parts)


@token.command()
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True, help="read, run, write, admin, worker, script, lock, ping."
)
@click.option("--expires", default="90d", show_default=True, metavar="DURATION")
@click.option("--for-namespace", metavar="NS", help="Nothing outside this namespace exists for it.")
@click.option("--for-group", metavar="GROUP", help="It acts on the jobs of this group only.")
@click.option("--write", "file", metavar="FILE", help="Write it to a file that only you can read, not to the screen.")
@remote
def create(
    user: User,
    *,
    name: str,
    scopes: tuple[str, ...],
    expires: str,
    for_namespace: str | None,
    for_group: str | None,
    file: str | None,
) -> None:
    """Make a token.

    \b
    Examples:
      foliot token create ci --scope read --scope run --expires 90d
      foliot token create w-1 --scope worker --write worker.token
      foliot token create reports --scope run --for-group reports
      foliot token create deploy --scope write --scope script
    """
    check_place(file)
    words = [word for scope in scopes for word in scope.split(",")]
    issued = user.client.tokens.create(name, words, expires=expires, for_namespace=for_namespace, group=for_group)
    _hand_over(user, issued, file)


@token.command()
@click.argument("name")
@click.option("--grace", default="24h", show_default=True, metavar="DURATION", help="How long the old secret goes on.")
@click.option("--write", "file", metavar="FILE", help="Write it to a file that only you can read, not to the screen.")
@remote
def rotate(user: User, *, name: str, grace: str, file: str | None) -> None:
    """Make a new secret for a token; the old one goes on for a while.

    \b
    Examples:
      foliot token rotate ci
      foliot token rotate ci --grace 1h --write ci.token
    """
    check_place(file)
    issued = user.client.tokens.rotate(name, grace=grace)
    _hand_over(user, issued, file)


@token.command()
@click.argument("name")
@remote
def revoke(user: User, *, name: str) -> None:
    """End a token at once, on every server.

    \b
    Examples:
      foliot token revoke ci
      foliot token revoke t-4f1c9a2b7d3e
    """
    gone = user.client.tokens.revoke(name)
    if not user.out.is_for_people:
        user.out.item(gone, ())
    user.out.talk("token_revoked", mark="good", name=gone["name"])


def check_place(file: str | None) -> None:
    """Refuse a place that no file can take, before a token is made that nobody would get."""
    if file is None:
        return
    place = Path(file)
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise click.BadParameter(f"{file} is no plain file. Name a file that can be replaced.")
    if not place.parent.is_dir():
        raise click.BadParameter(f"{place.parent} is no folder.")


def _hand_over(user: User, issued: Mapping[str, Any], file: str | None) -> None:
    """The secret, where it was asked for."""
    record = issued["record"]
    said = {
        "name": record["name"],
        "scopes": ",".join(record["scopes"]),
        "until": user.times.told(record["expires_at"]),
    }
    if file is not None:
        _write(Path(file), issued["token"])
        user.out.talk("token_written", mark="good", file=file, **said)
        if not user.out.is_for_people:
            user.out.item(record, ())
        return
    if not user.out.is_for_people and not user.out.quiet:
        user.out.item(issued, (), name="token")
        return
    user.out.talk("token_made", mark="good", **said)
    echo(issued["token"])


def _write(file: Path, secret: str) -> None:
    """In the place of a file that was there: others may have it open, or be allowed to read it."""
    try:
        write_private_file(file, secret + "\n")
    except OSError as error:
        raise click.BadParameter(f"{file} cannot be written: {error.strerror}.") from None
