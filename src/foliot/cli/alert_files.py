"""`foliot alert apply|diff|export`: channels, rules, checks and schedules of reports in files."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import click

from foliot.cli.document_files import document_of
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.cli.values import in_words
from foliot.cli.yaml import to_yaml

CHANGES_PENDING: Final = 7
SECTIONS: Final = ("channels", "rules", "checks", "reports")
ELSEWHERE: Final = ("version", "set", "defaults", "calendars", "jobs", "workflows")
"""Sections of a job file that are not about alerts: these commands pass them over."""
GLYPHS: Final = {"created": "+", "changed": "~", "same": "="}

FILES: Final = click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="YAML, TOML, JSON; - is standard input.",
)


@click.command()
@FILES
@click.option("--check", is_flag=True, help="Change nothing; exit code 7 when something would change.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def apply(user: User, *, files: tuple[str, ...], check: bool, reason: str) -> None:
    """Save the channels, rules, checks and reports of files. A repeat changes nothing.

    A file has the sections channels, rules, checks and reports, by name. Rules and checks belong to the namespace,
    rules about nodes, the leader or the store to the whole cluster; channels are for every namespace, and need an
    admin's token, as reports without -n do, which are about the whole cluster.

    \b
    Examples:
      foliot alert apply -f alerts.yaml
      foliot alert apply -f alerts.yaml --check
      foliot alert apply -f channels.yaml -f rules.yaml -n billing --yes
    """
    sections = _sections(user, files)
    wanted = _applied(user, sections, dry_run=True)
    pending = [one for one in wanted["items"] if one["change"] != "same"]
    _tell(user, wanted)
    if check or not pending:
        raise SystemExit(CHANGES_PENDING if pending else 0)
    user.confirm([f"{one['sort']} {one['name']}" for one in pending])
    done = _applied(user, sections, reason=reason)
    changed = sum(one["change"] != "same" for one in done["items"])
    user.out.talk("applied", mark="good", changed=changed, same=len(done["items"]) - changed)


@click.command()
@FILES
@remote
def diff(user: User, *, files: tuple[str, ...]) -> None:
    """Show what applying files would change; exit code 7 when something would.

    \b
    Examples:
      foliot alert diff -f alerts.yaml
    """
    found = _applied(user, _sections(user, files), dry_run=True)
    _tell(user, found)
    if any(one["change"] != "same" for one in found["items"]):
        raise SystemExit(CHANGES_PENDING)


@click.command()
@remote
def export(user: User) -> None:
    """Print every channel, rule, check and schedule of reports as a file that can be applied. It holds no secrets.

    \b
    Examples:
      foliot alert export > alerts.yaml
      foliot alert export -n billing -o json
    """
    channels = user.client.channels.list(namespace=user.namespace)
    rules = user.client.rules.list(namespace=user.namespace)
    checks = user.client.checks.list(namespace=user.namespace)
    reports = user.client.reports.schedules(namespace=user.namespace).raw["items"]
    own = [one for one in rules if one["version"]]  # the others come with Foliot
    own_reports = [one for one in reports if one["namespace"] == user.namespace]
    written = {
        "channels": {one["name"]: one["channel"] for one in sorted(channels, key=_name)},
        "rules": {one["name"]: one["rule"] for one in sorted(own, key=_name)},
        "checks": {one["name"]: one["check"] for one in sorted(checks, key=_name)},
        "reports": {one["name"]: one["schedule"] for one in sorted(own_reports, key=_name)},
    }
    if user.out.form in ("json", "jsonl"):
        user.out.item(written, (), name="channels")
    else:
        echo(to_yaml(written))


def _name(one: Mapping[str, Any]) -> str:
    return str(one["name"])


class Sections(NamedTuple):
    """What files say of alerts, by name."""

    channels: dict[str, Any]
    rules: dict[str, Any]
    checks: dict[str, Any]
    reports: dict[str, Any]


def _sections(user: User, files: tuple[str, ...]) -> Sections:
    """The channels, rules, checks and reports of all files together. No name may come twice."""
    found: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for file in files:
        document = document_of(file)
        unknown = [key for key in document if key not in (*SECTIONS, *ELSEWHERE)]
        if unknown:
            raise click.UsageError(
                f'{file}: "{unknown[0]}" is no section of such a file; they are channels, rules, checks and reports.'
            )
        if "jobs" in document:
            user.out.talk("jobs_passed_over", mark="note", file=file)
        for section in SECTIONS:
            entries = document.get(section) or {}
            if not isinstance(entries, Mapping):
                raise click.UsageError(f"{file}: {section} is no mapping of names.")
            twice = sorted({*found[section]} & {*entries})
            if twice:
                raise click.UsageError(f'{file}: "{twice[0]}" comes twice.')
            found[section] |= entries
    return Sections(**found)


def _applied(user: User, said: Sections, *, dry_run: bool = False, reason: str = "") -> Mapping[str, Any]:
    return user.client.alerts.apply(**said._asdict(), dry_run=dry_run, reason=reason)


def _tell(user: User, found: Mapping[str, Any]) -> None:
    """Each entry with its fields that change, then how many of each kind there are."""
    out = user.out
    if not out.is_for_people:
        out.items(found["items"], (), answer=found)
        return
    for one in found["items"]:
        if one["change"] != "same":
            echo(f"{GLYPHS[one['change']]} {out.word(one['sort'])} {one['name']}  v{one['version']}")
        for change in one["changes"] if one["change"] == "changed" else ():
            echo(out.dim(f"    {change['path']}  {_shown(change['before'])} → {_shown(change['after'])}"))
        for warning in one["warnings"]:
            hint = f" ({warning['hint']})" if warning["hint"] else ""
            echo(out.mark("warn"), f"{one['name']}: {warning['message']}{hint}", err=True)
    counts = {change: sum(one["change"] == change for one in found["items"]) for change in GLYPHS}
    out.talk("apply_counts", **counts)


def _shown(value: Any) -> str:
    return "-" if value is None else in_words(value)
