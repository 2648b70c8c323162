"""Options of a job of the kind `shell`: a command or a script, what it is given, and how its end counts.

    run: {shell: {argv: [pg_dump, --file, out.sql, billing]}}
    run: {shell: {script: "echo hello", language: sh}}

Parameters of a run are data: they come as environment, as whole arguments or as standard input, and are never put into
the text of a script or into a part of an argument (SEC-14). No secret is an argument: every user of the machine can
read those (SEC-20).
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from foliot.domain.errors import BadField
from foliot.worker.handlers.options import read_options

KIND: Final = "shell"
LANGUAGES: Final = ("sh", "bash", "python", "node", "powershell")
SECRET_FIELDS: Final = frozenset({"env", "stdin", "files"})
RESERVED: Final = "FOLIOT_"
KIB: Final = 1024
OUTPUT_KB_MAX: Final = 1_000_000

Language = Literal["sh", "bash", "python", "node", "powershell"]
ExitCode = Annotated[int, msgspec.Meta(ge=0, le=255)]

_PLACEHOLDER: Final = re.compile(r"\$\{params\.([^}]*)\}")
_SECRET: Final = re.compile(r"\$\{secret:[A-Za-z_][A-Za-z0-9_.-]*\}")
_ENV_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_CODE_FOLLOWS: Final = frozenset(
    {"-c", "-e", "--eval", "-p", "--print", "-Command", "-EncodedCommand", "--command", "--execute", "--run"}
)
_CODE_LETTERS: Final = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "python", "pypy", "psql"), "c"),
    **dict.fromkeys(("mysql", "mariadb", "ruby"), "e"),
    "perl": "eE",
    "node": "ep",
    "nodejs": "ep",
    "php": "rBRE",
}
"""Interpreters, and the short options behind which they expect code, also in one word with others (`bash -lc`)."""
_ALL_IS_CODE: Final = frozenset({"awk", "gawk", "mawk", "nawk", "env", "xargs", "ssh", "su", "sudo", "doas", "eval"})
"""Commands that make a program, or another command, of their arguments."""
_VERSION: Final = re.compile(r"[0-9.]+$")


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What of the output becomes the run's log; the worker's own limit holds as well."""

    stdout: bool = True
    stderr: bool = True
    max_kb: Annotated[int, msgspec.Meta(ge=0, le=OUTPUT_KB_MAX)] = OUTPUT_KB_MAX


class ShellOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`argv`, or `script` with its `language`."""

    argv: Annotated[list[str], msgspec.Meta(max_length=1000)] = []
    script: str | None = None
    language: Language | None = None
    args: Annotated[list[str], msgspec.Meta(max_length=1000)] = []  # of the script
    cwd: str | None = None  # absent: an empty private folder
    env: Annotated[dict[str, str], msgspec.Meta(max_length=500)] = {}
    stdin: str | None = None
    files: Annotated[dict[str, str], msgspec.Meta(max_length=100)] = {}  # name → text, in the folder FOLIOT_FILES
    params_as: Literal["env", "argv", "stdin"] = "env"
    success_codes: Annotated[tuple[ExitCode, ...], msgspec.Meta(min_length=1, max_length=256)] = (0,)
    retry_codes: Annotated[list[ExitCode], msgspec.Meta(max_length=256)] | None = None  # absent: any other code
    result: Literal["last_line", "file", "none"] | None = None  # absent: the file if there is one, else the last line
    capture: Capture = Capture()
    encoding: str = "utf-8"

    @property
    def words(self) -> Sequence[str]:
        """The arguments that parameters can be put into."""
        return self.argv or self.args


MEANINGS: Final = {
    "argv": "A command and its arguments; no shell reads them.",
    "script": "The text of a script, with its language.",
    "language": "What executes the script.",
    "args": "Arguments of the script.",
    "cwd": "Where it starts; without it: an empty private folder.",
    "env": "Variables of its environment, beside those of Foliot.",
    "stdin": "What it reads as standard input.",
    "files": "Private files, name and text, in the folder FOLIOT_FILES.",
    "params_as": "How it gets the parameters of the run.",
    "success_codes": "Exit codes that are a success.",
    "retry_codes": "Exit codes after which it is tried again; without it: every other one.",
    "result": "Where the result stands; without it: the file FOLIOT_RESULT, else the last line.",
    "capture": "What of the output becomes the log.",
    "encoding": "Of the output.",
}
"""For people who look at the options of the kind; `foliot handler show shell` lists them."""


def shell_options(written: Any) -> ShellOptions:
    """The options of a job; `BadField` names the one that no run could use."""
    options = read_options(KIND, written, ShellOptions)
    _check_what_runs(options)
    _check_arguments(options)
    _check_given(options)
    _check_end(options)
    return options


def placeholder_in(word: str) -> str | None:
    """The parameter that a whole argument stands for: `file` of `${params.file}`."""
    found = _PLACEHOLDER.fullmatch(word)
    return None if found is None else found[1]


def named_parameters(options: ShellOptions) -> Iterator[tuple[str, str]]:
    """The parameters that arguments name, each with the argument."""
    where = "argv" if options.argv else "args"
    for at, word in enumerate(options.words):
        name = placeholder_in(word)
        if name:
            yield f"run.{KIND}.{where}[{at}]", name


def _check_what_runs(options: ShellOptions) -> None:
    if bool(options.argv) == (options.script is not None):
        raise _bad("argv", "it needs either argv or script", "write argv: [pg_dump, billing], or script and language")
    if options.argv:
        _check_command(options)
    elif not (options.script or "").strip():
        raise _bad("script", "it is empty")
    elif options.language is None:
        raise _bad("language", "it is missing", f"write one of: {', '.join(LANGUAGES)}")
    elif _SECRET.search(options.script or ""):
        raise _bad("script", "no secret is put into the text of a script", "name it in env, and read the variable")


def _check_command(options: ShellOptions) -> None:
    for name, is_there in (("language", options.language), ("args", options.args)):
        if is_there:
            raise _bad(name, "it belongs to a script, and this is argv", f"remove {name}, or write script")
    command = options.argv[0]
    if not command or "$" in command or ("/" in command and not command.startswith("/")):
        raise _bad("argv[0]", "it is not a command", "write its name or its absolute path; no parameter chooses it")


def _check_arguments(options: ShellOptions) -> None:
    where = "argv" if options.argv else "args"
    for at, word in enumerate(options.words):
        path = f"{where}[{at}]"
        _check_text(path, word)
        if "${secret:" in word:
            raise _bad(path, "every user of the machine can read arguments", "name the secret in env, files or stdin")
        if "${params." in word:
            _check_placeholder(path, word, options.words[:at], options)


def _check_placeholder(path: str, word: str, before: Sequence[str], options: ShellOptions) -> None:
    if not placeholder_in(word):
        raise _bad(path, "a parameter is a whole argument", "write ${params.file} as an element of its own")
    if options.params_as != "argv":
        raise _bad(path, f"parameters come as {options.params_as}", "write params_as: argv")
    flag = _code_flag(before if options.argv else before[-1:])
    if flag is not None:
        raise _bad(path, f"what follows {flag} is code, and a parameter is data", "let the code read the parameter")


def _code_flag(before: Sequence[str]) -> str | None:
    """The word by which a command reads what follows it as code; None: no command that is known here does."""
    letters = ""  # of the interpreters so far: one may stand behind another command (timeout 5 bash -lc …)
    for word in before:
        name = _VERSION.sub("", word.rpartition("/")[2])
        if name in _ALL_IS_CODE:
            return word
        letters += _CODE_LETTERS.get(name, "")
        is_cluster = word.startswith("-") and not word.startswith("--")
        if is_cluster and any(letter in word for letter in letters):
            return word
        if letters and word.startswith("--") and word in _CODE_FOLLOWS:
            return word
    return before[-1] if before and before[-1] in _CODE_FOLLOWS else None


def _check_given(options: ShellOptions) -> None:
    for name, value in options.env.items():
        _check_text(f"env.{name}", value)
        if not _ENV_NAME.fullmatch(name):
            raise _bad(f"env.{name}", "it is not the name of a variable", "letters, digits and _")
        if name.startswith(RESERVED):
            raise _bad(f"env.{name}", "names that begin with FOLIOT_ are Foliot's own")
    for name, value in options.files.items():
        _check_text(f"files.{name}", value)
        if not _FILE_NAME.fullmatch(name):
            raise _bad(f"files.{name}", "it is not the name of a file", "letters, digits, _, - and . without folders")
    if options.cwd is not None and (not options.cwd.startswith("/") or "\0" in options.cwd or ".." in options.cwd):
        raise _bad("cwd", "it is not an absolute path")
    if options.stdin is not None and options.params_as == "stdin":
        raise _bad("stdin", "the parameters are the standard input", "remove stdin, or write params_as: env")


def _check_end(options: ShellOptions) -> None:
    twice = {*options.success_codes} & {*(options.retry_codes or ())}
    if twice:
        raise _bad("retry_codes", f"{min(twice)} is also a success code")
    try:
        is_fit = "\n".encode(options.encoding) == b"\n" and codecs.lookup(options.encoding)._is_text_encoding  # noqa: SLF001
        b"a\xff\n".decode(options.encoding, "backslashreplace")  # as output is read
    except (LookupError, ValueError):
        is_fit = False
    if not is_fit:
        raise _bad("encoding", "it is not an encoding in which lines can be told apart", "utf-8, latin-1, gbk …")


def _check_text(path: str, text: str) -> None:
    if "\0" in text:
        raise _bad(path, "no process can be given a NUL")


def _bad(field: str, why: str, hint: str | None = None) -> BadField:
    return BadField(f"run.{KIND}.{field}", why, hint=hint)


def described(options: Mapping[str, Any]) -> str:
    """What a job does, in one short line."""
    argv = options.get("argv")
    if argv:
        text = " ".join(map(str, argv))
    else:
        first, *more = str(options.get("script")).strip().splitlines() or [""]
        text = f"{options.get('language')}: {first}" + (f" … ({len(more) + 1} lines)" if more else "")
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return line if len(line) <= DESCRIBED_MAX else f"{line[: DESCRIBED_MAX - 1]}…"


DESCRIBED_MAX: Final = 150
