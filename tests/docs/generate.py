"""Writes the reference pages that the code itself can tell: command line, REST API, clients, codes of messages.

In pages that are written by hand it writes the tables of a job's fields.

python -m tests.docs.generate          write them
python -m tests.docs.generate --check  exit 1 when one is not current
"""

import inspect
import sys
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click

from foliot.cli.catalogue import Entry
from foliot.cli.global_options import GLOBAL_NAMES
from foliot.domain.fields import JobField
from foliot.observability.catalogue import MetricRow

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
EVERY_POST_TAKES = "Idempotency-Key"  # the head of the page tells of it
NOTE = "<!-- Written by python -m tests.docs.generate: change the code, then run it. -->"


def cli_page() -> str:
    """Every command with its help."""
    from foliot.cli import main

    parts = ["# The command line", NOTE, _head("cli.md")]
    for path, command in _commands(main, ("foliot",)):
        parts += [f"{'#' * len(path)} `{' '.join(path)}`", f"```text\n{_help(command, path)}\n```"]
    return "\n\n".join(parts) + "\n"


def _commands(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


def _help(command: click.Command, path: tuple[str, ...]) -> str:
    """Usage, what it does, examples, and the options that are its own."""
    context = click.Context(command, info_name=" ".join(path))
    pieces = " ".join(command.collect_usage_pieces(context))
    parts = [f"{' '.join(path)} {pieces}".strip(), cleandoc(command.help or "").replace("\b\n", "")]
    records = [
        record
        for param in command.params
        if param.name not in GLOBAL_NAMES and (record := param.get_help_record(context)) is not None
    ]
    if records:
        width = max(len(flag) for flag, _ in records)
        parts.append("\n".join(f"  {flag:<{width}}  {said}".rstrip() for flag, said in records))
    return "\n\n".join(parts)


def rest_page() -> str:
    """Every route with its right, parameters and answers."""
    from foliot.api.app import build_api
    from foliot.api.openapi import openapi_of

    app = build_api(cast("Any", SimpleNamespace(clock=None, chance=None)))
    document = openapi_of(app)
    parts = ["# The REST API", NOTE, _head("rest-api.md").replace("{limits}", _limits())]
    sections: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            sections.setdefault(operation["tags"][0], []).append(_operation(method.upper(), path, operation))
    for tag, operations in sections.items():
        parts += [f"## {tag}", *operations]
    return "\n\n".join(parts) + "\n"


def _limits() -> str:
    """The figures of the API's limits, from where they are kept."""
    from foliot.api import bodies, gate, route, worker_protocol
    from foliot.api.auth import strangers, throttle
    from foliot.app import connections
    from foliot.domain import callbacks
    from foliot.operations import worker_messages
    from foliot.ports import worker_link

    message, batch = _size(worker_protocol.BODY_MAX), _size(worker_protocol.BATCH_BODY_MAX)
    messages, beats = _size(gate.WORKER_BODIES_BYTES_MAX), _size(gate.BEATS_BYTES_MAX)
    rows = [
        ("requests that are answered at the same time", f"{gate.AT_ONCE_MAX}, shared by tokens", "429"),
        ("streams and requests that wait (`follow`, `wait`)", f"{gate.HELD_MAX}, shared by tokens", "429"),
        ("requests for `/metrics` at the same time", f"{gate.METRICS_MAX}, shared by tokens", "429"),
        ("a body", f"{_size(bodies.BODY_MAX)}, within {gate.BODY_WITHIN_S:g} s", "413, 408"),
        ("all bodies at the same time", f"{_size(gate.BODIES_BYTES_MAX)}, shared by tokens", "429"),
        ("the query of an address", _size(route.QUERY_BYTES_MAX), "400"),
        ("a login", f"{_size(bodies.LOGIN_BODY_MAX)}, within {bodies.OPEN_BODY_WITHIN_S:g} s", "413, 408"),
        ("logins at the same time", f"{gate.LOGINS_MAX}, shared by addresses", "429"),
        ("a callback", f"{_size(callbacks.BODY_BYTES_MAX)}, within {bodies.OPEN_BODY_WITHIN_S:g} s", "413, 408"),
        ("callbacks at the same time", f"{gate.CALLBACKS_MAX}, shared by addresses", "429"),
        (
            "wrong login codes of one address",
            f"{throttle.TRIES_MAX} in {throttle.WINDOW_S:g} s; then one code every {throttle.SLOW_EVERY_S:g} s",
            "429 with `FOL-4004`",
        ),
        (
            "wrong tokens of one address",
            f"{strangers.WRONG_MAX} in {strangers.WINDOW_S:g} s; then each answer takes {strangers.SLOW_S:g} s",
            "401, 429",
        ),
        (
            "tokens that this server does not know yet",
            f"{strangers.LOOKS_AT_ONCE} looked up at the same time, {strangers.WAITING_MAX} wait, shared by addresses",
            "429",
        ),
        (
            "a worker's message",
            f"{message}, reports and logs {batch}; within {gate.BODY_WITHIN_S:g} s",
            "413, 408",
        ),
        (
            "all messages of workers at the same time",
            f"{messages}, and {beats} for beats and polls, shared by tokens",
            "429",
        ),
        ("live sessions of workers with one token", str(worker_link.SESSIONS_MAX), "409 with `FOL-3026`"),
        (
            "what the live sessions of a token say of their handlers; the same counts once",
            f"{_size(worker_link.OFFERS_BYTES_MAX)}; a session counts beyond {_size(worker_link.OFFERS_BYTES_FEW)}",
            "409 with `FOL-3027`",
        ),
        (
            "the schemas of a session's handlers",
            f"{_size(worker_link.SCHEMA_BYTES_MAX)} each, {_size(worker_link.SCHEMAS_BYTES_MAX)} together",
            "422",
        ),
        (
            "parts of JSON in the reports of a message, about",
            f"{worker_messages.REPORTS_WEIGHT_MAX // 3}; a worker divides its reports",
            "422 with `FOL-1087`",
        ),
        (
            "leases that a beat names",
            f"twice the slots of its session, and {worker_messages.HELD_BEYOND_SLOTS}",
            "422 with `FOL-1087`",
        ),
        (
            "the head of a request",
            f"{_size(connections.HEAD_BYTES_MAX)}, within {connections.HEAD_WITHIN_S:g} s",
            "431, 408",
        ),
        (
            "header lines behind a chunked body (trailers), which are ignored",
            _size(connections.HEAD_BYTES_MAX),
            "431",
        ),
        (
            "connections",
            f"as many as the process may have files, less {connections.FILES_KEPT}; shared by addresses",
            "503",
        ),
    ]
    lines = [f"| {what} | {most} | {answer} |" for what, most, answer in rows]
    small = f"Bodies and messages of at most {_size(bodies.SMALL)} do not count among the bytes."
    return "\n".join(["| what | at most | answer beyond |", "| --- | --- | --- |", *lines, "", small])


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    lines = [f"### `{method} {path}`", f"{operation['summary']}. {operation['description']}"]
    facts = [f"right: **{operation['x-foliot-right']}**"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}).get("$ref")
    if body:
        facts.append(f"body: `{body.rpartition('/')[2]}`")
    facts.append(f"answers: {', '.join(sorted(operation['responses']))}")
    lines.append(" · ".join(facts))
    asked = operation.get("parameters", ())
    parameters = [one for one in asked if one["in"] in ("query", "header") and one["name"] != EVERY_POST_TAKES]
    if parameters:
        lines.append(
            "\n".join(f"- `{one['name']}`{_remark(one)} {one.get('description', '')}".rstrip() for one in parameters)
        )
    return "\n\n".join(lines)


