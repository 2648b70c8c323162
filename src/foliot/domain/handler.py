"""The handler of a job: a kind and its options; and the offer that a worker must make to execute it.

    run: {python: "billing.jobs:settle"}                       offer python:billing.jobs:settle
    run: {sql: {connection: reports, query: "select 1"}}       offer sql:reports
    run: {http: {url: "https://example.org"}}                  offer http
    run: {shell: {language: bash, script: "echo hello"}}       offer shell:bash

So a URL or a statement is data of the job: jobs that differ in it alone share a lane. The rule is the same for every
kind, because every server must say the same of a job, whatever packages are installed beside it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.payload import DEPTH_MAX, canonical_json, json_text
from foliot.domain.texts import OFFER_BYTES_MAX

PYTHON: Final = "python"
SCRIPT_KINDS: Final = frozenset({"shell", "sql"})
"""Kinds whose options are text that a worker executes: to define a job of them is a right of its own."""
CONNECTION: Final = "connection"
"""An option of any kind: the name of what a worker must be connected to. It becomes part of the offer."""
LANGUAGE: Final = "language"
"""Likewise: the language that a worker must have an interpreter of."""
KIND_BYTES_MAX: Final = 50
OPTIONS_BYTES_MAX: Final = 64 * 1024
LABEL_MAX: Final = 80
_EXAMPLE: Final = 'write {python: "billing.jobs:settle"}'


def offer_of(kind: str, options: Any) -> str:
    """The offer that a handler needs."""
    if kind == PYTHON:
        return f"{PYTHON}:{options}"
    needs = (options.get(CONNECTION) or options.get(LANGUAGE)) if isinstance(options, Mapping) else None
    return f"{kind}:{needs}" if isinstance(needs, str) and needs else kind


@dataclass(frozen=True, slots=True)
class JobHandler:
    """What a job executes. `options` is any JSON value; of the kind `python` it is the function's name."""

    kind: str
    options: Any
    offer: str = field(init=False, compare=False, repr=False)  # what a worker must offer: made once, leasing needs it

    def __post_init__(self) -> None:
        object.__setattr__(self, "offer", offer_of(self.kind, self.options))

    @property
    def label(self) -> str:
        """The options in a few words, where no kind can describe them."""
        text = self.options if isinstance(self.options, str) else canonical_json(self.options)
        line = " ".join(text.split())
        return line if len(line) <= LABEL_MAX else f"{line[: LABEL_MAX - 1]}…"

    def to_document(self) -> dict[str, Any]:
        """As job files write it: `{python: "billing.jobs:settle"}`."""
        return {self.kind: self.options}

    def options_text(self) -> str | None:
        """The options as JSON for the worker; None for a Python function, of which the offer says everything."""
        return None if self.kind == PYTHON else json.dumps(self.options, ensure_ascii=False, separators=(",", ":"))


NO_HANDLER: Final = JobHandler("", "")
"""What stands in a definition of which the handler is not known: no worker offers it."""


def python_function(name: str) -> JobHandler:
    """A Python function: `billing.jobs:settle`."""
    return JobHandler(PYTHON, name)


def kind_of(offer: str) -> str:
    """The kind of what a worker offers: `python` of `python:billing.jobs:settle`."""
    return offer.partition(":")[0]


def handler_from(written: Any, path: str) -> JobHandler:
    """Read a handler; `path` is the field it stands in."""
    if not isinstance(written, Mapping) or len(written) != 1:
        raise BadField(path, "it is not one kind and its options", hint=_EXAMPLE)
    ((kind, options),) = written.items()
    if not isinstance(kind, str):
        raise BadField(path, "its kind is not a word", hint=_EXAMPLE)
    if kind == PYTHON and not isinstance(options, str):
        raise BadField(f"{path}.{kind}", "it is not text", hint=_EXAMPLE)
    return JobHandler(kind, options)


def check_handler(path: str, handler: JobHandler) -> None:
    """Refuse a handler that no worker could offer, or whose options are too large or no JSON."""
    kind, options = handler.kind, handler.options
    is_word = kind.isascii() and kind.replace("_", "a").replace("-", "a").isalnum() and len(kind) <= KIND_BYTES_MAX
    if not is_word or options in (None, ""):
        raise BadField(path, f'"{kind[:80]}" is not a kind with options', hint=_EXAMPLE)
    try:
        json_text(options, bytes_max=OPTIONS_BYTES_MAX, depth_max=DEPTH_MAX, what="The handler")
    except InvalidInput as error:
        raise BadField(f"{path}.{kind}", error.sentence.rstrip("."), hint=error.hint) from error
    _check_offer(path, handler)


def _check_offer(path: str, handler: JobHandler) -> None:
    size = len(handler.offer.encode())
    if size > OFFER_BYTES_MAX:
        raise BadField(path, f"it has {size} bytes; the limit is {OFFER_BYTES_MAX}")
    if not handler.offer.isprintable():
        raise BadField(path, "it holds an invisible character", hint="remove it")
