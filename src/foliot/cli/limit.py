"""`foliot limit`: how many runs may hold a named resource, and how many of a group or namespace execute or start."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line
from foliot.domain.errors import NotFound


@click.group(cls=Group, epilog=EXIT_CODES)
def limit() -> None:
    """Limits: how many runs may hold a resource at once, and how many of a group or namespace execute or start.

    A job brings the limits of its namespace along (place.concurrency); an admin makes those of the whole cluster.
    Every run of a group or namespace that an admin limits counts in that limit, without its job naming it.

    \b
    Examples:
      foliot limit list
      foliot limit show settle-db
      foliot limit set settle-db 4
      foliot limit set --group etl 20 --rate 100/m
    """


class LimitTarget(NamedTuple):
    """Which limit a command is about: a named one, or that of a group or namespace."""

    kind: Literal["named", "group", "namespace"]
    name: str


def target_of(user: User, name: str | None, group: str | None) -> LimitTarget:
    """What the words of a command mean: a name, --group, or --namespace without a name."""
    if group is not None and name is not None:
        raise click.UsageError("Write a name or --group, not both.")
    if group is not None:
        return LimitTarget("group", group)
    if name is not None:
        return LimitTarget("named", name)
    namespace = user.options.get("namespace")
    if namespace is None:
        raise click.UsageError("Write the name of a limit, --group NAME, or --namespace NAME.")
    return LimitTarget("namespace", namespace)


of_group = click.option("--group", metavar="NAME", help="The limit of a group of workers.")


@limit.command("list")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_limits(user: User, *, most: int) -> None:
    """List the limits of the cluster and of the namespace, and how many runs hold each.

    \b
    Examples:
      foliot limit list
      foliot limit list -n billing -o json
    """
    answer = user.listed(user.client.limits.list, limit=most)
    columns = [
        Column("NAME", "name", least=8),
        Column("OF", "kind"),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace")),
        Column("USED", "used"),
        Column("MAX", "max", empty="-"),
        Column("RATE", "rate", empty="-"),
    ]
    user.out.items(answer["items"], columns, answer=answer)


@limit.command("show")
@click.argument("name", required=False)
@of_group
@click.option("--job", metavar="NAME", help="The keys and workers that are full of a job's runs.")
@remote
def show_limit(user: User, *, name: str | None, group: str | None, job: str | None) -> None:
    """Show a limit: which runs hold it since when, how many wait for it, and which jobs count in it.

    It is the namespace's own limit, or else one of the whole cluster. Without a name: the limit of a group (--group) or
    of a whole namespace (--namespace). Of a job (--job): which values of its parameter (max_per_key, rate_by) and
    which workers (max_per_worker) are full.

    \b
    Examples:
      foliot limit show settle-db
      foliot limit show --job sync-customer
      foliot limit show settle-db -n billing
      foliot limit show --group etl
      foliot limit show --namespace billing
    """
    if job is not None:
        _show_keys(user, job, other=name or group)
        return
    target = target_of(user, name, group)
    if target.kind == "named":
        found = user.client.limits.get(target.name)
    else:
        found = user.client.limits.get_scope(target.kind, target.name)
    if not user.out.is_for_people:
        user.out.item(found, ())
        return
    user.out.item(found, _lines(user, found))
    if not found["holders"]:
        return
    columns = [
        Column("RUN", "run", least=8),
        Column("JOB", _job_name, least=8),
        Column("WORKER", "worker", empty="-"),
        Column("TAKES", "takes"),
        Column(user.times.title("SINCE"), user.times.instant("since")),
    ]
    user.out.items(found["holders"], columns, name="run")


def _show_keys(user: User, job: str, *, other: str | None) -> None:
    if other is not None:
        raise click.UsageError("Write --job alone.")
    found = user.client.limits.of_job(job)
    if not user.out.is_for_people:
        user.out.item(found, ())
        return
    user.out.item(found, _key_lines(user, found))
    if not found["full"]:
        return
    columns = [
        Column("VALUE", "value", least=8),
        Column("OF", "kind"),
        Column("USED", "used"),
        Column("MAX", "max", empty="-"),
        Column("WAITING", "waiting"),
        Column(user.times.title("NEXT START"), user.times.instant("next_at"), empty="-"),
        Column("HELD BY", _held_by, empty="-", least=8),
    ]
    user.out.items(found["full"], columns, name="value")


_OWN: Final = (
    ("max_running", ""),
    ("max_per_key", "concurrency_by"),
    ("rate", "rate_by"),
    ("rate_burst", ""),
    ("max_per_worker", ""),
)
"""The limits of a job, each with the field that names its parameter."""


def _key_lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    yield "job", _job_name(found)
    for field, by in _OWN:
        value = found.get(field)  # an older server says less
        if value is not None:
            yield field, str(value) if not found.get(by) else user.out.say("limit_by", value=value, by=found[by])
    yield "full", str(len(found["full"]))


def _held_by(item: Mapping[str, Any]) -> str:
    return ", ".join(item["holders"])


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    say = user.out.say
    yield "name", found["name"]
    yield "of", found["kind"]
    yield "namespace", found["namespace"] or say("every_namespace")
    yield "used", say("limit_used", used=found["used"], max=found["max"]) if found["max"] else str(found["used"])
    yield from rate_lines(user, found)
    yield "hidden", say("limit_hidden", runs=found["hidden"]) if found["hidden"] else ""
    yield "waiting", str(found["waiting"])
    oldest = found["oldest"]
    if oldest:
        since = user.times.told(oldest["since"])
        yield "oldest", say("limit_oldest", run=oldest["run"], job=_job_name(oldest), since=since)
    yield "jobs", ", ".join(_counted(one) for one in found["jobs"]) or say("none")


def rate_lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    """The rate of a limit, if it has one, and when it lets the next run start."""
    if not found.get("rate"):
        return
    yield "rate", user.out.say("limit_rate", rate=found["rate"], burst=found["burst"])
    if found["next_at"]:
        yield "next_start", user.times.told(found["next_at"])


def _counted(job: Mapping[str, Any]) -> str:
    """A job that counts in a limit, and how much each of its runs takes if that is more than one."""
    return _job_name(job) if job["takes"] == 1 else f"{_job_name(job)} (×{job['takes']})"


def _job_name(item: Mapping[str, Any]) -> str:
    return str(item["job"]) if item["namespace"] == "default" else f"{item['namespace']} / {item['job']}"


@limit.command("set")
@click.argument("words", metavar="[NAME_MAX]", nargs=-1)
@of_group
@click.option("--rate", metavar="RATE", help="So many starts in a time: 100/m, 5/s; none: any number.")
@click.option("--burst", type=click.IntRange(1, 10_000), help="So many starts at once after a quiet time.")
@click.option("--cluster", is_flag=True, help="The limit of the whole cluster, though the namespace has its own.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def set_limit(
    user: User,
    *,
    words: tuple[str, ...],
    group: str | None,
    rate: str | None,
    burst: int | None,
    cluster: bool,
    reason: str,
) -> None:
    """Change a limit, or make one of the whole cluster, of a group or of a namespace. These need an admin's token.

    With a name, it is the limit that foliot limit show NAME shows: the namespace's own, which its jobs count in, or
    else one of the whole cluster, which is made if there is none. Jobs that are saved with its name count in it from
    then on. Without a name, every run of the group (--group) or of the namespace (--namespace) counts in it. What you
    leave out, MAX or --rate, stays as it is; none instead of one of them takes it away.

    \b
    Examples:
      foliot limit set settle-db 4
      foliot limit set settle-db 8 --reason "a larger database"
      foliot limit set settle-db 20 --cluster
      foliot limit set --group etl 20
      foliot limit set --group etl --rate 100/m
      foliot limit set --group etl none
      foliot limit set --namespace billing 50 --rate 10/s --burst 20
    """
    name, max_ = _name_and_max(user, words, group)
    target = target_of(user, name, group)
    if target.kind != "named":
        saved = user.client.limits.set_scope(target.kind, target.name, max=max_, rate=rate, burst=burst, reason=reason)
        if user.out.is_for_people:
            _tell_scope(user, saved)
        else:
            user.out.item(saved, ())
        return
    if rate is not None or burst is not None:
        raise click.UsageError("A rate is of a group, of a namespace, or of a job (place.rate).")
    if not isinstance(max_, int):
        raise click.UsageError("Write how many runs may hold it: foliot limit set NAME MAX.")
    if not cluster and _has_own(user, target.name):
        saved = user.client.limits.set_own(target.name, max_, reason=reason)
    else:
        saved = user.client.limits.set(target.name, max_, reason=reason)
    if user.out.is_for_people:
        _tell_named(user, saved)
    else:
        user.out.item(saved, ())


def _has_own(user: User, name: str) -> bool:
    """Whether the namespace has a limit of this name, in which its jobs count."""
    try:
        return user.client.limits.get(name)["namespace"] is not None
    except NotFound:
        return False


def _tell_named(user: User, saved: Mapping[str, Any]) -> None:
    say = user.out.say
    namespace = saved["namespace"]
    whose = say("of_the_cluster") if namespace is None else say("of_the_namespace", namespace=namespace)
    user.out.talk("limit_set", mark="good", name=saved["name"], whose=whose, max=saved["max"])
    if saved.get("namesakes"):
        user.out.talk("limit_namesakes", mark="warn", name=saved["name"], namespaces=saved["namesakes"])
    if saved.get("stuck"):
        jobs = ", ".join(_counted(one) for one in saved["stuck"])
        user.out.talk("limit_stuck", mark="warn", jobs=jobs, max=saved["max"])


_Max: TypeAlias = int | Literal["none"] | None


def _name_and_max(user: User, words: tuple[str, ...], group: str | None) -> tuple[str | None, _Max]:
    """NAME MAX, or MAX alone where --group or --namespace says whose limit it is."""
    if len(words) > 2:
        raise click.UsageError("Write at most a name and a number.")
    if len(words) == 2:
        return words[0], _whole(words[1])
    if not words:
        return None, None
    is_scope = group is not None or user.options.get("namespace") is not None
    if not is_scope:
        return words[0], None
    return None, "none" if words[0] == "none" else _whole(words[0])


def _whole(word: str) -> int:
    return int(click.IntRange(1, 100_000)(word))


def _tell_scope(user: User, saved: Mapping[str, Any]) -> None:
    say = user.out.say
    parts = [say("limit_runs", max=saved["max"])] if saved["max"] else []
    if saved["rate"]:
        parts.append(say("limit_starts", rate=saved["rate"], burst=saved["burst"]))
    told = ", ".join(parts) or say("limit_none")
    user.out.talk("limit_scope_set", mark="good", kind=saved["kind"], name=saved["name"], told=told)


@limit.command("delete")
@click.argument("name", required=False)
@of_group
@remote
def delete_limit(user: User, *, name: str | None, group: str | None) -> None:
    """Take a limit of the whole cluster, of a group or of a namespace away. Needs an admin's token.

    A named one goes only when no job counts in it and no run holds it.

    \b
    Examples:
      foliot limit delete settle-db
      foliot limit delete --group etl
      foliot limit delete --namespace billing
    """
    target = target_of(user, name, group)
    user.confirm([target.name])
    if target.kind == "named":
        user.client.limits.remove(target.name)
    else:
        user.client.limits.remove_scope(target.kind, target.name)
    user.out.talk("limit_gone", mark="good", name=target.name)
