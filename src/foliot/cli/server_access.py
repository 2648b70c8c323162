"""What commands that ask a server have in common: global options, the client, the way they end."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from foliot.cli.global_options import GLOBAL_NAMES, GLOBALS
from foliot.cli.language import reader_language
from foliot.cli.output import Output
from foliot.cli.refusal import failures
from foliot.cli.terminal import echo
from foliot.domain.visible import visible_line
from foliot.words.language import Language

if TYPE_CHECKING:
    from foliot.cli.times import Times
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.discovery import Resolved
    from foliot.client.pages import AnswerPage

Command = TypeVar("Command", bound=Callable[..., Any])

PAGE_MAX: Final = 200  # what the API gives at once
PAGES_MAX: Final = 50


class User:
    """The user of a command: which cluster they ask (client), how they are answered (output, language), their times."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.resolved = self._resolve()
        self.lang = reader_language(self.resolved.get("lang"))
        colour = False if options["no_color"] else None
        self.out = Output(
            form=options["output"], quiet=options["quiet"], colour=colour, chinese=self.lang is Language.CHINESE
        )
        self.yes: bool = options["yes"]
        self.namespace = self.resolved.get("namespace")
        self._client: Foliot | None = None
        self._times: Times | None = None

    def _resolve(self) -> "Resolved":
        from foliot.client.contexts import Contexts

        flags = {name: self.options.get(name) for name in _FLAGS}
        flags["insecure_http"] = "yes" if self.options.get("insecure_http") else None
        return Contexts().resolve(flags)

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
            self._client = make_client(self.resolved, self.lang, self.options["timeout"])
        return self._client

    @property
    def server(self) -> str:
        """The address that is asked."""
        return self.client.endpoint.urls[0]

    def close(self) -> None:
        """Close the client, if there is one, and say so if it was a replica that answered."""
        if self._client is None:
            return
        self._client.close()
        age_s = self._client.replica_age_s
        if age_s is not None and not self.out.quiet:  # to programs, too: what they read is old
            echo(self.out.mark("warn"), self.out.say("by_replica", age=age_s), err=True)

    # ---------------------------------------------------------------------------------------------------------- asking

    def listed(
        self, ask: "Callable[..., AnswerPage[Any]]", *, limit: int, cursor: str | None = None, **query: Any
    ) -> dict[str, Any]:
        """Up to `limit` items of a list of the client, over as many pages as that takes."""
        items: list[Any] = []
        for _ in range(PAGES_MAX):
            page = ask(limit=min(PAGE_MAX, limit - len(items)), cursor=cursor, **query)
            items += page.raw["items"]
            cursor = page.next_cursor
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


def remote(command: Command) -> Command:
    """A command that asks a server: it gets a `User` and the global options, and ends as it should."""

    @wraps(command)
    def run(**given: Any) -> None:
        from foliot.domain.errors import RunNotFound
        from foliot.domain.run import BadRunId

        options = {name: given.pop(name) for name in GLOBAL_NAMES}
        with failures(options):
            user = User(options)
            try:
                command(user, **given)
            except (RunNotFound, BadRunId) as error:
                perhaps_a_job(user, error, given)
                raise
            finally:
                user.close()

    decorated: Callable[..., Any] = run
    for option in reversed(GLOBALS):
        decorated = option.decorate(decorated)
    return decorated  # type: ignore[return-value]


def perhaps_a_job(user: User, error: Any, given: Mapping[str, Any]) -> None:
    """Where a run was asked for, and the word is a job's name, say what people ask of a job's runs."""
    from foliot.domain.errors import FoliotError

    words = (given.get("run_id"), *given.get("run_ids", ()))
    for word in (word for word in words if word and not word.lower().startswith("r-")):
        try:
            user.client.jobs.get(word)
        except FoliotError:
            continue
        error.hint = user.out.say("is_a_job", job=word)
        return


def make_client(resolved: "Resolved", lang: str, timeout: str) -> "Foliot":
    """The client of what was resolved, which asks for messages in the reader's language."""
    from foliot.client.blocking.foliot import Foliot

    endpoint = resolved.endpoint()
    return Foliot(
        endpoint.urls,
        endpoint.token,
        timeout=timeout,
        namespace=resolved.get("namespace"),
        ca_file=endpoint.ca_file,
        insecure_http=endpoint.insecure_http,
        lang=lang,
    )