def _remark(parameter: dict[str, Any]) -> str:
    remarks = [
        *(["header"] if parameter["in"] == "header" else []),
        *(["needed"] if parameter.get("required") else []),
    ]
    return f" ({', '.join(remarks)})" if remarks else ""


def client_page() -> str:
    """Every call of the clients."""
    from foliot import Foliot

    parts = ["# The clients", NOTE, _head("client.md")]
    with Foliot("http://127.0.0.1:1") as client:
        for name, part in vars(client).items():
            if type(part).__module__.startswith("foliot.client.blocking."):
                parts += [f"## `{name}`", str(type(part).__doc__), _calls(name, part)]
    return "\n\n".join(parts) + "\n"


def _calls(room: str, part: Any) -> str:
    """A table of the calls of one part of the client, in the order of the source."""
    rows = ["| call | |", "| --- | --- |"]
    for name, method in vars(type(part)).items():
        if not name.startswith("_"):
            given = inspect.signature(method).parameters.values()
            words = [
                f"{one.name}=" if one.kind is one.KEYWORD_ONLY else one.name for one in given if one.name != "self"
            ]
            said = str(method.__doc__).partition("\n")[0].replace("|", "\\|")
            rows.append(f"| `{room}.{name}({', '.join(words)})` | {said} |")
    return "\n".join(rows)


