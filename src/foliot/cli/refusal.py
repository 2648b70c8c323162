"""How a command ends when Foliot refuses: what happened, the next step, the code; the exit code says which kind."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from foliot.cli.speaking import Styled, echo
from foliot.domain.errors import ClusterTrouble, Conflict, Denied, FoliotError, InvalidInput, NotFound
from foliot.words import messages
from foliot.words.language import Language

BAD_MARK: Final = "✖" if (sys.stderr.encoding or "").lower().startswith("utf") else "x"
EXIT_CODES: Final[tuple[tuple[type[FoliotError], int], ...]] = (
    (InvalidInput, 2),
    (NotFound, 3),
    (Denied, 4),
    (Conflict, 5),
    (ClusterTrouble, 8),
)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn errors of the family, alone or in groups, into a message and an exit code."""
    try:
        yield
    except FoliotError as error:
        tell(error)
        sys.exit(exit_code(error))
    except BaseExceptionGroup as group:
        known, others = group.split(FoliotError)
        if known is None or others is not None:
            raise
        errors = list(_leaves(known))
        for refused in errors:
            tell(refused)
        sys.exit(exit_code(errors[0]))


def tell(error: FoliotError) -> None:
    """One error, on stderr."""
    sentence, hint = messages.tell(error, reader())
    echo(Styled(f"{BAD_MARK} {sentence}", fg="red"), err=True, nl=bool(hint))
    echo(f"  {hint}  [{error.code}]" if hint else f"  [{error.code}]", err=True)


def reader() -> Language:
    """The language of whoever reads, by the environment."""
    from foliot.cli.asking import language

    return Language.CHINESE if language(None) == "zh-CN" else Language.ENGLISH


def exit_code(error: FoliotError) -> int:
    """As product-wide documented."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def _leaves(group: BaseExceptionGroup[FoliotError]) -> Iterator[FoliotError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
