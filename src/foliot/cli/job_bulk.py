"""Commands on many jobs: the options that choose them, and the verb on all that were shown."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from foliot.cli.server_access import User
from foliot.cli.terminal import echo

BULK_MAX: Final = 500
CHOICES: Final = ("labels", "group", "owner", "match", "failing")
_OPTIONS: Final = (
    click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Every job with this tag."),
    click.option("--group", metavar="NAME", help="Every job of this group."),
    click.option("--owner", metavar="NAME", help="Every job of this owner."),
    click.option("--match", metavar="TEXT", help="Every job with this in its name, description or owner."),
    click.option("--failing", is_flag=True, help="Every job whose last run failed."),
)


def choosing(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command on jobs by their names, or on all that these options choose."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def filter_of(names: tuple[str, ...], chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the options choose; empty when jobs are named. One of the two must be said."""
    wanted = {
        "label": list(chosen["labels"]),
        "group": chosen["group"],
        "owner": chosen["owner"],
        "q": chosen["match"],
        "failing": chosen["failing"],
    }
    said = {name: value for name, value in wanted.items() if value}
    if bool(names) == bool(said):
        raise click.UsageError("Say which jobs: names, or -l K=V.")
    return said


def treat_all(user: User, verb: str, wanted: Mapping[str, Any], phrase: str, **how: Any) -> None:
    """Show the jobs that a filter chooses; then do the verb on them, if they are still as many."""
    found = user.listed(user.client.jobs.list, limit=BULK_MAX + 1, **wanted)["items"]
    if not found:
        user.out.talk("nothing_matches")
        return
    user.confirm([job["name"] for job in found])
    treat = getattr(user.client.jobs, f"{verb}_all")
    answer = treat(filter=dict(wanted), expected=len(found), **how)
    if not user.out.is_for_people and not user.out.quiet:
        user.out.item(answer, (), name="count")
    for job in answer["items"]:
        _tell(user, job, phrase)
    if any(job["outcome"] == "failed" for job in answer["items"]):
        raise SystemExit(1)


def _tell(user: User, job: Mapping[str, Any], phrase: str) -> None:
    if user.out.quiet:
        echo(job["run"] or job["name"])
    elif job["outcome"] == "failed":
        user.out.talk("job_refused", mark="bad", name=job["name"], why=job["message"], hint=job["hint"])
    elif user.out.is_for_people:
        said = phrase if job["outcome"] == "done" else "job_same"
        user.out.talk(said, mark="good", name=job["name"], run=job["run"])