def errors_page() -> str:
    """Every code in both languages."""
    from foliot.cli.catalogue import catalogue
    from foliot.words.chinese.errors import TITLES
    from foliot.words.english.errors import BRANCHES

    parts = ["# Codes of messages", NOTE, _head("errors.md")]
    entries = catalogue()
    for digit, branch in BRANCHES.items():
        rows = [_code_row(entry, str(TITLES[entry.code])) for entry in entries if entry.code[4] == digit]
        table = "\n".join(["| code | means | why, and what to do | 含义 |", "| --- | --- | --- | --- |", *rows])
        parts += [f"## {digit}xxx: {branch}", table]
    return "\n\n".join(parts) + "\n"


def _code_row(entry: Entry, chinese: str) -> str:
    told = f"{entry.why} {entry.next_step}".strip().replace("|", "\\|")
    return f"| {entry.code} | {entry.title} | {told} | {chinese} |"


def sdk_page() -> str:
    """The options of a job, in a page that is written by hand."""
    from foliot.domain.fields import OPTIONS

    return _with_fields("sdk.md", OPTIONS.values())


def policies_page() -> str:
    """The times of a job, in a page that is written by hand."""
    from foliot.domain.fields import DURATION, OPTIONS

    return _with_fields("policies.md", [field for field in OPTIONS.values() if field.kind is DURATION])


def alerts_page() -> str:
    """The metrics that rules know, in a page that is written by hand."""
    from foliot.domain.alerts.rule_metrics import RULE_METRICS

    start, end = "<!-- metrics of rules -->", "<!-- end of metrics of rules -->"
    before, _, rest = (REFERENCE / "alerts.md").read_text("utf-8").partition(start)
    after = rest.partition(end)[2]
    lines = ["| metric | labels | what is compared |", "| --- | --- | --- |"]
    for one in RULE_METRICS:
        labels = ", ".join(f"`{label}`" for label in one.labels) or "–"
        lines.append(f"| `{one.name}` | {labels} | {one.text} |")
    return before + "\n".join([start, *lines, end]) + after


def _with_fields(page: str, rows: Iterable[JobField]) -> str:
    """The page as it is, with the table of these fields as it should be."""
    start, end = "<!-- fields: ", "<!-- end of fields -->"
    before, opening, rest = (REFERENCE / page).read_text("utf-8").partition(start)
    note, _, _ = rest.partition("\n")
    after = rest.partition(end)[2]
    table = "\n".join(["| field | usual | allowed | meaning |", "| --- | --- | --- | --- |", *map(_field_row, rows)])
    return f"{before}{opening}{note}\n\n{table}\n\n{end}{after}"


def _field_row(field: JobField) -> str:
    allowed = ", ".join(f"`{word}`" for word in field.kind.words)
    if not allowed and not inspect.isfunction(field.check):  # a bound with figures: a policy has many
        allowed = str(field.check or "")
    mark = " (*place*)" if field.name.startswith("place.") else ""
    return f"| `{field.own_name}`{mark} | {_usual_of(field)} | {allowed or '–'} | {field.meaning} |"


def _usual_of(field: JobField) -> str:
    if field.usual_is:
        return field.usual_is
    if field.usual is False:
        return "no"
    return f"`{field.kind.write(field.usual)}`" if field.usual or field.usual == 0 else "–"


