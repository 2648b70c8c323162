"""`foliot cluster doctor`: how the cluster is, check by check, with the next step of each."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from foliot.cli.doctor_alone import known_store, look_at_store, store_options, wanted_store
from foliot.cli.server_access import User, remote
from foliot.cli.table import pad, width_of
from foliot.cli.terminal import echo
from foliot.client.errors import NoServerKnown
from foliot.domain.errors import Unanswered
from foliot.domain.visible import visible_line
from foliot.words.checkup import fix_titles

EXIT_BY_LEVEL: Final[Mapping[str, int]] = {"WARNING": 1, "CRITICAL": 2}
MARK_BY_LEVEL: Final[Mapping[str, str]] = {
    "OK": "good", "UNKNOWN": "wait", "NOTICE": "note", "WARNING": "warn", "CRITICAL": "bad",
}  # fmt: skip


@click.command()
@click.option("--fix", is_flag=True, help="Do the repairs that are safe, then look again.")
@click.option("--reason", default="", metavar="TEXT")
@store_options
@remote
def doctor(user: User, *, fix: bool, reason: str, db: str | None, db_file: Path | None) -> None:
    """Examine the database, the machines, the coordination service and the jobs, and say the next step of each.

    When no server answers, the store alone is examined: that of FOLIOT_DB, or of the foliot up of this folder.

    Exit codes: 0 all is well or a notice, 1 a warning, 2 something critical.

    \b
    Examples:
      foliot cluster doctor
      foliot cluster doctor --fix --yes
      foliot cluster doctor -o json
      foliot cluster doctor --db-file /etc/foliot/db
    """
    store = wanted_store(db, db_file)
    if fix and store is not None:
        raise click.UsageError("Only a server repairs: leave out --db and --db-file, or --fix.")
    fixes: Sequence[Mapping[str, Any]] = ()
    if fix:
        user.confirm(fix_titles(user.lang))
        fixes = user.client.cluster.fix(reason=reason)["fixes"]
        _show_fixes(user, fixes)
    found = _asked(user, db) if store is None else look_at_store(user, store)
    if user.out.is_for_people:
        _show(user, found["findings"])
        level = found["level"]
        user.out.talk(f"doctor_{level.lower()}", mark=MARK_BY_LEVEL[level], count=_unwell(found))
    else:
        user.out.item({**found, "fixes": list(fixes)} if fix else found, (), name="level")
    raise SystemExit(EXIT_BY_LEVEL.get(found["level"], 0))


def _asked(user: User, db: str | None) -> Mapping[str, Any]:
    """What a server finds; when none answers, what the store alone says."""
    try:
        return user.client.cluster.doctor()
    except (Unanswered, NoServerKnown) as away:
        store = known_store(db)
        if store is None:
            user.out.talk("doctor_alone_how", mark="note")
            raise
        return look_at_store(user, store, instead_of=away)


def _show(user: User, findings: Sequence[Mapping[str, Any]]) -> None:
    """Family by family, as the server sorted them."""
    width = max((width_of(finding["title"]) for finding in findings), default=0)
    for family, own in groupby(findings, key=lambda finding: str(finding["family"])):
        echo(user.out.dim(user.out.say(f"doctor_family_{family}")))
        for finding in own:
            echo("  ", user.out.mark(MARK_BY_LEVEL[finding["level"]]), _line(finding, width))
            if finding["hint"]:
                echo(user.out.dim(f"      {visible_line(finding['hint'])}"))


def _line(finding: Mapping[str, Any], width: int) -> str:
    title, message = pad(finding["title"], width), visible_line(finding["message"])
    return f"{title}  {message}"


def _show_fixes(user: User, fixes: Sequence[Mapping[str, Any]]) -> None:
    if not user.out.is_for_people:
        return
    for one in fixes:
        echo(user.out.mark("good" if one["is_done"] else "bad"), visible_line(one["message"]))


def _unwell(found: Mapping[str, Any]) -> int:
    """How many checks have the worst level."""
    return sum(finding["level"] == found["level"] for finding in found["findings"])
