"""`foliot lock`: who holds a lock, who waits for it, and taking one away."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import lock_name
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.group(cls=Group, epilog=EXIT_CODES)
def lock() -> None:
    """Locks that runs and programs hold: one owner, several, or any number of readers.

    Each grant has a token that only rises. What a lock protects should refuse a token lower than one it has seen.

    \b
    Examples:
      foliot lock list
      foliot lock show acct:42
      foliot lock release acct:42 --token 471823945728001 --force
    """


@lock.command("list")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_locks(user: User, *, most: int) -> None:
    """List the locks that somebody holds or waits for.

    \b
    Examples:
      foliot lock list
      foliot lock list -n billing -o json
    """
    answer = user.listed(user.client.locks.list, limit=most)
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace"),
        Column("HOLDER", _holders, empty="-", least=8),
        Column("TOKEN", lambda item: _newest(item, "token")),
        Column("WAITING", lambda item: str(len(item["waiters"]))),
        Column("NODE", lambda item: _newest(item, "node"), wide=True),
    ]
    user.out.items(answer["items"], columns, answer=answer)


@lock.command("show")
@click.argument("name", shell_complete=lock_name)
@remote
def show_lock(user: User, *, name: str) -> None:
    """Show a lock: who holds it, under which token and how long, and who waits for it in which order.

    Where owners took it and other locks in different orders, it says in which order to take them.

    \b
    Examples:
      foliot lock show acct:42
    """
    found = user.client.locks.get(name)
    if not user.out.is_for_people:
        user.out.item(found, ())
        return
    advice = str(found.get("advice") or "")  # a server of an older version has none
    user.out.item(found, [("name", found["name"]), ("namespace", found["namespace"]), ("advice", advice)])
    _claims(user, [*found["holders"], *found["waiters"]])


@lock.command("waits")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_waits(user: User, *, most: int) -> None:
    """List who waits for which lock, and who holds it.

    \b
    Examples:
      foliot lock waits
    """
    answer = user.listed(user.client.locks.list, limit=most)
    waits = [
        {"name": found["name"], "namespace": found["namespace"], "held_by": _holders(found), **waiter}
        for found in answer["items"]
        for waiter in found["waiters"]
    ]
    columns = [
        Column("OWNER", "owner", least=8),
        Column("JOB", "job", empty="-"),
        Column("WAITS FOR", "name", least=8),
        Column("NAMESPACE", "namespace"),
        Column("HELD BY", "held_by", empty="-", least=8),
        Column(user.times.title("SINCE"), user.times.instant("asked_at")),
    ]
    user.out.items(waits, columns, name="owner")


@lock.command("release")
@click.argument("name", shell_complete=lock_name)
@click.option("--token", "of", required=True, metavar="N", help="Of the hold that is to end; foliot lock show has it.")
@click.option("--force", is_flag=True, help="Yes, take it away: its code may still be at work.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def release_lock(user: User, *, name: str, of: str, force: bool, reason: str) -> None:
    """Take a lock away from its holder. The journal keeps who did it.

    The code that held it learns of it within seconds and may write meanwhile: only what refuses old tokens is safe.

    \b
    Examples:
      foliot lock release acct:42 --token 471823945728001 --force --reason "r-8k2f hangs"
    """
    if not force:
        user.confirm([name])
    user.client.locks.release(name, of, reason=reason)
    user.out.talk("lock_taken_away", mark="good", name=name)


def _claims(user: User, claims: list[Mapping[str, Any]]) -> None:
    columns = [
        Column("OWNER", "owner", least=8),
        Column("JOB", "job", empty="-"),
        Column("NODE", "node", empty="-"),
        Column("MODE", lambda item: user.out.word(str(item["mode"]))),
        Column("TOKEN", "token", empty=user.out.say("lock_waits")),
        Column(user.times.title("SINCE"), lambda item: user.times.full(item["granted_at"] or item["asked_at"])),
    ]
    user.out.items(claims, columns, name="owner")


def _holders(found: Mapping[str, Any]) -> str:
    """Whoever holds a lock; of many, some."""
    owners = list(dict.fromkeys(holder["owner"] for holder in found["holders"]))
    more = f" +{len(owners) - 3}" if len(owners) > 3 else ""
    return ", ".join(owners[:3]) + more


def _newest(found: Mapping[str, Any], field: str) -> str | None:
    return found["holders"][-1][field] if found["holders"] else None
