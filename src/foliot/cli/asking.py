"""What commands that ask a server have in common: global options, the client, the way they end."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import click

from foliot.cli.output import FORMATS, Output
from foliot.cli.speaking import Line, echo, parts_of
from foliot.domain.visible import visible_line

if TYPE_CHECKING:
    from foliot.cli.contexts import Resolved
    from foliot.cli.times import Times
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.calls import Call

Command = TypeVar("Command", bound=Callable[..., Any])

PAGES_MAX: Final = 50
_LOCALES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


class Group(click.Group):
    """A group whose unknown commands are answered with the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            close = get_close_matches(args[0], self.commands, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise click.UsageError(f'No command "{ctx.command_path} {args[0]}".{hint}', ctx)
        return super().resolve_command(ctx, args)


class Desk:
    """Where a command asks and speaks: the client, the output, the reader's times."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self.resolved = self._resolve()
        self.lang = language(self.resolved.get("lang"))
        colour = False if options["no_color"] else None
        self.out = Output(form=options["output"], quiet=options["quiet"], colour=colour, chinese=self.lang == "zh-CN")
        self.yes: bool = options["yes"]
        self.namespace = self.resolved.get("namespace")
        self._client: Foliot | None = None
        self._times: Times | None = None

    def _resolve(self) -> "Resolved":
        from foliot.cli.contexts import Contexts

        flags = {name: self._options.get(name) for name in _FLAGS}
        return Contexts().resolve(flags | {"insecure_http": "yes" if self._options.get("insecure_http") else None})

    @property
    def times(self) -> "Times":
        """The reader's zone and clock."""
        if self._times is None:
            from foliot.app.system import SystemClock
            from foliot.cli.times import Times

            self._times = Times(self.resolved.get("tz"), chinese=self.out.chinese, now=SystemClock().now())
        return self._times

    def look_at_the_clock(self) -> None:
        """Some time has passed: what is told next is told as of now."""
        self._times = None

    @property
    def client(self) -> "Foliot":
        """The client of the cluster that was chosen."""
        if self._client is None:
            self._client = make_client(self.resolved, self.lang, self._options["timeout"])
        return self._client

    @property
    def server(self) -> str:
        """The address that is asked."""
        return self.client.endpoint.urls[0]

    def close(self) -> None:
        """Close the client, if there is one."""
        if self._client is not None:
            self._client.close()

    # ---------------------------------------------------------------------------------------------------------- asking

    def get(self, path: str, **query: Any) -> Any:
        """Read something."""
        from foliot.client import calls

        return self.client.send(calls.get(path, **query))

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Do something, once however often it is sent."""
        from foliot.client import calls

        client = self.client
        return client.send(calls.post(path, body or {}, token=client.machine.token(), **query))

    def change(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, version: int, **query: Any
    ) -> Any:
        """Change something that was seen at a version."""
        from foliot.client.calls import PREFIX, Call

        query = {name: str(value) for name, value in query.items() if value is not None}
        headers = {"If-Match": f'"v{version}"'} if version else {"If-None-Match": "*"}
        return self.client.send(Call(method=method, path=PREFIX + path, query=query, body=body, headers=headers))

    def delete(self, path: str, **query: Any) -> Any:
        """Take something away."""
        from foliot.client.calls import PREFIX, Call

        query = {name: str(value) for name, value in query.items() if value is not None}
        return self.client.send(Call(method="DELETE", path=PREFIX + path, query=query))

    def listed(self, path: str, *, limit: int, cursor: str | None = None, **query: Any) -> dict[str, Any]:
        """Up to `limit` items of a list, over as many pages as that takes."""
        items: list[Any] = []
        for _ in range(PAGES_MAX):
            wanted = min(200, limit - len(items))
            page = self.get(path, limit=wanted, cursor=cursor, **query)
            items += page["items"]
            cursor = page.get("next_cursor")
            if cursor is None or len(items) >= limit:
                break
        return {"items": items, "next_cursor": cursor}

    # ------------------------------------------------------------------------------------------------------- confirming

    def confirm(self, names: Sequence[str]) -> None:
        """Show what will be hit and ask; without a terminal the answer must have been given with --yes."""
        if self.yes:
            return
        out = self.out
        echo(out.mark("warn"), out.say("will_hit", count=len(names)), err=True)
        for name in names[:20]:
            echo(f"  {visible_line(name)}", err=True)
        if len(names) > 20:
            echo(out.say("and_more", count=len(names) - 20), err=True)
        if not sys.stdin.isatty():
            raise click.UsageError("This needs a confirmation: repeat it with --yes.")
        if not click.confirm(out.say("go_on"), err=True):
            echo(out.say("stopped"), err=True)
            sys.exit(1)


_FLAGS: Final = ("context", "server", "token_file", "ca_file", "insecure_http", "namespace", "tz", "lang")
_GLOBALS: Final = (
    click.option("--context", metavar="NAME", help="Another context than the one in use."),
    click.option("--server", metavar="URL", help="The cluster to ask."),
    click.option("--token-file", metavar="FILE", help="A file with the token."),
    click.option("--ca-file", metavar="FILE", help="Certificates of who signs the cluster's."),
    click.option("--insecure-http", is_flag=True, help="Send tokens unencrypted over a network."),
    click.option("-n", "--namespace", metavar="NS", help="Where names are looked up."),
    click.option("-o", "--output", type=click.Choice(FORMATS), default="table", help="Form of the data."),
    click.option("-q", "--quiet", is_flag=True, help="Ids only."),
    click.option("-v", "--verbose", is_flag=True, help="Tell more when something fails."),
    click.option("--no-color", is_flag=True, help="No colour."),
    click.option("--tz", metavar="ZONE", help="Zone of the times."),
    click.option("--lang", metavar="LANG", help="en or zh-CN."),
    click.option("-y", "--yes", is_flag=True, help="Do not ask back."),
    click.option("--timeout", default="10s", metavar="DURATION", help="How long to try.", show_default=True),
)
GLOBAL_NAMES: Final = (*_FLAGS, "output", "quiet", "verbose", "no_color", "yes", "timeout")


def remote(command: Command) -> Command:
    """A command that asks a server: it gets a `Desk` and the global options, and ends as it should."""

    @wraps(command)
    def run(**given: Any) -> None:
        from foliot.domain.errors import RunNotFound
        from foliot.domain.run import BadRunId

        options = {name: given.pop(name) for name in GLOBAL_NAMES}
        with failures(options):
            desk = Desk(options)
            try:
                command(desk, **given)
            except (RunNotFound, BadRunId) as error:
                perhaps_a_job(desk, error, given)
                raise
            finally:
                desk.close()

    for option in reversed(_GLOBALS):
        run = option(run)
    return run  # type: ignore[return-value]


def perhaps_a_job(desk: Desk, error: Any, given: Mapping[str, Any]) -> None:
    """Where a run was asked for, and the word is a job's name, say what people ask of a job's runs."""
    from foliot.domain.errors import FoliotError

    words = (given.get("run_id"), *given.get("run_ids", ()))
    for word in (word for word in words if word and not word.lower().startswith("r-")):
        try:
            desk.get(f"/jobs/{quote(word, safe='')}", namespace=desk.namespace)
        except FoliotError:
            continue
        error.hint = desk.out.say("is_a_job", job=word)
        return


@contextmanager
def failures(options: Mapping[str, Any]) -> Iterator[None]:
    """Turn errors of the family into a message in the reader's language and an exit code."""
    from foliot.domain.errors import FoliotError

    try:
        yield
    except FoliotError as error:
        _tell(error, options)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        echo("", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
        sys.exit(0)


def exit_code(error: Exception) -> int:
    """As documented in every help."""
    from foliot.cli.refusal import exit_code as usual
    from foliot.client.errors import RunNotFinished, RunNotSucceeded
    from foliot.domain.errors import FoliotError

    if isinstance(error, RunNotSucceeded):
        return 6
    if isinstance(error, RunNotFinished):
        return 9
    assert isinstance(error, FoliotError)
    return usual(error)


def _tell(error: Any, options: Mapping[str, Any]) -> None:
    from foliot.words.language import Language
    from foliot.words.messages import tell

    chinese = language(options.get("lang")) == "zh-CN"
    sentence, hint = tell(error, Language.CHINESE if chinese else Language.ENGLISH)
    out = Output(form="table", quiet=False, colour=False if options["no_color"] else None, chinese=chinese)
    lines: list[Line] = [*(str(sentence).splitlines() or [""])]
    lines += [
        f"{item.get('path')}: {item.get('message')}"
        for item in error.data.get("errors") or ()
        if isinstance(item, Mapping) and str(item.get("path", "")) not in sentence
    ]
    code = out.dim(f"  [{error.code}]")
    if not hint:  # the code alone is no line
        lines[-1] = (*parts_of(lines[-1]), code)
    for number, line in enumerate(lines):
        echo("  " if number else out.mark("bad"), line, err=True)
    if hint:
        echo(out.dim(f"  {hint}"), code, err=True)
    if options.get("verbose") and error.data.get("trace_id"):
        echo(out.dim(f"  trace {error.data['trace_id']}"), err=True)


def language(asked: str | None) -> str:
    """`zh-CN` or `en`: what was asked for, else the locale's."""
    told = asked or os.environ.get("FOLIOT_LANG")
    if not told:
        told = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return "zh-CN" if told.lower().replace("_", "-").startswith("zh") else "en"


def make_client(resolved: "Resolved", lang: str, timeout: str) -> "Foliot":
    """The client of what was resolved, speaking the reader's language."""
    from pathlib import Path

    from foliot.cli.contexts import PROJECT, TokenForWhom
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.discovery import UnreadableAccess, is_yes
    from foliot.client.errors import NoServerKnown

    class Speaking(Foliot):
        """A client that says which language its reader speaks."""

        def _request(self, call: "Call") -> dict[str, Any]:
            request = super()._request(call)
            request["headers"]["Accept-Language"] = lang
            return request

    server = resolved.get("server")
    if server is None:
        raise NoServerKnown
    if resolved.unused_token is not None and resolved.settings["server"].said_by == str(PROJECT):
        raise TokenForWhom(resolved.unused_token.said_by, server)
    token = resolved.get("token")
    token_file = resolved.get("token_file")
    if token_file:
        try:
            token = Path(token_file).expanduser().read_text("utf-8").strip()
        except OSError as error:
            raise UnreadableAccess(token_file, error.strerror or str(error)) from error
    namespace = resolved.get("namespace") or "default"
    return Speaking(
        server,
        token,
        timeout=timeout,
        namespace=namespace,
        ca_file=resolved.get("ca_file"),
        insecure_http=is_yes(resolved.get("insecure_http") or ""),
    )
