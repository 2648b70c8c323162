"""One run as an order for the launcher: program, arguments, environment, folder, user and bounds.

Everything here is decided before the run starts; what does not fit rejects it.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foliot.domain.payload import RESULT_BYTES_MAX
from foliot.sdk.ctx import Ctx
from foliot.worker.handlers.shell.errors import NotAllowedHere, UnfitParameter
from foliot.worker.handlers.shell.options import ShellOptions, placeholder_in
from foliot.worker.handlers.shell.settings import MIB, ShellSettings

PARAM: Final = "FOLIOT_PARAM_"
_OUTSIDE_NAMES: Final = re.compile(r"[^A-Za-z0-9_]")
_FLAGS: Final = {"node": (), "python": ("-I",), "powershell": ("-NoProfile", "-NonInteractive", "-File")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What one run executes; secrets are not filled in yet."""

    program: str
    argv: tuple[str | None, ...]  # None stands for the file with the script
    env: Mapping[str, str]  # without what the job names
    stdin: str | None
    in_sandbox: bool


def command_for(options: ShellOptions, settings: ShellSettings, params: Any, ctx: Ctx) -> Command:
    """Decide what a run executes; what this worker does not allow, or parameters that do not fit, are refused."""
    values = _object(params)
    _check_allowed(options, settings)
    in_sandbox = settings.sandboxes(is_script=options.script is not None)
    words = tuple(_filled(options.words, values, options.params_as == "argv"))
    env = {**_environment(settings), **_about_run(ctx)}
    if options.params_as == "env":
        env.update(_variables(values))
    stdin = _json(values) if options.params_as == "stdin" else options.stdin
    if options.argv:
        program = _program(options.argv[0], settings)
        return Command(program=program, argv=words, env=env, stdin=stdin, in_sandbox=in_sandbox)
    language = str(options.language)
    interpreter = settings.interpreter(language)
    if interpreter is None or not settings.scripts:
        raise NotAllowedHere(f"scripts in {language}", "languages and scripts")
    flags = _FLAGS.get(language, ())
    argv = (Path(interpreter).name, *flags, None, *words)
    return Command(program=interpreter, argv=argv, env=env, stdin=stdin, in_sandbox=in_sandbox)


def order_for(
    command: Command, options: ShellOptions, settings: ShellSettings, filled: Mapping[str, Any], uid: int | None
) -> bytes:
    """The order as the launcher reads it. `filled`: the options that may name secrets, with their values."""
    user = settings.user()
    limits = settings.limits_of(in_sandbox=command.in_sandbox)
    shown = [(path, False) for path in settings.folders] + [(path, True) for path in settings.writable_folders]
    sandbox = {"network": settings.network, "tmp_bytes": settings.sandbox_tmp_mb * MIB, "folders": shown}
    return msgspec.json.encode(
        {
            "program": command.program,
            "argv": command.argv,
            "env": {**command.env, **filled["env"]},
            "stdin": command.stdin if options.params_as == "stdin" else filled["stdin"],
            "files": filled["files"],
            "script": options.script,
            "cwd": options.cwd,
            "umask": int(settings.umask, 8),
            "uid": uid if user is None else user.pw_uid,
            "gid": uid if user is None else user.pw_gid,
            "groups": [] if user is None else os.getgrouplist(user.pw_name, user.pw_gid),
            "limits": limits,
            "sandbox": sandbox if command.in_sandbox else None,
            "folder_in": settings.work_in,
            "result_max": RESULT_BYTES_MAX,
        }
    )


def _object(params: Any) -> Mapping[str, Any]:
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise UnfitParameter("-", "parameters of a command have names", hint='write an object: {"file": "a.csv"}')
    return params


def _check_allowed(options: ShellOptions, settings: ShellSettings) -> None:
    if options.cwd is not None and not settings.may_work_in(options.cwd):
        raise NotAllowedHere(f"the folder {options.cwd}", "folders")
    for name in options.env:
        if settings.env_names is not None:
            is_allowed = name in settings.env_names
        else:  # by many a variable a command loads code: a list of commands would be worth nothing
            is_allowed = settings.commands is None or not options.argv
        if not is_allowed:
            raise NotAllowedHere(f"the variable {name}", "env_names")


def _program(name: str, settings: ShellSettings) -> str:
    """The path of a command that jobs may start here."""
    program = settings.program(name)
    if program is None or not settings.is_allowed(program):
        raise NotAllowedHere(
            f"the command {name}" if program else f"the command {name}, which it does not have", "commands"
        )
    return program


# ---------------------------------------------------------------------------------------------------------- parameters


def _filled(words: Iterable[str], values: Mapping[str, Any], are_arguments: bool) -> Iterable[str]:
    """The arguments; each placeholder is one parameter, and a list is several arguments."""
    may_be_option = True
    for word in words:
        name = placeholder_in(word) if are_arguments else None
        if name is None:
            may_be_option = may_be_option and word != "--"
            yield word
            continue
        if name not in values:
            raise UnfitParameter(name, "it is missing", hint="give it when the job is triggered, or in its params")
        value = values[name]
        for one in value if isinstance(value, list) else [value]:
            yield _argument(name, one, may_be_option=may_be_option)


def _argument(name: str, value: Any, *, may_be_option: bool) -> str:
    """A parameter as an argument. One that begins with - would be read as an option, unless -- stands before it."""
    text = _text(name, value)
    if may_be_option and text.startswith("-") and not isinstance(value, int | float):
        raise UnfitParameter(
            name, "it begins with -, and the command would take it for an option", hint='write "--" before it in argv'
        )
    return text


def _variables(values: Mapping[str, Any]) -> dict[str, str]:
    """The parameters as environment: one variable each, and all as JSON."""
    variables = {}
    for name, value in values.items():
        variable = PARAM + _OUTSIDE_NAMES.sub("_", name).upper()
        if variable in variables:
            raise UnfitParameter(name, f"{variable} stands for another one already", hint="rename it, or use stdin")
        if value is not None:
            variables[variable] = _text(name, value)
    return {**variables, "FOLIOT_PARAMS": _json(values)}


def _text(name: str, value: Any) -> str:
    """A parameter as text: text as it is, anything else as JSON."""
    text = value if isinstance(value, str) else _json(value)
    if "\0" in text:
        raise UnfitParameter(name, "no process can be given a NUL", hint="use params_as: stdin")
    return text


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


# --------------------------------------------------------------------------------------------------------- environment


def _environment(settings: ShellSettings) -> dict[str, str]:
    """Built from nothing: what the worker itself was started with stays with the worker."""
    home = {} if settings.home is None else {"HOME": settings.home}
    return {"PATH": settings.path, "LANG": settings.lang, **home, **settings.env}


def _about_run(ctx: Ctx) -> dict[str, str]:
    return {
        "FOLIOT_RUN": ctx.run_id,
        "FOLIOT_DUE": ctx.due.isoformat(),
        "FOLIOT_ATTEMPT": str(ctx.attempt),
        "FOLIOT_FENCE": str(ctx.fencing_token),
        "FOLIOT_JOB": ctx.job,
        "FOLIOT_NAMESPACE": ctx.namespace,
        "FOLIOT_SHARD": str(ctx.shard.index),
        "FOLIOT_SHARDS": str(ctx.shard.count),
        **({"TRACEPARENT": ctx.traceparent} if ctx.traceparent else {}),
    }
