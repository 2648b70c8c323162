"""`--py`, `--http`, `--run`, `--script`, `--sql`, `--handler`: what a job executes, as it is typed."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click

from foliot.cli.completion import handler_kind
from foliot.cli.values import pairs, set_path, text_of
from foliot.domain.options import opened

LANGUAGES: Final = {".sh": "sh", ".bash": "bash", ".py": "python", ".js": "node", ".mjs": "node", ".ps1": "powershell"}
_OF_A_SHELL: Final = frozenset(("|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&>"))

Command = TypeVar("Command", bound=Callable[..., Any])
SchemaOf: TypeAlias = Callable[[str], Mapping[str, Any] | None]


def handler_words(command: Command) -> Command:
    """Add the options to a command."""
    for option in (
        click.option("--option", "options", multiple=True, metavar="PATH=V", help="An option of the kind of handler."),
        click.option(
            "--handler",
            "kind",
            metavar="KIND",
            shell_complete=handler_kind,
            help="What: another kind of handler, with --option; foliot handler show lists its options.",
        ),
        click.option("--connection", metavar="NAME", help="Of --sql: a connection that workers know."),
        click.option("--sql", "sql", metavar="QUERY", help="What: an SQL statement; @FILE reads it."),
        click.option("--language", metavar="LANGUAGE", help="Of --script (default: by the file's name)."),
        click.option("--script", metavar="FILE", help="What: the text of a script."),
        click.option("--run", "command", metavar="CMD", help="What: a command and its arguments; no shell reads it."),
        click.option("--body", metavar="TEXT", help="Of --http: JSON or text to send; @FILE reads it."),
        click.option("--header", "headers", multiple=True, metavar="K=V", help="Of --http: a header."),
        click.option("--method", metavar="METHOD", help="Of --http (default: POST with a body, else GET)."),
        click.option("--http", "url", metavar="URL", help="What: a URL to call."),
        click.option("--py", "python", metavar="M:F", help="What: a function that a worker offers."),
    ):
        command = option(command)
    return command


def handler_of(said: Mapping[str, Any], schema_of: SchemaOf = lambda _: None) -> dict[str, Any] | None:
    """The field `run` of what was typed; None: nothing was. `schema_of`: the options of a package's kind, if known."""
    given = [name for name in ("python", "url", "command", "script", "sql", "kind") if said[name] is not None]
    if len(given) > 1:
        raise click.UsageError("Say what runs with one of --py, --http, --run, --script, --sql, --handler.")
    _check_belonging(said, given)
    if not given:
        return None
    if given[0] == "python":
        return {"python": said["python"]}
    kind, options = _OF[given[0]](said)
    schema = schema_of(kind) if given == ["kind"] and said["options"] else None
    for path, value in pairs(said["options"], schema=None if schema is None else opened(schema)).items():
        set_path(options, path, value)
    return {kind: options}


def _check_belonging(said: Mapping[str, Any], given: list[str]) -> None:
    """Refuse an option of a kind that was not chosen: it would be passed over."""
    for name, owner, flag in (
        ("method", "url", "--method goes with --http."),
        ("headers", "url", "--header goes with --http."),
        ("body", "url", "--body goes with --http."),
        ("language", "script", "--language goes with --script."),
        ("connection", "sql", "--connection goes with --sql."),
    ):
        if said[name] and owner not in given:
            raise click.UsageError(flag)
    if said["options"] and (not given or given == ["python"]):
        raise click.UsageError("--option goes with --http, --run, --script, --sql or --handler.")


def _http(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    options: dict[str, Any] = {"url": said["url"]}
    if said["method"]:
        options["method"] = said["method"].upper()
    if said["headers"]:
        options["headers"] = pairs(said["headers"], text=True)
    if said["body"] is not None:
        options["body"] = _body(_text(said["body"]))
    return "http", options


def _body(text: str) -> dict[str, Any]:
    """An object or a list is sent as JSON, everything else as text."""
    value = pairs([f"body={text}"])["body"]
    return {"json": value} if isinstance(value, dict | list) else {"text": text}


def _command(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    try:
        argv = shlex.split(said["command"])
    except ValueError:
        raise click.UsageError("--run has a quote that does not end.") from None
    of_a_shell = sorted(_OF_A_SHELL & {*argv})
    if of_a_shell:
        raise click.UsageError(f"--run starts a command without a shell: {of_a_shell[0]} needs --script FILE.")
    return "shell", {"argv": argv}


def _script(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    file = said["script"]
    language = said["language"] or LANGUAGES.get(Path(file).suffix)
    if language is None:
        raise click.UsageError(f"Say the language of {file} with --language.")
    return "shell", {"script": text_of(file), "language": language}


def _sql(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if not said["connection"]:
        raise click.UsageError("--sql needs --connection NAME.")
    return "sql", {"connection": said["connection"], "query": _text(said["sql"])}


def _another(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return said["kind"], {}


_OF: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]]]]] = {
    "url": _http,
    "command": _command,
    "script": _script,
    "sql": _sql,
    "kind": _another,
}


def _text(written: str) -> str:
    """What was typed, or what stands in the file that it names."""
    return text_of(written[1:]) if written.startswith("@") else written
