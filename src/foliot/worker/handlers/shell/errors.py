"""What can go wrong with a command: it may not run here, its parameters do not fit, it did not start, it failed.

InvalidInput
├── UnfitParameter        FOL-1127   the run is rejected: nothing was started
└── NotAllowedHere        FOL-1128   likewise: the worker's settings forbid it
ExecutionFailed
├── CommandFailed         FOL-6035   exit code or signal
│   ├── ExitCode3, …                 one for each code: a retry policy names them
│   └── SIGSEGV, …                   one for each signal
└── CommandNotStarted     FOL-6036   not found, no permission, no sandbox
"""

import signal
from typing import Final

from foliot.domain.errors import ExecutionFailed, InvalidInput
from foliot.domain.policies.retry import Permanent

_MADE: Final[dict[tuple[str, bool], type["CommandFailed"]]] = {}


class UnfitParameter(InvalidInput):
    """A parameter of the run cannot be handed to the command in the way that its job says."""

    code = "FOL-1127"

    def __init__(self, name: str, why: str, *, hint: str) -> None:
        super().__init__(f'The parameter "{name}" cannot be used: {why}.', hint=hint, name=name, why=why)


class NotAllowedHere(InvalidInput):
    """The settings of the worker do not let jobs do this."""

    code = "FOL-1128"

    def __init__(self, what: str, key: str) -> None:
        super().__init__(
            f"This worker does not allow {what}.",
            hint=f"the user of the worker decides by {key} of [handlers.shell]",
            what=what,
            key=key,
        )


class CommandFailed(ExecutionFailed):
    """A command ended without success."""

    code = "FOL-6035"

    def __init__(self, title: str, end: str, last_words: str) -> None:
        said = f": {last_words}" if last_words else ""
        super().__init__(
            f"{title} ended with {end}{said}.",
            hint="its output is in the log of the run",
            title=title,
            end=end,
            said=said,
        )


class CommandNotStarted(ExecutionFailed):
    """A command could not be started on this worker."""

    code = "FOL-6036"

    def __init__(self, title: str, why: str) -> None:
        super().__init__(
            f"{title} did not start: {why}.", hint="look at the program and the worker's settings", title=title, why=why
        )


def failed_with_code(title: str, code: int, last_words: str, *, is_permanent: bool) -> CommandFailed:
    """The error of an exit code: its type is named after the code, so that a retry policy can tell codes apart."""
    kind = _named(CommandFailed, f"ExitCode{code}", is_permanent=is_permanent)
    return kind(title, f"exit code {code}", last_words)


def failed_by_signal(title: str, number: int, last_words: str) -> CommandFailed:
    """The error of a command that a signal ended."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"SIG{number}"
    return _named(CommandFailed, name, is_permanent=False)(
        title, f"the signal {name}{_HINTS.get(name, '')}", last_words
    )


def _named(base: type[CommandFailed], name: str, *, is_permanent: bool) -> type[CommandFailed]:
    key = (name, is_permanent)
    if key not in _MADE:
        bases = (base, Permanent) if is_permanent else (base,)
        _MADE[key] = type(name, bases, {"__doc__": base.__doc__, "__module__": __name__})
    return _MADE[key]


_HINTS: Final = {
    "SIGKILL": " (not by Foliot; memory running out is the usual cause)",
    "SIGXCPU": " (it used all the processor time that it may have)",
    "SIGXFSZ": " (it wrote a larger file than it may)",
}
