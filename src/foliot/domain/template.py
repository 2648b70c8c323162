"""Texts with places for values of the run: `https://example.org/orders/${params.order.id}`.

A place is filled with the value it names, and with nothing else. There are no expressions, no filters, no attributes,
and what a value holds is never read as a template again (SEC-15).

    ${params.order.id}    a parameter of the run, by its keys; a number is a place in a list
    ${run.id}             a fact of the run or its job: one of `FACTS`
    ${secret:NAME}        a secret, which only the worker has
    $${                   the two characters ${ themselves
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from foliot.domain.names import nearest

FACTS: Final = (
    "callback.token", "callback.url", "job.name", "job.namespace", "run.attempt", "run.due", "run.fence", "run.id",
    "run.shard", "run.shards",
)  # fmt: skip
NAME_MAX: Final = 200
STEPS_MAX: Final = 16
PLACES_MAX: Final = 500  # in one text
FILLED_MAX: Final = 1024 * 1024  # characters of one text when it is filled

SECRET: Final = "secret:"  # noqa: S105  how a name of one begins
_PLACE: Final = re.compile(r"\$\$\{|\$\{([^{}$]*)\}|\$\{")
_PARAM_NAME: Final = re.compile(r"params(?:\.[A-Za-z0-9_-]+)*\Z")
_SECRET_NAME: Final = re.compile(r"secret:[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")


class BadTemplate(ValueError):
    """A text that cannot be read as a template; its words say why."""


class NotFilled(ValueError):
    """A place of a template has no value in this run, or one that does not fit there; its words say why."""


@dataclass(frozen=True, slots=True)
class Name:
    """What stands in a place: `params.order.id`."""

    written: str

    @property
    def secret(self) -> str | None:
        """The name of a secret; None: it is no secret."""
        return self.written.removeprefix(SECRET) if self.written.startswith(SECRET) else None

    @property
    def parameter(self) -> str | None:
        """The parameter that it is, or is a part of: `order` of `params.order.id`; None: another value."""
        first, _, rest = self.written.partition(".")
        return rest.partition(".")[0] or None if first == "params" else None


@dataclass(frozen=True, slots=True)
class Template:
    """A text in parts: what is written there as it is, and names."""

    parts: tuple[str | Name, ...]

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(part for part in self.parts if isinstance(part, Name))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunValues:
    """What names stand for in one run."""

    params: Any
    facts: Mapping[str, str | int]
    secrets: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: Name) -> Any:
        """The value; `NotFilled` when the run has none."""
        if name.secret is not None:
            return self._found(self.secrets, name.secret, name)
        if name.written in self.facts:
            return self.facts[name.written]
        value = self.params
        for step in name.written.split(".")[1:]:
            value = self._step(value, step, name)
        return value

    def _step(self, value: Any, step: str, name: Name) -> Any:
        if isinstance(value, list):
            at = int(step) if step.isascii() and step.isdecimal() and len(step) < NAME_MAX else len(value)
            if at < len(value):
                return value[at]
        elif isinstance(value, Mapping):
            return self._found(value, step, name)
        raise NotFilled(f"the run has no value for ${{{name.written}}}")

    @staticmethod
    def _found(values: Mapping[str, Any], key: str, name: Name) -> Any:
        if key not in values:
            raise NotFilled(f"the run has no value for ${{{name.written}}}")
        return values[key]


Encode: TypeAlias = Callable[[str], str]
"""How a value is written where it stands: percent-encoded in a path, as it is in a body. It may raise `NotFilled`."""


def parsed(text: str) -> Template:
    """Read a template; `BadTemplate` for a place that nothing could fill."""
    parts: list[str | Name] = []
    at = 0
    for found in _PLACE.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        parts.append("${" if found[0] == "$${" else _name(found))
    parts.append(text[at:])
    template = Template(tuple(part for part in parts if part != ""))
    if len(template.names) > PLACES_MAX:
        raise BadTemplate(f"it has more than {PLACES_MAX} places to fill")
    return template


def filled(template: Template, values: RunValues, encode: Encode = str) -> str:
    """The text with each place filled. A value there must be text, a number or a truth value."""
    texts = []
    size = 0
    for part in template.parts:
        text = part if isinstance(part, str) else encode(_as_text(values.of(part), part))
        texts.append(text)
        size += len(text)
        if size > FILLED_MAX:
            raise NotFilled(f"it has more than {FILLED_MAX} characters when it is filled")
    return "".join(texts)


def filled_value(template: Template, values: RunValues) -> Any:
    """The same for a text in JSON: one that is a single place keeps the type of its value."""
    match template.parts:
        case (Name() as name,):
            return values.of(name)
        case _:
            return filled(template, values)


def _name(found: re.Match[str]) -> Name:
    written = found[1]
    if written is None:
        raise BadTemplate("a place begins with ${ and does not end with }")
    if len(written) > NAME_MAX or written.count(".") > STEPS_MAX:
        raise BadTemplate("the name in a place is too long")
    if written in FACTS or _PARAM_NAME.match(written) or _SECRET_NAME.match(written):
        return Name(written)
    meant = nearest(written, FACTS)
    if meant is None:
        raise BadTemplate(f'"{_shown(written)}" is not a name that a place can have')
    raise BadTemplate(f'"{_shown(written)}" is not a name that a place can have; did you mean ${{{meant}}}?')


def _as_text(value: Any, name: Name) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise NotFilled(f"${{{name.written}}} is not text, a number or a truth value")


def _shown(written: str) -> str:
    """A name of somebody's, fit for a message."""
    return "".join(letter if letter.isprintable() else "?" for letter in written[:40])
