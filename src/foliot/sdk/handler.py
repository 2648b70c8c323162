"""Handlers: the Python functions that runs execute, under the names that definitions use."""

import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from foliot.domain.errors import InvalidInput
from foliot.domain.handler import python_function
from foliot.ports.worker_link import HandlerOffer
from foliot.sdk.parameters import Parameters


class SourceLine(NamedTuple):
    """Where something is written: `jobs.py:12`."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Handler:
    """A function a worker can run (`ports.handler.Invocable`)."""

    def __init__(self, function: Callable[..., Any], *, job: str = "", tz: str = "UTC", is_merge: bool = False) -> None:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise GeneratorHandler(function.__qualname__)
        self.function = function
        self.job = job or function.__name__
        self.tz = tz  # of the job's schedule
        self.is_merge: Final = is_merge
        self.is_async = inspect.iscoroutinefunction(function)

    def __repr__(self) -> str:
        return f"<Handler {self.name}>"

    @property
    def name(self) -> str:
        """What a worker offers: `python:module:qualname`."""
        return python_function(function_name(self.function)).offer

    @property
    def title(self) -> str:
        """Its name in messages: the function's own."""
        return self.function.__name__

    @property
    def module(self) -> str:
        return self.function.__module__

    @cached_property
    def parameters(self) -> Parameters:
        """Read from the annotations when first asked, so that they may name what is defined further down."""
        return Parameters(self.function, name=self.job, ignores_unknown=self.is_merge)

    @property
    def place(self) -> SourceLine:
        """Where the function is written."""
        code = inspect.unwrap(self.function).__code__
        return SourceLine(shown_path(code.co_filename), code.co_firstlineno)

    @property
    def code_hash(self) -> str:
        """Of the file the function is written in; 12 hexadecimal digits, empty when there is no file."""
        try:
            source = Path(inspect.unwrap(self.function).__code__.co_filename).read_bytes()
        except OSError:
            return ""
        return hashlib.sha256(source).hexdigest()[:12]

    def bind(self, params: str | None, ctx: Any) -> Callable[[], Any]:
        """The function with its arguments (`ports.handler.Invocable`); `BadParameters` when they do not fit."""
        ctx.in_zone(self.tz)
        parameters = self.parameters
        args, kwargs = parameters.arguments(parameters.parse(params), ctx)
        return partial(self.function, *args, **kwargs)

    def offer(self) -> HandlerOffer:
        """What a worker says of it when it registers."""
        return HandlerOffer(name=self.name, parameters=self.parameters.schema, code_hash=self.code_hash)


class GeneratorHandler(InvalidInput):
    """A generator cannot be a job: calling it does nothing."""

    code = "FOL-1074"

    def __init__(self, function: str) -> None:
        super().__init__(
            f"{function} is a generator (it contains yield): calling it would do nothing.",
            hint="return a list, or go through the items with ctx.track",
            function=function,
        )


def function_name(function: Callable[..., Any]) -> str:
    """`module:qualname` of a function, the same on every machine that has the code."""
    return f"{module_of(function)}:{function.__qualname__}"


def module_of(function: Callable[..., Any]) -> str:
    """The module's name as others import it; a script that is being run gets the name its file would have."""
    if function.__module__ != "__main__":
        return function.__module__
    main = sys.modules["__main__"]
    if main.__spec__ is not None:  # python -m billing.jobs
        return main.__spec__.name.removesuffix(".__main__")
    return name_of_file(Path(inspect.unwrap(function).__code__.co_filename))


def name_of_file(file: Path) -> str:
    """The module name of a file: its path from the working folder with dots, the same on other machines."""
    file = file.resolve()
    try:
        parts = file.relative_to(Path.cwd()).with_suffix("").parts
    except ValueError:
        parts = (file.stem,)
    name = ".".join("".join(letter if letter.isalnum() else "_" for letter in part) for part in parts)
    return name if name.split(".")[0] not in sys.stdlib_module_names else f"{name}_file"


def shown_path(file: str | Path) -> str:
    """A path as people know it: relative to the working folder when it is below it."""
    path = Path(file)
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