def settings_page() -> str:
    """Every setting with its ways to be said, and every variable."""
    from foliot.cli import main
    from foliot.domain.settings_table import CLIENT_SETTINGS, OTHER_VARIABLES

    rows = ["| setting | option | variable | `[client]` of foliot.toml | a context | meaning |", "| --- " * 6 + "|"]
    for one in CLIENT_SETTINGS:
        project, context = ("yes" if may else "no" for may in (one.is_for_projects, one.is_of_contexts))
        rows.append(f"| {one.name} | `{one.flag}` | `{one.variable}` | {project} | {context} | {one.meaning} |")
    options: dict[str, list[str]] = {}
    for path, command in _commands(main, ("foliot",)):
        for param in command.params:
            if isinstance(param.envvar, str):
                options.setdefault(param.envvar, []).append(f"`{' '.join(path)} {param.opts[-1]}`")
    others = ["| variable | option | meaning |", "| --- | --- | --- |"]
    for name, meaning in OTHER_VARIABLES.items():
        others.append(f"| `{name}` | {', '.join(options.get(name, ())) or '–'} | {meaning} |")
    parts = ["# Settings", NOTE, _head("settings.md"), "## Of whatever asks a server", "\n".join(rows), _PROJECT]
    parts += ["## Other variables", "\n".join(others), _VARIABLES]
    return "\n\n".join(parts) + "\n"


_PROJECT = """A project's `foliot.toml` has one table, `[client]`. It comes with the project, so it cannot name a token
or weaken the way to a server; `foliot new` writes one to begin with. A context is a table of `contexts.toml`:
`foliot context add` and `foliot login` write it.

```toml
[client]
server = "https://foliot.example.org"
namespace = "billing"
tz = "Asia/Shanghai"
lang = "zh-CN"
```"""
_VARIABLES = """`NO_COLOR`, `TERM` and `EDITOR` mean what they mean elsewhere. `LC_ALL`, `LC_MESSAGES` and `LANG` choose
the language where nothing else does, `TZ` the zone, `XDG_CONFIG_HOME` the folder of contexts."""


def checks_page() -> str:
    """Every check of the doctor, with its bounds."""
    from foliot.domain.checkup import CHECKS
    from foliot.words.checkup import check_title
    from foliot.words.language import Language

    rows = ["| check | what | in Chinese | unit | notice | warning | critical | repair |", "| --- " * 8 + "|"]
    for check in CHECKS:
        bounds = [_bound(bound) for bound in check.bounds[:3]]
        titles = [check_title(check.name), check_title(check.name, Language.CHINESE)]
        cells = [f"`{check.name}`", *titles, str(check.unit), *bounds, f"`{check.fix}`" if check.fix else "-"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n\n".join(["# The doctor's checks", NOTE, _head("checks.md"), "\n".join(rows)]) + "\n"


def metrics_page() -> str:
    """Every metric of the catalogue, by family."""
    from foliot.observability.catalogue import CATALOGUE

    parts = ["# Metrics", NOTE, _head("metrics.md")]
    for family in dict.fromkeys(row.family for row in CATALOGUE):
        rows = ["| metric | type | labels | meaning | who has it | series at most |", "| --- " * 6 + "|"]
        rows += [_metric_row(row) for row in CATALOGUE if row.family == family]
        parts += [f"## {family.capitalize()}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _metric_row(row: MetricRow) -> str:
    labels = ", ".join(f"`{label}`" for label in row.labels) or "–"
    most = f"{row.most}" if row.most is not None else "–"
    return f"| `{row.name}` | {row.shape} | {labels} | {row.text} | {row.servers} | {most} |"


def _bound(bound: float | None) -> str:
    return "-" if bound is None else f"{bound:,.10g}".replace(",", " ")


def _head(name: str) -> str:
    """What no code can tell: the prose a page begins with."""
    return (Path(__file__).parent / "heads" / name).read_text("utf-8").strip()


PAGES = {
    "cli.md": cli_page,
    "rest-api.md": rest_page,
    "client.md": client_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
    "checks.md": checks_page,
    "metrics.md": metrics_page,
    "sdk.md": sdk_page,
    "policies.md": policies_page,
    "alerts.md": alerts_page,
}


def main() -> int:
    """Write the pages, or say which are not current."""
    stale = []
    for name, make in PAGES.items():
        target, text = REFERENCE / name, make()
        if not target.exists() or target.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                target.write_text(text, "utf-8")
    print(f"{'not current' if '--check' in sys.argv else 'written'}: {', '.join(stale)}" if stale else "all current")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
