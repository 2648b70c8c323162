"""The kind `shell`: which commands and languages a worker offers, and what executes a run of it."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from foliot import __version__
from foliot.domain.instants import SECOND
from foliot.ports.secrets import NO_SECRETS, Secrets
from foliot.ports.worker_link import HandlerOffer, LeasedRun
from foliot.sdk.ctx import Ctx
from foliot.sdk.results import ResultNotJson, ResultTooLarge, encode_result
from foliot.sdk.stop_signal import Killed, grace_of
from foliot.worker.handlers.options import options_schema
from foliot.worker.handlers.shell.command import Command, command_for, order_for
from foliot.worker.handlers.shell.errors import CommandNotStarted, failed_by_signal, failed_with_code
from foliot.worker.handlers.shell.options import (
    KIB,
    KIND,
    LANGUAGES,
    MEANINGS,
    SECRET_FIELDS,
    ShellOptions,
    described,
    named_parameters,
    shell_options,
)
from foliot.worker.handlers.shell.output import Allowance, OutputStream
from foliot.worker.handlers.shell.own_uids import OwnUids
from foliot.worker.handlers.shell.probe import why_no_sandbox
from foliot.worker.handlers.shell.process import LauncherNews, RunningCommand
from foliot.worker.handlers.shell.settings import ShellSettings, check_settings

log = structlog.get_logger("foliot.worker.shell")

_TERM_SHARE: Final = 0.9  # of the grace; the rest is for SIGKILL to take effect
_LAST_WORDS_MAX: Final = 300


class Shell:
    """`ports.handler.HandlerKind` for commands and scripts."""

    kind: Final = KIND
    version: Final = __version__
    options_schema: Final[Mapping[str, Any]] = options_schema(ShellOptions, MEANINGS)
    secret_fields: Final = SECRET_FIELDS

    def __init__(self) -> None:
        self.settings = ShellSettings()
        self.secrets: Secrets = NO_SECRETS
        self._uids = OwnUids()
        self._offered: tuple[ShellSettings, Sequence[HandlerOffer]] | None = None

    def validate(self, options: Any) -> None:
        """A command or a script, and every field of it, must be usable."""
        shell_options(options)

    def parameters_in(self, options: Any) -> Iterable[tuple[str, str]]:
        """Those that whole arguments stand for."""
        return named_parameters(shell_options(options))

    def describe(self, options: Any) -> str:
        """The command, or the first line of the script."""
        return described(options)

    def offers(self) -> Sequence[HandlerOffer]:
        """Commands: `shell`. Scripts: `shell:bash` and so on, for each language that can be had here as it must be."""
        if self._offered is None or self._offered[0] is not self.settings:
            check_settings(self.settings)
            self._offered = (self.settings, self._offers())
        return self._offered[1]

    def handler_of(self, run: LeasedRun) -> "CommandRun | None":
        """The command of one run."""
        _, _, language = run.handler.partition(":")
        if language and language not in LANGUAGES:
            return None
        options = shell_options(msgspec.json.decode(run.options or "{}"))
        return CommandRun(options, self.settings, self.secrets, self._uids, grace_s=run.grace_us / SECOND)

    async def close(self) -> None:
        """Nothing is held: commands belong to their runs."""

    def _offers(self) -> Sequence[HandlerOffer]:
        settings = self.settings
        names = [KIND]
        if settings.scripts:
            names += [f"{KIND}:{language}" for language in LANGUAGES if settings.interpreter(language)]
        why = why_no_sandbox(settings) if settings.sandbox != "none" else None
        if why is not None:
            log.warning("shell.no_sandbox", why=why, sandbox=settings.sandbox)
            names = [] if settings.sandbox == "all" else [KIND]
        return [HandlerOffer(name=name) for name in names]


class CommandRun:
    """One run of a command (`ports.handler.Invocable`)."""

    is_async: Final = True

    def __init__(
        self, options: ShellOptions, settings: ShellSettings, secrets: Secrets, uids: "OwnUids", *, grace_s: float
    ) -> None:
        self._options = options
        self._settings = settings
        self._secrets = secrets
        self._uids = uids
        self._grace_s = grace_s

    @property
    def title(self) -> str:
        """The name of the program, or of the script's language."""
        options = self._options
        return Path(options.argv[0]).name if options.argv else f"the {options.language} script"

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        """Decide everything that can be decided before the start."""
        ctx.in_zone("UTC")
        values = None if params is None else msgspec.json.decode(params)
        command = command_for(self._options, self._settings, values, ctx)
        return partial(self._run, command, ctx)

    async def _run(self, command: Command, ctx: Ctx) -> Any:
        options = self._options
        named = {"env": options.env, "stdin": options.stdin, "files": options.files}
        filled = await self._secrets.filled(named, namespace=ctx.namespace)
        with self._uids.one_for(self._settings, self.title) as uid:
            order = order_for(command, options, self._settings, filled, uid)
            out, err, allowance = self._streams(ctx)
            end = await self._attended(order, out, err, ctx)
        out.end()
        err.end()
        if allowance.refused:
            ctx.log.warning("output is not kept", characters=allowance.refused)
        return self._judged(end, out.last, err.last)

    def _streams(self, ctx: Ctx) -> tuple[OutputStream, OutputStream, Allowance]:
        capture = self._options.capture
        allowance = Allowance(capture.max_kb * KIB)
        make = partial(
            OutputStream,
            allowance=allowance,
            encoding=self._options.encoding,
            hide=self._secrets.hidden,
            progress=ctx.progress,
        )
        # What a handler prints goes to the log of its run, in every isolation.
        return make(sys.stdout if capture.stdout else None), make(sys.stderr if capture.stderr else None), allowance

    async def _attended(self, order: bytes, out: OutputStream, err: OutputStream, ctx: Ctx) -> LauncherNews:
        try:
            running = RunningCommand(order, out=out.feed, err=err.feed)
        except OSError as error:
            raise CommandNotStarted(self.title, f"{error.strerror}") from error
        try:
            return await running.ended()
        except asyncio.CancelledError as asked:
            usual_s = self._grace_s if ctx.cancelled else 0.0
            was_killed = await running.stop(grace_s=grace_of(asked, usual_s=usual_s) * _TERM_SHARE)
            if was_killed and ctx.cancelled:
                raise Killed from None
            raise
        finally:
            running.close()

    def _judged(self, end: LauncherNews, last_out: str, last_err: str) -> Any:
        """The result of a command that ended well; else its error is raised."""
        options = self._options
        last_words = self._secrets.hidden(last_err or last_out).strip().rstrip(".")[:_LAST_WORDS_MAX]
        if end.failed is not None:
            raise CommandNotStarted(self.title, end.failed)
        if end.code is None:
            raise failed_by_signal(self.title, end.signal or 0, last_words)
        if end.code not in options.success_codes:
            is_permanent = options.retry_codes is not None and end.code not in options.retry_codes
            raise failed_with_code(self.title, end.code, last_words, is_permanent=is_permanent)
        if options.result == "none":
            return None
        if end.result is not None and options.result != "last_line":
            return value_of(end.result.encode("latin-1").decode(options.encoding, "backslashreplace"))
        return None if options.result == "file" else value_of(last_out)


def value_of(text: str) -> Any:
    """A result that a command wrote: JSON if it is, else text; nothing written is no result."""
    text = text.strip(" \t\r\n")
    if not text:
        return None
    try:
        value = msgspec.json.decode(text)
        encode_result(value, function="", run="")
    except ResultTooLarge:
        return value
    except (msgspec.DecodeError, RecursionError, ResultNotJson):  # also JSON of a kind that no store keeps
        return text.replace("\0", "\\x00")
    return value
