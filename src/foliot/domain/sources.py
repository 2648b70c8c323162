"""Sources: which code declares a job, who may declare it anew, and what becomes of it when no code does.

A source is a module that workers load, in a namespace and a group. The page `docs/decisions/sources-of-jobs.md` says
why the rules are as they are.
"""

import hashlib
from collections.abc import Collection
from enum import IntEnum
from functools import cached_property
from typing import Final, NamedTuple

from foliot.domain.errors import Conflict, NameClaimedTwice
from foliot.domain.handler import PYTHON

MODULE_MAX: Final = 250
CODE: Final = "code"
"""`JobRow.source` of a job that code declares."""


class Retirement(IntEnum):
    """What was done about a job that no live worker declares any more."""

    RETIRED = 1  # it was paused
    LEFT_ALONE = 2  # a user paused or resumed it, or its definition says keep_when_removed: it stays as it is


class Source(NamedTuple):
    """Where a worker may declare jobs: a module; None: in every namespace, for every group."""

    namespace: str | None
    group: str | None
    module: str


class CodeJob(NamedTuple):
    """A job that some code declares."""

    namespace: str
    name: str
    module: str


class Code:
    """What the code of a worker declares, within what its token allows. Workers with the same code have the same."""

    def __init__(
        self, *, namespace: str | None, group: str | None, modules: Collection[str], jobs: Collection[CodeJob]
    ) -> None:
        self.namespace = namespace
        self.group = group
        self.modules = tuple(sorted(set(modules)))
        self.jobs = tuple(sorted({(job.namespace, job.name): job for job in jobs}.values()))

    @cached_property
    def hash(self) -> str:
        """The same for the same code, on every server."""
        digest = hashlib.sha256()
        for part in (self.namespace or "", self.group or "", *self.modules):
            digest.update(f"{part}\n".encode())
        for job in self.jobs:
            digest.update(f"\0{job.namespace}\n{job.name}\n{job.module}\n".encode())
        return digest.hexdigest()


class DeclaredElsewhere(NameClaimedTwice):
    """Workers of another module declare a job of this name, and they live."""

    def __init__(self, name: str, *, module: str, other: str) -> None:
        Conflict.__init__(
            self,
            f'Module {module} declares "{name}", and so does module {other}, whose workers live: it stays theirs.',
            hint='give one name="..."',
            name=name,
            first=other,
            second=module,
            claimed_by="workers",
        )


def module_of(offer: str) -> str:
    """The module of a Python function, by what a worker must offer; empty for other handlers."""
    kind, _, rest = offer.partition(":")
    return rest.partition(":")[0][:MODULE_MAX] if kind == PYTHON else ""


class Incumbent(NamedTuple):
    """The source that a job has, and who speaks for it."""

    module: str | None  # None: an older Foliot did not note it
    offer: str  # what its present version executes
    declared_by: frozenset[str]  # modules from which other live workers declare it


def is_other_source(incumbent: Incumbent, *, module: str, offer: str) -> bool:
    """Whether a job is declared from a module that is not its own.

    A function that stays where it is keeps its source, though another module imports it now. So does a job whose module
    stays the same, though its function moved. A URL or a statement lies in no module: another module is another source.
    """
    if incumbent.module is None or incumbent.module == module:
        return False
    own = module_of(incumbent.offer)
    return not own or own != module_of(offer)


def check_source(name: str, incumbent: Incumbent, *, module: str, offer: str, takes_over: bool) -> bool:
    """Whether declaring the job from this module takes it over; `DeclaredElsewhere` while its own workers live."""
    if not is_other_source(incumbent, module=module, offer=offer):
        return False
    if incumbent.module in incumbent.declared_by and not takes_over:
        raise DeclaredElsewhere(name, module=module, other=incumbent.module or "")
    return True
